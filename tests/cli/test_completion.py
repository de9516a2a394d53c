# SPDX-License-Identifier: Apache-2.0
"""Completion, by itself and in the shells where they are installed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from weighbridge.backends import BACKENDS
from weighbridge.cli import COMMANDS
from weighbridge.cli.completion import complete, script
from weighbridge.platforms import platform_names
from weighbridge.studies import study_names

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", list(COMMANDS)),
        ("sh", ["show"]),
        ("--v", ["--version"]),
        ("show --fi", ["--fitted"]),
        ("show cyc", ["cyclonev"]),
        ("show ", platform_names()),
        ("run ", study_names()),
        ("run --backend ", sorted(BACKENDS)),
        ("run cyclonev/cache-levels --where os=l", ["os=linux"]),
        ("run --where os=linux cyclonev/cache", ["cyclonev/cache-levels"]),
        ("explain cyclonev ma", ["master="]),
        ("explain cyclonev master=p", ["master=pl330"]),
        ("explain cyclonev os=linux link=HF1", ["link=HF128"]),
        ("explain cyclonev consume=cpu-", []),
        ("explain cyclonev consume=cpu_s", ["consume=cpu_stream"]),
        ("advise cyclonev --direction c", ["cpu_to_fpga"]),
        ("advise cyclonev --stream --os l", ["linux"]),
        ("advise cyclonev --set sdram.cas", ["sdram.cas_cycles="]),
        ("calibrate cyclonev --free linux.system", ["linux.system_call"]),
        ("curve --svg ", []),
        ("curve zx81 ma", []),
        ("frobnicate ", []),
        ("check ", []),
        ("explain cyclonev colour=", []),
    ],
)
def test_words_that_fit(line: str, words: list[str]) -> None:
    assert complete(line.split(" ")) == words


def test_each_key_that_explain_takes_is_offered_with_its_values() -> None:
    for key in complete(["explain", "zynq7000", ""]):
        assert key.endswith("=")
        assert all(word.startswith(key) for word in complete(["explain", "zynq7000", key]))


def test_an_unknown_shell(refused: Callable[..., str]) -> None:
    assert "known: bash, zsh, fish" in refused("--completion", "tcsh")


@pytest.fixture
def shell(program: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a command `weighbridge`, first in PATH, and the scripts."""
    command = tmp_path / "weighbridge"
    python, flag, code = program
    command.write_text(f'#!/bin/sh\nexec {python} {flag} "{code}" "$@"\n')
    command.chmod(0o755)
    for name in ("bash", "zsh", "fish"):
        (tmp_path / f"complete.{name}").write_text(script(name))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _installed(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def test_in_fish(shell: Path) -> None:
    for line, word in (
        ("weighbridge expla", "explain"),
        ("weighbridge explain cyclonev link=HF1", "link=HF128"),
        ("weighbridge advise cyclonev --dir", "--direction"),
    ):
        done = subprocess.run(
            [_installed("fish"), "-c", f"source complete.fish; complete -C '{line}'"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == [word]


@pytest.mark.parametrize(
    ("name", "options", "start"),
    [
        ("bash", ["--norc", "--noprofile", "-i"], "bind 'set bell-style none'"),
        ("zsh", ["-f", "-i"], "autoload -Uz compinit; compinit -u; unsetopt beep"),
    ],
)
def test_at_the_prompt(name: str, options: list[str], start: str, shell: Path) -> None:
    """A key is completed without a blank behind it, then its value, then an option."""
    path = _installed(name)
    child, terminal = pty.fork()
    if child == 0:
        os.execv(path, [name, *options])
    os.write(terminal, f"PS1='ready> '; {start}; source ./complete.{name}\n".encode())
    os.write(terminal, b"echo o'k'\n")
    _read(terminal, r"\bok\s")
    os.write(terminal, b"weighbridge expla\tcyclonev lin\tHF1\t--dir\tcpu\t")
    typed = _read(terminal, r"--direction cpu_to_fpga ")
    os.close(terminal)
    os.waitpid(child, 0)
    assert re.search(r"weighbridge explain cyclonev link=HF128 --direction cpu_to_fpga ", typed)


def _read(terminal: int, until: str) -> str:
    """What a terminal shows up to a pattern, without what moves the cursor or is redrawn."""
    said = ""
    deadline = time.monotonic() + 60
    while not re.search(until, said):
        assert time.monotonic() < deadline, said
        if select.select([terminal], [], [], 1)[0]:
            raw = os.read(terminal, 4096).decode(errors="replace")
            said += re.sub(r"\x1b\[[\d;?]*[A-Za-z]|[^ -~\n]", "", raw)
            said = re.sub(" +", " ", said)
    return said
