# SPDX-License-Identifier: Apache-2.0
"""Every command that README and documents show is run, or is named here with why it is not."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from weighbridge.cli import COMMANDS

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

#: Beginnings of commands that are not run here, each with the reason.
ELSEWHERE = {
    "weighbridge run zynq7000/datra-dma --backend uml": "a Linux guest: tests/backends/test_uml.py",
    "weighbridge run zynq7000/datra-large --backend uml": "minutes in a Linux guest",
    "weighbridge run zynq7000/datra-ring --backend uml": "minutes in a Linux guest",
    "weighbridge run zynq7000/datra-cpu --backend uml": "minutes in a Linux guest",
    "weighbridge run stm32h7-fmc/udp-transmit --backend uml": "tests/backends/test_client.py",
    "weighbridge compare runs/guest": "of that run",
    "weighbridge run host/memory --backend board": "needs a board: tests/backends/test_board.py",
    "weighbridge survey --at": "needs a board: tests/backends/test_board.py",
    "weighbridge run host/memory --plan": "see tests/backends/test_board.py",
    "weighbridge run host/memory": "two minutes of this machine: tests/cli/test_run_host.py",
    "weighbridge report runs/host-memory": "of that run: tests/report/test_host.py",
    "weighbridge run cyclonev/sizes-drawn": "10^6 points: tests/cluster has fewer",
    "weighbridge run ulx3s/rings": "needs a board: tests/hdl/test_serial.py",
    "weighbridge run host/pcie": "needs such a card: tests/backends/test_host.py",
    "weighbridge calibrate machine.toml": "of that run: tests/calibration/test_measured.py",
    "weighbridge run cyclonev/hps-to-fpga --backend board": "a board: tests/stack/test_study.py",
    "weighbridge compare runs/executed": "of the run before it, which is made: minutes together",
    "weighbridge explore cyclonev": "serves until it is interrupted: tests/explore",
    "weighbridge explore my.toml": "the same with a file: tests/explore/test_command.py",
    "weighbridge compare twin rtl": "compiles the logic: tests/backends/test_rtl.py",
}
#: What stands in a document for a file of the reader's, and the file that stands for it here.
NAMES = {
    "STUDY": "cyclonev/cache-levels",
    "...": "os=linux",
    "MEASUREMENTS.csv": "board.csv",
    "FILE.toml": "my.toml",
    "MY.toml": "my.toml",
}


def _blocks(text: str) -> Iterator[str]:
    """Commands of the indented blocks, with the lines that a backslash adds."""
    for block in re.findall(r"^(?: {4}|\$ ).*(?:\n {4}.*)*", text, re.M):
        joined = re.sub(r"\\\n\s*", "", block)
        yield from re.findall(r"^ {4}(?:\$ |why: )?(weighbridge .*)", joined, re.M)


def _inline(text: str) -> Iterator[str]:
    """Commands in the text, as far as they are whole: a name alone is a mention."""
    for code in re.findall(r"`(weighbridge [^`]+)`", text):
        if len(code.split()) > 2:
            yield " ".join(code.split())


def _commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        text = page.read_text()
        for command in dict.fromkeys((*_blocks(text), *_inline(text))):
            yield page.name, command


FOUND = list(_commands())
RUN = [one for one in FOUND if not one[1].startswith(tuple(ELSEWHERE))]


def test_there_are_commands_to_run() -> None:
    assert len(RUN) > 20
    for beginning in ELSEWHERE:
        assert any(command.startswith(beginning) for _, command in FOUND), beginning


@pytest.mark.parametrize(("page", "command"), RUN, ids=lambda text: text[:60])
def test_it_runs(page: str, command: str, weighbridge: Run, samples: Path) -> None:
    if "docs/" in command:
        shutil.copytree(ROOT / "docs", samples / "docs")
    status, out, err = weighbridge(*(NAMES.get(word, word) for word in shlex.split(command)[1:]))
    # What is built once is told once.
    told = [line for line in err.splitlines() if not line.startswith("building ")]
    assert (status, told) == (0, []), page
    assert out


def test_every_command_that_is_mentioned_is_one() -> None:
    mentioned = {
        name for page in PAGES for name in re.findall(r"`weighbridge (\w[\w-]*)", page.read_text())
    }
    assert mentioned <= set(COMMANDS)
