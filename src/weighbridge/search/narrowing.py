# SPDX-License-Identifier: Apache-2.0
"""The cheapest of many designs that keep limits, with as few evaluations as bounds allow.

Each metric of a design is a number that must not exceed a limit: a period, a latency, a share. The
variables have directions where the physics has them: a faster clock never takes longer. So a known
design bounds the metrics of all designs that have less of everything from below, and of all that
have more from above. The next design tried is the one that leaves the fewest cheaper designs open,
whether it keeps the limits or not. When none is left open, the cheapest known one is the best, as
far as the directions hold. Two checks hold the directions to account: every two evaluations that
can be compared are, and an audit tries some of the designs that bounds alone have excluded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

#: How far a metric may run against its direction before bounds are mistaken: a fraction.
SLACK = 0.01
#: Designs among which the next one is chosen.
_PIVOTS = 200
#: Excluded designs that are tried all the same, those that bounds exclude by the least.
AUDIT = 8

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

#: Metric -> its value; None for a design that has no answer.
Metrics = Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two designs of which the one with more of everything is worse in a metric, by a fraction."""

    metric: str
    better: int
    worse: int
    by: float


@dataclass
class Space:
    """Designs with what is known of them so far.

    steps: design x variable, the place of each variable's value among its values, ascending.
    costs: of each design. directions: metric -> per variable 1 where more of it never makes the
    metric worse, -1 where less does not, 0 where nothing is known. lower: designs -> metrics that
    they cannot go below, without a simulation, or None. evaluate: design -> its metrics.
    """

    steps: Indices
    costs: Floats
    directions: Mapping[str, Sequence[int]]
    evaluate: Callable[[int], Metrics]
    floor: Callable[[int], Metrics] = lambda design: None
    known: dict[int, Metrics] = field(default_factory=dict)
    floored: set[int] = field(default_factory=set)
    contradictions: list[Contradiction] = field(default_factory=list)
    compared: int = 0
    slack: float = SLACK

    def __post_init__(self) -> None:
        count = len(self.costs)
        # Equal costs are told apart by the order of the designs.
        self.rank = np.empty(count, dtype=np.int64)
        self.rank[np.lexsort((np.arange(count), self.costs))] = np.arange(count)
        self.lower = {metric: np.zeros(count) for metric in self.directions}
        self.upper = {metric: np.full(count, np.inf) for metric in self.directions}
        self.dead = np.zeros(count, dtype=bool)

    def above(self, design: int, metric: str) -> Flags:
        """The designs that have at least as much of everything, by a metric's directions."""
        return self._beside(design, self.directions[metric], 1)

    def below(self, design: int, metric: str) -> Flags:
        """The designs that have at most as much of everything."""
        return self._beside(design, self.directions[metric], -1)

    def _beside(self, design: int, directions: Sequence[int], sign: int) -> Flags:
        flags = np.ones(len(self.costs), dtype=bool)
        for variable, direction in enumerate(directions):
            column, own = self.steps[:, variable], self.steps[design, variable]
            if direction == 0:
                flags &= column == own
            else:
                flags &= (column >= own) if direction * sign > 0 else (column <= own)
        return flags

    def try_(self, design: int, limits: Mapping[str, Floats]) -> Metrics:
        """What a design comes to; its floor alone where that already exceeds a limit."""
        if design in self.known:
            return self.known[design]
        floor = self.floor(design)
        if floor is not None:
            self.floored.add(design)
            for metric, value in floor.items():
                beside = self.below(design, metric)
                self.lower[metric][beside] = np.maximum(self.lower[metric][beside], value)
            if any(value > limits[metric][design] for metric, value in floor.items()):
                return None
        return self.measure(design)

    def measure(self, design: int, compare: bool = True) -> Metrics:
        """What a design comes to, evaluated if it is not known.

        compare: with all that are known already, which of many thousands takes its time.
        """
        if design in self.known:
            return self.known[design]
        found = self.known[design] = self.evaluate(design)
        if found is None:
            self.dead[design] = True
            return None
        for metric, value in found.items():
            below, above = self.below(design, metric), self.above(design, metric)
            if compare:
                self._compare(design, metric, value, below, above)
            lower, upper = self.lower[metric], self.upper[metric]
            lower[below] = np.maximum(lower[below], value)
            upper[above] = np.minimum(upper[above], value)
        return found

    def _compare(self, design: int, metric: str, value: float, below: Flags, above: Flags) -> None:
        for other, metrics in self.known.items():
            if other == design or metrics is None or not (below[other] or above[other]):
                continue
            self.compared += 1
            better, worse = (design, other) if below[other] else (other, design)
            least, most = (value, metrics[metric]) if below[other] else (metrics[metric], value)
            if least > most * (1 + 1e-9) and not (below[other] and above[other]):
                by = least / most - 1
                self.contradictions.append(Contradiction(metric, better, worse, by))
                self.slack = max(self.slack, 2 * by)

    def excluded(self, limits: Mapping[str, Floats]) -> Flags:
        """Designs that cannot keep the limits, as far as the directions hold."""
        flags = self.dead.copy()
        for metric, limit in limits.items():
            flags |= self.lower[metric] > limit * (1 + self.slack)
        for design, metrics in self.known.items():
            if metrics is not None:
                flags[design] = not self.keeps(design, limits)
        return flags

    def keeps(self, design: int, limits: Mapping[str, Floats]) -> bool:
        """Whether a known design keeps the limits."""
        metrics = self.known.get(design)
        return metrics is not None and all(
            metrics[metric] <= limit[design] for metric, limit in limits.items()
        )

    def feasible(self, limits: Mapping[str, Floats]) -> list[int]:
        """Known designs that keep the limits, the cheapest first."""
        kept = [design for design in self.known if self.keeps(design, limits)]
        return sorted(kept, key=lambda design: int(self.rank[design]))


