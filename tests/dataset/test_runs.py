# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from weighbridge.dataset.runs import (
    JOURNAL,
    MANIFEST,
    RESULTS,
    SCHEMA_VERSION,
    Recording,
    Run,
    find_runs,
    new_manifest,
)
from weighbridge.dataset.schema import Point, Result
from weighbridge.dataset.table import read_rows
from weighbridge.errors import InputError

POINTS = [Point("p", "s", "cpu_to_fpga", size) for size in (2, 4, 8, 16)]


def manifest(**identity: str) -> dict[str, Any]:
    return new_manifest({"points": "a", "model": "m"} | identity, ["weighbridge", "run", "s"])


def answer(numbers: list[int]) -> list[tuple[int, Result]]:
    return [
        (n, Result(POINTS[n], seconds=POINTS[n].size_bytes / 3e9, backend="twin")) for n in numbers
    ]


def record(path: Path, *batches: list[int]) -> None:
    with Recording(path, POINTS, manifest()) as recording:
        for batch in batches:
            recording.add(answer(batch))
        if len(recording.outcomes) == len(POINTS):
            recording.finish()


def test_a_finished_run_is_a_table_and_a_manifest(tmp_path: Path) -> None:
    record(tmp_path / "run", [0, 1, 2, 3])
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == [MANIFEST, RESULTS]
    assert [row["size_bytes"] for row in read_rows(tmp_path / "run")] == [2, 4, 8, 16]
    known = Run.open(tmp_path / "run").manifest
    assert known["schema_version"] == SCHEMA_VERSION
    assert {"weighbridge", "python", "machine", "started", "finished", "command"} <= known.keys()
    assert (known["points"], known["answered"], known["unanswered"]) == (4, 4, {})
    assert find_runs(tmp_path) == [tmp_path / "run"]


def test_the_bytes_do_not_tell_how_it_was_made(tmp_path: Path) -> None:
    record(tmp_path / "once", [0, 1, 2, 3])
    record(tmp_path / "pieces", [3, 1])
    record(tmp_path / "pieces", [2], [0])
    once, pieces = ((tmp_path / name / RESULTS).read_bytes() for name in ("once", "pieces"))
    assert once == pieces


def test_a_torn_journal_line_is_asked_again(tmp_path: Path) -> None:
    record(tmp_path, [0, 1])
    journal = tmp_path / JOURNAL
    journal.write_bytes(journal.read_bytes()[:-9])
    with Recording(tmp_path, POINTS, manifest()) as recording:
        assert sorted(recording.remaining) == [1, 2, 3]
        recording.add(answer([1, 2, 3]))
        recording.finish()
    assert len(read_rows(tmp_path)) == 4


def test_unanswered_points_are_counted_not_stored(tmp_path: Path) -> None:
    with Recording(tmp_path, POINTS, manifest()) as recording:
        recording.add([(0, "no such path"), *answer([1, 2, 3])])
        recording.finish()
    assert len(read_rows(tmp_path)) == 3
    assert Run.open(tmp_path).manifest["unanswered"] == {"no such path": 1}


def test_simulated_cycles_are_added_up_over_pieces(tmp_path: Path) -> None:
    for numbers in ([0, 1], [2, 3]):
        with Recording(tmp_path, POINTS, manifest()) as recording:
            recording.add(
                (n, Result(POINTS[n], 1e-6, "uml", simulated_cycles=7 * n)) for n in numbers
            )
            if len(recording.outcomes) == len(POINTS):
                recording.finish()
    assert Run.open(tmp_path).manifest["simulated_cycles"] == recording.simulated_cycles == 42
    record(tmp_path / "twin", [0, 1, 2, 3])
    assert "simulated_cycles" not in Run.open(tmp_path / "twin").manifest


def test_the_same_run_is_not_done_twice(tmp_path: Path) -> None:
    record(tmp_path, [0, 1, 2, 3])
    assert Recording(tmp_path, POINTS, manifest()).complete


def test_an_older_model_is_done_again(tmp_path: Path) -> None:
    record(tmp_path, [0, 1, 2, 3])
    with Recording(tmp_path, POINTS, manifest(model="new")) as recording:
        assert not recording.complete
        assert len(recording.remaining) == 4
    with pytest.raises(InputError, match=r"unfinished run .*finish it with: weighbridge run s"):
        read_rows(tmp_path)


