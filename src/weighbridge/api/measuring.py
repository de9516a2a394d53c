# SPDX-License-Identifier: Apache-2.0
"""Points that are measured: a backend's samples made into answers, and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

from weighbridge.analysis.statistics import Statistics
from weighbridge.analysis.trust import Evidence, judged
from weighbridge.backends import Measuring, Outcome
from weighbridge.dataset.samples import Measured
from weighbridge.dataset.schema import Point, Result

_NS = 1e-9


def measured_answers(
    points: Mapping[int, Point], backend: Measuring, keep: Callable[[int, Measured], None]
) -> Iterator[list[tuple[int, Outcome]]]:
    """Answers to numbered points as they are measured; `keep` gets their samples just before.

    A point that did not end well is an outcome with its reason, never a number.
    """
    with closing(backend.measure(points)) as stream:
        for number, measured in stream:
            if isinstance(measured, str):
                yield [(number, measured)]
                continue
            keep(number, measured)
            yield [(number, answer(points[number], measured, backend))]


def answer(point: Point, measured: Measured, backend: Measuring) -> Outcome:
    """What the samples of a point come to."""
    if measured.outcome != "ok":
        said = f": {measured.message}" if measured.message else ""
        return f"{measured.outcome}{said}"
    blocks = [[sample.ns * _NS for sample in block] for block in measured.blocks()]
    statistics = Statistics.of(blocks)
    around = backend.surroundings(point)
    doubt = judged(Evidence(point, measured, statistics, around))
    first = measured.samples[0]
    counted: dict[str, float] = {
        name: getattr(statistics, name)
        for name in ("blocks", "block_spread", "outliers_mild", "outliers_severe")
    }
    return Result(
        point=point,
        seconds=statistics.median,
        backend=backend.name,
        statistic="median",
        n=statistics.n,
        bytes_moved=first.bytes // first.count,
        ceiling_seconds=around.ceiling_seconds,
        quality=doubt.quality,
        doubt=doubt.seen or None,
        spread=statistics.figures | counted,
    )
