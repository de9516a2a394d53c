# SPDX-License-Identifier: Apache-2.0
"""What a platform is fitted to and what it is judged by: rows that count, in two folds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from weighbridge.analysis.compare import CURVE, counts
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.dataset.table import Row, point_of
from weighbridge.errors import InputError
from weighbridge.platforms import Platform

#: One curve of so many is held out.
FOLD = 5
#: A transfer of this size is drawn about half as often as a small one.
LARGE = 128 * 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """One row that counts; curve: the number of the curve that it belongs to."""

    point: Point
    seconds: float
    curve: int


@dataclass(frozen=True, slots=True)
class Folds:
    """fit, held_out: the two folds, whole curves each, thinned.

    skipped: rows left out for their quality; unanswered: rows the platform has no answer to.
    """

    fit: tuple[Measured, ...]
    held_out: tuple[Measured, ...]
    skipped: int
    unanswered: int


def curves_of(fold: Sequence[Measured]) -> int:
    """How many curves the points of a fold lie on."""
    return len({one.curve for one in fold})


def folds(platform: Platform, rows: Sequence[Row], limit: int, seed: int) -> Folds:
    """Rows that count and that the platform answers, split by curve and thinned by the seed.

    limit: points left in the larger fold; the held-out one keeps the same share of its own.
    A curve is all rows that agree in every key column but size. Where there is only one curve,
    nothing is held out. Raises InputError if no row is left.
    """
    twin = Twin(platform)
    usable = [row for row in rows if counts(row, all_quality=False)]
    curves: dict[tuple[object, ...], int] = {}
    answers: dict[Point, bool] = {}
    answered = []
    for row in usable:
        point = point_of(row)
        # Whether there is an answer does not depend on the size, and a small one is quick.
        small = replace(point, size_bytes=1)
        if small not in answers:
            answers[small] = _answers(twin, small)
        if answers[small]:
            twin.ceiling(point)  # refuses a size that nobody has
            curve = curves.setdefault(tuple(row[name] for name in CURVE), len(curves))
            assert isinstance(row["seconds"], float)
            answered.append(Measured(point, row["seconds"], curve))
    if not usable:
        raise InputError(f"none of {len(rows)} rows has a time and is ok", mend="nothing to fit")
    if not answered:
        raise InputError(
            f"{platform.name} has no answer to any of the {len(usable)} rows that are ok",
            mend="nothing to fit",
        )
    draw = random.Random(seed)
    shuffled = list(range(len(curves)))
    draw.shuffle(shuffled)
    held = set(shuffled[FOLD - 1 :: FOLD] or shuffled[1:2])
    fit = [one for one in answered if one.curve not in held]
    held_out = [one for one in answered if one.curve in held]
    share = min(1.0, limit / len(fit))
    return Folds(
        _thinned(fit, share, draw),
        _thinned(held_out, share, draw),
        len(rows) - len(usable),
        len(usable) - len(answered),
    )


def _answers(twin: Twin, point: Point) -> bool:
    try:
        twin.predict(point)
    except Unanswered:
        return False
    return True


def _thinned(fold: list[Measured], share: float, draw: random.Random) -> tuple[Measured, ...]:
    """A share of a fold in its order; large transfers, which take long to answer, less often."""
    luck = [draw.random() ** (1 + one.point.size_bytes / LARGE) for one in fold]
    best = sorted(range(len(fold)), key=lambda index: -luck[index])[: round(len(fold) * share)]
    return tuple(fold[index] for index in sorted(best))
