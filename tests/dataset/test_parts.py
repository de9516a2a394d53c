# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest

from weighbridge.dataset import parts, thinned
from weighbridge.dataset.parts import UNANSWERED, PartsRecording, stored_rows
from weighbridge.dataset.query import query
from weighbridge.dataset.runs import (
    JOURNAL,
    MANIFEST,
    PARTS,
    Run,
    digest,
    digest_each,
    new_manifest,
)
from weighbridge.dataset.schema import COLUMNS, Point
from weighbridge.dataset.table import Row, read_rows, write_parquet
from weighbridge.errors import InputError

POINTS = [Point("cyclonev", "s", "cpu_to_fpga", size) for size in range(1, 101)]
WHO = {"study": "s"}


def row(number: int) -> Row:
    made = dict.fromkeys(COLUMNS) | POINTS[number].key()
    return made | {"seconds": number + 0.5, "quality": "ok", "backend": "twin"}


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", 40)


def table(folder: Path, first: int, end: int) -> bytes:
    """Answers to some points, of which each seventh has none."""
    file = folder / "chunk"
    rows = [row(number) for number in range(first, end) if number % 7]
    none = sum(number % 7 == 0 for number in range(first, end))
    write_parquet(rows, file, {UNANSWERED: json.dumps({"no reason": none} if none else {})})
    return file.read_bytes()


def record(run: Path, folder: Path, cuts: list[int]) -> PartsRecording:
    with PartsRecording(run, len(POINTS), new_manifest(WHO, ["x"])) as recording:
        spans = list(pairwise(sorted({0, 40, 80, 100, *cuts})))
        random.Random(len(cuts)).shuffle(spans)
        for first, end in spans:
            recording.add(first, end, table(folder, first, end))
        recording.finish()
    return recording


def test_files_are_the_same_whatever_the_chunks(tmp_path: Path) -> None:
    for number, cuts in enumerate([[], [3, 17, 41, 99], list(range(100))]):
        record(tmp_path / str(number), tmp_path, cuts)
    names = sorted(file.name for file in (tmp_path / "0" / PARTS).iterdir())
    assert names == [f"{a:012}-{b:012}.parquet" for a, b in ((0, 40), (40, 80), (80, 100))]
    for name in names:
        once, pieces, single = ((tmp_path / n / PARTS / name).read_bytes() for n in "012")
        assert once == pieces == single
    manifest = json.loads((tmp_path / "0" / MANIFEST).read_text())
    assert (manifest["answered"], manifest["unanswered"]) == (85, {"no reason": 15})
    assert manifest["parts"] == dict(zip(names, (34, 34, 17), strict=True))


def test_rows_are_read_where_they_are(tmp_path: Path) -> None:
    record(tmp_path / "run", tmp_path, [3, 17])
    expected = [row(number) for number in range(100) if number % 7]
    rows = stored_rows(tmp_path / "run")
    assert list(rows) == expected == read_rows(tmp_path / "run")
    assert (len(rows), rows[0], rows[40], rows[-1]) == (85, *(expected[n] for n in (0, 40, -1)))
    assert rows[33:36] == expected[33:36]
    with pytest.raises(IndexError):
        rows[85]
    sql = "SELECT count(*), sum(seconds), min(run) FROM results"
    for safe in (False, True):
        (found,) = query(sql, [tmp_path / "run"], safe=safe).rows
        assert found == (
            85,
            sum(float(str(one["seconds"])) for one in expected),
            str(tmp_path / "run"),
        )
    other = tmp_path / "chunk"
    other.rename(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="disabled by configuration"):
        query(f"FROM read_parquet('{tmp_path}/other.parquet')", [tmp_path / "run"], safe=True)
    with pytest.raises(InputError, match="does not only read"):
        query(
            f"COPY (SELECT 1) TO '{next((tmp_path / 'run' / PARTS).iterdir())}'",
            [tmp_path / "run"],
            safe=True,
        )


