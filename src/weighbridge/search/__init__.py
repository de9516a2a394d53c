# SPDX-License-Identifier: Apache-2.0
"""The cheapest designs that keep goals, what stops cheaper ones, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weighbridge.backends import DEFAULT_SEED
from weighbridge.errors import InputError
from weighbridge.search.designs import Designs
from weighbridge.search.narrowing import Contradiction, Floats, Space, cheapest, front
from weighbridge.search.question import Question, load

if TYPE_CHECKING:
    from weighbridge.api import Progress

__all__ = ["Answer", "Known", "Question", "Stop", "load", "search"]

#: What a metric of a goal is called.
GOALS = {"period": "rate", "latency": "latency", "processor": "share of the processor"}

#: Levels of the first goal for which the cheapest designs are found.
_LEVELS = 12


@dataclass(frozen=True, slots=True)
class Known:
    """A design that was evaluated.

    design: its number. values: variable -> its value, for people. metrics: metric -> value.
    margins: metric -> how far the value may grow until it exceeds its limit, a fraction; below 0 it
    exceeds it. error: relative error to expect of the model on such a path, None where nobody
    measured it. sure: whether the margins are larger than that error, None without one.
    """

    design: int
    values: dict[str, str]
    cost: float
    path: str
    metrics: dict[str, float]
    margins: dict[str, float]
    bound_by: str
    error: float | None
    command: str

    @property
    def keeps(self) -> bool:
        return min(self.margins.values()) >= 0

    @property
    def sure(self) -> bool | None:
        return None if self.error is None else abs(min(self.margins.values())) > self.error


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a cheaper design does not do: change: in words, from the best one. metric: the goal that
    it misses by most. known: the design; None where it has no answer, why: then, or the ceiling."""

    change: str
    cost: float
    metric: str
    known: Known | None
    why: str


@dataclass(frozen=True)
class Answer:
    """What a search found.

    best: the cheapest designs, cheapest first. sure: the cheapest that keeps the goals where the
    model is off by its stated error; hopeful: the cheapest that keeps them where the model is too
    slow by that much; None where there is none. front: the cheapest designs for levels of the
    first goal, of which front_left are not proved. evaluations: designs that were simulated;
    to_best: until the best was proved, and audited. left: cheaper designs that were neither tried
    nor excluded.
    exhausted: every design was simulated.
    """

    question: Question
    designs: Designs
    space: Space
    best: tuple[Known, ...]
    sure: Known | None
    hopeful: Known | None
    stops: tuple[Stop, ...]
    front: tuple[Known, ...]
    front_metric: str
    evaluations: int
    to_best: int
    left: int
    front_left: int
    exhausted: bool

    @property
    def count(self) -> int:
        """Designs that are paths."""
        return len(self.space.costs)

    @property
    def proved(self) -> bool:
        """Whether no cheaper design is left, as far as the directions of the variables hold."""
        return self.left == 0

    @property
    def nearest(self) -> Known | None:
        """Of the designs that were simulated, the one that misses its worst goal by the least."""
        limits = self.question.limits

        def miss(design: int) -> tuple[float, int]:
            metrics = self.space.known[design] or {}
            return max(metrics[name] / limits[name] for name in limits), int(
                self.space.rank[design]
            )

        tried = [design for design, metrics in self.space.known.items() if metrics is not None]
        return _known(self.designs, self.space, min(tried, key=miss)) if tried else None

    @property
    def assumptions(self) -> list[str]:
        """What the bounds rely on, in words."""
        uniform: dict[int, list[str]] = {1: [], -1: []}
        single: dict[tuple[str, int], list[str]] = {}
        for variable in self.question.variables:
            signs = set(variable.directions.values())
            if len(signs) == 1 and (sign := signs.pop()):
                uniform[sign].append(variable.name)
            elif len(signs) > 1 or 0 not in signs:
                for metric, sign in variable.directions.items():
                    if sign:
                        single.setdefault((GOALS[metric], sign), []).append(variable.name)
        words = {1: "more of", -1: "less of"}
        said = [
            f"{words[sign]} {' or '.join(names)} never makes a goal worse"
            for sign, names in uniform.items()
            if names
        ]
        said += [
            f"{words[sign]} {' or '.join(names)} never makes the {goal} worse"
            for (goal, sign), names in single.items()
        ]
        return said

    @property
    def contradictions(self) -> list[Contradiction]:
        return self.space.contradictions


