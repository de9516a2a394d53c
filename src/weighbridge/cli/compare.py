# SPDX-License-Identifier: Apache-2.0
"""weighbridge compare: how far two sets of results are apart."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weighbridge.cli import options
from weighbridge.dataset import export
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.analysis.compare import Comparison, Pair, Summary
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
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the joined rows: .csv, .parquet or .json."
        ),
    ] = None,
    json_: options.Json = False,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes the backend may use.")
    ] = 2,
    cluster: options.Cluster = "",
) -> None:
    """Error |A/B - 1| of the times of equal points, over all rows and by group."""
    from weighbridge import api
    from weighbridge.cli.terminal import assignments, ending, progress

    limits = _limits(fail_above)
    if out is not None:
        export.check_target(out)
    compared = api.compare(
        *sources,
        where=where,
        by=by,
        all_quality=all_quality,
        set=assignments(set_ or [], "--set"),
        assume=assume,
        platform=platform,
        processes=processes,
        cluster=cluster,
        progress=progress,
    )
    for note in compared.notes:
        print(f"weighbridge: note: {note}", file=sys.stderr)
    if out is not None:
        compared.write(out)
    comparisons = compared.comparisons
    exceeded = [one for each in comparisons.values() for one in _exceeded(each.total, limits)]
    with ending(1 if exceeded else 0):
        if exceeded:
            said = ", ".join(exceeded)
            print(f"weighbridge: above the limit: {said}", file=sys.stderr)
        if json_:
            print(json.dumps(compared.to_dict(), indent=2))
            return
        for a, comparison in comparisons.items():
            _print(comparison, a, compared.reference, compared.by)
        if len(comparisons) > 1:
            _print_side_by_side(comparisons, compared.reference)
        if out is not None:
            print(f"joined rows: {out}")


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


def _exceeded(total: Summary, limits: dict[str, float]) -> Iterator[str]:
    """The limits that are exceeded, or that there was nothing to hold against."""
    for name, limit in limits.items():
        figure = getattr(total, name)
        if figure is None or figure > limit:
            reached = "no rows" if figure is None else f"{figure:.4g}"
            yield f"{name} {reached} > {limit:g}"


def _print(comparison: Comparison, a: str, b: str, by: Sequence[str]) -> None:
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
    if apart := comparison.apart:
        out.line(
            f"intervals: of {apart.total()} pairs A is slower by more than the 95 % intervals in "
            f"{apart[1]}, faster in {apart[-1]}; in {apart[0]} they overlap"
        )
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


def _print_groups(out: Screen, comparison: Comparison, by: Sequence[str]) -> None:
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
    from weighbridge.dataset.table import joined_columns

    return [
        name
        for name in joined_columns(rows)
        if name == "size_bytes" or len({row.get(name) for row in rows}) > 1
    ]


def _print_common(out: Screen, title: str, rows: Sequence[Row]) -> None:
    """What all rows have in common."""
    from weighbridge.dataset.table import joined_columns

    if not rows:
        return
    told = _telling(rows)
    columns = joined_columns(rows)
    same = [name for name in columns if name not in told and rows[0].get(name) is not None]
    words = " ".join(f"{name}={_said(name, rows[0])}" for name in same)
    out.line(f"{title} {words}:", "bold")


def _axis(name: str) -> Column:
    from weighbridge.cli.table import Column
    from weighbridge.dataset.schema import column_of

    # A word says by itself what it is, a bare number does not.
    lead = column_of(name).kind == "text" or name in _UNITS
    return Column(_UNITS.get(name, name), right=name in _UNITS, lead=lead)


def _said(name: str, row: Row) -> str:
    from weighbridge.dataset.values import shown
    from weighbridge.quantities import format_size

    value = row.get(name)
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
