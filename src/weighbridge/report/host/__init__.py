# SPDX-License-Identifier: Apache-2.0
"""The page of a machine's caches and memory: its levels, latency and bandwidth, and the trust."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from weighbridge.analysis.hierarchy import CHAINS, IDLE, Level, levels
from weighbridge.dataset.table import Row
from weighbridge.dataset.words import worded
from weighbridge.quantities import format_rate, format_size, format_time
from weighbridge.report import charts, measures
from weighbridge.report.charts import Axis, Series, Values
from weighbridge.report.parts import BLANK, Cell, Evidence, Figure, Section, Table, numeric, table
from weighbridge.report.registry import register

_PASSES: Final = {"rd": "read", "wr": "write", "cp": "copy"}
_ALONE, _BESIDE = "one core alone", "beside traffic of the other cores"
_LATENCY: Final = Axis("nanoseconds", "Time of a load (ns)", log=True)
_CURVES: Final = (_ALONE, _BESIDE, "one core, with page walks")
_TIP: Final = {
    "label": "What",
    "source": "From",
    "size_text": "Over",
    "time": "Median",
    "interval": "95 % interval",
    "rate": "Rate (MB/s)",
    "quality": "Quality",
}


@register("host", "memory")
def page(evidence: Evidence) -> list[Section]:
    """The levels first, then the curves that they were found in, then what is doubted."""
    rows = evidence.rows
    found = levels(rows)
    modelled = levels(evidence.reference_rows)
    figures = [*_latencies(evidence), *_bandwidths(evidence)]
    return [
        Section(
            "levels",
            "The answer: caches and memory of this machine",
            _lead(found),
            tables=_levels(found, modelled),
            answer=True,
        ),
        Section(
            "curves",
            "Latency and bandwidth over the working set",
            "A step in the latency is the end of a cache. Lines are this run, open marks the "
            "reference: a model of the machine, where one was given.",
            figures,
        ),
        _trust(rows),
    ]


def _lead(found: Sequence[Level]) -> str:
    if not found:
        return "No chain of loads was measured, and so no level can be told."
    told = [
        f"L{number} holds {format_size(level.bytes)} at {format_time(level.seconds)}"
        for number, level in enumerate(found, 1)
        if level.bytes is not None
    ]
    last = found[-1]
    memory = f"memory answers a load in {format_time(last.seconds)}" if last.bytes is None else ""
    return "; ".join(filter(None, (*told, memory))) + "."


def _levels(found: Sequence[Level], modelled: Sequence[Level]) -> tuple[Table, ...]:
    """Measured, with the model's figure where there is one, and the ceiling where it is known."""
    latencies, rates = [], []
    for number, level in enumerate(found, 1):
        name = Cell("memory" if level.bytes is None else f"L{number}")
        model = _same(level, number, modelled)
        theirs = model.rows if model is not None else {}
        latencies.append(
            [
                name,
                BLANK if level.bytes is None else numeric(format_size(level.bytes)),
                *(
                    BLANK if one is None else numeric(format_time(one))
                    for one in (
                        level.seconds,
                        None if model is None else model.seconds,
                        level.walked,
                        level.loaded,
                    )
                ),
            ]
        )
        for access, word in _PASSES.items():
            rates.append(
                [
                    Cell(f"{name.text}, {word}"),
                    _ceiling(theirs.get((access, IDLE))),
                    _rate(theirs.get((access, IDLE))),
                    _rate(level.rows.get((access, IDLE))),
                    _rate(level.rows.get((access, "rd"))),
                ]
            )
    return (
        *table(
            "latencies",
            "Time of a load by level: the least of the samples, as in LMbench",
            ("Level", "Holds", "Measured", "Model", "With page walks", "Beside traffic"),
            latencies,
        ),
        *table(
            "rates",
            "Rate of one core by level: ceiling, model, and the median of the samples",
            ("Level", "Ceiling", "Model", "Measured", "Beside traffic"),
            rates,
        ),
    )


def _same(level: Level, number: int, others: Sequence[Level]) -> Level | None:
    """The level of a model that is the same: memory, or the cache of that number."""
    if level.bytes is None:
        return others[-1] if others and others[-1].bytes is None else None
    known = others[number - 1] if number <= len(others) else None
    return known if known is not None and known.bytes is not None else None


def _rate(row: Row | None) -> Cell:
    if row is None:
        return BLANK
    return numeric(format_rate(measures.size(row), measures.seconds(row)), str(row["doubt"] or ""))