@dataclass(frozen=True, slots=True)
class Found:
    """The cheapest designs, cheapest first, and how far that is certain.

    left: cheaper designs that were neither tried nor excluded, where the budget was spent.
    """

    designs: tuple[int, ...]
    left: int

    @property
    def best(self) -> int | None:
        return self.designs[0] if self.designs else None


def cheapest(
    space: Space,
    limits: Mapping[str, Floats],
    count: int = 1,
    budget: int | None = None,
    advance: Callable[[], None] = lambda: None,
    audit: int = AUDIT,
) -> Found:
    """The `count` cheapest designs that keep the limits: metric -> the limit of each design.

    budget: evaluations in all, earlier ones included. advance is called after each.
    """
    audited = 0
    while True:
        kept = space.feasible(limits)[:count]
        bound = int(space.rank[kept[-1]]) if len(kept) == count else len(space.costs)
        excluded = space.excluded(limits)
        cheaper = space.rank < bound
        tried = np.zeros(len(space.costs), dtype=bool)
        tried[list(space.known)] = True
        open_ = np.flatnonzero(cheaper & ~excluded & ~tried)
        if budget is not None and len(space.known) >= budget:
            return Found(tuple(kept), len(open_))
        if len(open_):
            chosen = _pivot(space, open_)
            space.try_(chosen, limits)
            if chosen not in space.known and not space.excluded(limits)[chosen]:
                # Its floor exceeds the limit by less than the slack.
                space.measure(chosen)
        elif audited < audit and (suspect := _suspect(space, limits, cheaper & ~tried)) is not None:
            audited += 1
            space.measure(suspect)
        else:
            return Found(tuple(kept), 0)
        advance()