def test_very_many_rows_are_drawn_by_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(tmp_path / "run", tmp_path, [])
    assert thinned.thinned(tmp_path / "run") == (read_rows(tmp_path / "run"), 85)
    monkeypatch.setattr(thinned, "MOST_DRAWN", 50)
    rows, total = thinned.thinned(tmp_path / "run")
    sizes = [one["size_bytes"] for one in rows]
    assert total == 85
    # Point 0, 7, 14 and so on have no answer: their sizes are 1, 8, 15.
    assert sizes == [2, 3, 4, 6, 9, 11, 16, 23, 32, 45, 65, 91, 100]
    assert all(one == row(int(str(one["size_bytes"])) - 1) for one in rows)
    monkeypatch.setattr(thinned, "MOST_ROWS", 5)
    with pytest.raises(InputError, match="more than 5 rows are left of 85"):
        thinned.thinned(tmp_path / "run")


def test_what_a_killed_writer_leaves(tmp_path: Path) -> None:
    run, folder = tmp_path / "run", tmp_path / "run" / PARTS
    with PartsRecording(run, len(POINTS), new_manifest(WHO, ["x"])) as recording:
        for first, end in ((0, 10), (10, 40), (45, 60), (60, 80)):
            recording.add(first, end, table(tmp_path, first, end))
    merged = folder / f"{0:012}-{40:012}.parquet"
    assert sorted(file.name for file in folder.iterdir())[0] == merged.name
    # Merged, and not yet removed; half written; not of ours; not as many points as it says.
    (folder / f"{10:012}-{40:012}.parquet").write_bytes(table(tmp_path, 10, 40))
    half = folder / f"{45:012}-{60:012}.parquet"
    half.write_bytes(half.read_bytes()[:-1])
    (folder / ".x.tmp").write_text("x")
    (folder / f"{80:012}-{90:012}.parquet").write_bytes(table(tmp_path, 80, 89))
    with PartsRecording(run, len(POINTS), new_manifest(WHO, ["x"])) as recording:
        assert len(list(folder.iterdir())) == 2
        assert recording.known == 60
        left = dict(recording.remaining(POINTS))
        assert list(left) == [*range(40, 60), *range(80, 100)]
        assert left[80] is POINTS[80]
        for first, end in ((40, 60), (80, 100)):
            recording.add(first, end, table(tmp_path, first, end))
        recording.finish()
    record(tmp_path / "straight", tmp_path, [])
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "straight" / PARTS / file.name).read_bytes()


def test_a_directory_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "letter").write_text("dear")
    with pytest.raises(InputError, match="exists and is not a run"):
        PartsRecording(tmp_path / "x", 1, new_manifest(WHO, ["x"]))
    with PartsRecording(tmp_path / "run", 100, new_manifest(WHO, ["x"])):
        other = PartsRecording(tmp_path / "run", 100, new_manifest(WHO, ["x"]))
        with pytest.raises(InputError, match="another command is writing"):
            other.__enter__()
    with pytest.raises(InputError, match="another unfinished run"):
        PartsRecording(tmp_path / "run", 100, new_manifest({"study": "t"}, ["x"]))
    (tmp_path / "run" / PARTS).rmdir()
    (tmp_path / "run" / JOURNAL).touch()
    with pytest.raises(InputError, match="was begun without --cluster"):
        PartsRecording(tmp_path / "run", 100, new_manifest(WHO, ["x"]))


def test_an_older_run_is_done_again_in_its_place(tmp_path: Path) -> None:
    record(tmp_path / "run", tmp_path, [])
    newer = new_manifest({"study": "newer"}, ["x"])
    with PartsRecording(tmp_path / "run", 100, newer) as recording:
        assert (recording.complete, recording.known) == (False, 0)


def test_a_part_that_is_gone_or_lies_elsewhere(tmp_path: Path) -> None:
    record(tmp_path / "run", tmp_path, [])
    manifest = tmp_path / "run" / MANIFEST
    text = manifest.read_text()
    manifest.write_text(text.replace('"000000000000-', '"../000000000000-'))
    with pytest.raises(InputError, match="parts"):
        Run.open(tmp_path / "run")
    manifest.write_text(text)
    next((tmp_path / "run" / PARTS).iterdir()).unlink()
    with pytest.raises(InputError, match=r"truncated run .* is missing"):
        Run.open(tmp_path / "run")


def test_a_digest_of_each_is_that_of_all() -> None:
    for keys in ([], [{"b": 1, "a": None}], [point.key() for point in POINTS]):
        assert digest_each(keys) == digest(keys)
