# SPDX-License-Identifier: Apache-2.0
"""weighbridge curve: paths over all sizes, on the terminal or as a picture."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.cli import options
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.api import Curve, Curves
    from weighbridge.platforms import Platform

_BAR = 50


EXAMPLES = (
    "weighbridge curve cyclonev os=linux master=cpu link=LW32",
    "weighbridge curve cyclonev master=pl330 route=acp --from 1KiB --to 64KiB --svg curve.svg",
    "weighbridge curve cyclonev master=cpu link=HF128 --and 'master=pl330 route=acp link=HF128'",
)


def command(
    platform: options.Platform,
    path: options.Path = None,
    and_: Annotated[
        list[str] | None,
        typer.Option(
            "--and", metavar="PATH", help="One more, as in 'master=cpu link=LW32'; repeatable."
        ),
    ] = None,
    direction: options.Direction = None,
    os: options.Os = None,
    fpga_mhz: options.Clock = None,
    consume: options.Consume = None,
    from_: Annotated[str, typer.Option("--from", metavar="SIZE", help="Smallest size.")] = "2B",
    to: Annotated[str, typer.Option("--to", metavar="SIZE", help="Largest size.")] = "2MiB",
    points: Annotated[
        int | None, typer.Option(metavar="N", help="How many sizes [default: the powers of two].")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw into this file.")
    ] = None,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="FILE", help="Draw into this file, in pixels.")
    ] = None,
    set_: options.Set = None,
    exact: options.Exact = False,
    json_: options.Json = False,
) -> None:
    """Rate and time of one path over sizes, or of several; what an option says holds for all."""
    from weighbridge import api
    from weighbridge.advice.paths import parsed
    from weighbridge.cli.terminal import assignments, progress
    from weighbridge.dataset.files import check_writable

    pictures = {suffix: file for suffix, file in ((".svg", svg), (".png", png)) if file is not None}
    for suffix, file in pictures.items():
        if file.suffix != suffix:
            raise InputError(
                f"'{file}' is no name of a picture", f"--{suffix[1:]}", f"name it *{suffix}"
            )
        check_writable(file)
    said = options.worded([], direction=direction, os=os, fpga_mhz=fpga_mhz, consume=consume)
    shared: dict[str, Any] = dict(parsed(said))
    loaded = api.platform(platform, **assignments(set_ or [], "--set"))
    curves = api.curve(
        loaded,
        path or [],
        *map(_words, and_ or []),
        smallest=from_,
        largest=to,
        points=points,
        exact=exact,
        progress=progress,
        **shared,
    )
    for file in pictures.values():
        curves.draw(file)
    if json_:
        print(json.dumps(curves.to_dict(), indent=2))
    elif pictures:
        for file in pictures.values():
            print(f"curve: {file}")
    elif len(curves) == 1:
        _print_one(loaded, curves[0])
    else:
        _print_several(loaded, curves)


def _words(text: str) -> list[str]:
    """The words of a path that is one argument, as a shell would split it."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(f"'{text}' is no path ({error})", "--and") from None


def _print_one(platform: Platform, curve: Curve) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen
    from weighbridge.cli.wording import POSTED, extrapolated, path_named, rests_on, way
    from weighbridge.quantities import format_rate, format_size, format_time

    last = curve.answers[-1]
    ceiling = last.point.size_bytes / last.ceiling_seconds
    highest = max(curve.rates)
    out = Screen()
    out.line(f"{path_named(platform, last.point)}, {way(last.point.direction)}")
    flow = "; rates of a steady flow" if last.flow == "steady" else ""
    out.line(f"ceiling of the path {format_rate(ceiling, 1)}{flow}", "dim")
    shown = any(size in curve.published for size in curve.sizes)
    table = Table(
        [
            Column("size", right=True, lead=True),
            Column("time", right=True),
            Column("rate", right=True),
            Column("9 in 10", right=True, spare=2),
            *([Column("published", right=True)] if shown else []),
            Column(f"0 to {format_rate(highest, 1)}", label="bars", bar=_BAR, spare=1),
        ]
    )
    for one, rate, expected in zip(curve.answers, curve.rates, curve.expected, strict=True):
        size = one.point.size_bytes
        measured = format_rate(size, curve.published[size]) if size in curve.published else ""
        table.add(
            format_size(size),
            format_time(one.seconds),
            format_rate(size, one.seconds),
            expected.rates(rate),
            *([measured] if shown else []),
            rate / highest,
        )
    table.print(out)
    out.line(f"9 in 10 measurements lie there, MB/s; {rests_on(curve.expected)}", "dim")
    if any(one.ceiling_seconds > one.seconds for one in curve.answers):
        out.line(POSTED, "dim")
    if note := extrapolated(one.simulated_bytes for one in curve.answers):
        out.line(note, "dim")


def _print_several(platform: Platform, curves: Curves) -> None:
    """A column for each path, by its number."""
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen

    out = Screen()
    out.line(f"{curves.title}; rates in MB/s")
    flows = [curve.answers[-1].flow for curve in curves]
    for number, (label, flow) in enumerate(zip(curves.labels, flows, strict=True), 1):
        mark = ", a steady flow" if flow == "steady" and len(set(flows)) > 1 else ""
        out.line(f"{number}: {label}{mark}", hang="   ")
    cells = curves.cells()
    sizes, *rates = cells.values()
    numbers = [str(number) for number in range(1, len(curves) + 1)]
    table = Table(
        [
            Column("size", right=True, lead=True),
            *(Column(number, right=True) for number in numbers),
        ]
    )
    for row in zip(sizes, *rates, strict=True):
        table.add(*row)
    table.print(out)
