# SPDX-License-Identifier: Apache-2.0
"""A figure of any study that has no section of its own: its curves by what it varies most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from weighbridge.dataset.blocks import VARIED
from weighbridge.dataset.schema import Value
from weighbridge.dataset.table import Row
from weighbridge.dataset.values import shown
from weighbridge.quantities import format_size, format_time
from weighbridge.report import charts, measures
from weighbridge.report.charts import Axis, Series, Values
from weighbridge.report.measures import LEVELS, MAIN
from weighbridge.report.parts import Evidence, Figure, Section

#: More curves than this tell nothing apart.
_MOST_COLOURS, _MOST_DASHES = 10, 4
#: Columns that are an axis of the chart or its panels.
_PLACED = ("size_bytes", "working_set_bytes", "direction")
_TIME = Axis("nanoseconds", "Time (ns)", log=True)
_TIP = {
    "colour": "Curve",
    "dash": "Kind",
    "source": "From",
    "size_text": "Size",
    "rate": "Rate (MB/s)",
    "time": "Time",
    "spread": "Quartiles",
    "bound": "Bound by",
}


def other_studies(evidence: Evidence) -> list[Section]:
    """A section for each study of the runs that no other section draws."""
    names = dict.fromkeys(str(row["study"]) for row in evidence.rows)
    return [_section(evidence, name) for name in names if name not in (MAIN, LEVELS)]


def _section(evidence: Evidence, study: str) -> Section:
    ours = [row for row in evidence.rows if row["study"] == study]
    theirs = [row for row in evidence.reference_rows if row["study"] == study]
    colour, dash, fixed = _channels(ours, theirs)
    one_size = len({row["size_bytes"] for row in ours}) == 1
    walks = all(row["working_set_bytes"] for row in ours)
    x = "working_set_bytes" if one_size and walks else "size_bytes"
    values = [
        _record(row, source, x, colour, dash)
        for source, rows in (("run", ours), ("reference", theirs))
        for row in rows
        if row[x] is not None and all(row[column] == value for column, value in fixed.items())
    ]
    told = {column: value for column, value in fixed.items() if value is not None}
    said = ", ".join(f"{_titled(column)} {shown(value)}" for column, value in told.items())
    by = " and ".join(_titled(column) for column in (colour, dash) if column)
    lead = f"{len(ours)} points." + (f" Drawn at {said}; the run has the rest." if said else "")
    titles = {"size_bytes": "Transfer size", "working_set_bytes": "Working set"}
    chart = charts.lines(
        values,
        x=charts.bytes_x(titles[x]),
        y=charts.RATE if x == "size_bytes" else _TIME,
        colour=_series("colour", colour, values),
        dash=_series("dash", dash, values) if dash else None,
        tooltip={field: text for field, text in _TIP.items() if any(field in v for v in values)},
        description=f"{study}, by {by}" if by else study,
    )
    title = f"{study}, by {by}" if by else study
    caption = "Open marks: the reference." if theirs else "There is no reference."
    return Section(f"study-{study}", study, lead, (Figure(study, title, caption, chart),))


def _channels(ours: Sequence[Row], theirs: Sequence[Row]) -> tuple[str, str, dict[str, Value]]:
    """The columns told apart by colour and by dash, and one value of each other that varies."""
    counts = {
        column: len({row[column] for row in ours})
        for column in VARIED
        if column not in _PLACED and len({row[column] for row in ours}) > 1
    }
    ranked = sorted(counts, key=lambda column: -counts[column])
    colour = next((column for column in ranked if counts[column] <= _MOST_COLOURS), "")
    dashes = [column for column in ranked if column != colour and counts[column] <= _MOST_DASHES]
    for dash in (*dashes, ""):
        fixed, left = _fixed(ours, theirs, [one for one in counts if one not in (colour, dash)])
        # With the others fixed, little may be left to tell apart.
        if not dash or len({row[dash] for row in left}) > 1:
            break
    return colour, dash, fixed


def _fixed(
    ours: Sequence[Row], theirs: Sequence[Row], columns: Sequence[str]
) -> tuple[dict[str, Value], list[Row]]:
    """A value of each column, that of most points of the reference, and our rows there."""
    fixed: dict[str, Value] = {}
    left, marks = list(ours), list(theirs)
    for column in columns:
        there = {row[column] for row in left}
        common = Counter(row[column] for row in marks if row[column] in there)
        fixed[column] = (common or Counter(row[column] for row in left)).most_common(1)[0][0]
        left, marks = (
            [row for row in rows if row[column] == fixed[column]] for rows in (left, marks)
        )
    return fixed, left


def _record(row: Row, source: str, x: str, colour: str, dash: str) -> dict[str, object]:
    seconds = measures.seconds(row)
    size = row[x]
    assert isinstance(size, int)
    value: dict[str, object] = {
        "direction": row["direction"],
        "source": source,
        "size": size,
        "size_text": format_size(size),
        "rate": charts.rounded(measures.rate(row)),
        "nanoseconds": charts.rounded(seconds * 1e9),
        "time": format_time(seconds),
        "colour": _word(row, colour),
    }
    if dash:
        value["dash"] = _word(row, dash)
    low, high = row["p25"], row["p75"]
    if isinstance(low, float) and isinstance(high, float):
        value["spread"] = f"{format_time(low)} to {format_time(high)}"
    if row["bound_by"]:
        value["bound"] = row["bound_by"]
    return value


def _word(row: Row, column: str) -> str:
    """A row's value of a column as the legend has it."""
    if not column:
        return "all"
    value = row[column]
    return "none" if value is None else shown(value).replace("_", " ")


def _titled(column: str) -> str:
    return column.replace("_", " ")


def _series(field: str, column: str, values: Values) -> Series:
    found = dict.fromkeys(str(value[field]) for value in values)
    return Series(field, _titled(column) if column else "curve", tuple(found))
