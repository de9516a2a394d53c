# SPDX-License-Identifier: Apache-2.0
"""weighbridge explore: the questions on a page, where a number is dragged and the answer moves."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLES = ("weighbridge explore cyclonev",)


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
) -> None:
    """Ask on a page of this machine: the ranking, the platform drawn, its numbers to drag."""
    from weighbridge.cli.extras import explore_extra

    with explore_extra():
        from weighbridge.explore.lab import Lab, platforms_for
        from weighbridge.explore.server import serve
    found = platforms_for(platform)

    def ready(address: str) -> None:
        typer.echo(f"explore: {address}")
        typer.echo("Only this machine can reach it. Ctrl-C ends it.")
        if open_:
            typer.launch(address)

    serve(Lab(found), next(iter(found)), port, ready)
