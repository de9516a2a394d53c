# SPDX-License-Identifier: Apache-2.0
"""weighbridge sensitivity: which parameters matter for a point."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.calibration.sensitivity import Sensitivity
    from weighbridge.dataset.schema import Point
    from weighbridge.platforms import Platform

#: Widest spread: beyond it a platform is another one.
_WIDEST = 3.0


def command(
    platform: Annotated[str, typer.Argument(help="A platform ('weighbridge list') or its .toml.")],
    path: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE...", help="The path: os, master, route, link, ..."),
    ] = None,
    size: Annotated[str | None, typer.Option(help="Bytes to move, as in 64KiB.")] = None,
    spread: Annotated[str, typer.Option(help="How far each parameter may be off.")] = "10%",
    parameters: Annotated[
        int, typer.Option(min=1, max=40, help="How many parameters get indices.")
    ] = 10,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="What if: PARAMETER=VALUE, as in sdram.clock=533MHz."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws the samples.")] = 1,
    json_: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="Processes the twin may use.")] = 2,
) -> None:
    """Which parameters matter for a point: effect of +10 %, first-order and total Sobol index."""
    from weighbridge.advice.paths import point_of
    from weighbridge.backends.twin import Twin
    from weighbridge.cli.extras import need_scipy
    from weighbridge.cli.terminal import assignments, progress
    from weighbridge.platforms import load_platform
    from weighbridge.quantities import parse_size

    need_scipy("sensitivity")

    from weighbridge.calibration.panel import panel
    from weighbridge.calibration.sensitivity import at_own_clock, evaluations, sensitivity

    fraction = _fraction(spread)
    loaded = load_platform(platform, assignments(set_ or [], "--set"))
    point = point_of(loaded, path or [], None if size is None else parse_size(size))
    Twin(loaded).ceiling(point)  # refuses what cannot be asked before the first answer
    clocked, asked = at_own_clock(loaded, point)
    with (
        progress("variants of the twin", evaluations(clocked, parameters)) as advance,
        panel(clocked, [asked], processes) as answers,
    ):
        found = sensitivity(answers, fraction, parameters, seed, advance)
    if json_:
        print(json.dumps(_plain(loaded, point, fraction, found), indent=2))
    else:
        _print(loaded, point, fraction, found)


def _fraction(text: str) -> float:
    """The spread of '10%' or '0.1'; InputError for anything that is none."""
    from weighbridge.quantities import parse_share

    value = parse_share(text, "--spread")
    if not 0 < value <= _WIDEST:
        raise InputError(f"spread '{text}'", "--spread", f"above 0, at most {_WIDEST:.0%}")
    return value


def _plain(platform: Platform, point: Point, spread: float, found: Sensitivity) -> dict[str, Any]:
    return {
        "path": platform.describe(point),
        "point": point.key(),
        "spread": spread,
        "seconds": found.seconds,
        "low_seconds": found.low,
        "high_seconds": found.high,
        "parameters": [
            {
                "name": one.parameter.name,
                "value": one.parameter.value,
                "unit": one.parameter.unit,
                "source": one.parameter.source,
                "effect_of_10_percent": one.effect,
                "first_order": one.first,
                "total": one.total,
            }
            for one in found.influences
        ],
    }


def _print(platform: Platform, point: Point, spread: float, found: Sensitivity) -> None:
    from rich.table import Table

    from weighbridge.calibration.sensitivity import SAMPLES
    from weighbridge.cli.terminal import console
    from weighbridge.cli.wording import path_named, way
    from weighbridge.quantities import format_size, format_time

    out = console()
    out.print(
        f"{format_size(point.size_bytes)} {way(point.direction)}: {format_time(found.seconds)}, "
        f"with every parameter off by up to {100 * spread:g} % "
        f"{format_time(found.low)} to {format_time(found.high)}",
        style="bold",
    )
    out.print(path_named(platform, point))
    out.print("")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("parameter", no_wrap=True)
    for heading in ("value", "+10 % gives", "S1", "ST"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("source", no_wrap=True)
    indexed = [one for one in found.influences if one.total is not None]
    for one in indexed:
        table.add_row(
            one.parameter.name,
            f"{one.parameter.value:.4g} {one.parameter.unit}".strip(),
            f"{100 * one.effect:+.2f} %",
            _index(one.first),
            _index(one.total),
            one.parameter.source,
        )
    out.print(table)
    out.print(
        f"S1: share of the time's variance that a parameter causes by itself; ST: with what it "
        f"causes together with others. From {SAMPLES} samples each.",
        style="dim",
    )
    if others := len(found.influences) - len(indexed):
        out.print(f"{others} more have a smaller effect: --parameters", style="dim")
    out.print("Sizes, widths and other whole numbers are not varied.", style="dim")


def _index(value: float | None) -> str:
    """Two digits; an estimate a little below nothing is nothing."""
    return "-" if value is None else f"{round(value, 2) + 0.0:.2f}"
