# SPDX-License-Identifier: Apache-2.0
"""weighbridge explain: where the time of one path goes, and what would bound it next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from weighbridge.advice.reasons import Bound
    from weighbridge.backends.twin import Explanation, Twin

_BAR = 30


def command(
    platform: Annotated[str, typer.Argument(help="A platform ('weighbridge list') or its .toml.")],
    path: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE...", help="The path: os, master, route, link, ..."),
    ] = None,
    size: Annotated[str | None, typer.Option(help="Bytes to move, as in 64KiB.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="What if: PARAMETER=VALUE, as in sdram.clock=533MHz."),
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="Show the PL330's program, too.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
) -> None:
    """Where the time of one path goes, hop by hop, what bounds it and what would bound it next."""
    from weighbridge.advice import reasons
    from weighbridge.advice.paths import point_of
    from weighbridge.backends.twin import Twin
    from weighbridge.cli.terminal import assignments, console
    from weighbridge.platforms import load_platform
    from weighbridge.quantities import parse_size

    loaded = load_platform(platform, assignments(set_ or [], "--set"))
    point = point_of(loaded, path or [], None if size is None else parse_size(size))
    twin = Twin(loaded)
    explanation = twin.explain(point)
    bound = reasons.bound(twin, explanation)
    lines = reasons.program(twin, point) if program else []
    if json_:
        plain = _plain(twin, explanation, bound)
        print(json.dumps(plain | ({"program": lines} if program else {}), indent=2))
        return
    out = console()
    _print_answer(out, twin, explanation)
    _print_phases(out, explanation)
    _print_hops(out, twin, explanation)
    _print_bound(out, explanation, bound)
    if lines:
        out.print("\nProgram of the PL330:", style="bold")
        for line in lines:
            out.print(f"  {line}")


def _plain(twin: Twin, explanation: Explanation, bound: Bound) -> dict[str, Any]:
    from weighbridge.advice.reasons import hops_in_order

    return {
        "path": twin.platform.describe(explanation.point),
        "point": explanation.point.key(),
        "seconds": explanation.seconds,
        "rate_mb_per_s": explanation.point.size_bytes / explanation.seconds / 1e6,
        "ceiling_seconds": explanation.ceiling_seconds,
        "ceiling_share": explanation.ceiling_seconds / explanation.seconds,
        "error": twin.platform.error(explanation.point),
        "phases": [
            {
                "name": phase.name,
                "seconds": phase.seconds,
                "share": phase.seconds / explanation.seconds,
                "processor": phase.processor,
            }
            for phase in explanation.phases
        ],
        "hops": [
            {
                "phase": phase.name,
                "component": hop.name,
                "title": hop.title,
                "transactions": hop.transactions,
                "bytes": hop.bytes,
                "busy_seconds": hop.busy,
                "waiting_seconds": hop.waiting,
            }
            for phase, hops in hops_in_order(twin, explanation)
            for hop in hops
        ],
        "bound_by": bound.name,
        "bound_seconds": bound.seconds,
        "next_bound": bound.next_name or None,
        "seconds_without_bound": bound.seconds_without,
    }


def _print_answer(out: Console, twin: Twin, explanation: Explanation) -> None:
    from weighbridge.cli.wording import path_named, percent, way
    from weighbridge.quantities import format_rate, format_size, format_time

    point, seconds = explanation.point, explanation.seconds
    ceiling = format_rate(point.size_bytes, explanation.ceiling_seconds)
    out.print(
        f"{format_size(point.size_bytes)} {way(point.direction)} in {format_time(seconds)}: "
        f"{format_rate(point.size_bytes, seconds)}, "
        f"{percent(explanation.ceiling_seconds / seconds)} of the ceiling of {ceiling}",
        style="bold",
    )
    out.print(path_named(twin.platform, point))
    if note := twin.platform.unchecked(point):
        out.print(note, style="dim")


def _print_phases(out: Console, explanation: Explanation) -> None:
    from rich.table import Table

    from weighbridge.cli.wording import bar, percent
    from weighbridge.quantities import format_time

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("phase", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for phase in explanation.phases:
        share = phase.seconds / explanation.seconds
        if phase.seconds:
            table.add_row(phase.name, format_time(phase.seconds), percent(share), bar(share, _BAR))
    out.print("")
    out.print(table)


def _print_hops(out: Console, twin: Twin, explanation: Explanation) -> None:
    from rich.table import Table

    from weighbridge.advice.reasons import hops_in_order
    from weighbridge.cli.wording import percent
    from weighbridge.quantities import format_time

    def share(seconds: float) -> str:
        return percent(seconds / explanation.seconds) if seconds else "-"

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("hop", ""):
        table.add_column(heading, no_wrap=True)
    for heading in ("accesses", "moved", "busy", "share", "waiting", "share"):
        table.add_column(heading, justify="right", no_wrap=True)
    for phase, hops in hops_in_order(twin, explanation):
        table.add_row("", phase.name, style="bold")
        for hop in hops:
            table.add_row(
                hop.name,
                hop.title,
                str(hop.transactions),
                f"{hop.bytes} B",
                format_time(hop.busy) if hop.busy else "-",
                share(hop.busy),
                format_time(hop.waiting) if hop.waiting else "-",
                share(hop.waiting),
            )
    out.print("")
    out.print(table)
    if any(
        max(hop.busy, hop.waiting) > phase.seconds
        for phase in explanation.phases
        for hop in phase.hops
    ):
        out.print("more than the phase itself: several accesses at a time", style="dim")


def _print_bound(out: Console, explanation: Explanation, bound: Bound) -> None:
    from weighbridge.cli.wording import percent
    from weighbridge.quantities import format_time

    share = percent(bound.seconds / explanation.seconds)
    out.print("")
    out.print(f"Bound by: {bound.name}, {share} of the time.", style="bold")
    if bound.next_name and bound.seconds_without > 0:
        gain = explanation.seconds / bound.seconds_without
        faster = f"{gain:.1f} times as fast" if gain >= 1.05 else "hardly faster"
        out.print(
            f"Without it: {format_time(bound.seconds_without)}, {faster}, "
            f"then bound by: {bound.next_name}."
        )
