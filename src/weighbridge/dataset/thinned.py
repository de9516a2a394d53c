# SPDX-License-Identifier: Apache-2.0
"""Few rows that stand for very many, where they are drawn: each curve at some of its sizes."""

from __future__ import annotations

from pathlib import Path

from weighbridge.dataset.query import query
from weighbridge.dataset.runs import MANIFEST, Run
from weighbridge.dataset.table import MOST_ROWS, Row, batches, read_rows
from weighbridge.errors import InputError

#: Rows of a run in parts that are all drawn; more are thinned.
MOST_DRAWN = 50_000
#: Sizes that are kept of each octave.
_AN_OCTAVE = 2


def thinned(path: Path) -> tuple[list[Row], int]:
    """The rows of a run or file as read_rows() gives them, and how many there are.

    Of a large run in parts only rows of some sizes are read: the least, the largest, and those
    nearest to two steps of equal ratio in each octave. InputError where these are too many still.
    """
    run = Run.open(path) if (path / MANIFEST).is_file() else None
    total = sum((run.manifest["parts"] or {}).values()) if run and run.in_parts else 0
    if run is None or total <= MOST_DRAWN:
        rows = read_rows(path)
        return rows, len(rows)
    (found,) = query("SELECT list(DISTINCT size_bytes) FROM results", [path]).rows
    sizes = ", ".join(map(str, _spread(sorted(found[0]))))
    rows = []
    for batch in batches(run.results, f"WHERE size_bytes IN ({sizes})"):
        rows += batch
        if len(rows) > MOST_ROWS:
            raise InputError(
                f"more than {MOST_ROWS} rows are left of {total}, at a few sizes each",
                str(path),
                "run what is to be drawn by itself, with --where",
            )
    return rows, total


def _spread(sizes: list[int]) -> list[int]:
    """Of ascending sizes those nearest to a grid of equal ratios, with both ends."""
    kept = {sizes[0], sizes[-1]}
    step = 2 ** (1 / _AN_OCTAVE)
    wanted = 1.0
    at = 0
    while wanted < sizes[-1]:
        while at + 1 < len(sizes) and abs(sizes[at + 1] - wanted) <= abs(sizes[at] - wanted):
            at += 1
        kept.add(sizes[at])
        wanted *= step
    return sorted(kept)