def test_another_run_is_never_touched(tmp_path: Path) -> None:
    record(tmp_path, [0])
    with pytest.raises(InputError, match=r"another unfinished run \(its model differs\)"):
        Recording(tmp_path, POINTS, manifest(model="new"))
    record(tmp_path, [1, 2, 3])
    with pytest.raises(InputError, match=r"another finished run \(its points differs\)"):
        Recording(tmp_path, POINTS, manifest(points="b"))
    assert len(read_rows(tmp_path)) == 4


def test_a_directory_of_something_else_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    for path in (tmp_path, tmp_path / "thesis.tex"):
        with pytest.raises(InputError, match="exists and is not a run"):
            Recording(path, POINTS, manifest())


def test_runs_that_cannot_be_read(tmp_path: Path) -> None:
    record(tmp_path, [0, 1, 2, 3])
    (tmp_path / RESULTS).rename(tmp_path / "away")
    with pytest.raises(InputError, match=r"truncated run .*results.parquet is missing"):
        read_rows(tmp_path)
    (tmp_path / RESULTS).write_bytes((tmp_path / "away").read_bytes()[:200])
    with pytest.raises(InputError, match="not a whole Parquet file"):
        read_rows(tmp_path)
    text = (tmp_path / MANIFEST).read_text()
    (tmp_path / MANIFEST).write_text(text[:100])
    with pytest.raises(InputError, match=r"truncated run .*manifest.json is unreadable"):
        read_rows(tmp_path)
    newer = json.loads(text) | {"schema_version": SCHEMA_VERSION + 1}
    (tmp_path / MANIFEST).write_text(json.dumps(newer))
    with pytest.raises(InputError, match="of a newer version"):
        read_rows(tmp_path)
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(InputError, match=r"not a run: manifest.json is missing"):
        read_rows(tmp_path)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"point": 0, "row": {"seconds": -5}}, "'-5' is not positive"),
        ('{"point": 0, "row": {"seconds": Infinity}}', "Infinity is not a number of JSON"),
        ({"point": 0, "row": {"seconds": "inf"}}, "'inf' is not finite"),
        ({"point": 0, "row": {"size_bytes": 4}}, "no answer to point 0"),
        ({"point": 0, "row": {"colour": 4}}, "unknown column 'colour'"),
        ({"point": 0, "row": []}, "no answer"),
        ({"point": 0, "unanswered": 7}, "no answer"),
        ({"point": "zero", "row": {}}, "no number of a point"),
        ({"point": 4, "row": {}}, "there is no point 4"),
        ({"point": -1, "unanswered": "why"}, "there is no point -1"),
        ([1], "no object"),
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"point": 0, "unanswered": "\\ud800"}', "not text"),
    ],
)
def test_a_journal_that_lies_is_not_believed(tmp_path: Path, line: object, complaint: str) -> None:
    record(tmp_path, [0, 1])
    journal = tmp_path / JOURNAL
    text = line if isinstance(line, str) else json.dumps(line)
    if isinstance(line, dict) and "seconds" in line.get("row", {}):
        whole = json.loads(journal.read_text().splitlines()[0])
        whole["row"] |= line["row"]
        text = json.dumps(whole)
    before = journal.read_text() + text + "\n"
    journal.write_text(before)
    with pytest.raises(InputError, match=complaint) as refusal:
        Recording(tmp_path, POINTS, manifest())
    assert "line 3; remove" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert journal.read_text() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"command": 5},
        {"command": ["run", 5]},
        {"identity": []},
        {"identity": {"points": 3}},
        {"finished": 5},
        {"study": "mine"},
        {"study": {"name": 3}},
        {"platform": ["p"]},
        {"backend": {}},
        {"schema_version": "one"},
        {"schema_version": None},
    ],
)
def test_a_manifest_of_wrong_types_is_told(tmp_path: Path, wrong: dict[str, Any]) -> None:
    record(tmp_path, [0, 1, 2, 3])
    file = tmp_path / MANIFEST
    file.write_text(json.dumps(json.loads(file.read_text()) | wrong))
    for use in (read_rows, lambda path: Recording(path, POINTS, manifest())):
        with pytest.raises(InputError, match=MANIFEST) as refusal:
            use(tmp_path)
        assert "\n" not in str(refusal.value)
    file.write_text("[" * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_rows(tmp_path)
