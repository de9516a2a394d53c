# SPDX-License-Identifier: Apache-2.0
"""Mutated files of every kind: an answer or one clear error, never another exception."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tools.fuzz_inputs import MAP, TABLE
from weighbridge.cli.import_ import TwinJudge
from weighbridge.dataset.importer import Map, import_file, load_map
from weighbridge.dataset.query import query
from weighbridge.dataset.runs import JOURNAL, MANIFEST, RESULTS, Recording, new_manifest
from weighbridge.dataset.schema import Point, Result
from weighbridge.dataset.table import read_rows
from weighbridge.errors import InputError, InputErrors

POINTS = [
    Point(
        platform="cyclonev",
        study="s",
        direction="cpu_to_fpga",
        size_bytes=size,
        os="linux",
        master="cpu",
        link="HF32",
        ports=1,
        cache_level=9,
        buffer="user",
        fpga_mhz=100.0,
    )
    for size in (64, 4096)
]
IDENTITY = {"points": "a", "model": "m"}
LINES = b"".join(
    json.dumps(dict(zip(TABLE.decode().split()[0].split(","), cells, strict=False))).encode()
    + b"\n"
    for cells in ((64, 128, "WR", "ok"), (4, 0.5, "RD", "ok"), (1, 9, "WR", "no"))
)
SQL = (
    b"SELECT os, link, median(seconds) AS t, count(*) FROM results JOIN runs USING (run) "
    b"WHERE size_bytes BETWEEN 2 AND 64 GROUP BY ALL HAVING count(*) > 0 ORDER BY t DESC LIMIT 9"
)
#: What breaks readers: ends of ranges, other types, other scripts, what terminals obey.
NASTY = [
    b"", b"\0", b"\n", b"\r", b'"', b"'", b",", b"-", b"-1", b"0", b"1e309", b"1e-320", b"NaN",
    b"Infinity", b"-inf", b"1_0", b"9" * 25, b"9" * 5000, b"true", b"null", b"[]", b"{}", b'""',
    b"[" * 2000, b'{"a":' * 2000, b"(" * 2000, b"\\ud800", b"\xed\xa0\x80", b"\xff",
    b"\xef\xbb\xbf", "٣".encode(), "\u202e".encode(), b"\x1b[31m", b"x" * 200_000, b"ports",
    b"seconds", b"pcie", b"9**9**9",
    b"zynq7000", b"FS128", b"fpga_dmac", b"=", b"..", b"/etc/passwd", b";", b"--", b"/*",
    b"range(1000000000000)", b"read_text('/etc/passwd')", b"repeat('x', 1000000000)",
]  # fmt: skip
fuzzed = settings(
    max_examples=200,
    deadline=10_000,
    # A long input that fails says enough; making it short takes minutes.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def mutated(draw: st.DrawFn, whole: bytes) -> bytes:
    """The content with one to four parts cut, doubled, moved or replaced."""
    content = whole
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(content)))
        last = min(len(content), first + draw(st.sampled_from((0, 1, 1, 2, 5, 20, 1 << 20))))
        part = content[first:last]
        filling = draw(
            st.one_of(
                st.sampled_from(NASTY),
                st.binary(max_size=4),
                st.just(b""),
                st.just(part * 3),
                st.just(content[last : last + 9] + part),
            )
        )
        content = content[:first] + filling + content[last:]
    return content


def answered(ask: Callable[[], Any]) -> Any:
    """The answer, or None where it is an error of the user's, each fault of it one line."""
    try:
        return ask()
    except InputError as error:
        told = error
    for one in told.errors if isinstance(told, InputErrors) else [told]:
        assert str(one).isprintable(), ascii(str(one))
    assert str(told)
    return None


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of two points."""
    path = tmp_path_factory.mktemp("whole") / "run"
    with recording(path) as kept:
        kept.add((n, Result(point, 1e-6 * n + 1e-7, "twin")) for n, point in enumerate(POINTS))
        kept.finish()
    return path


def recording(path: Path) -> Recording:
    return Recording(path, POINTS, new_manifest(IDENTITY, ["weighbridge", "run"], backend="twin"))


def copied(run: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(run, to)
    return to


@fuzzed
@given(mutated(TABLE))
def test_tables_of_the_user(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "map.toml").write_bytes(MAP)
    (tmp_path / "t.csv").write_bytes(content)
    mapping = load_map(tmp_path / "map.toml")
    answered(lambda: import_file(tmp_path / "t.csv", mapping, TwinJudge()))


@fuzzed
@given(mutated(LINES))
def test_json_lines(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "map.toml").write_bytes(MAP)
    (tmp_path / "t.jsonl").write_bytes(content)
    mapping = load_map(tmp_path / "map.toml")
    answered(lambda: import_file(tmp_path / "t.jsonl", mapping, TwinJudge()))


@fuzzed
@given(mutated(MAP))
def test_maps(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "map.toml").write_bytes(content)
    (tmp_path / "t.csv").write_bytes(TABLE)
    mapping = answered(lambda: load_map(tmp_path / "map.toml"))
    if isinstance(mapping, Map):
        answered(lambda: import_file(tmp_path / "t.csv", mapping, TwinJudge()))


@fuzzed
@given(st.data())
def test_tables_in_the_schema(tmp_path: Path, run: Path, data: st.DataObject) -> None:
    rows = read_rows(run)
    names = [name for name in rows[0] if rows[0][name] is not None]
    lines = [",".join(names), *(",".join(str(row[name]) for name in names) for row in rows)]
    (tmp_path / "t.csv").write_bytes(data.draw(mutated("\n".join(lines).encode())))
    answered(lambda: read_rows(tmp_path / "t.csv"))


@fuzzed
@given(st.data())
def test_journals(tmp_path: Path, run: Path, data: st.DataObject) -> None:
    path = tmp_path / "run"
    shutil.rmtree(path, ignore_errors=True)
    with recording(path) as kept:
        kept.add([(0, Result(POINTS[0], 1e-6, "twin")), (1, "no such path")])
    journal = path / JOURNAL
    journal.write_bytes(data.draw(mutated(journal.read_bytes())))
    taken = answered(lambda: recording(path))
    if taken is not None:
        for outcome in taken.outcomes.values():
            assert isinstance(outcome, str) or 0 < outcome["seconds"] < float("inf")
        # What is taken up can be finished.
        with taken:
            taken.add((n, Result(point, 1e-6, "twin")) for n, point in taken.remaining.items())
            taken.finish()
        assert len(read_rows(path)) == taken.answered


@fuzzed
@given(st.data())
def test_manifests(tmp_path: Path, run: Path, data: st.DataObject) -> None:
    path = copied(run, tmp_path / "run")
    manifest = path / MANIFEST
    manifest.write_bytes(data.draw(mutated(manifest.read_bytes())))
    for ask in (
        lambda: read_rows(path),
        lambda: recording(path).complete,
        lambda: query("FROM runs", [path]),
    ):
        answered(ask)


@fuzzed
@given(st.data())
def test_run_directories(tmp_path: Path, run: Path, data: st.DataObject) -> None:
    path = copied(run, tmp_path / "run")
    table = path / RESULTS
    table.write_bytes(data.draw(mutated(table.read_bytes())))
    answered(lambda: read_rows(path))
    answered(lambda: query("FROM results", [path], safe=True))


@fuzzed
@given(mutated(SQL))
def test_sql_from_elsewhere(run: Path, sql: bytes) -> None:
    text = sql.decode("utf-8", "surrogateescape")
    answered(lambda: query(text, [run], safe=True, seconds=1))