def _ceiling(row: Row | None) -> Cell:
    ceiling = row["ceiling_seconds"] if row is not None else None
    if row is None or not isinstance(ceiling, float):
        return BLANK
    return numeric(format_rate(measures.size(row), ceiling))


def _latencies(evidence: Evidence) -> list[Figure]:
    chain = next((one for one in CHAINS if any(r["access"] == one for r in evidence.rows)), "")
    values: Values = []
    for source, rows in (("run", evidence.rows), ("reference", evidence.reference_rows)):
        for row in rows:
            if row["access"] not in CHAINS or not isinstance(row["working_set_bytes"], int):
                continue
            beside = (row["load"] or IDLE) != IDLE
            walked = row["access"] != chain and source == "run"
            label = _CURVES[2 if walked else int(beside)]
            values.append(_value(row, source, label, "", row["working_set_bytes"]))
    if not values:
        return []
    return [
        _figure(
            "latency",
            "Latency of a load over the working set",
            "Loads that depend on each other, in an order in which page walks hardly count, and in "
            "any order.",
            values,
            _LATENCY,
            Series("label", "Loads", _CURVES).only({str(one["label"]) for one in values}),
            "Working set",
        )
    ]


def _bandwidths(evidence: Evidence) -> list[Figure]:
    values: Values = []
    for source, rows in (("run", evidence.rows), ("reference", evidence.reference_rows)):
        for row in rows:
            if row["access"] in _PASSES:
                panel = _ALONE if (row["load"] or IDLE) == IDLE else _BESIDE
                label = worded("access", row["access"])
                values.append(_value(row, source, label, panel, int(measures.size(row))))
                if isinstance(row["ceiling_seconds"], float):
                    values.append(_limit(row, label, panel))
    if not values:
        return []
    names = tuple(worded("access", access) for access in _PASSES)
    return [
        _figure(
            "bandwidth",
            "Bandwidth over the buffer",
            "Passes over a buffer, or from one to another of the same size; each byte counts once."
            + (f" {charts.CEILING}" if any(one["source"] == "ceiling" for one in values) else ""),
            values,
            charts.RATE,
            Series("label", "Passes", names).only(
                {str(one["label"]) for one in values if "label" in one}
            ),
            "Buffer",
        )
    ]


def _value(row: Row, source: str, label: str, panel: str, size: int) -> dict[str, Any]:
    seconds = measures.seconds(row)
    value: dict[str, Any] = {
        "direction": panel,
        "source": source,
        "label": label,
        "size": size,
        "size_text": format_size(size),
        "nanoseconds": charts.rounded(seconds * 1e9),
        "rate": charts.rounded(measures.rate(row)),
        "time": format_time(seconds),
        "quality": f"{row['quality']}: {row['doubt']}" if row["doubt"] else str(row["quality"]),
    }
    low, high = row["low95"], row["high95"]
    if isinstance(low, float) and isinstance(high, float):
        value["interval"] = f"{format_time(low)} to {format_time(high)}"
    return value


def _limit(row: Row, label: str, panel: str) -> dict[str, Any]:
    """What widths and clocks allow at the row's size, as a point of the ceiling's line."""
    rate = measures.size(row) / float(row["ceiling_seconds"] or 1) / 1e6
    size = int(measures.size(row))
    told = {"direction": panel, "source": "ceiling", "ceiling": label, "size": size}
    return told | {"rate": charts.rounded(rate)}


def _figure(
    id: str, title: str, caption: str, values: Values, axis: Axis, series: Series, over: str
) -> Figure:
    tips = {field: text for field, text in _TIP.items() if any(field in v for v in values)}
    if axis is _LATENCY:
        tips.pop("rate")
    chart = charts.lines(
        values,
        x=charts.bytes_x(over, {value["size"] for value in values}),
        y=axis,
        colour=series,
        dash=None,
        tooltip=tips,
        description=title,
    )
    return Figure(f"memory-{id}", title, caption, chart)


def _trust(rows: Sequence[Row]) -> Section:
    counted = Counter(str(row["quality"]) for row in rows)
    examples = {str(row["quality"]): row["doubt"] for row in reversed(rows) if row["doubt"]}
    return Section(
        "trust",
        "How far to trust it",
        f"{counted['ok']} of {len(rows)} rows are ok. The others are drawn too: what disturbed "
        "them is named.",
        tables=table(
            "qualities",
            "Rows by quality",
            ("Quality", "Rows", "For example"),
            [
                (Cell(quality), numeric(str(n)), Cell(str(examples.get(quality, ""))))
                for quality, n in counted.most_common()
            ],
        ),
    )
