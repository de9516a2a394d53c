# SPDX-License-Identifier: Apache-2.0
"""Caches and memory found in measured rows: how far each level reaches, and how fast it is.

As long as their working set fits a level, loads that depend on each other take the same time; the
level ends where that time begins to rise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from weighbridge.dataset.table import Row

#: Latencies of one level differ by so much at most, and those of two by so much at least, as
#: factors.
_FLAT: Final = 1.3
_STEP: Final = 1.5
#: The working set grows by this factor at least within a level; a shorter stretch is a slope.
_WIDE: Final = 2.0
#: A loop's buffers take at most this share of a level: other programs need the rest.
_SHARE: Final = 0.75
#: Buffers of a loop, by its access.
_BUFFERS: Final = {"rd": 1, "wr": 1, "cp": 2}
#: Chains of loads: the first that the rows have shows the levels; the second has page walks in it.
CHAINS: Final = ("latency", "latency_with_walks")
IDLE: Final = "idle"


@dataclass(frozen=True, slots=True)
class Level:
    """A cache or, where nothing ends it, memory.

    bytes: the largest working set that it holds; None of memory.
    seconds: of a load, idle; walked: with page walks; loaded: beside traffic. As LMbench has them:
    the least of the samples at a size, and the median over the level's sizes.
    rows: of a loop's access and load, the row that shows its bandwidth there.
    """

    bytes: int | None
    seconds: float
    walked: float | None = None
    loaded: float | None = None
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)


def levels(rows: Iterable[Row]) -> list[Level]:
    """The levels that rows of chains and of passes show, the nearest first; none without chains."""
    known = [row for row in rows if row["seconds"] is not None]
    chains = [chain for chain in CHAINS if any(row["access"] == chain for row in known)]
    if not chains:
        return []
    curve = _curve(known, chains[0], loaded=False)
    beside = _curve(known, chains[0], loaded=True)
    walks = _curve(known, CHAINS[-1], loaded=False) if len(chains) > 1 else {}
    sizes = list(curve)
    found: list[Level] = []
    below = 0
    for first, last in _plateaus([_least(row) for row in curve.values()], sizes):
        held = sizes[first : last + 1]
        size = None if last == len(sizes) - 1 else held[-1]
        seconds = _middle(curve, held)
        assert seconds is not None
        passes = _passes(known, below, size)
        found.append(Level(size, seconds, _middle(walks, held), _middle(beside, held), passes))
        below = held[-1]
    return found


def _curve(rows: Sequence[Row], access: str, loaded: bool) -> dict[int, Row]:
    """The row of each working set, ascending; of several strides that of the least."""
    chosen: dict[int, Row] = {}
    for row in sorted(rows, key=lambda row: int(row["stride_bytes"] or 0)):
        size, beside = row["working_set_bytes"], (row["load"] or IDLE) != IDLE
        if row["access"] == access and beside is loaded and isinstance(size, int):
            chosen.setdefault(size, row)
    return dict(sorted(chosen.items()))


def _least(row: Row) -> float:
    """The least time where there are several: disturbances only add to it."""
    return float(row["min"] or row["seconds"] or 0)


def _middle(curve: Mapping[int, Row], sizes: Iterable[int]) -> float | None:
    """The median of the least times at the sizes that the curve has."""
    times = [_least(curve[size]) for size in sizes if size in curve]
    return median(times) if times else None


def _plateaus(times: Sequence[float], sizes: Sequence[int]) -> list[tuple[int, int]]:
    """First and last place of each level.

    A smaller time at a larger size shows what a disturbed one really is.
    """
    least = list(times)
    for place in range(len(least) - 2, -1, -1):
        least[place] = min(least[place], least[place + 1])
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(least):
        last = first
        while last + 1 < len(least) and least[last + 1] <= _FLAT * least[first]:
            last += 1
        ends = last == len(least) - 1
        if found and least[first] <= _STEP * least[found[-1][0]] and last > found[-1][1]:
            # Hardly slower than the level before: the same, whose last bytes are shared.
            found[-1] = (found[-1][0], last)
            first = last + 1
        elif ends or sizes[last] >= _WIDE * sizes[first]:
            found.append((first, last))
            first = last + 1
        else:
            first += 1
    return found


def _passes(rows: Sequence[Row], below: int, size: int | None) -> dict[tuple[str, str], Row]:
    """The row of each access and load whose buffers fill a level as far as they may.

    One row, and no mean over several: rates are not averaged.
    """
    found: dict[tuple[str, str], Row] = {}
    for row in rows:
        access, load = str(row["access"]), str(row["load"] or IDLE)
        if access not in _BUFFERS or row["size_bytes"] is None:
            continue
        used = _BUFFERS[access] * int(row["size_bytes"])
        if used <= below or (size is not None and used > _SHARE * size):
            continue
        best = found.get((access, load))
        if best is None or int(best["size_bytes"] or 0) < int(row["size_bytes"]):
            found[access, load] = row
    return found
