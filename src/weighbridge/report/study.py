# SPDX-License-Identifier: Apache-2.0
"""The page of any study, made of its rows and of what its files declare: the answer first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weighbridge.dataset.blocks import VARIED
from weighbridge.dataset.schema import Value, parameters_in
from weighbridge.dataset.table import Row, point_of
from weighbridge.dataset.values import DIRECTIONS
from weighbridge.dataset.words import heading, phrased, titled, worded
from weighbridge.platforms import Platform, load_platform, platform_names
from weighbridge.quantities import format_rate, format_size, format_time
from weighbridge.report import charts, measures
from weighbridge.report.accuracy import belief
from weighbridge.report.charts import Axis, Series, Values
from weighbridge.report.measures import seconds
from weighbridge.report.parts import (
    BLANK,
    Cell,
    Evidence,
    Figure,
    Section,
    Table,
    numeric,
    percent,
    table,
)
from weighbridge.studies import load_study, study_names

#: More curves than this tell nothing apart.
_MOST_CURVES = 8
#: Paths in the table of the answer, a direction.
_MOST_PATHS = 10
#: The size that is answered first where the study has it, bytes.
_HEADLINE = 64 << 10
#: Columns that are no property of a path: an axis of the charts, or their panels.
_PLACED = ("size_bytes", "working_set_bytes", "direction", "fpga_mhz")
_TIME = Axis("nanoseconds", "Time (ns)", log=True)
_TIP = charts.RATE_TIP | {
    "limit_text": "Ceiling",
    "spread": "Quartiles",
    "bound": "Bound by",
}

#: The values of a row's path, in the order of the columns.
Path = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class _Study:
    """A study's evidence, and how its paths are called.

    x: the column along which its curves run. clocks: each path's clock on this page, MHz.
    labels: what tells a path from the others. shared: what all of them have in common.
    """

    name: str
    title: str
    description: str
    evidence: Evidence
    x: str
    clocks: Mapping[Path, Value]
    labels: Mapping[Path, str]
    shared: str

    def label(self, row: Row) -> str:
        return self.labels[_path(row)]

    def at_clock(self, rows: Iterable[Row]) -> list[Row]:
        """The rows at the clock of their path; those of paths that the runs lack are left out."""
        return [
            row
            for row in rows
            if row[self.x] is not None and self.clocks.get(_path(row), math.nan) == row["fpga_mhz"]
        ]

    @property
    def timed(self) -> bool:
        """Whether times are compared and not rates: single accesses over a working set."""
        return self.x != "size_bytes"


def study_page(name: str, evidence: Evidence) -> list[Section]:
    """The answer and the study's figures."""
    study = _read(name, evidence)
    return [_answer(study), _curves(study), *_effects(study), *_clocks(study)]


def _read(name: str, evidence: Evidence) -> _Study:
    rows = evidence.rows
    platform_name = str(rows[0]["platform"])
    platform = load_platform(platform_name) if platform_name in platform_names() else None
    key = f"{platform_name}/{name}"
    declared = load_study(key) if key in study_names() else None
    walks = all(row["working_set_bytes"] for row in rows)
    one_size = len({row["size_bytes"] for row in rows}) == 1
    labels, shared = _labels(platform, rows)
    return _Study(
        name=name,
        title=declared.title if declared else name,
        description=" ".join(declared.description.split()) if declared else "",
        evidence=evidence,
        x="working_set_bytes" if one_size and walks else "size_bytes",
        clocks=_own_clocks(platform, rows),
        labels=labels,
        shared=shared,
    )


def _path(row: Row) -> Path:
    changed = ((name, row[name]) for name in parameters_in([row]) if row[name] is not None)
    return (*(row[column] for column in VARIED if column not in _PLACED), *sum(changed, ()))


def _varied(rows: Iterable[Row]) -> list[str]:
    """The columns that may tell rows apart, parameters of their designs among them."""
    return [*VARIED, *parameters_in(rows)]


def _own_clocks(platform: Platform | None, rows: Sequence[Row]) -> dict[Path, Value]:
    """The platform's own clock for each path where the study has it, else its highest."""
    declared = {path.master: path.fpga_mhz for path in platform.paths()} if platform else {}
    found: dict[Path, set[Value]] = {}
    for row in rows:
        found.setdefault(_path(row), set()).add(row["fpga_mhz"])
    masters = {_path(row): row["master"] for row in rows}
    return {
        path: own
        if (own := declared.get(str(masters[path]))) in clocks
        else max(clocks, key=lambda mhz: mhz if isinstance(mhz, float) else 0.0)
        for path, clocks in found.items()
    }


