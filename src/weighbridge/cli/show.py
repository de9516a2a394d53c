# SPDX-License-Identifier: Apache-2.0
"""weighbridge show: what a platform is made of, and where each of its numbers comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weighbridge.cli import options
from weighbridge.errors import InputError
from weighbridge.quantities import format_size

if TYPE_CHECKING:
    from weighbridge.platforms import Parameter, Platform


EXAMPLES = (
    "weighbridge show cyclonev --fitted",
    "weighbridge show cyclonev os=linux master=pl330 route=acp -o cyclonev.svg",
)


def command(
    platform: options.Platform,
    path: options.Path = None,
    direction: options.Direction = None,
    os: options.Os = None,
    fpga_mhz: options.Clock = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Draw the block diagram into this SVG file."
        ),
    ] = None,
    fitted: Annotated[bool, typer.Option("--fitted", help="Only the fitted numbers.")] = False,
    set_: options.Set = None,
    json_: options.Json = False,
) -> None:
    """Print a platform's parameters with their sources; -o draws its block diagram, too.

    The path is the one to mark in the diagram.
    """
    from weighbridge.backends import with_model
    from weighbridge.cli.terminal import assignments
    from weighbridge.platforms import load_platform

    loaded = with_model(load_platform(platform, assignments(set_ or [], "--set")))
    words = options.worded(path, direction=direction, os=os, fpga_mhz=fpga_mhz)
    if words and output is None:
        raise InputError("a path is marked in the diagram", mend="give its file with -o")
    if output is not None:
        _draw(loaded, words, output)
    parameters = [p for p in loaded.parameters() if p.fitted or not fitted]
    if json_:
        import json
        from dataclasses import asdict

        print(json.dumps([asdict(parameter) for parameter in parameters], indent=1))
        return

    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen

    table = Table(
        [
            Column("parameter", lead=True),
            Column("value", right=True),
            Column("unit"),
            Column("source", words=True),
        ]
    )
    for parameter in parameters:
        table.add(parameter.name, *_value(parameter), parameter.source)
    out = Screen()
    table.print(out)
    count = sum(parameter.fitted for parameter in parameters)
    out.line()
    out.line(f"{loaded.title}: {len(parameters)} numbers, {count} of them fitted")
    if output is not None:
        out.line(f"block diagram: {output}")


def _value(parameter: Parameter) -> tuple[str, str]:
    """Its number, all of it, and the unit; many bytes in a larger one, where that is exact."""
    if parameter.unit == "B" and parameter.value.is_integer():
        number, unit = format_size(int(parameter.value)).split()
        return number, unit
    return f"{parameter.value:.12g}", parameter.unit


def _draw(platform: Platform, words: list[str], file: Path) -> None:
    """Write the block diagram with a path marked, if words name one."""
    from weighbridge.cli.extras import report_extra
    from weighbridge.dataset.files import check_writable, write_text

    if file.suffix != ".svg":
        raise InputError(f"a diagram is an SVG file, {file} is not", "--output", "end it in .svg")
    check_writable(file)
    with report_extra("a block diagram"):
        from weighbridge.report.diagram import diagram
    path: list[str] = []
    title, mhz = "", None
    if words:
        from weighbridge.advice.paths import point_of
        from weighbridge.backends.twin import Twin

        asked = point_of(platform, words, 1)
        path = [str(asked.master), *Twin(platform).path(asked)]
        title = f"{platform.describe(asked)}, {asked.os}, {asked.direction}"
        mhz = asked.fpga_mhz
    write_text(diagram(platform, path, title, mhz), file)
