# SPDX-License-Identifier: Apache-2.0
"""A bar on standard error while a command works: on a terminal for all, elsewhere for none."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

STUDY = ("pcie/dma-sweep", "--where", "size=64")
#: Commands that may take long -> a word of what their bar is labelled with.
LONG = {
    ("run", *STUDY, "-o", "run"): "pcie/dma-sweep",
    ("compare", "twin", "known", "--processes", "1"): "twin",
    ("sensitivity", "pcie", "--size", "64", "--parameters", "2", "--processes", "1"): "variants",
    ("advise", "pcie", "--size", "64", "--direction", "cpu_to_fpga"): "paths",
    ("curve", "pcie", "--to", "64"): "sizes",
}


@pytest.fixture
def known(program: list[str], tmp_path: Path) -> Path:
    command = [*program, "run", *STUDY, "-o", "known"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


@pytest.mark.parametrize("command", LONG, ids=lambda command: command[0])
def test_all_show_it_alike(
    program: list[str], shown: Callable[..., str], known: Path, command: tuple[str, ...]
) -> None:
    quiet = subprocess.run([*program, *command], cwd=known, check=True, capture_output=True)
    assert quiet.stderr == b""
    if "run" in command:
        (known / "run").rename(known / "done")
    environment = os.environ | {"TERM": "xterm-256color"}
    said = shown(
        [*program, *command], "stderr", cwd=known, env=environment, stdout=subprocess.DEVNULL
    )
    assert LONG[command] in said
