# SPDX-License-Identifier: Apache-2.0
"""What commands share on the screen: the output, the progress bar, repeated KEY=VALUE options."""

from __future__ import annotations

import codecs
import io
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from weighbridge.cli.wording import wrapped
from weighbridge.errors import InputError
from weighbridge.printable import printable

if TYPE_CHECKING:
    from weighbridge.api import Advance

_STYLES = {"bold": "\x1b[1m", "dim": "\x1b[2m"}
_PLAIN = "\x1b[0m"
#: What replaces a character that the output's encoding does not have.
_SIGNS = dict.fromkeys("▌▋▊▉█", "#") | dict.fromkeys("▏▎▍", "") | {"–": "-", "×": "x"}
#: How far the lines of prose go on a wide screen.
_PROSE = 100


class Screen:
    """Standard output: a terminal's width and styles there, as wide as needed elsewhere.

    COLUMNS sets the width anywhere; NO_COLOR and TERM=dumb keep it plain.
    """

    def __init__(self) -> None:
        self._terminal = sys.stdout.isatty()
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self._styled = self._terminal and not plain
        #: Columns; None where nothing limits them.
        self.width = _columns(self._terminal)

    @property
    def prose(self) -> int | None:
        """Columns of a line of prose."""
        return None if self.width is None else min(self.width, _PROSE)

    def over(self, columns: int) -> int:
        """By how many columns a line is too wide."""
        return 0 if self.width is None else columns - self.width

    @staticmethod
    def cells(text: str) -> int:
        """Columns that a text takes."""
        if text.isascii():
            return len(text)
        from rich.cells import cell_len

        return cell_len(text)

    def raw(self, text: str, style: str = "") -> None:
        """A line as it is."""
        if style and self._styled:
            text = f"{_STYLES[style]}{text}{_PLAIN}"
        print(text)

    def line(self, text: str = "", style: str = "", hang: str = "") -> None:
        """A text, wrapped between words; what follows the first line begins with `hang`."""
        for number, line in enumerate(wrapped(printable(text), self.prose, self.cells, len(hang))):
            self.raw((hang if number else "") + line, style)

    def flow(self, parts: Sequence[str], indent: str = "", style: str = "") -> None:
        """Parts two blanks apart, as many in a line as fit; a part that is too long is wrapped."""
        line = ""
        for part in map(printable, parts):
            joined = f"{line}  {part}" if line else part
            if line and self.over(self.cells(indent + joined)) > 0:
                self.line(indent + line, style, indent + " ")
                joined = part
            line = joined
        if line:
            self.line(indent + line, style, indent + " ")


def _columns(terminal: bool) -> int | None:
    told = os.environ.get("COLUMNS", "")
    if told.isascii() and told.isdecimal() and int(told) > 0:
        return int(told)
    if not terminal:
        return None
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except OSError:
        return 80


def open_streams() -> None:
    """Makes standard output and error take any text, and be there where the caller closed them."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Else the next file that is opened would get the number, and what is printed.
            # An answer that nobody can read is an error; so it has a stream that takes none.
            held = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, open(held, "r" if name == "stdin" else "w"))  # noqa: SIM115
        elif name != "stdin" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="weighbridge")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """The handler of what an encoding does not have: a sign like it, else its escape."""
    assert isinstance(error, UnicodeEncodeError)
    signs = error.object[error.start : error.end]
    escaped = (
        _SIGNS.get(sign, sign.encode("unicode_escape").decode() if sign not in _SIGNS else "")
        for sign in signs
    )
    return "".join(escaped), error.end


codecs.register_error("weighbridge", _replaced)


@contextmanager
def ending(status: int) -> Iterator[None]:
    """The command ends with this status, also where its reader leaves before all is printed."""
    try:
        yield
    except BrokenPipeError:
        silence()
    raise typer.Exit(status)


def silence() -> None:
    """Whatever is still buffered cannot be written: keep the interpreter from trying again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def progress(label: str, total: int, done: int = 0) -> Iterator[Advance]:
    """A bar on standard error, on a terminal only; yields a function that advances it.

    Who knows better than the bar how long the rest takes tells the function, in seconds.
    """
    if not sys.stderr.isatty():
        yield lambda count, left=None: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Remaining(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            if (end := task.fields["end"]) is None:
                return super().render(task)
            left = max(0, round(end - time.monotonic()))
            return Text(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}", "progress.remaining")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total, completed=done, end=None)

        def advance(count: int, left: float | None = None, /) -> None:
            bar.update(task, advance=count, end=None if left is None else time.monotonic() + left)

        yield advance


def assignments(texts: list[str], option: str) -> dict[str, str]:
    """['a=1', 'b=2'] of a repeated option as a dict; InputError for anything else."""
    pairs: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key.strip() and equals and value.strip()):
            mend = "write it like sdram.clock=533MHz" if option == "--set" else ""
            raise InputError(f"'{text}' is not KEY=VALUE", option, mend)
        if pairs.setdefault(key.strip(), value.strip()) != value.strip():
            raise InputError(f"two values for '{key.strip()}'", option)
    return pairs
