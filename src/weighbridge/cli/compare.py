# SPDX-License-Identifier: Apache-2.0
"""weighbridge compare: how far two sets of results are apart."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weighbridge.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from weighbridge.analysis.compare import Comparison, Pair, Summary
    from weighbridge.backends.walk import Question
    from weighbridge.dataset.schema import Value
    from weighbridge.dataset.table import Row


def command(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="A... B", help="Runs, CSV or Parquet files, or backends; B is the reference."
        ),
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(help="KEY=VALUE of the rows to compare; repeatable, same key: or."),
    ] = None,
    by: Annotated[str, typer.Option(help="Columns to group by.")] = "study,os,master,route",
    fail_above: Annotated[
        str, typer.Option(help="Exit status 1 above this: median=0.02,p90=0.08.")
    ] = "",
    all_quality: Annotated[
        bool, typer.Option("--all-quality", help="Count rows whose quality is not ok, too.")
    ] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="What if: PARAMETER=VALUE of the backend's platform."),
    ] = None,
    assume: Annotated[
        list[str] | None,
        typer.Option(help="KEY=VALUE that the backend is asked with, as in fault=NAME of a study."),
    ] = None,
    platform: Annotated[
        str, typer.Option(metavar="FILE", help="Platform file that the backend is asked with.")
    ] = "",
    json_: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="Processes the backend may use.")] = 2,
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
    from weighbridge.cli.terminal import console

    out = console()
    out.print(f"Error |A/B - 1| of the time, per cent.  A: {a}   B, the reference: {b}")
    if comparison.pairs:
        _print_groups(out, comparison, by)
        _print_worst(out, comparison.worst)
        _print_noise(out, comparison)
    out.print(
        f"{comparison.total.n} rows compared, {comparison.skipped} skipped for their quality, "
        f"{comparison.unanswered} could not be answered"
    )


def _print_side_by_side(comparisons: Mapping[str, Comparison], reference: str) -> None:
    """Every point that all have answered: the reference, then each source's time and error."""
    from rich import box
    from rich.table import Table

    from weighbridge.cli.terminal import console
    from weighbridge.dataset.table import joining_key
    from weighbridge.quantities import format_size, format_time

    pairs = [
        {joining_key(pair.b): pair for pair in comparison.pairs}
        for comparison in comparisons.values()
    ]
    common = [key for key in pairs[0] if all(key in others for others in pairs)]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("point")
    headings = [word for a in comparisons for word in (Path(a).name, "error")]
    for heading in ("size", Path(reference).name, *headings):
        table.add_column(heading, justify="right", no_wrap=True)
    for key in common:
        b = pairs[0][key].b
        table.add_row(
            _named(b),
            format_size(int(b["size_bytes"] or 0)),
            format_time(float(b["seconds"] or 0)),
            *(
                cell
                for one in pairs
                for cell in (
                    format_time(float(one[key].a["seconds"] or 0)),
                    _percent(one[key].error),
                )
            ),
        )
    console().print(table)


def _print_groups(out: Console, comparison: Comparison, by: list[str]) -> None:
    from rich import box
    from rich.table import Table

    from weighbridge.dataset.values import shown

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in by:
        table.add_column(column, no_wrap=True)
    for heading in ("n", "median", "p90", "p99", "worst", "line\nmedian", "line\np90"):
        table.add_column(heading, justify="right")
    for key, group in [({}, comparison.total), *comparison.groups]:
        names = [shown(value) for value in key.values()] or ["all"][: len(by)]
        names += [""] * (len(by) - len(names))
        table.add_row(*names, str(group.n), *map(_percent, _figures(group)))
    out.print(table)
    out.print("line: the alpha-beta baseline, T = a + b * bytes fitted to each curve of B")


def _figures(group: Summary) -> tuple[float | None, ...]:
    return (
        group.median,
        group.p90,
        group.p99,
        group.max,
        group.baseline_median,
        group.baseline_p90,
    )


def _percent(fraction: float | None) -> str:
    return "-" if fraction is None else f"{100 * fraction:.2f}"


def _print_worst(out: Console, worst: list[Pair]) -> None:
    from rich import box
    from rich.table import Table

    from weighbridge.quantities import format_size, format_time

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("worst points", no_wrap=True)
    for heading in ("size", "A", "B", "error"):
        table.add_column(heading, justify="right", no_wrap=True)
    for pair in worst:
        table.add_row(
            _named(pair.b),
            format_size(int(pair.b["size_bytes"] or 0)),
            format_time(float(pair.a["seconds"] or 0)),
            format_time(float(pair.b["seconds"] or 0)),
            _percent(pair.error),
        )
    out.print(table)


def _named(row: Row) -> str:
    """A path in a few words: only what tells it from its neighbours."""
    told = ("os", "master", "route", "link", "buffer", "traffic", "direction")
    words: list[Value] = [row[name] for name in told]
    if row["fpga_mhz"] is not None:
        words.append(f"{row['fpga_mhz']:g} MHz")
    if row["cache_level"] is not None and row["os"] != "linux":
        words.append(f"cache {row['cache_level']}")
    if row["prepared"] is not None:
        words.append("prepared" if row["prepared"] else "not prepared")
    return " ".join(str(word) for word in words if word is not None)


def _print_noise(out: Console, comparison: Comparison) -> None:
    from weighbridge.studies import noise_floors

    present = {(pair.b["platform"], pair.b["study"]) for pair in comparison.pairs}
    cited: dict[tuple[float, float, str], list[str]] = {}
    for (platform, study), floor in noise_floors().items():
        if (platform, study) in present:
            cited.setdefault(floor, []).append(study)
    for (median, p90, source), studies in cited.items():
        out.print(
            f"noise floor of {', '.join(studies)}: median {_percent(median)}, "
            f"p90 {_percent(p90)} ({source})"
        )
