# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product, zip_longest
from pathlib import Path

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import COLUMNS
from weighbridge.platforms import load_platform

Weighbridge = Callable[..., tuple[int, str, str]]
PLATFORM = load_platform("cyclonev")
CALL = next(p.value for p in PLATFORM.parameters() if p.name == "linux.system_call")
BASE = ("calibrate", "cyclonev", "--data", "board.csv")
FREE = ("--free", "linux.system_call", "--free", "linux.poll_lead")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    return measured(tmp_path, 1.5)


def measured(tmp_path: Path, factor: float) -> Path:
    """Measurements of a board whose system call takes so many times as long; a row is suspect."""
    slow = load_platform("cyclonev", {"linux.system_call": f"{factor * CALL} ns"})
    twin = Twin(slow)
    rows = [
        twin.predict(
            replace(path, study="s", fpga_mhz=mhz, direction="cpu_to_fpga", size_bytes=size)
        ).row()
        for path, mhz, size in product(
            [path for path in slow.paths() if path.os == "linux" and path.master == "pl330"],
            (100.0, 150.0),
            (16, 256, 1024),
        )
    ]
    rows[0] |= {"backend": "board", "quality": "timer-floor"}
    rows[1] |= {"link": "HF99"}
    file = tmp_path / "board.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(COLUMNS))
        writer.writeheader()
        writer.writerows({k: str(v).lower() if isinstance(v, bool) else v for k, v in row.items()}
                         for row in rows)  # fmt: skip
    return file


def test_a_platform_is_written_and_only_the_free_line_differs(
    weighbridge: Weighbridge, board: Path, tmp_path: Path
) -> None:
    status, out, err = weighbridge(*BASE, "--free", "linux.system_call", "-o", "my.toml")
    assert (status, err) == (0, "")
    assert "1 rows skipped for their quality, 1 could not be answered" in out
    assert "held out, before" in out
    assert "held out, after" in out
    assert out.endswith("platform: my.toml\n")
    assert max(map(len, out.splitlines())) <= 100
    written = (tmp_path / "my.toml").read_text()
    pairs = zip_longest(PLATFORM.path.read_text().splitlines(), written.splitlines())
    ((old, new),) = [(a, b) for a, b in pairs if a != b]
    assert old.startswith("system_call = ")
    assert new.startswith("system_call = ")
    mine = {p.name: p for p in load_platform("my.toml").parameters()}["linux.system_call"]
    assert mine.value == pytest.approx(1.5 * CALL, rel=0.005)
    assert mine.source.startswith("fitted: board.csv, ")
    assert " points, +-" in mine.source
    assert weighbridge("check", "my.toml")[0] == 0
    # What was written is a platform like any other, and may be fitted again.
    again = ("calibrate", "my.toml", "--data", "board.csv", "--free", "linux.system_call")
    plain = json.loads(weighbridge(*again, "--json")[1])
    assert plain["parameters"][0]["start"] == mine.value


def test_plain_data_is_the_same_twice(weighbridge: Weighbridge, board: Path) -> None:
    first = weighbridge(*BASE, *FREE, "--json")[1]
    assert weighbridge(*BASE, *FREE, "--json", "--processes", "1")[1] == first
    plain = json.loads(first)
    assert plain["points"]["skipped"] == plain["points"]["unanswered"] == 1
    assert plain["points"]["fit"] + plain["points"]["held_out"] == 94
    assert plain["error"]["held_out"]["after"]["median"] < 0.002
    assert plain["error"]["held_out"]["before"]["median"] > 0.05
    assert plain["worse"] is False
    assert plain["written"] is None
    call, lead = plain["parameters"]
    assert call["low"] < 1.5 * CALL < call["high"]
    assert lead["undetermined"] is None or lead["value"] == lead["start"]
    assert weighbridge(*BASE, *FREE, "--json", "--seed", "7")[1] != first


def test_what_the_data_cannot_tell_is_a_warning(weighbridge: Weighbridge, board: Path) -> None:
    free = ("--free", "linux.system_call", "--free", "baremetal.fetch")
    out = weighbridge(*BASE, *free)[1]
    assert "warning: not determined, kept: baremetal.fetch" in out


