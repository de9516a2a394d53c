# SPDX-License-Identifier: Apache-2.0
"""weighbridge calibrate: a platform's parameters fitted to measurements."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.cli import options
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weighbridge.calibration.calibrate import Calibration, Errors
    from weighbridge.cli.terminal import Screen
    from weighbridge.dataset.table import Row
    from weighbridge.platforms import Platform


EXAMPLES = (
    "weighbridge calibrate cyclonev --data board.csv --free linux.system_call -o my.toml",
    "weighbridge calibrate zynq7000/ps-to-pl --suggest 3 --points 20",
)


def command(
    platform: options.Platform,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="FILE", help="Measurements: a CSV or Parquet file, or a run."
        ),
    ] = None,
    suggest: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Instead: which N points of the study PLATFORM/STUDY to measure next.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only such rows; repeatable, same key: or."),
    ] = None,
    free: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PARAMETER",
            help="What to fit, as 'weighbridge show' names it; repeatable "
            "[default: all fitted ones that the data determine].",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Platform file to write (.toml)."),
    ] = None,
    points: Annotated[
        int, typer.Option(metavar="N", min=10, help="Points to fit to at most, drawn by the seed.")
    ] = 300,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Draws the points and the curves held out.")
    ] = 1,
    json_: options.Json = False,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes the twin may use.")
    ] = 2,
    cluster: options.Cluster = "",
) -> None:
    """Fit parameters to measurements; every fifth curve is kept out and judges the result."""
    if suggest is not None:
        if data is not None or output is not None or where:
            raise InputError(
                "--suggest takes no --data, --where or -o", "--suggest", "leave it out"
            )
        _suggest(platform, suggest, free or [], points, seed, processes, json_)
        return
    if data is None:
        raise InputError("nothing to fit to", mend="give --data FILE, or ask with --suggest N")

    from weighbridge.backends import with_model
    from weighbridge.cli.extras import need_scipy
    from weighbridge.platforms import load_platform

    need_scipy("calibrate")

    from weighbridge.calibration.calibrate import calibrate
    from weighbridge.calibration.fit import evaluations
    from weighbridge.calibration.parameters import chosen
    from weighbridge.calibration.platform_file import edited
    from weighbridge.cli.terminal import progress
    from weighbridge.dataset.files import write_text

    if output is not None:
        _check_output(output)
    loaded = with_model(load_platform(platform))
    parameters = chosen(loaded, free or [])
    rows = _rows(data, where or [])
    with progress("variants of the twin", evaluations(len(parameters))) as advance:
        found = calibrate(loaded, rows, parameters, points, seed, processes, advance, cluster)
    written = output is not None and not found.worse and not found.unfounded
    if output is not None and written:
        write_text(edited(loaded, found.changes(_provenance(data, where or []))), output)
    if json_:
        print(json.dumps(_plain(loaded, data, found, output if written else None), indent=2))
    else:
        _print(loaded, data, found)
        if written:
            print(f"platform: {output}")
    if output is not None and found.unfounded:
        raise InputError(f"{output} is not written: {found.unfounded}", str(data))
    if output is not None and not written:
        print(
            f"weighbridge: {output} is not written: the held-out error got worse", file=sys.stderr
        )
        raise typer.Exit(1)


def _suggest(
    study: str, count: int, free: list[str], points: int, seed: int, processes: int, json_: bool
) -> None:
    """Which points to measure next, the most telling first."""
    from weighbridge.api.suggesting import suggest
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen, progress
    from weighbridge.cli.wording import way

    found = suggest(
        study,
        count,
        free=free,
        points=points,
        seed=seed,
        processes=processes,
        progress=lambda variants: progress("variants of the twin", variants),
    )
    if json_:
        print(json.dumps(found.to_dict(), indent=2))
        return
    out = Screen()
    out.line(found.heading(), "bold")
    table = Table(
        [
            Column("#", right=True, lead=True),
            Column("path", lead=True),
            Column("direction"),
            Column("clock", right=True),
            Column("size", right=True),
            Column("error then", right=True),
        ]
    )
    cells = found.cells()
    rows = zip(found, cells["path"], cells["size"], cells["error then"], strict=True)
    for number, (one, path, size, error) in enumerate(rows, 1):
        clock = one.point.fpga_mhz
        mhz = "-" if clock is None else f"{clock:g} MHz"
        table.add(str(number), path, way(one.point.direction), mhz, size, error)
    table.print(out)
    out.line("error then: to expect of all points, once this and those above are measured", "dim")


def _check_output(output: Path) -> None:
    """Refuses, before the long part, what could not be written or read back."""
    from weighbridge.dataset.files import check_writable

    if output.suffix != ".toml":
        raise InputError(f"a platform file ends in .toml, {output} does not", "--output")
    check_writable(output)


def _rows(data: Path, where: list[str]) -> list[Row]:
    """The rows that meet the conditions; InputError if there are none."""
    from weighbridge.analysis.compare import matches
    from weighbridge.dataset.table import read_rows
    from weighbridge.dataset.values import parse_where, shown

    rows = read_rows(data)
    for column, values in parse_where(where).items():
        there = sorted({shown(row[column]) for row in rows})
        rows = [row for row in rows if matches(row, {column: values})]
        if not rows:
            asked = ", ".join(map(shown, values))
            mend = f"there: {', '.join(there)}"
            raise InputError(f"no row has {column} '{asked}'", str(data), mend)
    if not rows:
        raise InputError("no row", str(data), "nothing to fit")
    return rows


def _provenance(data: Path, where: list[str]) -> str:
    """What the numbers were fitted to; a name that is not UTF-8 is made so."""
    name = str(Path(data.name or data)).encode("utf-8", "replace").decode()
    return f"{name} ({', '.join(where)})" if where else name


def _plain(
    platform: Platform, data: Path, found: Calibration, written: Path | None
) -> dict[str, Any]:
    from weighbridge.calibration.measurements import curves_of

    folds = found.folds
    return {
        "platform": platform.name,
        "data": str(data),
        "points": {
            "fit": len(folds.fit),
            "held_out": len(folds.held_out),
            "skipped": folds.skipped,
            "unanswered": folds.unanswered,
        },
        "curves": {"fit": curves_of(folds.fit), "held_out": curves_of(folds.held_out)},
        "parameters": [
            {
                "name": one.parameter.name,
                "unit": one.parameter.unit,
                "start": one.parameter.value,
                "value": one.value,
                "low": None if one.reason else one.low,
                "high": None if one.reason else one.high,
                "at_bound": one.at_bound,
                "undetermined": one.reason or None,
            }
            for one in found.fit.estimates
        ],
        "correlations": [{"a": a, "b": b, "r": r} for a, b, r in found.fit.correlated],
        "error": {
            "fit": {"before": _figures(found.before.fit), "after": _figures(found.after.fit)},
            "held_out": {
                "before": _figures(found.before.held_out),
                "after": _figures(found.after.held_out),
            },
        },
        "worse": found.worse,
        "unfounded": found.unfounded or None,
        "written": None if written is None else str(written),
    }


def _figures(errors: Errors | None) -> dict[str, float] | None:
    from dataclasses import asdict

    return None if errors is None else asdict(errors)


def _print(platform: Platform, data: Path, found: Calibration) -> None:
    from weighbridge.calibration.measurements import curves_of
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen

    folds, estimates = found.folds, found.fit.estimates
    out = Screen()
    out.line(
        f"{platform.name} fitted to {len(folds.fit)} points on {curves_of(folds.fit)} curves "
        f"of {data.name or data}",
        "bold",
    )
    out.line(
        f"{folds.skipped} rows skipped for their quality, {folds.unanswered} could not be answered"
    )
    table = Table(
        [
            Column("parameter", lead=True),
            Column("start", right=True),
            Column("fitted", right=True),
            Column("95 % interval", right=True),
            Column("+-", right=True),
            Column("unit"),
        ]
    )
    for one in (one for one in estimates if not one.reason):
        table.add(
            one.parameter.name,
            f"{one.parameter.value:.4g}",
            f"{one.value:.4g}",
            f"{one.low:.4g} to {one.high:.4g}",
            one.relative,
            one.parameter.unit,
        )
    out.line()
    table.print(out)
    out.line()
    for one in estimates:
        if one.at_bound:
            out.line(f"warning: {one.parameter.name} is at the end of the range allowed")
    reasons = dict.fromkeys(one.reason for one in estimates if one.reason)
    for reason in reasons:
        names = [one.parameter.name for one in estimates if one.reason == reason]
        out.line(f"warning: not determined, kept: {', '.join(names)} ({reason})")
    for a, b, r in found.fit.correlated:
        out.line(f"warning: hardly told apart: {a} and {b}, r = {r:+.3f}")
    _print_errors(out, found)


def _print_errors(out: Screen, found: Calibration) -> None:
    from weighbridge.calibration.calibrate import CLIPPED
    from weighbridge.cli.table import Column, Table

    figures = ("points", "mean*", "median", "p90")
    table = Table(
        [
            Column("error of the time, per cent", lead=True),
            *(Column(heading, right=True) for heading in figures),
        ]
    )
    rows: Sequence[tuple[str, Errors | None]] = (
        ("fitted, before", found.before.fit),
        ("fitted, after", found.after.fit),
        ("held out, before", found.before.held_out),
        ("held out, after", found.after.held_out),
    )
    for label, errors in rows:
        if errors is not None:
            shares = (errors.mean, errors.median, errors.p90)
            table.add(label, str(errors.n), *(f"{100 * share:.3f}" for share in shares))
    table.print(out)
    out.line(f"*: no error counted above {CLIPPED:.0%}", "dim")
    if found.after.held_out is None:
        out.line("warning: a single curve: nothing could be held out to judge the result")
    elif found.worse:
        out.line("warning: the held-out error got worse: keep the platform as it is")
