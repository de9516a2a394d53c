# SPDX-License-Identifier: Apache-2.0
"""The arguments and options that several commands take, and the words that mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

Platform = Annotated[
    str, typer.Argument(metavar="PLATFORM", help="A platform ('weighbridge list') or its .toml.")
]
Path = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="KEY=VALUE", help="The path: os, master, route, link, ...; also direction."
    ),
]
Size = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Bytes to move, as in 64KiB; or size=64KiB.")
]
Direction = Annotated[
    str | None,
    typer.Option(metavar="WAY", help="cpu_to_fpga or fpga_to_cpu; or direction=cpu_to_fpga."),
]
Os = Annotated[str | None, typer.Option(metavar="OS", help="linux, baremetal, ...; or os=linux.")]
Clock = Annotated[
    str | None,
    typer.Option(
        "--fpga-mhz", metavar="CLOCK", help="Clock of the fabric [default: the platform's]."
    ),
]
Consume = Annotated[
    str | None,
    typer.Option(
        metavar="USE",
        help="What the processor does with the data: none, cpu-stream or cpu-random.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PARAMETER=VALUE",
        help="What if, as in sdram.clock=533MHz; repeatable.",
    ),
]
Exact = Annotated[
    bool, typer.Option("--exact", help="Simulate all of a long transfer, and not its prefix.")
]
Cluster = Annotated[
    str,
    typer.Option(metavar="WHERE", help="Dask workers in their place: tcp://HOST:PORT, or local:N."),
]
Sysroot = Annotated[
    str,
    typer.Option(
        "--sysroot", metavar="DIR", help="Folder that stands for / of the machine, with proc, sys."
    ),
]
At = Annotated[
    str, typer.Option(metavar="USER@HOST", help="Board that SSH reaches, as ssh names it.")
]
Ssh = Annotated[str, typer.Option(metavar="COMMAND", help="SSH's client and its options.")]
Json = Annotated[bool, typer.Option("--json", help="Print plain data.")]


def worded(words: Sequence[str] | None, **options: str | None) -> list[str]:
    """The KEY=VALUE words of a path with those that options stand for: os='linux' is os=linux."""
    said = [f"{key}={value}" for key, value in options.items() if value is not None]
    return [*(words or []), *said]