def test_a_result_that_is_worse_is_not_written(
    weighbridge: Weighbridge, board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weighbridge.calibration.calibrate import Calibration

    monkeypatch.setattr(Calibration, "worse", property(lambda self: True))
    status, out, err = weighbridge(*BASE, "--free", "linux.system_call", "-o", "my.toml")
    assert status == 1
    assert "the held-out error got worse: keep the platform as it is" in out
    assert err == "weighbridge: my.toml is not written: the held-out error got worse\n"
    assert not (tmp_path / "my.toml").exists()


def test_data_that_determine_nothing_write_nothing(
    weighbridge: Weighbridge, board: Path, tmp_path: Path
) -> None:
    lines = board.read_text().splitlines(keepends=True)
    few = tmp_path / "few.csv"
    few.write_text("".join(lines[:6]))
    command = ("calibrate", "cyclonev", "--data", "few.csv", "--free", "linux.system_call")
    status, _, err = weighbridge(*command, "-o", "my.toml")
    assert status == 2
    assert "my.toml is not written: 1 parameters need 6 points or more, not 2 in few.csv" in err
    # Of another machine: all that can be turned is turned as far as it goes.
    measured(tmp_path, 6)
    status, _, err = weighbridge(*BASE, "--free", "linux.system_call", "-o", "my.toml")
    assert status == 2
    assert "every parameter is at the end of its range" in err
    assert not (tmp_path / "my.toml").exists()


def test_where_is_named_in_the_source(weighbridge: Weighbridge, board: Path) -> None:
    where = ("--where", "route=acp", "--where", "link=HF32")
    assert weighbridge(*BASE, "--free", "linux.system_call", *where, "-o", "my.toml")[0] == 0
    mine = {p.name: p for p in load_platform("my.toml").parameters()}["linux.system_call"]
    assert mine.source.startswith("fitted: board.csv (route=acp, link=HF32), ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--free", "linux.sytem_call"), "did you mean 'linux.system_call'"),
        (("--free", "l2.ways"), "counts in whole numbers"),
        (("--free", "baremetal.fetch"), "the data determine none of baremetal.fetch"),
        (("--where", "link=HF256"), "no row has link 'HF256'"),
        (("--where", "link=HF99"), "no answer to any of the 1 rows"),
        (("--where", "quality=timer-floor"), "none of 1 rows has a time and is ok"),
        (("-o", "my.txt"), "ends in .toml"),
        (("-o", "nowhere/my.toml"), "cannot write nowhere/my.toml"),
        (("-o", "folder.toml"), "cannot write folder.toml"),
        (("--data", "absent.csv"), "no such file"),
        (("--points", "3"), "--help"),
    ],
)
def test_bad_input(
    refused: Callable[..., str],
    board: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    complaint: str,
) -> None:
    (tmp_path / "folder.toml").mkdir()
    assert complaint in refused(*BASE, *arguments)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["board.csv", "folder.toml"]


def test_without_scipy(
    refused: Callable[..., str], board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert "pip install 'weighbridge[calibrate]'" in refused(*BASE)
    assert "pip install 'weighbridge[calibrate]'" in refused(
        "sensitivity", "cyclonev", "master=cpu", "--size", "64"
    )


def test_ctrl_c_leaves_nothing_behind(program: list[str], board: Path, tmp_path: Path) -> None:
    command = [*program, *BASE, "--points", "5000", "--processes", "2", "-o", "my.toml"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    # Longer transfers at many clocks, so that it is at work when it is told to stop.
    lines = board.read_text().splitlines()
    long = [line.replace(",1024,", ",65536,") for line in lines if ",1024," in line]
    clocks = [line.replace(",150.0,", f",{mhz}.0,") for mhz in range(60, 100) for line in long]
    board.write_text("\n".join([lines[0], *clocks]))
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment
    ) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"weighbridge: interrupted\n")
    assert [file.name for file in tmp_path.iterdir()] == ["board.csv"]
