# SPDX-License-Identifier: Apache-2.0
"""weighbridge explore: the questions on a page, where a number is dragged and the answer moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from weighbridge.explore.lab import Lab

EXAMPLES = (
    "weighbridge explore cyclonev",
    "weighbridge explore pcie --export page --size 64B --size 4KiB",
)


def command(
    platform: Annotated[
        str | None,
        typer.Argument(
            metavar="PLATFORM",
            help="The platform shown first ('weighbridge list'), or its .toml.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 takes any that is free.")
    ] = 0,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="DIR", help="Write the page for a web host, without a server."
        ),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="SIZE", help="With --export: a size to be asked; repeatable."),
    ] = None,
) -> None:
    """Ask on a page of this machine: the ranking, the platform drawn, its numbers to drag."""
    from weighbridge.cli.extras import explore_extra
    from weighbridge.errors import InputError

    if size and export is None:
        raise InputError("--size is of --export", mend="add --export DIR")

    with explore_extra():
        from weighbridge.explore.lab import Lab, platforms_for
        from weighbridge.explore.server import serve
    found = platforms_for(platform)
    start = next(iter(found))
    if export is not None:
        _export(Lab({start: found[start]}), start, size, export)
        return

    def ready(address: str) -> None:
        typer.echo(f"explore: {address}")
        typer.echo("Only this machine can reach it. Ctrl-C ends it.")
        if open_:
            typer.launch(address)

    serve(Lab(found), start, port, ready)


def _export(lab: Lab, platform: str, sizes: list[str] | None, directory: Path) -> None:
    from weighbridge.cli.terminal import progress
    from weighbridge.explore.export import SIZES, export, questions

    asked = sizes or SIZES
    count = len(questions(lab, platform, asked))
    with progress("questions", count, 0) as advance:
        answered, written = export(lab, platform, asked, directory, lambda: advance(1))
    typer.echo(f"page: {directory}, {answered} questions, {written / 1e6:.1f} MB")
