# SPDX-License-Identifier: Apache-2.0
"""weighbridge show: what a platform is made of, and where each of its numbers comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    platform: Annotated[str, typer.Argument(help="A platform's name or file.")],
    point: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="The path to mark in the diagram."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Where the diagram goes (default: PLATFORM.svg)."),
    ] = None,
    fitted: Annotated[bool, typer.Option("--fitted", help="Only the fitted numbers.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.FIELD=VALUE", help="Change a number first."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Draw a platform's block diagram and print its parameters with their sources."""
    from weighbridge.cli.terminal import assignments
    from weighbridge.dataset.files import write_text
    from weighbridge.platforms import load_platform
    from weighbridge.report.diagram import diagram

    loaded = load_platform(platform, assignments(settings or [], "--set"))
    path: list[str] = []
    title, mhz = "", None
    if point:
        from weighbridge.advice.paths import point_of
        from weighbridge.backends.twin import Twin

        asked = point_of(loaded, point, 1)
        twin = Twin(loaded)
        path = [str(asked.master), *twin.path(asked)]
        title, mhz = f"{loaded.describe(asked)}, {asked.os}, {asked.direction}", asked.fpga_mhz
    parameters = [p for p in loaded.parameters() if p.fitted or not fitted]
    drawing = output or Path(f"{loaded.name}.svg")
    write_text(diagram(loaded, path, title, mhz), drawing)
    if as_json:
        import json
        from dataclasses import asdict

        print(json.dumps([asdict(parameter) for parameter in parameters], indent=1))
        return

    from rich.table import Table

    from weighbridge.cli.terminal import console

    table = Table("parameter", "value", "unit", "source", box=None, header_style="bold")
    table.columns[1].justify = "right"
    for parameter in parameters:
        table.add_row(parameter.name, f"{parameter.value:.6g}", parameter.unit, parameter.source)
    out = console()
    out.print(table)
    count = sum(parameter.fitted for parameter in parameters)
    out.print(f"\n{loaded.title}: {len(parameters)} numbers, {count} of them fitted")
    out.print(f"block diagram: {drawing}")
