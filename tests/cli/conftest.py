# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import csv
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.cli import main
from weighbridge.dataset.schema import COLUMNS
from weighbridge.dataset.table import Row
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study

#: The command line in a process of its own: append the arguments.
ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-c", "import sys; from weighbridge.cli import main; sys.exit(main())"]

#: Exit status, standard output, standard error.
Said = tuple[int, str, str]


@pytest.fixture
def program() -> list[str]:
    return PROGRAM


@pytest.fixture
def shown() -> Callable[..., str]:
    """Runs a process with one of its streams on a terminal, and returns what it wrote there."""

    def run(command: Sequence[str], stream: str, width: int = 80, **options: Any) -> str:
        ours, theirs = pty.openpty()
        subprocess.run(["stty", "cols", str(width)], stdin=theirs, check=True)
        with subprocess.Popen(command, **{stream: theirs}, **options) as process:
            os.close(theirs)
            said = b""
            while True:
                try:
                    said += os.read(ours, 4096)
                except OSError:  # the other end is closed
                    break
        os.close(ours)
        assert process.returncode == 0
        return said.decode().replace("\r\n", "\n")

    return run


@pytest.fixture
def weighbridge(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Said]:
    """Runs the command line in an empty directory, on a screen of 100 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str | Path) -> Said:
        capfd.readouterr()
        status = main([str(argument) for argument in arguments])
        return status, *capfd.readouterr()

    return run


@pytest.fixture
def refused(weighbridge: Callable[..., Said]) -> Callable[..., str]:
    """Runs a command line that must fail with one line and status 2; returns the line."""

    def run(*arguments: str | Path) -> str:
        status, out, err = weighbridge(*arguments)
        assert (status, out) == (2, "")
        assert err.startswith("weighbridge: error: ")
        assert err.count("\n") == 1
        return err

    return run


def _write(rows: Iterable[Row], file: Path) -> None:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(COLUMNS))
        writer.writeheader()
        for row in rows:
            texts = {k: str(v).lower() if isinstance(v, bool) else v for k, v in row.items()}
            writer.writerow(texts)


def _compile(program: Path) -> None:
    """A program for a board, which calls `copy` and waits."""
    source = program.with_suffix(".c")
    source.write_text(
        "void copy(void)"
        " { for (unsigned i = 0; i < 16; i++) ((volatile unsigned *)0xC0000000)[i] = i; }\n"
        "__attribute__((naked)) void begin(void)"
        ' { __asm__ volatile("bl copy\\n1: wfi\\nb 1b"); }\n'
    )
    flags = ["-mcpu=cortex-a9", "-O1", "-g", "-nostdlib", "-Wl,-Ttext=0x100000", "-Wl,-ebegin"]
    subprocess.run(["arm-none-eabi-gcc", *flags, source, "-o", program], check=True)


@pytest.fixture(scope="session")
def _samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands in help texts and documents read, under the names that they use."""
    folder = tmp_path_factory.mktemp("samples")
    platform = load_platform("cyclonev")
    shutil.copy(platform.path, folder / "my.toml")
    shutil.copy(ROOT / "docs/camera.toml", folder)
    # A board whose system call takes half as long again.
    call = next(p.value for p in platform.parameters() if p.name == "linux.system_call")
    slow = Twin(load_platform("cyclonev", {"linux.system_call": f"{1.5 * call} ns"}))
    paths = [path for path in platform.paths() if path.os == "linux" and path.master == "pl330"]
    points = [
        replace(path, study="s", fpga_mhz=mhz, direction="cpu_to_fpga", size_bytes=size)
        for path, mhz, size in product(paths, (100.0, 150.0), (16, 256, 1024))
    ]
    _write(
        (slow.predict(point).row() | {"backend": "board"} for point in points), folder / "board.csv"
    )
    fault = "beats-become-32-bit"
    points = load_study("cyclonev/fpga-to-hps").points([f"fault={fault}", "size=2KiB"])[:20]
    asked = {
        replace(point, axes=tuple(a for a in point.axes if a[0] != "fault")): point
        for point in points
    }
    twin = Twin(platform)
    marked = {"quality": fault, "fault": None, "backend": "board"}
    _write(
        (twin.predict(point).row() | marked for point in asked.values()), folder / "cyclonev.csv"
    )
    (folder / "map.toml").write_text(
        '[columns]\nbytes = "size_bytes"\nus = { to = "seconds", unit = "us" }\n'
        '[constants]\nplatform = "cyclonev"\nstudy = "mine"\nos = "linux"\nmaster = "cpu"\n'
        'cache_level = 9\nbuffer = "user"\ndirection = "cpu_to_fpga"\n'
    )
    (folder / "mine.csv").write_text("bytes,us,link,fpga_mhz\n4096,50,HF32,100\n64,2,HF32,100\n")
    _compile(folder / "program.elf")
    assert main(["run", "cyclonev/cache-levels", "-o", str(folder / "runs/cache-levels")]) == 0
    return folder


@pytest.fixture
def samples(_samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sample files, and `weighbridge` runs beside them as in a checkout."""
    monkeypatch.setattr("weighbridge.backends.elf.programs._home", lambda: ROOT)
    return Path(shutil.copytree(_samples, tmp_path, dirs_exist_ok=True))