def _pivot(space: Space, open_: Indices) -> int:
    """The open design that leaves the fewest open ones, however it turns out."""
    order = open_[np.argsort(space.rank[open_], kind="stable")]
    picks = np.unique(np.linspace(0, len(order) - 1, min(_PIVOTS, len(order))).astype(int))
    pivots = order[picks]
    # Those it excludes if it keeps no limit: all that have less, whichever metric it fails by.
    shared = [
        int(first) if all(first == other for other in rest) else 0
        for first, *rest in zip(*space.directions.values(), strict=True)
    ]
    beaten = np.ones((len(pivots), len(order)), dtype=bool)
    for variable, direction in enumerate(shared):
        column, own = space.steps[order, variable], space.steps[pivots, variable][:, None]
        if direction == 0:
            beaten &= column == own
        else:
            beaten &= (column <= own) if direction > 0 else (column >= own)
    if_not = beaten.sum(axis=1)
    # If it keeps them, all that cost more.
    if_so = len(order) - picks
    gain = np.minimum(if_not, if_so) + 1e-3 * np.maximum(if_not, if_so)
    return int(pivots[np.argmax(gain)])


def _suspect(space: Space, limits: Mapping[str, Floats], among: Flags) -> int | None:
    """The untried design that bounds exclude by the least; None where all are tried or dead."""
    over = np.zeros(len(space.costs))
    for metric, limit in limits.items():
        over = np.maximum(over, space.lower[metric] / limit)
    over[~among | space.dead] = np.inf
    design = int(np.argmin(over))
    return design if np.isfinite(over[design]) else None


def front(
    space: Space,
    metric: str,
    limits: Mapping[str, Floats],
    levels: int,
    budget: int | None = None,
    advance: Callable[[], None] = lambda: None,
) -> tuple[list[int], int]:
    """The cheapest designs for so many levels of a metric, from the cheapest of all to the best.

    limits: of the other metrics. Levels lie in equal ratios. Each design is the cheapest that
    reaches its level, so that none is both cheaper and better; levels that one design reaches give
    it once. The second number is how many levels the budget, evaluations in all, left undone.
    """
    anything = np.full(len(space.costs), np.inf)
    first = cheapest(space, {**limits, metric: anything}, 1, budget, advance, audit=0)
    best = _least(space, metric, limits, budget, advance)
    if first.best is None or best is None:
        return [], 0 if first.left == 0 else levels
    worst = _value(space, first.best, metric)
    ratio = (_value(space, best, metric) / worst) ** (1 / max(levels - 1, 1))
    members, undone = [first.best], first.left > 0
    left = int(undone)
    for level in range(1, levels):
        goal = worst * ratio**level * (1 + 1e-9)
        found = cheapest(
            space, {**limits, metric: np.full(len(anything), goal)}, 1, budget, advance, audit=0
        )
        left += found.left > 0
        if found.best is not None and not found.left:
            members.append(found.best)
    kept: list[int] = []
    for design in sorted(set(members), key=lambda one: int(space.rank[one]), reverse=True):
        # Of designs of one cost the better one.
        if not kept or space.costs[design] < space.costs[kept[-1]]:
            kept.append(design)
    return kept[::-1], left


def _least(
    space: Space,
    metric: str,
    limits: Mapping[str, Floats],
    budget: int | None,
    advance: Callable[[], None],
) -> int | None:
    """The known design that is best in a metric, once no other can be better."""
    while True:
        kept = space.feasible(limits)
        best = min(kept, key=lambda design: _value(space, design, metric), default=None)
        open_ = ~space.excluded(limits)
        open_[list(space.known)] = False
        if best is not None:
            open_ &= space.lower[metric] * (1 + space.slack) < _value(space, best, metric)
        among = np.flatnonzero(open_)
        if not len(among) or (budget is not None and len(space.known) >= budget):
            return best
        # Of those of which nothing is known the costliest, which bounds the most others.
        order = np.lexsort((-space.rank[among], space.lower[metric][among]))
        space.measure(int(among[order[0]]))
        advance()


def _value(space: Space, design: int, metric: str) -> float:
    metrics = space.known[design]
    assert metrics is not None
    return metrics[metric]
