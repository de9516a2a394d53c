# SPDX-License-Identifier: Apache-2.0
"""Every path at one size, best first, with what the model cannot tell apart marked as a tie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot

from weighbridge.advice.paths import candidates
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point, Value
from weighbridge.platforms import Platform


@dataclass(frozen=True, slots=True)
class Ranked:
    """A path in its place.

    rank: 1 is best; paths of a tie share the rank of the first of them, and have `tie` set.
    path: in words. seconds, ceiling_seconds: predicted, and at best by widths and clocks alone.
    error: relative error to expect of the model. unchecked: why nobody could check the model here;
    empty where somebody did.
    """

    rank: int
    tie: bool
    path: str
    point: Point
    seconds: float
    ceiling_seconds: float
    bound_by: str
    error: float
    unchecked: str

    @property
    def rate(self) -> float:
        """Bytes per second."""
        return self.point.size_bytes / self.seconds

    @property
    def ceiling_share(self) -> float:
        """Rate over the path's own ceiling; above 1 where posted writes are still on their way."""
        return self.ceiling_seconds / self.seconds


def rank(
    platform: Platform,
    size_bytes: int,
    direction: str,
    os: str | None = None,
    fpga_mhz: float | None = None,
    where: Mapping[str, Sequence[Value]] | None = None,
    advance: Callable[[], None] = lambda: None,
) -> list[Ranked]:
    """Every possible path at a size and direction, fastest first.

    os, where: only these paths (see candidates()); fpga_mhz: else the platform's own clock.
    advance is called after each path. Raises InputError for what cannot be asked.
    """
    twin = Twin(platform)
    answers = []
    for point in candidates(platform, direction, size_bytes, os, fpga_mhz, where):
        answers.append(twin.explain(point))
        advance()
    answers.sort(key=lambda answer: answer.seconds)

    groups: list[list[int]] = []
    for number, answer in enumerate(answers):
        first = answers[groups[-1][0]] if groups else None
        if first and first.seconds >= answer.seconds * (
            1 - tie_band(platform, first.point, answer.point)
        ):
            groups[-1].append(number)
        else:
            groups.append([number])
    return [
        Ranked(
            rank=group[0] + 1,
            tie=len(group) > 1,
            path=platform.describe(answer.point),
            point=answer.point,
            seconds=answer.seconds,
            ceiling_seconds=answer.ceiling_seconds,
            bound_by=answer.bound_by,
            error=platform.error(answer.point),
            unchecked=platform.unchecked(answer.point),
        )
        for group in groups
        for answer in (answers[number] for number in group)
    ]


def tie_band(platform: Platform, one: Point, other: Point) -> float:
    """Share of the better rate within which the model cannot tell which of two paths is faster.

    The errors of two predictions are taken as independent of each other.
    """
    return hypot(platform.error(one), platform.error(other))


def headline_ceiling(ranked: Sequence[Ranked]) -> tuple[float, str]:
    """The highest ceiling among the ranked paths, bytes per second, and its link."""
    best = max(ranked, key=lambda one: one.point.size_bytes / one.ceiling_seconds)
    return best.point.size_bytes / best.ceiling_seconds, best.point.link or ""