def _labels(platform: Platform | None, rows: Sequence[Row]) -> tuple[dict[Path, str], str]:
    """What each path is called beside the others, and what all have in common."""
    known = {_path(row): row for row in rows}
    described = {path: _described(platform, row) for path, row in known.items()}
    columns = [column for column in _varied(rows) if column not in _PLACED]
    parts: dict[Path, list[str]] = {}
    for path, row in known.items():
        alike = [
            known[other]
            for other in known
            if described[other] == described[path] and known[other]["os"] == row["os"]
        ]
        parts[path] = [*described[path].split(", "), phrased("os", row["os"])]
        # As few more words as tell it from the others.
        for column in columns:
            left = [other for other in alike if other.get(column) == row.get(column)]
            if len(left) < len(alike):
                parts[path].append(phrased(column, row.get(column)))
            alike = left
        parts[path] = [part for part in parts[path] if part]
    everywhere = set.intersection(*(set(own) for own in parts.values()))
    if len(parts) == 1:
        everywhere = set()
    shared = ", ".join(part for part in next(iter(parts.values())) if part in everywhere)
    labels = {
        path: ", ".join(part for part in own if part not in everywhere) or "the path"
        for path, own in parts.items()
    }
    return labels, shared


def _described(platform: Platform | None, row: Row) -> str:
    if platform is not None:
        master = platform.components.get(str(row["master"]))
        if master is not None and any(
            family.of(os=row["os"], master=row["master"], route=row["route"])
            for family in platform.file.path
        ):
            return platform.describe(point_of(row))
    named = ((column, phrased(column, row[column])) for column in ("master", "route", "link"))
    return ", ".join(words for _, words in named if words) or "the path"


def _headline(study: _Study, rows: Sequence[Row]) -> int:
    """The size that most paths have, of several the nearest to the usual one."""
    counts = Counter(_whole(row[study.x]) for row in rows)
    most = max(counts.values())
    common = [size for size, count in counts.items() if count == most]
    return min(common, key=lambda size: (abs(math.log(size / _HEADLINE)), size))


def _answer(study: _Study) -> Section:
    rows = study.at_clock(study.evidence.rows)
    size = _headline(study, rows)
    there = [row for row in rows if row[study.x] == size]
    told, cells = [], []
    clocked = len(set(study.clocks.values())) > 1
    for direction in DIRECTIONS:
        ranked = sorted((row for row in there if row["direction"] == direction), key=_pace)
        if ranked:
            told.append(f"{worded('direction', direction)} {_verdict(study, ranked[0], clocked)}")
        cells += [
            [
                Cell(study.label(row), "path"),
                Cell(worded("direction", direction), "short"),
                *([Cell(phrased("fpga_mhz", row["fpga_mhz"]))] if clocked else []),
                numeric(format_rate(measures.size(row), seconds(row))),
                numeric(format_time(seconds(row))),
                BLANK if (share := _share(row)) is None else numeric(percent(share)),
                Cell(str(row["bound_by"]), "bound") if row["bound_by"] else BLANK,
            ]
            for row in ranked[:_MOST_PATHS]
        ]
    place = "over a working set of" if study.timed else "at"
    common = f" All of it: {study.shared}." if study.shared else ""
    clock = _common_clock(study)
    lead = (
        f"The fastest {place} {format_size(size)}{clock}: {'; '.join(told)}.{common} "
        f"{belief(study.evidence)}"
    )
    header = [
        *("Path", "Direction"),
        *(["Clock"] if clocked else []),
        *("Rate", "Time", "Of ceiling", "Bound by"),
    ]
    many = any(
        sum(row["direction"] == direction for row in there) > _MOST_PATHS
        for direction in DIRECTIONS
    )
    caption = f"Paths {place} {format_size(size)}, the fastest first"
    caption += f", {_MOST_PATHS} a direction" if many else ""
    return Section(
        f"answer-{study.name}",
        f"The answer: {study.title}",
        lead,
        tables=table(f"paths-{study.name}", caption, header, cells),
        answer=True,
    )


def _verdict(study: _Study, row: Row, clocked: bool) -> str:
    rate = format_rate(measures.size(row), seconds(row))
    what = format_time(seconds(row)) if study.timed else rate
    mhz = f", {phrased('fpga_mhz', row['fpga_mhz'])}" if clocked and row["fpga_mhz"] else ""
    share = _share(row)
    if share is None:
        reached = ""
    elif share > 1:
        reached = ", above its ceiling, for the last bytes are still under way"
    else:
        reached = f", {percent(share)} of its ceiling"
    return f"{what}{reached} ({study.label(row)}{mhz})"


def _common_clock(study: _Study) -> str:
    found = set(study.clocks.values())
    (only,) = found if len(found) == 1 else (None,)
    return f", {phrased('fpga_mhz', only)}" if only else ""