def search(
    file: Path | Question,
    *,
    count: int = 3,
    evaluations: int | None = None,
    exhaustive: bool = False,
    with_front: bool = True,
    seed: int = DEFAULT_SEED,
    progress: Progress | None = None,
) -> Answer:
    """The cheapest designs of a search file that keep its goals.

    count: how many of them. evaluations: simulations at most; None until it is proved.
    exhaustive: all designs are simulated. InputError for a faulty file.
    """
    question = file if isinstance(file, Question) else load(file)
    designs = Designs.of(question, seed)
    space = designs.space()
    total = len(space.costs)
    limits = {metric: np.full(total, limit) for metric, limit in question.limits.items()}
    show = progress or (lambda *_: nullcontext(lambda count: None))
    most = total if exhaustive else min(total, evaluations or total)
    with show("designs", most, 0) as advance:
        if exhaustive:
            for design in range(total):
                space.measure(design, compare=False)
                advance(1)

        def step() -> None:
            advance(1)

        cheapest(space, limits, 1, evaluations, step)
        to_best, slack = len(space.known), -1.0
        metric = next(iter(question.limits))
        others = {name: limit for name, limit in limits.items() if name != metric}
        while slack < space.slack:
            # What is learnt may widen the slack, and leave open what seemed proved.
            slack = space.slack
            last = cheapest(space, limits, count, evaluations, step, audit=0)
            sure, hopeful = _by_error(designs, space, limits, evaluations, step)
            stops = _stops(designs, space, limits) if evaluations is None else ()
            members, front_left = (
                front(space, metric, others, _LEVELS, evaluations, step) if with_front else ([], 0)
            )
    if len(designs.answers) == 0:
        reasons = list(designs.why_not.values()) or ["no design was tried"]
        raise InputError(f"no design has an answer: {reasons[0]}")
    known = [_known(designs, space, one) for one in space.feasible(limits)[:count]]
    return Answer(
        question, designs, space, tuple(known), sure, hopeful, stops,
        tuple(_known(designs, space, one) for one in members), metric,
        len(space.known), to_best, last.left, front_left, exhaustive,
    )  # fmt: skip


def _known(designs: Designs, space: Space, design: int) -> Known:
    metrics = space.known[design]
    assert metrics is not None
    question, cost = designs.question, designs.answers[design]
    error = float(designs.errors[design])
    steps = designs.steps[design]
    point = cost.answer.point
    return Known(
        design,
        {
            one.name: one.said(int(step))
            for one, step in zip(question.variables, steps, strict=True)
        },
        float(space.costs[design]),
        question.platform.describe(point),
        dict(metrics),
        {metric: limit / metrics[metric] - 1 for metric, limit in question.limits.items()},
        cost.bound_by,
        None if np.isnan(error) else error,
        _command(designs, design),
    )


def _command(designs: Designs, design: int) -> str:
    """The `explain` of a design."""
    import shlex

    from weighbridge.advice.paths import command_words
    from weighbridge.quantities import format_size

    cost, question = designs.answers[design], designs.question
    words = command_words(cost.answer.point)
    words += [f"--size {format_size(question.size).replace(' ', '')}"]
    words += [f"--set {name}={value}" for name, value in designs.changes(design).items()]
    return f"weighbridge explain {shlex.quote(_named(question))} {' '.join(words)}"


def _named(question: Question) -> str:
    from weighbridge.platforms import platform_names

    platform = question.platform
    return platform.name if platform.name in platform_names() else str(platform.path)


def _by_error(
    designs: Designs,
    space: Space,
    limits: dict[str, Floats],
    evaluations: int | None,
    step: Callable[[], None],
) -> tuple[Known | None, Known | None]:
    """The cheapest designs where the model is too fast, and too slow, by its stated error."""
    off = 1 + np.nan_to_num(designs.errors)
    if np.all(off == 1):
        return None, None
    found = []
    for scaled in (
        {metric: limit / off for metric, limit in limits.items()},
        {metric: limit * off for metric, limit in limits.items()},
    ):
        one = cheapest(space, scaled, 1, evaluations, step, audit=0)
        found.append(None if one.best is None else _known(designs, space, one.best))
    return found[0], found[1]


def _stops(designs: Designs, space: Space, limits: dict[str, Floats]) -> tuple[Stop, ...]:
    """What stops the next cheaper design, and each variable from going a step cheaper."""
    kept = space.feasible(limits)
    if not kept:
        return ()
    best = kept[0]
    stops = []
    cheaper = np.flatnonzero((space.costs < space.costs[best]) & ~space.dead)
    beside: dict[int, str] = {}
    if len(cheaper):
        beside[int(cheaper[np.argmax(space.rank[cheaper])])] = "the next cheaper design"
    for at, variable in enumerate(designs.question.variables):
        alike = np.ones(len(space.costs), dtype=bool)
        for other in range(designs.steps.shape[1]):
            if other != at:
                alike &= designs.steps[:, other] == designs.steps[best, other]
        below = np.flatnonzero(alike & (space.costs < space.costs[best]))
        if len(below):
            one = int(below[np.argmax(space.rank[below])])
            beside.setdefault(one, f"{variable.name} {variable.said(int(designs.steps[one, at]))}")
    for design, change in beside.items():
        if space.measure(design) is None:
            why = designs.why_not.get(design, "no answer")
            stops.append(Stop(change, float(space.costs[design]), "", None, why))
            continue
        known = _known(designs, space, design)
        worst = min(known.margins, key=lambda metric: known.margins[metric])
        stops.append(Stop(change, known.cost, worst, known, known.bound_by))
    return tuple(stops)
