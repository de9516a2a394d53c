# SPDX-License-Identifier: Apache-2.0
"""weighbridge compare: how far two sets of results are apart."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weighbridge.cli import options
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.analysis.compare import Comparison, Pair, Summary
    from weighbridge.backends.walk import Question
    from weighbridge.cli.table import Column
    from weighbridge.cli.terminal import Screen
    from weighbridge.dataset.table import Row

#: Columns whose cells have a unit, as people call them.
_UNITS = {"fpga_mhz": "clock", "size_bytes": "size"}


EXAMPLES = (
    "weighbridge compare twin board.csv --by os,master,link",
    "weighbridge compare runs/cache-levels twin --where os=linux --fail-above median=0.02,p90=0.08",
)


def command(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="A... B", help="Runs, CSV or Parquet files, or backends; B is the reference."
        ),
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only such rows; repeatable, same key: or."),
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="COLUMNS", help="What to group by.")
    ] = "study,os,master,route",
    fail_above: Annotated[
        str, typer.Option(metavar="BOUNDS", help="Exit status 1 above this: median=0.02,p90=0.08.")
    ] = "",
    all_quality: Annotated[
        bool, typer.Option("--all-quality", help="Count rows whose quality is not ok, too.")
    ] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PARAMETER=VALUE",
            help="What if, of the backend's platform; repeatable.",
        ),
    ] = None,
    assume: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="What the backend is asked with, as in fault=NAME of a study."
        ),
    ] = None,
    platform: Annotated[
        str, typer.Option(metavar="FILE", help="Platform file that the backend is asked with.")
    ] = "",
    json_: options.Json = False,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes the backend may use.")
    ] = 2,
) -> None:
    """Error |A/B - 1| of the times of equal points, over all rows and by group."""
    from weighbridge.analysis.compare import as_json
    from weighbridge.backends import BACKENDS, PUBLISHED
    from weighbridge.cli.terminal import assignments
    from weighbridge.dataset.values import column_named

    if len(sources) < 2:
        raise InputError(
            "one source has nothing to be compared with", mend="see 'weighbridge compare --help'"
        )
    columns = [column_named(name.strip()) for name in by.split(",") if name.strip()]
    limits = _limits(fail_above)
    overrides = assignments(set_ or [], "--set")
    # What is published is a table like any other: it has points of its own.
    asked = [name for name in sources if name in BACKENDS and name != PUBLISHED]
    if not asked and overrides:
        raise InputError("--set needs a backend as A or B", mend="known: " + ", ".join(BACKENDS))
    if not asked and platform:
        raise InputError("--platform needs a backend as A or B")
    if sources[-1] in asked and len(asked) + (len(sources) > 2) > 1:
        raise InputError("backends have no points of their own", mend="give a run or a file")
    read = [name for name in sources if name not in asked]
    tables = dict(zip(read, _chosen(read, where or []), strict=True))
    assumed = _assumed(assume or [], asked)
    asking = _Asking(overrides, platform, assumed, all_quality, processes)
    comparisons = {a: asking.compare(a, sources[-1], tables, columns) for a in sources[:-1]}
    if not any(comparison.total.n for comparison in comparisons.values()):
        raise InputError(f"nothing to compare: {asking.why_not(comparisons[sources[0]])}")
    if json_:
        plain = {a: as_json(comparison) for a, comparison in comparisons.items()}
        print(json.dumps(plain[sources[0]] if len(plain) == 1 else plain, indent=2))
    else:
        for a, comparison in comparisons.items():
            _print(comparison, a, sources[-1], columns)
        if len(comparisons) > 1:
            _print_side_by_side(comparisons, sources[-1])
    for comparison in comparisons.values():
        _judge(comparison.total, limits)


@dataclass(frozen=True)
class _Asking:
    """What backends are asked with, and which rows count."""

    overrides: Mapping[str, str]
    platform: str
    assumed: Row
    all_quality: bool
    processes: int
    #: Why points have no answer, each reason as often as it was given.
    reasons: Counter[str] = field(default_factory=Counter)

    def compare(self, a: str, b: str, tables: Mapping[str, list[Row]], by: list[str]) -> Comparison:
        """A source against the reference; `tables` has the rows of all that are no backends."""
        from weighbridge.analysis.compare import compare, counts

        unanswered = 0
        if a not in tables:
            b_rows = tables[b]
            # Only the rows that count: skipped ones may lie outside what the backend knows.
            counted = [row for row in b_rows if counts(row, self.all_quality)]
            a_rows = self._answers(a, counted)
        elif b not in tables:
            a_rows = [row for row in tables[a] if counts(row, self.all_quality)]
            before = self.reasons.total()
            b_rows = self._answers(b, a_rows)
            unanswered = self.reasons.total() - before
            b_rows += [row for row in tables[a] if not counts(row, self.all_quality)]
        else:
            a_rows, b_rows = tables[a], tables[b]
        return compare(a_rows, b_rows, by, self.all_quality, unanswered)

    def why_not(self, comparison: Comparison) -> str:
        """Why a comparison has no pair of rows."""
        if self.reasons:
            reason, count = self.reasons.most_common(1)[0]
            return f"{count} points could not be answered ({reason})"
        if comparison.unanswered:
            return f"none of {comparison.unanswered} points of B is in A"
        return f"all {comparison.skipped} rows are skipped for their quality (see --all-quality)"

    def _answers(self, backend: str, rows: list[Row]) -> list[Row]:
        from weighbridge.backends.walk import Question
        from weighbridge.platforms import platform_names
        from weighbridge.tomlsource import near

        strange = {str(row["platform"]) for row in rows}.difference(platform_names())
        if strange and not self.platform:
            name = min(strange)
            mend = f"{near(name, platform_names())}; a file of yours: --platform FILE"
            raise InputError(f"unknown platform '{name}'", mend=mend)
        question = Question(backend, tuple(sorted(self.overrides.items())), platform=self.platform)
        answers, reasons = _predicted(rows, self.assumed, question, self.processes)
        self.reasons.update(reasons)
        return answers


def _limits(text: str) -> dict[str, float]:
    from weighbridge.analysis.compare import FIGURES
    from weighbridge.cli.terminal import assignments
    from weighbridge.tomlsource import near

    limits = {}
    for name, value in assignments(text.split(",") if text else [], "--fail-above").items():
        if name not in FIGURES:
            raise InputError(f"unknown figure '{name}'", "--fail-above", near(name, FIGURES))
        try:
            limits[name] = float(value)
        except ValueError:
            raise InputError(f"'{value}' is not a fraction", f"--fail-above {name}") from None
        if not 0 <= limits[name] < float("inf"):
            raise InputError(f"'{value}' is not a fraction", f"--fail-above {name}")
    return limits


def _chosen(sources: list[str], where: list[str]) -> list[list[Row]]:
    """The rows of every source that meet the conditions; InputError if there are none."""
    from weighbridge.analysis.compare import matches
    from weighbridge.backends import PUBLISHED
    from weighbridge.dataset.published import published_rows
    from weighbridge.dataset.table import read_rows
    from weighbridge.dataset.values import parse_where, shown

    wanted = parse_where(where)
    read = {source: read_rows(Path(source)) for source in sources if source != PUBLISHED}
    # Of what is published only the studies that the other sources are about, where there are any.
    about = {(row["platform"], row["study"]) for rows in read.values() for row in rows}
    if PUBLISHED in sources:
        rows = published_rows()
        read[PUBLISHED] = [
            row for row in rows if not about or (row["platform"], row["study"]) in about
        ]
    tables = [read[source] for source in sources]
    for column, values in wanted.items():
        present = {row[column] for rows in tables for row in rows}
        absent = ", ".join(shown(value) for value in values if value not in present)
        if present.isdisjoint(values):
            there = "there: " + ", ".join(sorted(map(shown, present)))
            raise InputError(f"no row has {column} '{absent}'", ", ".join(sources), there)
        if absent:
            print(f"weighbridge: note: no row has {column} '{absent}'", file=sys.stderr)
    for source, rows in zip(sources, tables, strict=True):
        for number, row in enumerate(rows, 1):
            if row["quality"] in (None, "ok") and row["seconds"] is None:
                raise InputError(f"row {number} has no seconds", source)
    chosen = [[row for row in rows if matches(row, wanted)] for rows in tables]
    if not chosen[-1]:
        conditions = f" that has {' and '.join(where)}" if where else ""
        raise InputError(f"no row{conditions}", sources[-1])
    return chosen


def _assumed(assume: list[str], asked: list[str]) -> Row:
    """Columns that the backend is to be asked with, whatever the rows say of them."""
    from weighbridge.dataset.values import parse_where

    if assume and not asked:
        raise InputError("--assume needs a backend as A or B")
    assumed: Row = {}
    for column, values in parse_where(assume).items():
        if len(values) > 1:
            raise InputError(f"{column} has two values", "--assume")
        assumed[column] = values[0]
    return assumed


def _predicted(
    rows: list[Row], assumed: Row, question: Question, processes: int
) -> tuple[list[Row], list[str]]:
    """A backend's rows for the points of other rows, each point once, and why it lacks others."""
    from weighbridge.backends.walk import answers
    from weighbridge.cli.terminal import progress
    from weighbridge.dataset.table import point_of

    points = dict(enumerate(dict.fromkeys(point_of(row | assumed) for row in rows)))
    # Under the assumption points may coincide; the answers are given to the rows as they are.
    said = {point_of(row | assumed): {name: row[name] for name in assumed} for row in rows}
    predicted: dict[int, Row] = {}
    reasons: list[str] = []
    with progress(question.backend, len(points)) as advance:
        for answered in answers(points, question, processes):
            advance(len(answered))
            for number, outcome in answered:
                if isinstance(outcome, str):
                    reasons.append(outcome)
                else:
                    predicted[number] = outcome.row() | said[points[number]]
    return [predicted[number] for number in sorted(predicted)], reasons