def _share(row: Row) -> float | None:
    """What a row reaches of its ceiling, as a fraction."""
    ceiling = row["ceiling_seconds"]
    return ceiling / seconds(row) if isinstance(ceiling, float) else None


def _pace(row: Row) -> float:
    """Seconds a byte."""
    return seconds(row) / measures.size(row)


def _curves(study: _Study) -> Section:
    """The fastest paths over the size, and which is fastest at each."""
    rows = study.at_clock(study.evidence.rows)
    size = _headline(study, rows)
    ranked = sorted(
        (row for row in rows if row[study.x] == size), key=lambda row: (_pace(row), str(_path(row)))
    )
    best = list(dict.fromkeys(study.label(row) for row in ranked))[:_MOST_CURVES]
    total = len({study.label(row) for row in rows})
    drawn = f"the {len(best)} fastest of {total} paths" if total > len(best) else "every path"
    figures = _figure(
        study,
        study.name,
        f"{'Time' if study.timed else 'Rate'} over the {titled(study.x)}, {drawn}",
        Series("label", "Path", tuple(best)),
        study.label,
        lambda row: study.label(row) in best,
    )
    told = study.description or f"{len(study.evidence.rows)} points."
    return Section(
        f"study-{study.name}", f"Paths of {study.name}", told, figures, _fastest(study, rows)
    )


def _fastest(study: _Study, rows: Sequence[Row]) -> tuple[Table, ...]:
    """The fastest path at each size and direction."""
    sizes = sorted({_whole(row[study.x]) for row in rows})
    if len(sizes) < 2 or len(study.clocks) < 2:
        return ()
    cells = []
    for size in sizes:
        line = [Cell(format_size(size))]
        for direction in DIRECTIONS:
            there = [row for row in rows if (row[study.x], row["direction"]) == (size, direction)]
            if there:
                row = min(there, key=_pace)
                figure = seconds(row) if study.timed else None
                rate = format_rate(measures.size(row), seconds(row))
                text = format_time(figure) if figure is not None else rate
                line.append(Cell(f"{text} · {study.label(row)}", "path"))
            else:
                line.append(BLANK)
        cells.append(line)
    header = (titled(study.x).capitalize(), *(worded("direction", d) for d in DIRECTIONS))
    return table(f"fastest-{study.name}", "The fastest path by size", header, cells)


def _effects(study: _Study) -> list[Section]:
    """What each varied property does, the others as most of the study has them."""
    rows = study.at_clock(study.evidence.rows)
    counts = {
        column: len({row.get(column) for row in rows})
        for column in _varied(rows)
        if column not in _PLACED and len({row.get(column) for row in rows}) > 1
    }
    if len(counts) < 2:
        return []
    figures: list[Figure] = []
    for column in sorted(counts, key=lambda one: (-counts[one], one)):
        fixed, left = _fixed(
            rows, study.evidence.reference_rows, [c for c in counts if c != column]
        )
        values = list(dict.fromkeys(row.get(column) for row in left))
        if not 2 <= len(values) <= _MOST_CURVES:
            continue

        def word(row: Row, column: str = column) -> str:
            return worded(column, row.get(column))

        def alike(row: Row, fixed: Mapping[str, Value] = fixed) -> bool:
            return all(row.get(one) == value for one, value in fixed.items())

        said = ", ".join(filter(None, (phrased(one, value) for one, value in fixed.items())))
        figures += _figure(
            study,
            f"{study.name}-{column.replace('_', '-').replace('.', '-')}",
            f"By {titled(column)}",
            Series("label", heading(column), tuple(worded(column, v) for v in values)),
            word,
            alike,
            f"The others: {said}. " if said else "",
        )
    if not figures:
        return []
    lead = (
        "One property at a time; the others are as most points have them that were measured, or "
        "as most have where none was."
    )
    return [Section(f"effects-{study.name}", f"What decides in {study.name}", lead, figures)]


def _fixed(
    ours: Sequence[Row], theirs: Sequence[Row], columns: Sequence[str]
) -> tuple[dict[str, Value], list[Row]]:
    """A value of each column, that of most points of the reference, and our rows there."""
    fixed: dict[str, Value] = {}
    left, marks = list(ours), list(theirs)
    for column in columns:
        there = {row.get(column) for row in left}
        common = Counter(row.get(column) for row in marks if row.get(column) in there)
        fixed[column] = (common or Counter(row.get(column) for row in left)).most_common(1)[0][0]
        left, marks = (
            [row for row in rows if row.get(column) == fixed[column]] for rows in (left, marks)
        )
    return fixed, left


