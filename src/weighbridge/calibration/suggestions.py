# SPDX-License-Identifier: Apache-2.0
"""Which points of a study to measure next, for what they tell of all its points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from math import exp

import numpy as np

from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.calibration.belief import FACTOR, belief, slopes, suggested
from weighbridge.calibration.panel import Advance, panel
from weighbridge.calibration.parameters import chosen, turnable
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import Platform

#: A program measures a point many times: the longest transfer that is worth it, in bytes.
LONGEST = 1 << 18
#: Points among which is chosen at most.
AMONG = 100


#: Called with a number of variants, gives a context that is told how many are done.
Progress = Callable[[int], AbstractContextManager[Advance]]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A point to measure, and the error to expect of all points once it and those before it are."""

    point: Point
    error: float


@dataclass(frozen=True, slots=True)
class Suggestions:
    """error: to expect today, a relative standard deviation. points: among how many was chosen."""

    error: float
    points: int
    parameters: int
    suggestions: tuple[Suggestion, ...]


def suggest(
    platform: Platform,
    points: Sequence[Point],
    count: int,
    free: Sequence[str] = (),
    limit: int = AMONG,
    seed: int = 1,
    factor: float = FACTOR,
    processes: int = 1,
    progress: Progress = lambda count: nullcontext(lambda done: None),
) -> Suggestions:
    """The `count` points whose measurement leaves the least doubt about all of a study's.

    free: the numbers that are in doubt, each within `factor`; none: all fitted ones, and where none
    is fitted all. limit: among how many points is chosen, drawn by the seed. progress: called with
    the number of variants that the twin will be asked for, gives what is told of each.
    Raises InputError where the platform answers none of them, or nothing of it is in doubt.
    """
    parameters = chosen(platform, free) or turnable(platform)
    if not parameters:
        raise InputError(f"{platform.name} has no number that a measurement could tell")
    twin = Twin(platform)
    quick = [point for point in points if point.size_bytes <= LONGEST]
    order = np.random.default_rng(seed).permutation(len(quick)).tolist()
    among: list[Point] = []
    for index in order:
        if len(among) == min(limit, AMONG):
            break
        try:
            twin.predict(quick[index])
        except Unanswered:
            continue
        among.append(quick[index])
    if not among:
        raise InputError(
            f"{platform.name} answers no point of at most {LONGEST >> 10} KiB",
            mend="nothing to suggest",
        )
    with panel(platform, among, processes) as asked, progress(2 * len(parameters)) as advance:
        steep = slopes(asked, parameters, np.zeros(len(parameters)), advance)
    picked, left = suggested(steep, belief(parameters, factor), count)
    errors = [exp(one) - 1 for one in left]
    return Suggestions(
        errors[0],
        len(among),
        len(parameters),
        tuple(
            Suggestion(among[index], error) for index, error in zip(picked, errors[1:], strict=True)
        ),
    )