def _judge(total: Summary, limits: dict[str, float]) -> None:
    """Exit with status 1 if a limit is exceeded, or if there was nothing to hold against it."""
    exceeded = []
    for name, limit in limits.items():
        figure = getattr(total, name)
        if figure is None or figure > limit:
            reached = "no rows" if figure is None else f"{figure:.4g}"
            exceeded.append(f"{name} {reached} > {limit:g}")
    if exceeded:
        print("weighbridge: above the limit: " + ", ".join(exceeded), file=sys.stderr)
        raise typer.Exit(1)


def _print(comparison: Comparison, a: str, b: str, by: list[str]) -> None:
    from weighbridge.cli.terminal import Screen

    out = Screen()
    out.line(f"Error |A/B - 1| of the time, per cent.  A: {a}   B, the reference: {b}")
    if comparison.pairs:
        out.line()
        _print_groups(out, comparison, by)
        out.line()
        _print_worst(out, comparison)
        out.line()
        _print_noise(out, comparison)
    out.line(
        f"{comparison.total.n} rows compared, {comparison.skipped} skipped for their quality, "
        f"{comparison.unanswered} could not be answered"
    )


def _print_side_by_side(comparisons: Mapping[str, Comparison], reference: str) -> None:
    """Every point that all have answered: the reference, then each source's time and error."""
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen
    from weighbridge.dataset.table import joining_key

    pairs = [
        {joining_key(pair.b): pair for pair in comparison.pairs}
        for comparison in comparisons.values()
    ]
    common = [key for key in pairs[0] if all(key in others for others in pairs)]
    rows = [pairs[0][key].b for key in common]
    told = _telling(rows)
    out = Screen()
    out.line()
    _print_common(out, "Side by side, all of", rows)
    figures = [Column(Path(reference).name, right=True)]
    for a in comparisons:
        name = Path(a).name
        figures += [
            Column(name, right=True),
            Column("error", right=True, label=f"error of {name}"),
        ]
    table = Table([*map(_axis, told), *figures])
    for key, b in zip(common, rows, strict=True):
        found = [one[key] for one in pairs]
        table.add(
            *(_said(column, b) for column in told),
            _time(b),
            *(cell for pair in found for cell in (_time(pair.a), _percent(_signed(pair), "+"))),
        )
    table.print(out)