def _clocks(study: _Study) -> list[Section]:
    """The mean rate over the clock of the fabric, where the study varies it."""
    curves: dict[tuple[Path, Value], dict[Value, dict[int, Row]]] = {}
    for row in study.evidence.rows:
        curve = curves.setdefault((_path(row), row["direction"]), {})
        curve.setdefault(row["fpga_mhz"], {})[_whole(row["size_bytes"])] = row
    values: Values = []
    for (path, direction), by_clock in curves.items():
        sizes = measures.shared_sizes(*by_clock.values())
        if len(by_clock) < 2 or not sizes:
            continue
        values += [
            {
                "direction": direction,
                "source": "run",
                "label": study.labels[path],
                "mhz": mhz,
                "rate": charts.rounded(measures.size_mean(curve, sizes)),
            }
            for mhz, curve in by_clock.items()
            if mhz is not None
        ]
    if not values:
        return []
    top = max(value["mhz"] for value in values)
    ranked = sorted((v for v in values if v["mhz"] == top), key=lambda value: -value["rate"])
    best = list(dict.fromkeys(value["label"] for value in ranked))[:_MOST_CURVES]
    values = [value for value in values if value["label"] in best]
    chart = charts.lines(
        values,
        x=charts.clock_x(sorted({value["mhz"] for value in values})),
        y=Axis("rate", "Mean rate over sizes (MB/s)"),
        colour=Series("label", "Path", tuple(best)),
        dash=None,
        tooltip={"label": "Path", "mhz": "Clock (MHz)", "rate": "Mean rate (MB/s)"},
        description=f"Mean rate over the fabric's clock, {study.name}",
    )
    caption = "A flat line is a path that the fabric does not hold back."
    title = "Mean rate over the clock of the fabric"
    figure = Figure(f"{study.name}-clock", title, caption, chart)
    lead = "How much of each path follows the clock: the mean of the rates over the sizes."
    return [Section(f"clock-{study.name}", f"Clock in {study.name}", lead, (figure,))]


def _figure(
    study: _Study,
    id: str,
    title: str,
    series: Series,
    word: Callable[[Row], str],
    wanted: Callable[[Row], bool],
    before: str = "",
) -> tuple[Figure, ...]:
    """Curves over the size, told apart by a word of each row; bars where there is one size."""
    sources = (("run", study.evidence.rows), ("reference", study.evidence.reference_rows))
    values = [
        _record(study, row, source, word(row))
        for source, rows in sources
        for row in study.at_clock(rows)
        if wanted(row)
    ]
    if not values:
        return ()
    axis = _TIME if study.timed else charts.RATE
    sizes = {_whole(row[study.x]) for row in study.at_clock(study.evidence.rows) if wanted(row)}
    marks = "Open marks: the reference. " if any(v["source"] != "run" for v in values) else ""
    tips = {field: text for field, text in _TIP.items() if any(field in v for v in values)}
    if len(sizes) == 1:
        chart = charts.dots(
            values,
            x=Axis(axis.field, axis.title),
            y="label",
            colour=series,
            tooltip=tips,
            description=title,
        )
        limits = "Grey ticks: the ceiling." if any("limit" in v for v in values) else ""
        return (Figure(id, title, f"{before}{marks}{limits}".strip(), chart),)
    drawn = charts.with_ceilings(values, axis)
    ceiling = charts.CEILING if len(drawn) > len(values) else ""
    chart = charts.lines(
        drawn,
        x=charts.bytes_x(titled(study.x).capitalize(), sizes),
        y=axis,
        colour=series,
        dash=None,
        tooltip=tips,
        description=title,
    )
    return (Figure(id, title, f"{before}{marks}{ceiling}".strip(), chart),)


def _record(study: _Study, row: Row, source: str, label: str) -> dict[str, Any]:
    size, time = _whole(row[study.x]), seconds(row)
    value: dict[str, Any] = {
        "direction": row["direction"],
        "source": source,
        "label": label,
        "size": size,
        "size_text": format_size(size),
        "rate": charts.rounded(measures.rate(row)),
        "nanoseconds": charts.rounded(time * 1e9),
        "time": format_time(time),
    }
    ceiling = row["ceiling_seconds"]
    if isinstance(ceiling, float):
        moved = measures.size(row)
        value["limit"] = charts.rounded(ceiling * 1e9 if study.timed else moved / ceiling / 1e6)
        value["limit_text"] = format_time(ceiling) if study.timed else format_rate(moved, ceiling)
    low, high = row["p25"], row["p75"]
    if isinstance(low, float) and isinstance(high, float):
        value["spread"] = f"{format_time(low)} to {format_time(high)}"
    if row["bound_by"]:
        value["bound"] = row["bound_by"]
    return value


def _whole(value: Value) -> int:
    assert isinstance(value, int)
    return value
