# SPDX-License-Identifier: Apache-2.0
"""Goes through the tutorials as a reader does and writes what they answer: `make tutorials`.

usage: python -m tools.tutorials [PAGE...]

A block ```NAME title="FILE"``` is a file that the reader writes. A block ```console``` is a
terminal: lines that begin with `$ ` are typed, what follows them is the answer. A command that
is to fail ends with `# refused`. All of a page happens in one directory, which has the folders of
the checkout in it. The test compares instead of writing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools import ROOT
from weighbridge.errors import InputError

FOLDER = ROOT / "docs" / "tutorials"
#: Of the checkout, what tutorials read.
_FOLDERS = ("cosim", "engine", "firmware", "hdl", "probe", "stack")
_BLOCK = re.compile(
    r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.M | re.S
)
#: Characters of the terminal's lines.
_COLUMNS = 100


def tutorials() -> list[Path]:
    """All tutorials."""
    return sorted(FOLDER.glob("*.md"))


def gone_through(text: str) -> str:
    """The page with the answers that its commands give now."""
    with tempfile.TemporaryDirectory(prefix="weighbridge-tutorial-") as name:
        home = Path(name)
        for folder in _FOLDERS:
            (home / folder).symlink_to(ROOT / folder)

        def block(found: re.Match[str]) -> str:
            if found["file"]:
                (home / found["file"]).write_text(found["text"], "utf-8")
            elif found["kind"] == "console":
                shown = "".join(f"{typed}{_answer(typed, home)}" for typed in _typed(found["text"]))
                return f"```console\n{shown}```"
            return found[0]

        return _BLOCK.sub(block, text)


def _typed(text: str) -> Iterator[str]:
    """The commands of a terminal, each with the lines that a backslash or a `> ` adds."""
    for found in re.finditer(r"^\$ (?:.*\\\n)*.*\n(?:> .*\n)*", text, re.M):
        yield found[0]


def _answer(typed: str, home: Path) -> str:
    """What a command says; a terminal shows both streams."""
    command = re.sub(r"^> ", "", typed.removeprefix("$ "), flags=re.M)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=home,
        env=os.environ
        | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}",
            "COLUMNS": str(_COLUMNS),
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != (2 if command.endswith("# refused\n") else 0):
        raise InputError(f"'{command.strip()}' ends with status {done.returncode}: {done.stdout}")
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def strangers(text: str) -> list[str]:
    """Times, rates and shares in the text that none of the page's own answers has."""
    answers = "".join(found["text"] for found in _BLOCK.finditer(text))
    prose = _BLOCK.sub("", text)
    figures = re.findall(r"(?<![\w.])\d[\d.]*(?: MB/s| ns| us| ms| %)", prose)
    return [one for one in figures if not re.search(rf"(?<![\d.]){_spelled(one)}(?!\d)", answers)]


def _spelled(figure: str) -> str:
    """How an answer may spell a figure: options have no space, tables of shares no unit."""
    number, unit = figure.split()
    return re.escape(number) if unit == "%" else rf"{re.escape(number)} ?{unit}"


def main(arguments: list[str]) -> None:
    for page in [Path(one) for one in arguments] or tutorials():
        page.write_text(gone_through(page.read_text("utf-8")), "utf-8")
        print(page)
        for figure in strangers(page.read_text("utf-8")):
            print(f"  '{figure}' is in no answer of the page")


if __name__ == "__main__":
    main(sys.argv[1:])
