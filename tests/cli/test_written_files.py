# SPDX-License-Identifier: Apache-2.0
"""Files that questions write beside what they print: rankings, joined rows, traces, pictures."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

Run = Callable[..., tuple[int, str, str]]
ASKED = ("advise", "cyclonev", "--size", "4KiB", "--direction", "cpu_to_fpga", "master=cpu")
PATH = ("master=pl330", "route=acp", "link=HF128")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_a_ranking(weighbridge: Run, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"ranking{suffix}"
    status, out, _ = weighbridge(*ASKED, "-o", file)
    assert status == 0
    assert f"ranking: {file}" in out
    plain = json.loads(weighbridge(*ASKED, "--json")[1])
    if suffix == ".csv":
        rows = list(csv.DictReader(file.open(newline="", encoding="utf-8")))
        found = [(row["path"], float(row["seconds"])) for row in rows]
    elif suffix == ".json":
        found = [(row["path"], row["seconds"]) for row in json.loads(file.read_text())]
    else:
        found = duckdb.sql(f"SELECT path, seconds FROM '{file}'").fetchall()
    assert found == [(one["path"], one["seconds"]) for one in plain["paths"]]


def test_joined_rows(weighbridge: Run, tmp_path: Path) -> None:
    assert weighbridge("run", "cyclonev/cache-levels", "--where", "size=4KiB", "-o", "a")[0] == 0
    asked = ("compare", "twin", "a", "--set", "sdram.clock=200MHz")
    status, out, _ = weighbridge(*asked, "-o", "joined.parquet")
    assert status == 0
    assert "joined rows: joined.parquet" in out
    total = json.loads(weighbridge(*asked, "--json")[1])
    n, worst = duckdb.sql(
        "SELECT count(*), max(abs(a_seconds / b_seconds - 1)) FROM 'joined.parquet'"
    ).fetchall()[0]
    assert (n, worst) == (total["n"], pytest.approx(total["max"]))
    assert worst > 0


@pytest.mark.parametrize("command", [ASKED, ("compare", "twin", "nothing")])
def test_a_name_that_no_table_has(refused: Callable[..., str], command: tuple[str, ...]) -> None:
    assert "*.csv or *.parquet or *.json" in refused(*command, "-o", "table.xls")


def test_a_trace(weighbridge: Run, refused: Callable[..., str]) -> None:
    asked = ("explain", "cyclonev", *PATH, "--size", "4KiB")
    plain = json.loads(weighbridge(*asked, "--json", "--trace", "trace.json")[1])
    events = json.loads(Path("trace.json").read_text(encoding="utf-8"))["traceEvents"]
    slices = [event for event in events if event["ph"] == "X" and event["cat"] != "phase"]
    assert len(slices) == sum(hop["transactions"] for hop in plain["hops"])
    out = weighbridge(*asked, "--trace", "trace.json")[1]
    assert f"trace: trace.json, {len(slices)} accesses" in out
    long = ("explain", "cyclonev", "master=cpu", "link=LW32", "--size", "2MiB")
    assert "more are not in it" in weighbridge(*long, "--trace", "trace.json")[1]
    assert "cannot write" in refused(*asked, "--trace", "nowhere/trace.json")


def test_curves_of_several_paths(weighbridge: Run, refused: Callable[..., str]) -> None:
    asked = (
        "curve",
        "cyclonev",
        "master=cpu",
        "link=LW32",
        "--and",
        " ".join(PATH),
        "--points",
        "4",
    )
    status, out, _ = weighbridge(*asked)
    assert status == 0
    lines = out.splitlines()
    assert lines[1:3] == ["1: CPU memcpy, LW32", "2: PL330 via ACP, HF128, prepared"]
    assert lines[3].split() == ["size", "1", "2"]
    assert len(lines) == 8
    plain = json.loads(weighbridge(*asked, "--json")[1])
    alone = json.loads(weighbridge("curve", "cyclonev", *PATH, "--points", "4", "--json")[1])
    assert plain["curves"][1] == alone
    assert weighbridge(*asked, "--svg", "both.svg", "--png", "both.png")[0] == 0
    drawn = Path("both.svg").read_text(encoding="utf-8")
    assert "CPU memcpy, LW32" in drawn
    assert "PL330 via ACP, HF128, prepared" in drawn
    assert Path("both.png").read_bytes().startswith(b"\x89PNG")
    assert "the same path twice" in refused("curve", "cyclonev", *PATH, "--and", " ".join(PATH))
    assert "is no path" in refused("curve", "cyclonev", *PATH, "--and", "os='linux")
    assert "name it" in refused(*asked, "--png", "both.jpg")


@pytest.mark.parametrize(
    "command",
    [
        (*ASKED, "-o", "nowhere/table.csv"),
        ("compare", "twin", "rows.csv", "-o", "nowhere/table.csv"),
        ("curve", "cyclonev", "master=cpu", "--svg", "nowhere/curve.svg"),
        ("curve", "cyclonev", "master=cpu", "--png", "folder.png"),
        ("explain", "cyclonev", "master=cpu", "--size", "64", "--trace", "nowhere/trace.json"),
        ("show", "cyclonev", "-o", "nowhere/diagram.svg"),
        ("calibrate", "cyclonev", "--data", "rows.csv", "-o", "nowhere/my.toml"),
        ("report", "rows.csv", "-o", "rows.csv/report.html"),
        ("report", "rows.csv", "--svg", "rows.csv/charts"),
        ("import", "rows.csv", "-o", "rows.csv/run"),
        ("run", "cyclonev/cache-levels", "-o", "rows.csv/run"),
    ],
    ids=lambda command: f"{command[0]} {command[-2]}",
)
def test_where_nothing_can_be_written_nothing_is_computed(
    refused: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "rows.csv").write_text("no table\n")

    def answered(*_: object, **__: object) -> None:
        raise AssertionError("the twin was asked")

    for asked in ("explain", "predict"):
        monkeypatch.setattr(f"weighbridge.backends.twin.Twin.{asked}", answered)
    # Nor are the rows read, whose fault would else be told.
    assert f"cannot write {command[-1]}" in refused(*command)
