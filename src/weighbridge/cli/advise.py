# SPDX-License-Identifier: Apache-2.0
"""weighbridge advise: every path ranked, and from which size on another one is the best."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from weighbridge.advice.crossovers import Crossover
    from weighbridge.advice.ranking import Ranked

#: Rows shown unless all are asked for: with the rest of the answer they fit on one screen.
_SHOWN = 12
#: Bounds in the width of a table's column.
_SHORT = {
    "latency of one access at a time": "access latency",
    "wait for the poll that sees it": "polling",
    "transfer by the PL330": "PL330 latency",
    "user-to-kernel copy": "user copy",
    "kernel-to-user copy": "user copy",
    "program preparation": "preparation",
}


def command(
    platform: Annotated[str, typer.Argument(help="A platform ('weighbridge list') or its .toml.")],
    size: Annotated[str, typer.Option(help="Bytes to move, as in 64KiB.")],
    direction: Annotated[str, typer.Option(help="cpu_to_fpga or fpga_to_cpu.")],
    os: Annotated[str | None, typer.Option(help="linux or baremetal [default: both].")] = None,
    fpga_mhz: Annotated[
        str | None, typer.Option(help="Clock of the fabric [default: the platform's].")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="Only such paths: KEY=VALUE; repeatable, same key: or."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="What if: PARAMETER=VALUE, as in sdram.clock=533MHz."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Show every path.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
) -> None:
    """Which way to move so many bytes: every path with its rate, its bound and its rivals."""
    from weighbridge.advice.crossovers import crossovers
    from weighbridge.advice.paths import candidates
    from weighbridge.advice.ranking import rank
    from weighbridge.cli.terminal import assignments, console, progress
    from weighbridge.dataset.values import parse_where
    from weighbridge.platforms import load_platform
    from weighbridge.quantities import parse_frequency_mhz, parse_size

    size_bytes = parse_size(size)
    clock = None if fpga_mhz is None else parse_frequency_mhz(fpga_mhz)
    wanted = parse_where(where or [])
    overrides = assignments(set_ or [], "--set")
    loaded = load_platform(platform, overrides)
    paths = candidates(loaded, direction, size_bytes, os, clock, wanted)
    with progress("paths", len(paths)) as advance:
        ranked = rank(loaded, size_bytes, direction, os, clock, wanted, lambda: advance(1))
    turns = crossovers(loaded, paths)
    if json_:
        print(json.dumps(_plain(ranked, turns), indent=2))
        return
    out = console()
    _print_ranking(out, ranked, len(ranked) if all_ else _SHOWN)
    _print_crossovers(out, turns)
    _print_next(out, platform, ranked, overrides)


def _plain(ranked: Sequence[Ranked], turns: Sequence[Crossover]) -> dict[str, Any]:
    from weighbridge.advice.ranking import headline_ceiling

    ceiling, link = headline_ceiling(ranked)
    first = ranked[0].point
    return {
        "platform": first.platform,
        "size_bytes": first.size_bytes,
        "direction": first.direction,
        "fpga_mhz": first.fpga_mhz,
        "ceiling_mb_per_s": ceiling / 1e6,
        "ceiling_link": link,
        "paths": [
            {
                "rank": one.rank,
                "tie": one.tie,
                "path": one.path,
                "point": one.point.key(),
                "rate_mb_per_s": one.rate / 1e6,
                "seconds": one.seconds,
                "ceiling_share": one.ceiling_share,
                "bound_by": one.bound_by,
                "error": one.error,
                "extrapolated": one.extrapolated or None,
            }
            for one in ranked
        ],
        "crossovers": [
            {"from_bytes": turn.from_bytes, "winner": turn.path, "point": turn.point.key()}
            for turn in turns
        ],
    }


def _print_ranking(out: Console, ranked: Sequence[Ranked], count: int) -> None:
    from rich import box
    from rich.table import Table

    from weighbridge.advice.ranking import headline_ceiling
    from weighbridge.cli.wording import os_named, percent, way
    from weighbridge.quantities import format_rate, format_size, format_time

    first = ranked[0].point
    systems = list(dict.fromkeys(one.point.os for one in ranked))
    ceiling, link = headline_ceiling(ranked)
    asked = (
        f"{format_size(first.size_bytes)} {way(first.direction)}, "
        f"{' and '.join(map(os_named, systems))}, fabric at {first.fpga_mhz:g} MHz"
    )
    limit = f"ceiling {format_rate(ceiling, 1)} ({link})"
    out.print(f"{asked}{limit:>{max(len(limit) + 2, min(out.width, 100) - len(asked))}}")

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("#", justify="right")
    if len(systems) > 1:
        table.add_column("system", no_wrap=True)
    table.add_column("path", no_wrap=True)
    for heading in ("rate", "time", "of its\nceiling"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("bound by", no_wrap=True)
    shown = ranked[:count]
    notes = list(dict.fromkeys(one.extrapolated for one in shown if one.extrapolated))
    for number, one in enumerate(shown, 1):
        cells = [str(number) if one.rank == number else "="]
        if len(systems) > 1:
            cells.append(os_named(one.point.os))
        mark = "*" * (notes.index(one.extrapolated) + 1) if one.extrapolated else ""
        cells += [
            one.path + mark,
            format_rate(one.point.size_bytes, one.seconds),
            format_time(one.seconds),
            percent(one.ceiling_share),
            _SHORT.get(one.bound_by, one.bound_by),
        ]
        table.add_row(*cells, style="bold" if one.rank == 1 else None)
    out.print(table)
    if len(ranked) > len(shown):
        rest = ranked[len(shown) :]
        slowest = format_rate(rest[-1].point.size_bytes, rest[-1].seconds)
        out.print(f"and {len(rest)} more, down to {slowest}: --all")
    if any(one.tie for one in shown):
        bands = sorted({round(one.error * 100) for one in shown})
        band = f"{bands[0]} to {bands[-1]}" if len(bands) > 1 else f"{bands[0]}"
        out.print(f"= as fast as the row above within the model's own error ({band} %)")
    for number, note in enumerate(notes, 1):
        out.print("*" * number + " " + note)
    if any(one.ceiling_share > 1 for one in shown):
        out.print("over 100 %: the processor goes on while its posted writes are under way")


def _print_crossovers(out: Console, turns: Sequence[Crossover]) -> None:
    from rich.table import Table

    from weighbridge.advice.crossovers import FROM_BYTES, TO_BYTES
    from weighbridge.cli.wording import about, os_named

    several = len({turn.point.os for turn in turns}) > 1
    out.print(f"Fastest between {about(FROM_BYTES)} and {about(TO_BYTES)}:")
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right")
    for turn in turns:
        system = f", {os_named(turn.point.os)}" if several else ""
        table.add_row(f"  from {about(turn.from_bytes)}", turn.path + system)
    out.print(table)


def _print_next(
    out: Console, platform: str, ranked: Sequence[Ranked], overrides: Mapping[str, str]
) -> None:
    from weighbridge.advice.paths import command_words
    from weighbridge.cli.wording import explain_command

    best = ranked[0].point
    words = command_words(best)
    out.print("why: ", end="")
    out.print(
        explain_command(platform, words, best.size_bytes, overrides, min(out.width, 100) - 5),
        soft_wrap=True,
    )
