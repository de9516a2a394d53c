# SPDX-License-Identifier: Apache-2.0
"""The sizes at which another path becomes the fastest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from weighbridge.advice.purpose import Purpose
from weighbridge.advice.ranking import tie_band
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import Platform

FROM_BYTES = 2
TO_BYTES = 2 * 1024 * 1024
#: A path's cost per byte hardly falls with the size: the search assumes that it keeps this share.
_KEPT_SLOPE = 0.8
#: Paths closer than this are equal: what is left is the phase of the poll loop.
_EQUAL = 1e-3
_BYTEWISE = 8
_PARTS = 128


@dataclass(frozen=True, slots=True)
class Crossover:
    """From this size on, up to the next crossover, this path is the fastest."""

    from_bytes: int
    path: str
    point: Point


class _Times:
    """Times of paths at sizes, each asked for once."""

    def __init__(self, twin: Twin, purpose: Purpose) -> None:
        self._twin = twin
        self._purpose = purpose
        self._known: dict[tuple[Point, int], float] = {}

    def of(self, path: Point, size: int) -> float:
        key = (path, size)
        if key not in self._known:
            self._known[key] = self._seconds(replace(path, size_bytes=size))
        return self._known[key]

    def _seconds(self, point: Point) -> float:
        try:
            return self._purpose.cost(self._twin, point).seconds
        except Unanswered:
            return math.inf

    def at_least(self, path: Point, size: int) -> float:
        """A lower bound at `size`, from the times at the largest size asked for and at half of it.

        Where the search passed a path over, the path was behind by more than it could make up.
        """
        asked = size // 2
        while asked >= 2 * FROM_BYTES:
            whole, half = self._known.get((path, asked)), self._known.get((path, asked // 2))
            if whole is not None and half is not None:
                each = max(0.0, whole - half) / (asked // 2)
                return whole + _KEPT_SLOPE * each * (size - asked)
            asked //= 2
        return 0.0


def largest(twin: Twin, paths: Sequence[Point]) -> int:
    """The largest size, up to TO_BYTES, at which a path can be asked; FROM_BYTES if there is none.

    What a path may carry at a time, and the platform's memory, bound it.
    """

    def asked(size: int) -> bool:
        for path in paths:
            with suppress(Unanswered, InputError):
                return twin.ceiling(replace(path, size_bytes=size)) > 0
        return False

    low, high = FROM_BYTES, TO_BYTES
    if asked(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if asked(middle) else (low, middle)
    return low


def crossovers(
    platform: Platform,
    paths: Sequence[Point],
    purpose: Purpose = Purpose(),  # noqa: B008  # frozen
    twin: Twin | None = None,
) -> list[Crossover]:
    """The fastest of the paths over all sizes from 2 B to the largest(), smallest sizes first.

    A path takes over only where it gets ahead by more than the model can tell apart; the size
    given is then the one from which it is ahead at all.
    """
    paths = [path for path in paths if purpose.fits(path)]
    twin = twin or Twin(platform)
    times, last = _Times(twin, purpose), largest(twin, paths)
    size = FROM_BYTES
    winner = _best(times, paths, size)
    found = [(size, winner)]
    ahead_until = size
    while size < last:
        size = min(2 * size, last)
        best = _best(times, paths, size)
        ours, theirs = times.of(winner, size), times.of(best, size)
        if ours <= theirs:
            ahead_until = size
        elif theirs < ours * (1 - tie_band(platform, winner, best)):
            found.append((_crossing(times, winner, best, ahead_until, size), best))
            winner, ahead_until = best, size
    return [Crossover(at, platform.describe(path), path) for at, path in found]


def _best(times: _Times, paths: Sequence[Point], size: int) -> Point:
    """The fastest path at a size, the first of equal ones; a path that cannot win is not asked."""
    asked: dict[Point, float] = {}
    for path in sorted(paths, key=lambda path: times.at_least(path, size)):
        if asked and times.at_least(path, size) > min(asked.values()) * (1 + _EQUAL):
            break
        asked[path] = times.of(path, size)
    fastest = min(asked.values())
    return next(path for path in paths if asked.get(path, math.inf) <= fastest * (1 + _EQUAL))


def _crossing(times: _Times, before: Point, after: Point, low: int, high: int) -> int:
    """The size in (low, high] from which `after` is ahead: not at low, but at high."""
    step = resolution(low)
    while high - low > step:
        middle = low + max(step, (high - low) // 2 // step * step)
        if times.of(after, middle) < times.of(before, middle):
            high = middle
        else:
            low = middle
    return high


def resolution(power_of_two: int) -> int:
    """Bytes to which a crossover between this size and the next power of two is found.

    Single bytes at first, then whole words of 8, from 1 KiB on a part of the size: odd lengths
    cost each path something of its own there, and the curves cross back and forth.
    """
    return 1 if power_of_two < _BYTEWISE else max(8, power_of_two // _PARTS)
