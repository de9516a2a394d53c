# SPDX-License-Identifier: Apache-2.0
"""The same points asked of many variants of one platform, in several processes or on a cluster."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.backends.walk import workers
from weighbridge.calibration.parameters import turned
from weighbridge.dataset.schema import Point
from weighbridge.platforms import Platform

Array = NDArray[np.float64]
#: Name -> value of the parameters that differ from the platform's own.
Variant = Mapping[str, float]
#: Called with the number of variants that have been answered.
Advance = Callable[[int], None]


class Promised(Protocol):
    """Seconds that another process will give."""

    def result(self) -> list[float]: ...


@dataclass(frozen=True, slots=True)
class Panel:
    """Points of one platform; `seconds` answers variants of it."""

    platform: Platform
    points: Sequence[Point]
    _submit: Callable[..., Promised] | None = None
    _shares: int = 1

    def seconds(
        self,
        variants: Sequence[Variant],
        among: Sequence[Sequence[int]] | None = None,
        advance: Advance = lambda count: None,
    ) -> Array:
        """Seconds of shape (variants, points); NaN where the platform has no answer.

        among: for each variant the points to answer, by their indices; NaN for the others.
        """
        answers = np.full((len(variants), len(self.points)), np.nan)
        asked = among or [range(len(self.points))] * len(variants)
        if self._submit is None:
            for number, (variant, indices) in enumerate(zip(variants, asked, strict=True)):
                answers[number, list(indices)] = _seconds(
                    self.platform, self.points, variant, indices
                )
                advance(1)
            return answers
        # Every share has small and large sizes, so that all processes are busy to the end.
        waiting = [
            [
                (share, self._submit(variant, share))
                for share in (list(indices[first :: self._shares]) for first in range(self._shares))
            ]
            for variant, indices in zip(variants, asked, strict=True)
        ]
        for number, parts in enumerate(waiting):
            for share, part in parts:
                answers[number, share] = part.result()
            advance(1)
        return answers


@contextmanager
def panel(
    platform: Platform, points: Sequence[Point], processes: int, cluster: str = ""
) -> Iterator[Panel]:
    """A panel that answers in `processes` processes, which end with the block.

    cluster: a Dask cluster that answers in their place, as Connection takes it.
    """
    if cluster:
        from weighbridge.backends.cluster.calls import caller

        with caller(cluster, "twin", _seconds, platform, tuple(points)) as (submit, count):
            yield Panel(platform, points, submit, count)
        return
    if processes < 2:
        yield Panel(platform, points)
        return
    with workers(processes, _prepare, platform, tuple(points)) as submit:
        yield Panel(platform, points, partial(submit, _in_worker), processes)


def _seconds(
    platform: Platform, points: Sequence[Point], variant: Variant, indices: Sequence[int]
) -> list[float]:
    twin = Twin(turned(platform, variant))
    return [_answer(twin, points[index]) for index in indices]


def _answer(twin: Twin, point: Point) -> float:
    try:
        return twin.predict(point).seconds
    except Unanswered:
        return math.nan


#: In a worker: what it was prepared with.
_prepared: list[tuple[Platform, Sequence[Point]]] = []


def _prepare(platform: Platform, points: Sequence[Point]) -> None:
    _prepared[:] = [(platform, points)]


def _in_worker(variant: Variant, indices: Sequence[int]) -> list[float]:
    platform, points = _prepared[0]
    return _seconds(platform, points, variant, indices)
