# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
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
    assert done.stderr == "weighbridge: error: No space left on device\n"


def test_a_reader_that_leaves_early(program: list[str], tmp_path: Path) -> None:
    with subprocess.Popen(
        [*program, "list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
