# SPDX-License-Identifier: Apache-2.0
"""weighbridge sensitivity: which parameters matter for a point."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.cli import options
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.calibration.sensitivity import Sensitivity, Step
    from weighbridge.cli.terminal import Screen
    from weighbridge.dataset.schema import Point
    from weighbridge.platforms import Platform

#: Widest spread: beyond it a platform is another one.
_WIDEST = 3.0


EXAMPLES = (
    "weighbridge sensitivity cyclonev os=linux master=cpu link=HF32 --size 4KiB",
    "weighbridge sensitivity zynq7000 master=pl330 --size 256 --spread 20% --parameters 3",
)


def command(
    platform: options.Platform,
    path: options.Path = None,
    size: options.Size = None,
    direction: options.Direction = None,
    os: options.Os = None,
    fpga_mhz: options.Clock = None,
    consume: options.Consume = None,
    spread: Annotated[
        str, typer.Option(metavar="SHARE", help="How far each parameter may be off.")
    ] = "10%",
    parameters: Annotated[
        int, typer.Option(metavar="N", min=1, max=40, help="How many parameters get indices.")
    ] = 10,
    set_: options.Set = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Draws the samples.")] = 1,
    json_: options.Json = False,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes the twin may use.")
    ] = 2,
    cluster: options.Cluster = "",
) -> None:
    """Which parameters matter for a point: effect of +10 %, first-order and total Sobol index."""
    from weighbridge.advice.paths import point_of
    from weighbridge.backends import with_model
    from weighbridge.backends.twin import Twin
    from weighbridge.cli.extras import need_scipy
    from weighbridge.cli.terminal import assignments, progress
    from weighbridge.platforms import load_platform
    from weighbridge.quantities import parse_size

    need_scipy("sensitivity")

    from weighbridge.calibration.panel import panel
    from weighbridge.calibration.sensitivity import at_own_clock, evaluations, sensitivity

    fraction = _fraction(spread)
    words = options.worded(path, direction=direction, os=os, fpga_mhz=fpga_mhz, consume=consume)
    loaded = with_model(load_platform(platform, assignments(set_ or [], "--set")))
    point = point_of(loaded, words, None if size is None else parse_size(size))
    Twin(loaded).ceiling(point)  # refuses what cannot be asked before the first answer
    clocked, asked = at_own_clock(loaded, point)
    with (
        progress("variants of the twin", evaluations(clocked, parameters)) as advance,
        panel(clocked, [asked], processes, cluster) as answers,
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
        "steps": [
            {
                "name": one.parameter.name,
                "value": one.parameter.value,
                "unit": one.parameter.unit,
                "source": one.parameter.source,
                "instead": one.value,
                "effect": one.effect,
            }
            for one in found.steps
        ],
    }


def _print(platform: Platform, point: Point, spread: float, found: Sensitivity) -> None:
    from weighbridge.calibration.sensitivity import SAMPLES
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen
    from weighbridge.cli.wording import path_named, way
    from weighbridge.quantities import format_size, format_time

    out = Screen()
    indexed = [one for one in found.influences if one.total is not None]
    heading = (
        f"{format_size(point.size_bytes)} {way(point.direction)}: {format_time(found.seconds)}"
    )
    if indexed:
        heading += (
            f", with every parameter off by up to {100 * spread:g} % "
            f"{format_time(found.low)} to {format_time(found.high)}"
        )
    out.line(heading, "bold")
    out.line(path_named(platform, point))
    table = Table(
        [
            Column("parameter", lead=True),
            Column("value", right=True),
            Column("+10 % gives", right=True),
            Column("S1", right=True),
            Column("ST", right=True),
            Column("source", words=True, spare=1),
        ]
    )
    for one in indexed:
        table.add(
            one.parameter.name,
            f"{one.parameter.value:.4g} {one.parameter.unit}".strip(),
            f"{100 * one.effect:+.2f} %",
            _index(one.first),
            _index(one.total),
            one.parameter.source,
        )
    if indexed:
        out.line()
        table.print(out)
        out.line(
            f"S1: share of the time's variance that a parameter causes by itself; ST: with what it "
            f"causes together with others. From {SAMPLES} samples each.",
            "dim",
        )
    if others := len(found.influences) - len(indexed):
        out.line(f"{others} more have a smaller effect: --parameters", "dim")
    if found.steps:
        out.line()
        _print_steps(out, found.steps)
    out.line("Other sizes, counts and whole numbers are not varied.", "dim")


def _print_steps(out: Screen, steps: Sequence[Step]) -> None:
    from weighbridge.cli.table import Column, Table

    table = Table(
        [
            Column("in steps", lead=True),
            Column("value", right=True),
            Column("instead", right=True, lead=True),
            Column("gives", right=True),
            Column("source", words=True, spare=1),
        ]
    )
    for one in steps:
        table.add(
            one.parameter.name,
            f"{one.parameter.value:.4g} {one.parameter.unit}".strip(),
            f"{one.value:.4g} {one.parameter.unit}".strip(),
            "no answer" if one.effect is None else f"{100 * one.effect:+.2f} %",
            one.parameter.source,
        )
    table.print(out)


def _index(value: float | None) -> str:
    """Two digits; an estimate a little below nothing is nothing."""
    return "-" if value is None else f"{round(value, 2) + 0.0:.2f}"
