# SPDX-License-Identifier: Apache-2.0
"""The designs of a question, and what the twin says of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from weighbridge.advice.paths import point_of
from weighbridge.advice.purpose import Cost, Purpose
from weighbridge.backends import DEFAULT_SEED
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point, Value
from weighbridge.dataset.values import shown
from weighbridge.errors import InputError
from weighbridge.platforms.changing import overridden
from weighbridge.search.narrowing import Floats, Indices, Metrics, Space
from weighbridge.search.question import Question

#: Digits behind the point of a cost: sums that differ only by their rounding are equal.
_DIGITS = 9

#: Twins that stay open: designs that are tried one after another are seldom of one platform.
_OPEN = 128


@dataclass(frozen=True, slots=True)
class Path:
    """What a design asks of the twin: a point, for a purpose."""

    point: Point
    purpose: Purpose


@dataclass
class Designs:
    """All designs of a question that are paths.

    steps: design x variable, places among the variable's values. paths: of each design, its path,
    as its place in `path_of`. nowhere: how many designs are no path. errors: of each design's
    path, the relative error to expect of the model; NaN where nobody measured it.
    """

    question: Question
    steps: Indices
    costs: Floats
    paths: list[Path]
    path_of: Indices
    nowhere: int
    errors: Floats
    answers: dict[int, Cost] = field(default_factory=dict)
    why_not: dict[int, str] = field(default_factory=dict)
    seed: int = DEFAULT_SEED
    _twin_of: Callable[[tuple[tuple[str, str], ...]], Twin] = field(init=False)

    def __post_init__(self) -> None:
        self._twin_of = lru_cache(_OPEN)(self._opened)

    @classmethod
    def of(cls, question: Question, seed: int = DEFAULT_SEED) -> Designs:
        """InputError for a value that is on no path, and where no design is one."""
        shape = [len(one.values) for one in question.variables]
        steps = np.indices(shape, dtype=np.int64).reshape(len(shape), -1).T
        own = [at for at, one in enumerate(question.variables) if not one.changes_platform]
        combinations, which = np.unique(steps[:, own], axis=0, return_inverse=True)
        paths: list[Path] = []
        place = np.full(len(combinations), -1)
        reasons: dict[int, str] = {}
        twin = Twin(question.platform, seed)
        for number, chosen in enumerate(combinations):
            try:
                path = _path(question, dict(zip(own, map(int, chosen), strict=True)))
                # Refuses what cannot be asked of the path.
                twin.ceiling(path.purpose.asked(twin, path.point))
            except InputError as error:
                reasons[number] = str(error)
                continue
            place[number] = len(paths)
            paths.append(path)
        for column, at in enumerate(own):
            variable = question.variables[at]
            for step in range(len(variable.values)):
                alike = np.flatnonzero(combinations[:, column] == step)
                if all(int(number) in reasons for number in alike):
                    reason = reasons[int(alike[0])]
                    said = f"{variable.name} '{shown(variable.values[step])}'"
                    raise InputError(f"no path has {said}: {reason}")
        if not paths:
            raise InputError(f"no design is a path: {reasons[0]}")
        path_of = place[which.reshape(-1)]
        real = path_of >= 0
        known = [question.platform.error(path.point) for path in paths]
        errors = np.array([np.nan if error is None else error for error in known])
        steps, path_of = steps[real], path_of[real]
        costs = _costs(question, steps)
        missing = int(len(real) - real.sum())
        return cls(question, steps, costs, paths, path_of, missing, errors[path_of], seed=seed)

    def space(self) -> Space:
        """What is known of them, to begin with nothing."""
        directions = {
            metric: [variable.directions[metric] for variable in self.question.variables]
            for metric in self.question.limits
        }
        return Space(self.steps, self.costs, directions, self.metrics, self.floor)

    def changes(self, design: int) -> dict[str, str]:
        """What a design changes in the platform, as --set takes it."""
        return {
            variable.name: exact(variable.values[step])
            for variable, step in zip(self.question.variables, self.steps[design], strict=True)
            if variable.changes_platform
        }

    def path(self, design: int) -> Path:
        return self.paths[int(self.path_of[design])]

    def twin(self, design: int) -> Twin:
        """The twin of a design's platform; InputErrors where its values do not go together."""
        return self._twin_of(tuple(sorted(self.changes(design).items())))

    def _opened(self, changes: tuple[tuple[str, str], ...]) -> Twin:
        return Twin(overridden(self.question.platform, dict(changes)), self.seed)

    def metrics(self, design: int) -> Metrics:
        """What the twin says of a design."""
        path = self.path(design)
        try:
            cost = path.purpose.cost(self.twin(design), path.point)
        except InputError as reason:
            self.why_not[design] = str(reason)
            return None
        self.answers[design] = cost
        question = self.question
        found = {"period": cost.seconds, "latency": cost.latency, "processor": cost.occupancy}
        if question.rate is not None:
            found["processor"] = cost.busy * question.rate / question.size
        return {metric: found[metric] for metric in question.limits}

    def floor(self, design: int) -> Metrics:
        """What a design's metrics cannot go below, by the widths and clocks of its path."""
        path = self.path(design)
        try:
            twin = self.twin(design)
            asked = path.purpose.asked(twin, path.point)
            if twin.posted(asked):
                return None
            ceiling = twin.ceiling(asked)
        except InputError:
            return None
        times = {"period": ceiling, "latency": ceiling}
        return {metric: times[metric] for metric in self.question.limits if metric in times}


def _path(question: Question, steps: dict[int, int]) -> Path:
    """The path of a combination of values; InputError where there is none."""
    words, flows = list(question.words), {}
    for at, step in steps.items():
        variable = question.variables[at]
        value = variable.values[step]
        if variable.name in ("depth", "streams"):
            flows[variable.name] = value
        else:
            words.append(f"{variable.name}={exact(value)}")
    purpose = replace(question.purpose, **flows)  # type: ignore[arg-type]
    point = point_of(question.platform, words, question.size)
    if not purpose.fits(point):
        raise InputError("the path does not move data that way", mend="see traffic and duplex")
    return Path(point, purpose)


def exact(value: Value) -> str:
    """A value as a command takes it, in all its digits."""
    text = shown(value)
    return text if not isinstance(value, float) or float(text) == value else repr(value)


def _costs(question: Question, steps: Indices) -> Floats:
    costs = np.zeros(len(steps))
    for at, variable in enumerate(question.variables):
        costs += np.array(variable.costs)[steps[:, at]]
    if question.total is None:
        return np.round(costs, _DIGITS)
    # A word stands for what it costs by itself.
    numbers = [
        [
            float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else own
            for value, own in zip(variable.values, variable.costs, strict=True)
        ]
        for variable in question.variables
    ]
    names = [variable.name for variable in question.variables]
    for number, chosen in enumerate(steps):
        of = {name: numbers[at][chosen[at]] for at, name in enumerate(names)}
        costs[number] += question.total.value(of)
    return np.round(costs, _DIGITS)
