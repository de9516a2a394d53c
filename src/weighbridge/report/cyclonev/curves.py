# SPDX-License-Identifier: Apache-2.0
"""Curves over size as chart records, and the figure that shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weighbridge.dataset.values import DIRECTIONS
from weighbridge.quantities import format_size, format_time
from weighbridge.report import charts, measures
from weighbridge.report.charts import Axis, Series, Values, rounded
from weighbridge.report.cyclonev.ways import TOP_LINK, Way
from weighbridge.report.measures import Curves
from weighbridge.report.parts import Evidence, Figure

TIP = charts.RATE_TIP | {"bound": "Bound by"}
PROGRAM = Series("program", "DMA program", ("prepared or none", "built each time"))


def records(
    evidence: Evidence,
    ways: Iterable[Way],
    links: Iterable[str] = (TOP_LINK,),
    *,
    prepared: bool = True,
) -> Values:
    """A chart record per point of the ways, of both directions and both sources."""
    ways, links = list(ways), list(links)
    values: Values = []
    for source, known in evidence.sources():
        for way in ways:
            for link in links:
                for direction in DIRECTIONS:
                    values += _curve(known, way, link, direction, source, prepared)
    return values


def _curve(
    known: Curves, way: Way, link: str, direction: str, source: str, prepared: bool
) -> Values:
    values: Values = []
    for size, row in known.get(way.track(link, direction, prepared=prepared), {}).items():
        value = labels(way, direction, source) | sized(size)
        value |= {
            "link": link,
            "program": PROGRAM.values[0 if prepared else 1],
            "rate": rounded(measures.rate(row)),
            "time": format_time(measures.seconds(row)),
        }
        if isinstance(row["ceiling_seconds"], float):
            value["limit"] = rounded(size / row["ceiling_seconds"] / 1e6)
        if row["bound_by"]:
            value["bound"] = row["bound_by"]
        values.append(value)
    return values


def labels(way: Way, direction: str, source: str) -> dict[str, Any]:
    return {
        "direction": direction,
        "source": source,
        "way": way.name,
        "os": way.os,
        "label": way.label,
    }


def sized(size_bytes: int) -> dict[str, Any]:
    return {"size": size_bytes, "size_text": format_size(size_bytes)}


def figure(
    id: str,
    title: str,
    caption: str,
    values: Values,
    colour: Series,
    dash: Series | None,
    axis: Axis = charts.RATE,
    tooltip: dict[str, str] = TIP,
) -> tuple[Figure, ...]:
    """The figure of curves over size; none where the runs have no row for it."""
    if not any(value["source"] == "run" for value in values):
        return ()
    chart = charts.lines(
        charts.with_ceilings(values, axis),
        x=charts.size_x(),
        y=axis,
        colour=present(colour, values),
        dash=present(dash, values) if dash else None,
        tooltip={field: text for field, text in tooltip.items() if any(field in v for v in values)},
        description=title,
    )
    return (Figure(id, title, caption, chart),)


def present(series: Series, values: Values) -> Series:
    """The series without the values that no record has: a legend should promise nothing."""
    return series.only({value[series.field] for value in values})