def _print_groups(out: Screen, comparison: Comparison, by: list[str]) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.dataset.values import shown

    table = Table(
        [
            *(Column(column, lead=True) for column in by),
            Column("n", right=True),
            Column("median", right=True),
            Column("p90", right=True),
            Column("p99", right=True, spare=1),
            Column("worst", right=True, spare=2),
            Column("line median", right=True, spare=4),
            Column("line p90", right=True, spare=3),
        ]
    )
    for key, group in [({}, comparison.total), *comparison.groups]:
        names = [shown(value) for value in key.values()] or ["all"][: len(by)]
        names += [""] * (len(by) - len(names))
        table.add(*names, str(group.n), *map(_percent, _figures(group)))
    table.print(out)
    out.line("line: the alpha-beta baseline, T = a + b * bytes fitted to each curve of B", "dim")


def _figures(group: Summary) -> tuple[float | None, ...]:
    return (
        group.median,
        group.p90,
        group.p99,
        group.max,
        group.baseline_median,
        group.baseline_p90,
    )


def _percent(fraction: float | None, sign: str = "") -> str:
    return "-" if fraction is None else f"{100 * fraction:{sign}.2f}"


def _signed(pair: Pair) -> float:
    """A/B - 1 of the times."""
    return float(pair.a["seconds"] or 0) / float(pair.b["seconds"] or 1) - 1


