# SPDX-License-Identifier: Apache-2.0
"""What commands share on the screen: the console, the progress bar, repeated KEY=VALUE options."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weighbridge.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

#: Columns of output that goes to a file or a pipe.
WIDTH = 100


def console() -> Console:
    """Standard output: the terminal's width and colours there, plain text elsewhere."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH
    # What is printed comes from files: brackets and colons in it mean nothing.
    return Console(width=width, highlight=False, markup=False, emoji=False)


@contextmanager
def progress(label: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, on a terminal only; yields a function that advances it."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total, completed=done)
        yield lambda count: bar.advance(task, count)


def assignments(texts: list[str], option: str) -> dict[str, str]:
    """['a=1', 'b=2'] of a repeated option as a dict; InputError for anything else."""
    pairs: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key.strip() and equals and value.strip()):
            raise InputError(f"'{text}' is not KEY=VALUE", option)
        pairs[key.strip()] = value.strip()
    return pairs
