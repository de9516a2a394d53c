# SPDX-License-Identifier: Apache-2.0
"""weighbridge advise: every path ranked, and from which size on another one is the best."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from weighbridge.advice.crossovers import Crossover
    from weighbridge.advice.purpose import Purpose
    from weighbridge.advice.ranking import Ranked

#: Rows shown unless all are asked for: with the rest of the answer they fill one screen.
_SHOWN = 12
#: What the times of a ranking are: from first byte to last usable, or from one block to the next.
_TIME = {"single": "time", "steady": "period"}
_NUMBERS = ("#", "rate", "time", "period", "latency", "share", "margin", "cpu", "ns/B")
#: Bounds that would widen the table too much.
_SHORT = {"wait for the poll that sees it": "polling", "latency of each access": "access latency"}


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
    consume: Annotated[
        str,
        typer.Option(help="What the processor does with the data: none, cpu-stream or cpu-random."),
    ] = "none",
    stream: Annotated[
        bool, typer.Option("--stream", help="Blocks of that size one after another.")
    ] = False,
    depth: Annotated[int, typer.Option(help="With --stream: blocks in flight.")] = 2,
    duplex: Annotated[
        bool, typer.Option("--duplex", help="With --stream: as much the other way.")
    ] = False,
    streams: Annotated[int, typer.Option(help="With --stream: as many share a path.")] = 1,
    processor: Annotated[
        str, typer.Option(help="Share of the processor that is left for this, as in 50%.")
    ] = "100%",
    rate: Annotated[
        str | None, typer.Option(help="Rate to sustain, as in 200MB/s; marks the paths that do.")
    ] = None,
    latency: Annotated[
        str | None, typer.Option(help="What a block may take, as in 500us; marks those that do.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Show every path.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
) -> None:
    """Which way to move so many bytes: every path with its rate, its bound and its rivals."""
    from weighbridge.advice.crossovers import crossovers
    from weighbridge.advice.paths import candidates
    from weighbridge.advice.purpose import Purpose
    from weighbridge.advice.questions import paragraph
    from weighbridge.advice.ranking import rank
    from weighbridge.backends.twin import Twin
    from weighbridge.cli.terminal import assignments, console, progress
    from weighbridge.dataset.values import parse_where
    from weighbridge.platforms import load_platform
    from weighbridge.quantities import (
        parse_frequency_mhz,
        parse_quantity,
        parse_rate,
        parse_share,
        parse_size,
    )

    size_bytes = parse_size(size)
    purpose = Purpose(
        consume=consume.replace("-", "_"),
        stream=stream,
        depth=depth,
        duplex=duplex,
        streams=streams,
        processor=parse_share(processor, "--processor"),
        rate=None if rate is None else parse_rate(rate),
        latency=None if latency is None else parse_quantity(latency, "ns") * 1e-9,
    )
    if not stream and (duplex or streams != 1 or depth != Purpose().depth):
        raise InputError("--depth, --duplex and --streams are of a stream", mend="add --stream")
    clock = None if fpga_mhz is None else parse_frequency_mhz(fpga_mhz)
    wanted = parse_where(where or [])
    overrides = assignments(set_ or [], "--set")
    loaded = load_platform(platform, overrides)
    paths = candidates(loaded, direction, size_bytes, os, clock, wanted)
    with progress("paths", len(paths)) as advance:
        ranked = rank(loaded, size_bytes, direction, os, clock, wanted, purpose, lambda: advance(1))
    turns = crossovers(loaded, paths, purpose)
    answers = paragraph(Twin(loaded), ranked, turns, purpose)
    if json_:
        print(json.dumps(_plain(ranked, turns, answers), indent=2))
        return
    out = console()
    shown = _selected(ranked, len(ranked) if all_ else _SHOWN)
    _print_ranking(out, ranked, shown, purpose)
    _print_crossovers(out, turns)
    for answer in answers[1:]:
        out.print(answer, soft_wrap=False)
    _print_next(out, platform, ranked, overrides)


def _plain(
    ranked: Sequence[Ranked], turns: Sequence[Crossover], answers: Sequence[str]
) -> dict[str, Any]:
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
                "flow": one.flow,
                "point": one.point.key(),
                "rate_mb_per_s": one.rate / 1e6,
                "seconds": one.seconds,
                "ceiling_share": one.ceiling_share,
                "bound_by": one.bound_by,
                "processor_share": one.occupancy,
                "processor_seconds_per_byte": one.busy_per_byte,
                "latency_seconds": one.latency,
                "margin": one.margin,
                "in_time": one.in_time,
                "error": one.error,
                "unchecked": one.unchecked or None,
            }
            for one in ranked
        ],
        "crossovers": [
            {"from_bytes": turn.from_bytes, "winner": turn.path, "point": turn.point.key()}
            for turn in turns
        ],
        "answers": list(answers),
    }


def _selected(ranked: Sequence[Ranked], count: int) -> list[Ranked]:
    """The best of each way, then the best of each way and link, then the best of the others."""
    seen: set[tuple[object, ...]] = set()
    importance = []
    for number, one in enumerate(ranked):
        point = one.point
        way = (point.os, point.master, point.route, point.cache_level)
        keys = (way, (*way, point.link))
        importance.append((sum(key in seen for key in keys), number))
        seen.update(keys)
    return [ranked[number] for number in sorted(n for _, n in sorted(importance)[:count])]


def _print_heading(out: Console, ranked: Sequence[Ranked], systems: Sequence[str | None]) -> None:
    from weighbridge.advice.ranking import headline_ceiling
    from weighbridge.cli.wording import fabric_clock, os_named, way
    from weighbridge.quantities import format_rate, format_size

    first = ranked[0].point
    ceiling, link = headline_ceiling(ranked)
    asked = (
        f"{format_size(first.size_bytes)} {way(first.direction)}, "
        f"{' and '.join(map(os_named, systems))}{fabric_clock(first)}"
    )
    limit = f"  ceiling {format_rate(ceiling, 1)} ({link})"
    out.print(f"{asked}{limit:>{max(len(limit), min(out.width, 100) - len(asked))}}")


def _print_ranking(
    out: Console, ranked: Sequence[Ranked], shown: Sequence[Ranked], purpose: Purpose
) -> None:
    from rich.table import Table

    systems = list(dict.fromkeys(one.point.os for one in ranked))
    _print_heading(out, ranked, systems)
    notes = list(dict.fromkeys(one.unchecked for one in shown if one.unchecked))
    time = "latency" if purpose.latency is not None else _TIME[ranked[0].flow]
    share = "share" if purpose.rate is None else "margin"
    headings = ["#", *(["os"] if len(systems) > 1 else []), "path", "rate", time, share]
    headings += ["cpu", "ns/B", "bound by"]
    for gap, tight in ((2, False), (1, False), (1, True)):
        rows = [headings, *_rows(shown, notes, len(systems) > 1, tight, purpose)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        if sum(widths) + gap * (len(widths) - 1) <= out.width:
            break
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    for heading, width in zip(headings, widths, strict=True):
        # Where it is too narrow for all of it, only the last column gives way.
        fixed = None if heading == headings[-1] else width
        justify: Any = "right" if heading in _NUMBERS else "left"
        table.add_column(heading, justify=justify, no_wrap=True, min_width=fixed)
    for one, row in zip(shown, rows[1:], strict=True):
        table.add_row(*row, style="bold" if one.rank == 1 else None)
    out.print(table)
    if tight and any(one.point.prepared for one in shown):
        out.print("programs of the PL330 are prepared beforehand except where marked", style="dim")
    _print_notes(out, ranked, shown, notes)


def _rows(
    shown: Sequence[Ranked], notes: Sequence[str], several: bool, tight: bool, purpose: Purpose
) -> list[list[str]]:
    """The cells of the table, with the operating system where there are several."""
    from weighbridge.cli.wording import compact, os_named, percent
    from weighbridge.quantities import format_rate, format_time

    rows = []
    above = 0
    for one in shown:
        mark = "*" * (notes.index(one.unchecked) + 1) if one.unchecked else ""
        rows.append(
            [
                "=" if one.rank == above else str(one.rank),
                *([os_named(one.point.os).split()[0]] if several else []),
                compact(one.path, tight) + mark,
                format_rate(one.point.size_bytes, one.seconds),
                format_time(one.seconds if purpose.latency is None else one.latency)
                + ("" if one.in_time else " !"),
                percent(one.ceiling_share) if one.margin is None else _margin(one.margin),
                f"{100 * one.occupancy:.0f} %",
                _nanoseconds(one.busy_per_byte),
                _SHORT.get(one.bound_by, one.bound_by),
            ]
        )
        above = one.rank
    return rows


def _nanoseconds(seconds: float) -> str:
    """Two digits, all of them from ten up."""
    value = seconds * 1e9
    return f"{value:.0f}" if value >= 10 else f"{value:.2f}" if value < 1 else f"{value:.1f}"


def _margin(margin: float) -> str:
    """How far above the rate asked for a path is; one that does not reach it says so."""
    return f"{100 * margin:+.0f} %" if margin >= 0 else f"no, {100 * margin:.0f} %"


def _print_notes(
    out: Console, ranked: Sequence[Ranked], shown: Sequence[Ranked], notes: Sequence[str]
) -> None:
    from weighbridge.cli.wording import percent

    hidden = len(ranked) - len(shown)
    more = f"; {hidden} more paths: --all" if hidden else ""
    share = "share: of the path's own ceiling"
    if shown[0].margin is not None:
        share = "margin: over the rate asked for"
    out.print(
        f"{share}; cpu, ns/B: the processor's share of the time and its time for a byte{more}",
        style="dim",
    )
    if not all(one.in_time for one in shown):
        out.print("!: longer than a block may take", style="dim")
    if any(one.rank == above.rank for one, above in zip(shown[1:], shown, strict=False)):
        errors = sorted({one.error for one in shown if one.error is not None})
        band = " to ".join(percent(end) for end in dict.fromkeys((*errors[:1], *errors[-1:])))
        known = f", within the model's own error of {band}" if errors else ""
        if any(one.error is None for one in shown):
            known += "; own error: not measured" + (" for every path" if errors else "")
        out.print(f"=: as fast as the row above{known}", style="dim")
    for number, note in enumerate(notes, 1):
        out.print(f"{'*' * number}: {note}", style="dim")
    if any(one.ceiling_share > 1 for one in shown):
        out.print("over 100 %: the call returns while posted writes are under way", style="dim")


def _print_crossovers(out: Console, turns: Sequence[Crossover]) -> None:
    from rich.table import Table

    from weighbridge.advice.crossovers import FROM_BYTES, TO_BYTES
    from weighbridge.cli.wording import os_named
    from weighbridge.quantities import about

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