def _print_worst(out: Screen, comparison: Comparison) -> None:
    from weighbridge.cli.table import Column, Table

    rows = [pair.b for pair in comparison.worst]
    told = _telling(rows)
    _print_common(out, "Worst points, all of", rows)
    figures = [Column("A", right=True), Column("B", right=True)]
    figures.append(Column("A/B - 1", right=True, label="error"))
    table = Table([*map(_axis, told), *figures])
    for pair in comparison.worst:
        table.add(
            *(_said(column, pair.b) for column in told),
            _time(pair.a),
            _time(pair.b),
            _percent(_signed(pair), "+"),
        )
    table.print(out)


def _telling(rows: Sequence[Row]) -> list[str]:
    """The columns that tell rows apart, with the size in any case, in storage order."""
    from weighbridge.dataset.table import JOINED

    return [name for name in JOINED if name == "size_bytes" or len({row[name] for row in rows}) > 1]


def _print_common(out: Screen, title: str, rows: Sequence[Row]) -> None:
    """What all rows have in common."""
    from weighbridge.dataset.table import JOINED

    if not rows:
        return
    told = _telling(rows)
    same = [name for name in JOINED if name not in told and rows[0][name] is not None]
    words = " ".join(f"{name}={_said(name, rows[0])}" for name in same)
    out.line(f"{title} {words}:", "bold")


def _axis(name: str) -> Column:
    from weighbridge.cli.table import Column
    from weighbridge.dataset.schema import COLUMNS

    # A word says by itself what it is, a bare number does not.
    lead = COLUMNS[name] == "text" or name in _UNITS
    return Column(_UNITS.get(name, name), right=name in _UNITS, lead=lead)


def _said(name: str, row: Row) -> str:
    from weighbridge.dataset.values import shown
    from weighbridge.quantities import format_size

    value = row[name]
    if value is None or name not in _UNITS:
        return shown(value)
    return format_size(int(value)) if name == "size_bytes" else f"{shown(value)} MHz"


def _time(row: Row) -> str:
    from weighbridge.quantities import format_time

    return format_time(float(row["seconds"] or 0))


def _print_noise(out: Screen, comparison: Comparison) -> None:
    from weighbridge.studies import noise_floors

    present = {(pair.b["platform"], pair.b["study"]) for pair in comparison.pairs}
    cited: dict[tuple[float, float, str], list[str]] = {}
    for (platform, study), floor in noise_floors().items():
        if (platform, study) in present:
            cited.setdefault(floor, []).append(study)
    for (median, p90, source), studies in cited.items():
        out.line(
            f"noise floor of {', '.join(studies)}: median {_percent(median)}, "
            f"p90 {_percent(p90)} ({source})"
        )
