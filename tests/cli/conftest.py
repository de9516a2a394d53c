# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from weighbridge.cli import main

#: The command line in a process of its own: append the arguments.
PROGRAM = [sys.executable, "-c", "import sys; from weighbridge.cli import main; sys.exit(main())"]

#: Exit status, standard output, standard error.
Said = tuple[int, str, str]


@pytest.fixture
def program() -> list[str]:
    return PROGRAM


@pytest.fixture
def weighbridge(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Said]:
    """Runs the command line in an empty directory."""
    monkeypatch.chdir(tmp_path)

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
