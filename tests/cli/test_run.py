# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from weighbridge.backends import DEFAULT_SEED
from weighbridge.dataset.runs import JOURNAL, MANIFEST, RESULTS
from weighbridge.dataset.table import read_rows
from weighbridge.platforms import load_platform

Weighbridge = Callable[..., tuple[int, str, str]]
STUDY = "cyclonev/cache-levels"
ONE_CURVE = ("--where", "os=linux", "--where", "direction=cpu_to_fpga")


def test_a_study_becomes_a_run(weighbridge: Weighbridge, tmp_path: Path) -> None:
    status, out, err = weighbridge("run", STUDY)
    assert (status, err) == (0, "")
    assert out.startswith("runs/cyclonev-cache-levels: 630 points answered\nnext: weighbridge ")
    rows = read_rows(tmp_path / "runs/cyclonev-cache-levels")
    assert len(rows) == 630
    assert {row["backend"] for row in rows} == {"twin"}
    manifest = json.loads((tmp_path / "runs/cyclonev-cache-levels" / MANIFEST).read_text())
    assert (manifest["study"]["name"], manifest["seed"]) == (STUDY, DEFAULT_SEED)


def test_the_second_time_it_is_there_already(weighbridge: Weighbridge) -> None:
    weighbridge("run", STUDY, *ONE_CURVE)
    assert "already complete, 21 points" in weighbridge("run", STUDY, *ONE_CURVE)[1]


def test_off_the_grid(weighbridge: Weighbridge, tmp_path: Path) -> None:
    weighbridge("run", STUDY, *ONE_CURVE, "--where", "size=96KiB", "--where", "fpga_mhz=125")
    (row,) = read_rows(tmp_path / "runs/cyclonev-cache-levels")
    assert (row["size_bytes"], row["fpga_mhz"]) == (98304, 125)


