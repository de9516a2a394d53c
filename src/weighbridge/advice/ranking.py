# SPDX-License-Identifier: Apache-2.0
"""Every path at one size, best first, with what the model cannot tell apart marked as a tie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import hypot
from os import cpu_count

from weighbridge.advice.paths import candidates
from weighbridge.advice.purpose import Cost, Purpose
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point, Value
from weighbridge.errors import InputError
from weighbridge.platforms import Platform
from weighbridge.platforms.evidence import Expected


@dataclass(frozen=True, slots=True)
class Ranked:
    """A path in its place.

    rank: 1 is best. Paths of a tie share the rank of the first of them and have `tie` set; within a
    tie, paths that were checked come first, and of these the one that leaves the processor the most
    time. flow: whether seconds are one transfer by itself ('single') or the period of a stream
    ('steady'), the same in all rows.
    path: in words. seconds, ceiling_seconds: predicted, and at best by widths and clocks alone.
    error: relative error to expect of the model, None where nobody measured it; expected: the
    interval that nine of ten measurements lie in, and what it rests on. unchecked: why
    nobody could check the model here; empty where somebody did. occupancy: the processor's share of
    the time; busy_per_byte: its seconds for each byte; latency: seconds of one block. margin: rate
    over the rate that was asked for, less one; None where none was.
    """

    rank: int
    tie: bool
    path: str
    point: Point
    flow: str
    seconds: float
    ceiling_seconds: float
    bound_by: str
    error: float | None
    expected: Expected
    unchecked: str
    occupancy: float
    busy_per_byte: float
    latency: float
    margin: float | None = None
    in_time: bool = True
    #: Bytes of the longest transfer that was simulated for it, where that is less than all.
    simulated_bytes: int | None = None

    @property
    def holds(self) -> bool:
        """Whether the rate and the latency that were asked for are held."""
        return self.in_time and (self.margin is None or self.margin >= 0)

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
    purpose: Purpose = Purpose(),  # noqa: B008  # frozen
    advance: Callable[[], None] = lambda: None,
    twin: Twin | None = None,
) -> list[Ranked]:
    """Every possible path at a size and direction, fastest first.

    os, where: only these paths (see candidates()); fpga_mhz: else the platform's own clock.
    Paths that cannot be asked for the purpose are left out; of those that can, the ones that hold
    the rate and the latency asked for come first. advance is called after each path. twin: of the
    platform, where there is one already.
    Raises InputError for what cannot be asked.
    """
    twin = twin or Twin(platform)
    asked = candidates(platform, direction, size_bytes, os, fpga_mhz, where)

    def answer(point: Point) -> Cost | str | None:
        try:
            return purpose.cost(twin, point) if purpose.fits(point) else None
        except Unanswered as reason:
            return str(reason)

    costs: list[Cost] = []
    reasons: Counter[str] = Counter()
    # The engine lets other threads run while it simulates.
    with ThreadPoolExecutor(cpu_count()) as threads:
        for cost in threads.map(answer, asked):
            if isinstance(cost, str):
                reasons[cost] += 1
            elif cost is not None:
                costs.append(cost)
            advance()
    if not costs:
        # That a path goes the other way alone says the least of why those fail that do not.
        why = max(
            reasons or ["both ways at once is asked with --stream --duplex, one way without"],
            key=lambda one: (not one.startswith("direction "), reasons[one]),
        )
        raise InputError(f"no path can be asked for that: {why}")
    return ranked(platform, costs, purpose)


def ranked(platform: Platform, costs: Sequence[Cost], purpose: Purpose) -> list[Ranked]:
    """Costs of paths for one purpose in their order, with ties."""

    def holds(cost: Cost) -> bool:
        margin = _margin(cost, purpose)
        return (margin is None or margin >= 0) and _in_time(cost, purpose)

    def preference(cost: Cost) -> tuple[bool, float, float]:
        """The order within a tie: checked paths first, then by processor time as it is printed."""
        point = cost.answer.point
        return bool(platform.unchecked(point)), float(f"{cost.busy_per_byte:.1e}"), cost.seconds

    answers = sorted(costs, key=lambda cost: (not holds(cost), cost.seconds))

    groups: list[list[int]] = []
    for number, answer in enumerate(answers):
        first = answers[groups[-1][0]] if groups else None
        if (
            first
            and first.seconds
            >= answer.seconds * (1 - tie_band(platform, first.answer.point, answer.answer.point))
            and holds(first) == holds(answer)
        ):
            groups[-1].append(number)
        else:
            groups.append([number])
    return [
        Ranked(
            rank=group[0] + 1,
            tie=len(group) > 1,
            path=platform.describe(cost.answer.point),
            point=cost.answer.point,
            flow="steady" if purpose.stream else "single",
            seconds=cost.seconds,
            ceiling_seconds=cost.answer.ceiling_seconds,
            bound_by=cost.bound_by,
            error=platform.error(cost.answer.point),
            expected=platform.expected(cost.answer.point),
            unchecked=platform.unchecked(cost.answer.point),
            occupancy=cost.occupancy,
            busy_per_byte=cost.busy_per_byte,
            latency=cost.latency,
            margin=_margin(cost, purpose),
            in_time=_in_time(cost, purpose),
            simulated_bytes=cost.answer.simulated_bytes,
        )
        for group in groups
        for cost in sorted((answers[number] for number in group), key=preference)
    ]


def _margin(cost: Cost, purpose: Purpose) -> float | None:
    """Rate over the rate asked for, less one."""
    if purpose.rate is None:
        return None
    return cost.answer.point.size_bytes / cost.seconds / purpose.rate - 1


def _in_time(cost: Cost, purpose: Purpose) -> bool:
    return purpose.latency is None or cost.latency <= purpose.latency


def tie_band(platform: Platform, one: Point, other: Point) -> float:
    """Share of the better rate within which the model cannot tell which of two paths is faster.

    The errors of two predictions are taken as independent of each other; one that nobody has
    measured adds nothing.
    """
    return hypot(platform.error(one) or 0, platform.error(other) or 0)


def headline_ceiling(ranked: Sequence[Ranked]) -> tuple[float, str]:
    """The highest ceiling among the ranked paths, bytes per second, and its link."""
    best = max(ranked, key=lambda one: one.point.size_bytes / one.ceiling_seconds)
    return best.point.size_bytes / best.ceiling_seconds, far_end(best.point)


def far_end(point: Point) -> str:
    """The link of a path, or the memory that a loop of a core goes to."""
    return str(point.link or dict(point.axes).get("target") or point.master)
