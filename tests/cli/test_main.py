# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import weighbridge as package


def test_version_and_help(weighbridge: Callable[..., tuple[int, str, str]]) -> None:
    assert weighbridge("--version") == (0, f"weighbridge {package.__version__}\n", "")
    status, out, _ = weighbridge("--help")
    assert status == 0
    assert "compare" in out
    status, out, _ = weighbridge()
    assert status == 2
    assert "Usage" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("bogus",),
        ("run",),
        ("run", "--bogus"),
        ("run", "cyclonev/cache-levels", "--processes", "0"),
        ("compare", "twin"),
    ],
)
def test_misuse_is_one_line(refused: Callable[..., str], arguments: tuple[str, ...]) -> None:
    assert "--help" in refused(*arguments)


def test_output_that_cannot_be_written(program: list[str], tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*program, "list"], stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        )
    assert done.returncode == 2
    assert done.stderr == "weighbridge: error: cannot write the answer: No space left on device\n"


@pytest.mark.parametrize("arguments", [("list",), ("show", "cyclonev"), ("--help",)])
def test_a_reader_that_leaves_early(
    program: list[str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Before the first byte: whatever is printed first fails, or what is left at the end."""
    with subprocess.Popen(
        [*program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


#: A stream that no path holds: its answer is no, status 1.
NO = (
    "advise",
    "pcie",
    "--size",
    "64",
    "--direction",
    "cpu_to_fpga",
    "--stream",
    "--rate",
    "900GB/s",
)


@pytest.mark.parametrize("arguments", [NO, (*NO, "--json"), (*NO, "--all")])
def test_an_answer_of_no_keeps_its_status(
    program: list[str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Whether its reader takes all, the first line, or nothing."""
    words = " ".join(arguments)
    for reader in ("cat", "head -1", "true"):
        done = subprocess.run(
            ["bash", "-c", f'"$@" {words} | {reader}; exit ${{PIPESTATUS[0]}}', "bash", *program],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        assert (done.returncode, done.stderr) == (1, ""), reader
        assert reader == "true" or done.stdout


def test_a_comparison_that_fails_keeps_its_status(program: list[str], tmp_path: Path) -> None:
    words = "compare twin published --where platform=zynq7000 --fail-above median=0"
    done = subprocess.run(
        ["bash", "-c", f'"$@" {words} | true; exit ${{PIPESTATUS[0]}}', "bash", *program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("weighbridge: above the limit: median ")


@pytest.mark.parametrize("closed", [">&-", "<&- >&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("arguments", ["list", "list pcie --json", "--help", "show zx81"])
def test_streams_that_are_closed(
    program: list[str], tmp_path: Path, closed: str, arguments: str
) -> None:
    """An answer that cannot be written is an error, as of any other program."""
    done = subprocess.run(
        ["sh", "-c", f'"$@" {arguments} {closed}', "sh", *program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == ("2>" not in closed)
    if arguments != "show zx81" and done.stderr:
        assert "cannot write the answer: Bad file descriptor" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
def test_any_encoding(program: list[str], tmp_path: Path, encoding: str) -> None:
    """What an encoding lacks is replaced by signs like it, or by its number."""

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        environment = os.environ | {"PYTHONIOENCODING": encoding}
        command = [*program, *arguments]
        return subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment)

    done = run("curve", "cyclonev", "os=linux", "master=cpu", "link=HF32", "--to", "64")
    assert (done.returncode, done.stderr) == (0, b"")
    bar = 50 * ("#" if encoding in ("ascii", "latin-1") else "█")
    assert any(line.endswith(f" {bar}") for line in done.stdout.decode(encoding).splitlines())
    done = run("explain", "ü█\udcff", "--size", "2")
    assert done.returncode == 2
    assert done.stderr.decode(encoding).count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (("show", "cyclonev", "-o", "x.svg"), "report"),
        (("report", "x.csv"), "report"),
        (("curve", "cyclonev", "os=linux", "master=cpu", "--to", "4", "--svg", "x.svg"), "report"),
        (("sensitivity", "cyclonev", "master=cpu", "--size", "4"), "calibrate"),
        (("calibrate", "cyclonev", "--data", "x.csv"), "calibrate"),
    ],
)
def test_an_extra_that_is_not_installed(
    tmp_path: Path, arguments: tuple[str, ...], extra: str
) -> None:
    """In a process that has none of the extras' packages, as after a plain installation."""
    code = """
import sys
from importlib.machinery import PathFinder

absent = ("altair", "vl_convert", "jinja2", "scipy", "openpyxl")
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name in absent else find(name, *more)
from weighbridge.cli import main
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"pip install 'weighbridge[{extra}]'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_needs_no_extra_has_none(
    tmp_path: Path, weighbridge: Callable[..., tuple[int, str, str]]
) -> None:
    assert weighbridge("show", "cyclonev", "--fitted")[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_said_in_a_line(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("weighbridge.platforms.load_platform", none_left)
    assert "not enough memory" in refused("show", "pcie")