def test_points_from_a_file(weighbridge: Weighbridge, tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text(
        "os,master,link,cache_level,buffer,fpga_mhz,direction,size_bytes\n"
        "linux,cpu,HF32,9,user,75,cpu_to_fpga,3000\nlinux,cpu,HF64,9,user,75,cpu_to_fpga,100\n"
    )
    assert weighbridge("run", STUDY, "--points", "points.csv", "-o", "out")[0] == 0
    assert [row["size_bytes"] for row in read_rows(tmp_path / "out")] == [3000, 100]


def test_what_if(weighbridge: Weighbridge, tmp_path: Path) -> None:
    where = ("--where", "link=LW32", "--where", "os=linux", "--where", "size=4KiB")
    study = "cyclonev/hps-to-fpga"
    weighbridge("run", study, *where, "-o", "as-is")
    weighbridge("run", study, *where, "-o", "slow", "--set", "l3.latency=500ns")
    before, after = (read_rows(tmp_path / name) for name in ("as-is", "slow"))
    assert all(a["seconds"] < b["seconds"] for a, b in zip(before, after, strict=True))
    assert "set differs" in weighbridge("run", study, *where, "-o", "slow")[2]


def test_bytes_do_not_depend_on_processes(weighbridge: Weighbridge, tmp_path: Path) -> None:
    for processes in ("1", "2"):
        weighbridge("run", STUDY, "--processes", processes, "-o", processes)
    assert (tmp_path / "1" / RESULTS).read_bytes() == (tmp_path / "2" / RESULTS).read_bytes()


def test_ctrl_c_leaves_a_run_to_take_up(
    weighbridge: Weighbridge, program: list[str], tmp_path: Path
) -> None:
    command = ("run", "cyclonev/hps-to-fpga", "--where", "os=linux", "--where", "master=cpu")
    run = tmp_path / "run"
    with subprocess.Popen(
        [*program, *command, "-o", "run"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 30
        while not (run / JOURNAL).exists() or not (run / JOURNAL).stat().st_size:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.005)
        # As a terminal does: to the program and to all that it has started.
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.read() == "weighbridge: interrupted\n"
    assert process.returncode == 130
    assert sorted(file.name for file in run.iterdir()) == [JOURNAL, MANIFEST]
    kept = len((run / JOURNAL).read_text().splitlines())
    assert kept > 0

    other = weighbridge(*command, "--where", "size=2", "-o", "run")
    assert other[0] == 2
    assert "another unfinished run" in other[2]

    assert f"({kept} of them earlier)" in weighbridge(*command, "-o", "run")[1]
    assert sorted(file.name for file in run.iterdir()) == [MANIFEST, RESULTS]
    weighbridge(*command, "-o", "straight")
    assert (run / RESULTS).read_bytes() == (tmp_path / "straight" / RESULTS).read_bytes()


OWN_STUDY = """\
name = "s"
title = "t"
platform = "mine.toml"
description = "d"
source = "me"
[axes]
direction = ["cpu_to_fpga", "fpga_to_cpu"]
size_bytes = ["2 B", "64 KiB"]
[[paths]]
os = "linux"
master = "cpu"
link = ["HF128", "LW32"]
cache_level = 9
buffer = "user"
fpga_mhz = 150
"""


def test_a_study_on_a_platform_file_of_ones_own(
    weighbridge: Weighbridge, refused: Callable[..., str], tmp_path: Path
) -> None:
    shipped = load_platform("cyclonev").path.read_text()
    (tmp_path / "files").mkdir()
    own = tmp_path / "files" / "mine.toml"
    own.write_text(shipped.replace('name = "cyclonev"', 'name = "mine"', 1))
    (tmp_path / "files/study.toml").write_text(OWN_STUDY)
    # From the study's folder, wherever the command is given.
    status, out, _ = weighbridge("run", "files/study.toml", "-o", "run")
    assert (status, out.splitlines()[0]) == (0, "run: 8 points answered")
    rows = read_rows(tmp_path / "run")
    assert {(row["platform"], row["study"]) for row in rows} == {("mine", "s")}
    assert json.loads((tmp_path / "run" / MANIFEST).read_text())["study"]["name"] == "mine/s"
    assert "study mine/s, 8 points, no fault" in weighbridge("check", "files/study.toml")[1]
    # It is that file that answers, not another of the same name.
    weighbridge("run", "files/study.toml", "-o", "slow", "--set", "l3.latency=500ns")
    slow = read_rows(tmp_path / "slow")
    assert all(a["seconds"] < b["seconds"] for a, b in zip(rows, slow, strict=True))

    same = ("compare", "twin", "run", "--platform", own, "--fail-above", "max=0")
    assert "8 rows compared" in weighbridge(*same)[1]
    assert "a file of yours: --platform FILE" in refused("compare", "twin", "run")
    assert "needs a backend" in refused("compare", "run", "run", "--platform", own)
    own.unlink()
    assert "no platform file 'mine.toml' in files/study.toml, line 3" in refused(
        "run", "files/study.toml", "-o", "run"
    )


def test_nothing_answered_is_an_error_with_the_reason(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        OWN_STUDY.replace("mine.toml", "cyclonev").replace("128", "1").replace("LW", "L")
    )
    complaint = refused("run", study, "-o", "run")
    assert "none of 8 points answered: link 'HF1' is none of" in complaint
    assert [file.name for file in tmp_path.iterdir()] == ["study.toml"]


@pytest.mark.parametrize("limit", [0, 500, 3000])
def test_no_disk_space(program: list[str], tmp_path: Path, limit: int) -> None:
    """A limit on the size of files fails in the middle of a write, as a full disk does."""
    done = subprocess.run(
        [*program, "run", STUDY, *ONE_CURVE, "-o", "run"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 2
    assert done.stderr.startswith("weighbridge: error: cannot write run")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run" / RESULTS).exists()
    again = subprocess.run(
        [*program, "run", STUDY, *ONE_CURVE, "-o", "run"], cwd=tmp_path, check=True
    )
    assert again.returncode == 0
    assert len(read_rows(tmp_path / "run")) == 21


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("cyclonev/hps-to-fgpa",), "unknown study"),
        ((STUDY, "--where", "link=HF256"), "unknown link 'HF256'"),
        ((STUDY, "--where", "lnk=HF32"), "unknown key 'lnk'"),
        ((STUDY, "--where", "size=-1"), "not positive"),
        ((STUDY, "--where", "size=1e12"), "too large"),
        ((STUDY, "--where", "size=64KB"), "unknown unit"),
        ((STUDY, "--backend", "oracle"), "unknown backend"),
        ((STUDY, "--set", "sdram.colour=3"), "unknown parameter 'sdram.colour'"),
        ((STUDY, "--set", "clock.l4=3 zorks"), "zorks"),
        ((STUDY, "--set", "clock.l4=0"), "it must be 0.1 to 20000 MHz"),
        ((STUDY, "--set", "clock.l4"), "not KEY=VALUE"),
        ((STUDY, "--points", "absent.csv"), "no such file"),
        ((STUDY, "--points", "/dev/null"), "unknown kind of file"),
        ((STUDY, "-o", "/dev/null"), "exists and is not a run"),
        ((STUDY, "-o", "/proc/nowhere"), "cannot write"),
    ],
)
def test_bad_input(
    refused: Callable[..., str], arguments: tuple[str, ...], complaint: str, tmp_path: Path
) -> None:
    assert complaint in refused("run", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_what_a_study_does_not_have_is_said_to_be_beside_it(
    weighbridge: Weighbridge,
) -> None:
    """Sizes and clocks between the study's are answered, and said to be none of its points."""
    asked = ("run", STUDY, "--where", "link=HF32", "--where", "os=linux")
    status, _, err = weighbridge(*asked, "--where", "size=100", "--where", "size=64", "-o", "a")
    assert status == 0
    assert err.startswith(f"weighbridge: note: {STUDY} has no size_bytes 100: answered beside it")
    assert "there: 2, 4, 8, " in err
    assert {row["size_bytes"] for row in read_rows(Path("a"))} == {64, 100}
    assert weighbridge(*asked, "--where", "size=64", "-o", "b")[2] == ""
    # Words are refused by name, with those that the study has.
    status, _, err = weighbridge("run", STUDY, "--where", "link=HF256", "-o", "c")
    assert (status, "allowed: " in err) == (2, True)
