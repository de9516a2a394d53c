# SPDX-License-Identifier: Apache-2.0
"""One set of rows against another: how far apart their times are, overall and by group."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weighbridge.analysis.baseline import LEAST_SIZES, line_errors
from weighbridge.dataset.schema import AXES, KEY, Value, parameters_in
from weighbridge.dataset.table import Row, joined_columns, joining_key

#: Columns all rows of one curve share.
CURVE = [name for name in (*KEY, *AXES) if name != "size_bytes"]

#: The figures of a summary that --fail-above may bound.
FIGURES = ("median", "p90", "p99", "max")

WORST = 10


@dataclass(frozen=True, slots=True)
class Summary:
    """Errors of n rows and of their alpha-beta baseline, as fractions.

    None where n is 0; the baseline's also where no row has one.
    """

    n: int
    median: float | None = None
    p90: float | None = None
    p99: float | None = None
    max: float | None = None
    baseline_median: float | None = None
    baseline_p90: float | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows about one point; error is |A/B - 1| of their times.

    baseline: the error of the line through the point's curve; None where every line meets it.
    """

    a: Row
    b: Row
    error: float
    baseline: float | None

    @property
    def apart(self) -> int | None:
        """Whether the difference is larger than the 95 % intervals of the times: 1 where A is
        slower, -1 where it is faster, 0 where they overlap; None where neither has one."""
        if all(row["low95"] is None or row["high95"] is None for row in (self.a, self.b)):
            return None
        (low_a, high_a), (low_b, high_b) = map(_interval, (self.a, self.b))
        return int(low_a > high_b) - int(low_b > high_a)


def _interval(row: Row) -> tuple[float, float]:
    """The ends of a time's interval; of a model's, the time itself."""
    seconds = float(row["seconds"] or 0)
    return float(row["low95"] or seconds), float(row["high95"] or seconds)


@dataclass(frozen=True, slots=True)
class Comparison:
    """skipped: rows left out for their quality; unanswered: rows of B that A has no answer to."""

    total: Summary
    groups: list[tuple[dict[str, Value], Summary]]
    pairs: list[Pair]
    skipped: int
    unanswered: int

    @property
    def apart(self) -> Counter[int]:
        """How many pairs with an interval differ by more than it, by Pair.apart."""
        return Counter(pair.apart for pair in self.pairs if pair.apart is not None)

    @property
    def worst(self) -> list[Pair]:
        return sorted(self.pairs, key=lambda pair: -pair.error)[:WORST]


def counts(row: Row, all_quality: bool) -> bool:
    """Whether a row takes part: it has a time, and its quality is ok (or none is asked for).

    A model's row always does: its quality says how a measurement of it would look.
    """
    trusted = row["quality"] in (None, "ok") or row["backend"] == "twin"
    return row["seconds"] is not None and (all_quality or trusted)


def matches(row: Row, wanted: Mapping[str, Sequence[Value]]) -> bool:
    """Whether a row meets every condition of parse_where()."""
    return all(row.get(column) in values for column, values in wanted.items())


def compare(
    a_rows: Sequence[Row],
    b_rows: Sequence[Row],
    by: Sequence[str],
    all_quality: bool = False,
    unanswered: int = 0,
) -> Comparison:
    """Join A to B, the reference, and summarise the errors over all rows and by columns `by`.

    unanswered: points already known to have no answer, on top of the rows of B without one in A.
    """
    answers: dict[tuple[Value, ...], list[Row]] = defaultdict(list)
    for row in a_rows:
        answers[joining_key(row)].append(row)
    joined: list[tuple[Row, Row]] = []
    skipped = 0
    for b in b_rows:
        found = answers.get(joining_key(b), [])
        usable = [a for a in found if counts(a, all_quality)]
        if not counts(b, all_quality) or (found and not usable):
            skipped += 1
        elif not found:
            unanswered += 1
        joined += [(a, b) for a in usable if counts(b, all_quality)]
    pairs = _with_errors(joined)
    members: dict[tuple[Value, ...], list[Pair]] = defaultdict(list)
    for pair in pairs:
        members[tuple(pair.b.get(column) for column in by)].append(pair)
    groups = [
        (dict(zip(by, key, strict=True)), _summary(members[key]))
        for key in sorted(members, key=lambda key: [(v is not None, str(v)) for v in key])
    ]
    return Comparison(_summary(pairs), groups, pairs, skipped, unanswered)


def _with_errors(joined: list[tuple[Row, Row]]) -> list[Pair]:
    curves: dict[tuple[Value, ...], list[int]] = defaultdict(list)
    columns = [*CURVE, *parameters_in(b for _, b in joined)]
    for index, (_, b) in enumerate(joined):
        curves[tuple(b.get(name) for name in columns)].append(index)
    measured = np.array([a["seconds"] for a, _ in joined], dtype=float)
    seconds = np.array([b["seconds"] for _, b in joined], dtype=float)
    sizes = np.array([b["size_bytes"] for _, b in joined], dtype=float)
    errors = np.abs(measured / seconds - 1)
    baseline: dict[int, float] = {}
    for members in curves.values():
        if len(np.unique(sizes[members])) >= LEAST_SIZES:
            lines = line_errors(sizes[members], seconds[members])
            baseline |= zip(members, map(float, lines), strict=True)
    return [
        Pair(a, b, float(error), baseline.get(index))
        for index, ((a, b), error) in enumerate(zip(joined, errors, strict=True))
    ]


def _summary(pairs: Sequence[Pair]) -> Summary:
    if not pairs:
        return Summary(0)
    errors = np.quantile([pair.error for pair in pairs], (0.5, 0.9, 0.99, 1))
    lines = [pair.baseline for pair in pairs if pair.baseline is not None]
    baseline = np.quantile(lines, (0.5, 0.9)) if lines else ()
    return Summary(len(pairs), *map(float, errors), *map(float, baseline))


def _told(apart: Counter[int]) -> dict[str, int]:
    return {"overlap": apart[0], "a_slower": apart[1], "a_faster": apart[-1]}


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data; errors are fractions, an empty key is null."""
    total = comparison.total
    figures = ("median", "p90", "max", "baseline_median", "baseline_p90")
    return {
        "n": total.n,
        "unanswered": comparison.unanswered,
        "skipped": comparison.skipped,
        **({"intervals": _told(comparison.apart)} if comparison.apart else {}),
        **{name: getattr(total, name) for name in (*FIGURES, "baseline_median", "baseline_p90")},
        "groups": [
            {"by": key, "n": group.n, **{name: getattr(group, name) for name in figures}}
            for key, group in comparison.groups
        ],
        "worst": [
            {
                **{
                    name: value
                    for name in joined_columns([pair.b])
                    if (value := pair.b.get(name)) is not None
                },
                "a_seconds": pair.a["seconds"],
                "b_seconds": pair.b["seconds"],
                "error": pair.error,
            }
            for pair in comparison.worst
        ],
    }
