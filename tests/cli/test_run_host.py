# SPDX-License-Identifier: Apache-2.0
"""Runs of the machine itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from weighbridge.dataset.sample_store import read_samples
from weighbridge.dataset.table import read_rows


def _children() -> set[str]:
    done = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "/weighbridge/probe-" in line}


def test_ctrl_c_leaves_a_run_to_take_up_and_no_process(
    program: list[str], weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    command = ("run", "host/copy", "--where", "load=idle", "--where", "size=4KiB", "--seconds", "1")
    before = _children()
    with subprocess.Popen(
        [*program, *command, "-o", "run"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 60
        while not _children() - before:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.read().endswith("weighbridge: interrupted\n")
    assert process.returncode == 130
    assert not _children() - before
    status, out, _ = weighbridge(*command, "-o", "run")
    assert (status, out.splitlines()[0][:22]) == (0, "run: 4 points answered")
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert manifest["survey"]["processor"]["cpus"] >= 1
    assert manifest["timer"]["resolution_ns"] > 0


def test_a_small_picture_of_this_machine(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """Caches of any machine reach from 8 KiB to 256 KiB at least, and no cache holds 64 MiB as
    fast as 8 KiB."""
    sizes = ("8KiB", "12KiB", "16KiB", "64MiB", "128MiB")
    asked = [word for size in sizes for word in ("--where", f"working_set_bytes={size}")]
    status, out, err = weighbridge(
        "run", "host/memory", *asked, "--where", "access=latency", "--where", "load=idle",
        "--seconds", "1", "-o", "run",
    )  # fmt: skip
    assert (status, err.replace("building the probe, once\n", "")) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "run: 5 points answered"
    assert any(line.startswith("L1 ") for line in lines)
    assert any(line.startswith("memory ") for line in lines)
    assert any(" of 5 rows are ok." in line for line in lines)
    samples = read_samples(tmp_path / "run")
    assert {row["point"] for row in samples} == set(range(5))
    rows = read_rows(tmp_path / "run")
    for number, row in enumerate(rows):
        times = [one["ns"] * 1e-9 for one in samples if one["point"] == number]
        assert row["n"] == len(times)
        assert row["min"] == min(times)
        assert row["low95"] <= row["seconds"] <= row["high95"]  # type: ignore[operator]
    # The second time it is there already, and says the same.
    again = weighbridge("run", "host/memory", *asked, "--where", "access=latency",
                        "--where", "load=idle", "--seconds", "1", "-o", "run")[1]  # fmt: skip
    assert again.splitlines()[1:] == lines[1:-1]


@pytest.mark.parametrize(
    "command",
    [
        ("advise", "host", "--size", "64KiB", "--direction", "cpu_to_fpga"),
        ("show", "host"),
        ("explain", "host", "master=cpu", "--size", "64"),
        ("curve", "host", "master=cpu"),
        ("sensitivity", "host", "master=cpu", "--size", "64"),
        ("run", "host/memory", "--backend", "twin"),
    ],
    ids=lambda command: command[0],
)
def test_what_has_no_model_is_measured(
    refused: Callable[..., str], command: tuple[str, ...]
) -> None:
    assert "there is no model of 'host'; 'weighbridge run' measures" in refused(*command)


def test_what_measures_is_compared_by_its_run(refused: Callable[..., str]) -> None:
    assert "answers by measuring; 'weighbridge run'" in refused("compare", "host", "published")


def test_no_compiler_is_one_line(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", "")
    assert "measuring needs a C compiler" in refused("run", "host/memory")
    assert not (tmp_path / "runs").exists()
