# SPDX-License-Identifier: Apache-2.0
"""weighbridge time: how long a program for a board takes, executed on the board's model."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weighbridge.cli import options

if TYPE_CHECKING:
    from weighbridge.backends.elf.profile import Profile, Spent
    from weighbridge.cli.terminal import Screen
    from weighbridge.platforms import Platform

EXAMPLES = (
    "weighbridge time program.elf --platform cyclonev",
    "weighbridge time program.elf --platform cyclonev --call copy --folded copy.folded",
)


def command(
    program: Annotated[
        Path, typer.Argument(metavar="FILE", help="An ELF file for the board's processor.")
    ],
    platform: Annotated[
        str, typer.Option(metavar="PLATFORM", help="A platform ('weighbridge list') or its .toml.")
    ],
    call: Annotated[
        str, typer.Option(metavar="SYMBOL", help="Call this function, caches on, and return.")
    ] = "",
    input_: Annotated[
        Path | None, typer.Option("--input", metavar="FILE", help="Bytes for its serial port.")
    ] = None,
    fpga_mhz: options.Clock = None,
    link: Annotated[
        str | None, typer.Option(metavar="LINK", help="Which of the platform's links is built.")
    ] = None,
    set_: options.Set = None,
    folded: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write folded stacks, for speedscope or a flame graph."),
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many functions and lines are shown.")
    ] = 10,
    most: Annotated[
        int, typer.Option(metavar="N", min=1, help="Instructions after which it is stopped.")
    ] = 10_000_000_000,
    json_: options.Json = False,
) -> None:
    """How long a program takes on a board, by function, line and component, without the board."""
    from weighbridge.backends.elf.machine import described, run
    from weighbridge.backends.elf.profile import profile
    from weighbridge.backends.twin.hardware import Hardware
    from weighbridge.cli.terminal import Screen, assignments
    from weighbridge.dataset.files import check_writable
    from weighbridge.dataset.schema import Point
    from weighbridge.errors import InputError
    from weighbridge.platforms import load_platform
    from weighbridge.quantities import parse_frequency_mhz

    if folded is not None:
        check_writable(folded)
    if not program.is_file():
        raise InputError(f"cannot read {program}", mend="an ELF file")
    loaded = load_platform(platform, assignments(set_ or [], "--set"))
    if link is not None and link not in loaded.file.link:
        raise InputError(f"unknown link '{link}'", mend="known: " + ", ".join(loaded.file.link))
    point = Point(
        platform=loaded.name,
        study="",
        direction="cpu_to_fpga",
        size_bytes=1,
        link=link,
        fpga_mhz=parse_frequency_mhz(fpga_mhz) if fpga_mhz else None,
    )
    plan = input_.read_text(errors="replace") if input_ else ""
    done = run(program, described(Hardware(loaded, 0), point), plan, call, report=True, most=most)
    found = profile(program, done.report)
    if folded is not None:
        folded.write_text(found.folded())
    if json_:
        print(json.dumps(asdict(found) | {"stopped": done.stopped, "output": done.output}))
    else:
        _print(Screen(), loaded, found, top)
    if done.stopped:
        raise InputError(f"stopped: {done.stopped}")


def _print(out: Screen, platform: Platform, found: Profile, top: int) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.quantities import format_time

    out.line(f"{format_time(found.seconds)}, {found.instructions} instructions", "bold")
    for title, spent in (("function", found.functions), ("line", found.lines)):
        out.line()
        _table(out, title, spent, found.seconds, top)
    table = Table(
        [
            Column("component", lead=True),
            Column("accesses", right=True),
            Column("moved", right=True),
            Column("busy", right=True),
            Column("waiting", right=True),
        ]
    )
    for name, accesses, moved, busy, waiting in found.components:
        title = platform.components[name].title
        table.add(title, str(accesses), f"{moved} B", format_time(busy), format_time(waiting))
    out.line()
    table.print(out)


def _table(out: Screen, title: str, spent: dict[str, Spent], seconds: float, top: int) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.wording import percent
    from weighbridge.quantities import format_time

    table = Table(
        [
            Column(title, lead=True),
            Column("time", right=True),
            Column("share", right=True),
            Column("instructions", right=True),
        ]
    )
    for name, one in list(spent.items())[:top]:
        share = percent(one.seconds / seconds) if seconds else "-"
        table.add(name, format_time(one.seconds), share, str(one.instructions))
    table.print(out)
