# SPDX-License-Identifier: Apache-2.0
"""How far the runs are from the reference: the error's distribution and its table by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

import numpy as np

from weighbridge.analysis.compare import Comparison, Pair, Summary, compare
from weighbridge.dataset.table import point_of
from weighbridge.platforms import Platform, load_platform, platform_names
from weighbridge.report import charts, measures
from weighbridge.report.charts import Series, Spec, Values, rounded
from weighbridge.report.parts import Cell, Evidence, Figure, Section, numeric, percent, table
from weighbridge.studies import noise_floors

#: Points drawn of a distribution; more cannot be told apart on the screen.
STEPS = 200
_POINTS = (
    "A mark for each point of the reference with quality ok; above 0 the run is slower than the "
    "reference. The axis is linear between -1 and 1 % and logarithmic beyond."
)


def comparison(evidence: Evidence) -> Comparison:
    """The runs against the reference, by study, system, master and route."""
    by = ("study", "os", "master", "route")
    return compare(evidence.rows, evidence.reference_rows, by)


def belief(evidence: Evidence) -> str:
    """One sentence: how far the times may be believed."""
    total = comparison(evidence).total
    if total.median is None or total.p90 is None:
        return "Nothing here has been checked against a measurement: no reference has these points."
    return (
        f"Over the {total.n} points that the reference has too, the time is off by "
        f"{percent(total.median)} in the median and by at most {percent(total.p90)} for nine "
        "points in ten."
    )


def _noise(evidence: Evidence) -> str:
    """How far measurements of the studies differ among themselves, where a study cites it."""
    said: dict[str, list[str]] = {}
    for place in dict.fromkeys((str(row["platform"]), str(row["study"])) for row in evidence.rows):
        floor = noise_floors().get(place)
        words = "nobody published how far measurements differ among themselves"
        if floor is not None:
            median, p90, source = floor
            words = (
                f"measurements differ by {percent(median)} in the median and {percent(p90)} at the "
                f"90th percentile ({source})"
            )
        said.setdefault(words, []).append(place[1])
    return "; ".join(f"in {' and '.join(studies)} {words}" for words, studies in said.items())


def _covered(found: Comparison) -> str:
    """How many points lie in the intervals that the model gives, and what these rest on."""
    inside: list[bool] = []
    kinds: Counter[str] = Counter()
    for pair in found.pairs:
        name = str(pair.a["platform"])
        if pair.a["backend"] != "twin" or name not in platform_names():
            continue
        expected = _platform(name).expected(point_of(pair.a))
        kinds[expected.words] += 1
        seconds, measured = measures.seconds(pair.a), measures.seconds(pair.b)
        inside.append(expected.low * seconds <= measured <= expected.high * seconds)
    if not inside:
        return ""
    rests = "; ".join(f"{words}: {count}" for words, count in kinds.most_common())
    return (
        f" {percent(float(np.mean(inside)))} of the model's points lie in the interval that it "
        f"gives, which is to hold nine of ten. What the intervals rest on: {rests}."
    )


@cache
def _platform(name: str) -> Platform:
    return load_platform(name)


def accuracy(evidence: Evidence) -> Section:
    """How far the runs' times are from the reference's, as a distribution and by group."""
    id, title = "accuracy", "Error against the reference"
    lead = "Error of a point: |run / reference - 1| of the time."
    if not evidence.reference_rows:
        missing = (
            "No measurement of these points is published here and no reference was given, so no "
            "error can be shown. Add --reference FILE with measured rows in the result schema; "
            "their points are then drawn over every chart."
        )
        return Section(id, title, lead, missing=missing)
    found = comparison(evidence)
    if not found.total.n:
        missing = "The reference has no point of these runs with quality ok."
        return Section(id, title, lead, missing=missing)
    caption = f"The further left a curve, the better. For scale: {_noise(evidence)}."
    groups = _systems(found)
    chart = charts.distribution(
        _steps(groups),
        colour=Series("group", "Study and system", tuple(groups)),
        description="Cumulative distribution of the error of the time",
    )
    rows = [_row("all points", found.total)]
    rows += [_row(_name(key.values()), summary) for key, summary in found.groups]
    header = ("Group", "Points", "Median", "p90", "p99", "Worst", "Line median", "Line p90")
    return Section(
        id,
        title,
        f"{lead} {found.total.n} points are in both with quality ok. The last two columns are a "
        "yardstick: the error of the straight line a + b * bytes that fits each curve of the "
        f"reference best.{_covered(found)}",
        (
            Figure("accuracy", "Distribution of the error", caption, chart),
            Figure("accuracy-points", "Every point's error", _POINTS, _scatter(found, groups)),
        ),
        table("error-groups", "Error of the time by study, system, master and route", header, rows),
    )


def _scatter(found: Comparison, groups: Iterable[str]) -> Spec:
    values: Values = [
        {
            "direction": pair.b["direction"],
            "group": _group(pair),
            "size": pair.b["size_bytes"],
            "error": rounded(100 * (measures.seconds(pair.a) / measures.seconds(pair.b) - 1)),
            "path": _name(
                [
                    *(pair.b[name] for name in ("master", "route", "link")),
                    None if pair.b["fpga_mhz"] is None else f"{pair.b['fpga_mhz']:g} MHz",
                ]
            ),
        }
        for pair in found.pairs
    ]
    return charts.scatter(
        values,
        colour=Series("group", "Study and system", tuple(groups)),
        tooltip={"group": "Group", "path": "Path", "size": "Size (B)", "error": "Error (%)"},
        description="Signed error of each point over its size",
    )


def _row(name: str, summary: Summary) -> list[Cell]:
    shares = (
        summary.median,
        summary.p90,
        summary.p99,
        summary.max,
        summary.baseline_median,
        summary.baseline_p90,
    )
    errors = [numeric("-" if share is None else percent(share)) for share in shares]
    return [Cell(name), numeric(str(summary.n)), *errors]


def _name(parts: object) -> str:
    assert hasattr(parts, "__iter__")
    return ", ".join(str(part) for part in parts if part is not None)


def _systems(found: Comparison) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {}
    for pair in found.pairs:
        groups.setdefault(_group(pair), []).append(pair.error)
    return groups


def _group(pair: Pair) -> str:
    return _name((pair.b["study"], pair.b["os"]))


def _steps(groups: dict[str, list[float]]) -> Values:
    shares = np.linspace(0, 1, STEPS + 1)
    return [
        {
            # One panel, whatever way the bytes go.
            "direction": "all points",
            "group": name,
            "share": rounded(100 * share),
            "error": rounded(max(100 * error, charts.LEAST_ERROR)),
        }
        for name, errors in groups.items()
        for share, error in zip(shares, np.quantile(errors, shares), strict=True)
    ]
