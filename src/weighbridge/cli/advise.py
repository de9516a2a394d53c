# SPDX-License-Identifier: Apache-2.0
"""weighbridge advise: every path ranked, and from which size on another one is the best."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.cli import options
from weighbridge.dataset import export
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weighbridge.advice.ranking import Ranked
    from weighbridge.api import Advice
    from weighbridge.cli.terminal import Screen

#: Rows shown unless all are asked for: with the rest of the answer they fill one screen.
_SHOWN = 12
#: What the times of a ranking are: from first byte to last usable, or from one block to the next.
_TIME = {"single": "time", "steady": "period"}
#: Bounds that would widen the table too much.
_SHORT = {"wait for the poll that sees it": "polling", "latency of each access": "access latency"}


EXAMPLES = (
    "weighbridge advise cyclonev --size 64KiB --direction cpu_to_fpga --os linux",
    "weighbridge advise zynq7000 size=64KiB direction=fpga_to_cpu --stream --rate 200MB/s",
    "weighbridge advise cyclonev --size 64KiB --direction cpu_to_fpga --set sdram.clock=533MHz",
)


def command(
    platform: options.Platform,
    path: options.Path = None,
    size: options.Size = None,
    direction: options.Direction = None,
    os: options.Os = None,
    fpga_mhz: options.Clock = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Only such paths; repeatable, same key: or. Or KEY=VALUE alone.",
        ),
    ] = None,
    set_: options.Set = None,
    consume: options.Consume = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Blocks of that size one after another.")
    ] = False,
    depth: Annotated[int, typer.Option(metavar="N", help="With --stream: blocks in flight.")] = 2,
    duplex: Annotated[
        bool, typer.Option("--duplex", help="With --stream: as much the other way.")
    ] = False,
    streams: Annotated[
        int, typer.Option(metavar="N", help="With --stream: as many share a path.")
    ] = 1,
    processor: Annotated[
        str,
        typer.Option(
            metavar="SHARE", help="Share of the processor that is left for this, as in 50%."
        ),
    ] = "100%",
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Rate to sustain, as in 200MB/s; marks the paths that do, status 1 if none does.",
        ),
    ] = None,
    latency: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="What a block may take, as in 500us; marks those that do, status 1 if none does.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the ranking: .csv, .parquet or .json."
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Show every path.")] = False,
    exact: options.Exact = False,
    json_: options.Json = False,
) -> None:
    """Which way to move so many bytes: every path with its rate, its bound and its rivals."""
    from weighbridge import api
    from weighbridge.cli.terminal import assignments, ending, progress

    asked, conditions = _asked(
        options.worded(
            path, size=size, direction=direction, os=os, fpga_mhz=fpga_mhz, consume=consume
        )
    )
    overrides = assignments(set_ or [], "--set")
    if out is not None:
        export.check_target(out)
    advice = api.advise(
        platform,
        size=asked["size_bytes"],
        direction=asked["direction"],
        os=asked.get("os"),
        fpga_mhz=asked.get("fpga_mhz"),
        where=[*(where or []), *conditions],
        set=overrides,
        consume=asked.get("consume", "none"),
        stream=stream,
        depth=depth,
        duplex=duplex,
        streams=streams,
        processor=processor,
        rate=rate,
        latency=latency,
        exact=exact,
        progress=progress,
    )
    if out is not None:
        advice.write(out)
    with ending(0 if advice.ranked[0].holds else 1):
        if json_:
            why = {"why": _why(platform, advice, overrides)}
            print(json.dumps(advice.to_dict() | why, indent=2))
        else:
            _print(platform, advice, overrides, all_, out)


def _print(
    platform: str, advice: Advice, overrides: Mapping[str, str], all_: bool, out: Path | None
) -> None:
    from weighbridge.cli.terminal import Screen

    screen = Screen()
    shown = _selected(advice.ranked, len(advice) if all_ else _SHOWN)
    _print_ranking(screen, advice, shown)
    _print_crossovers(screen, advice)
    for answer in advice.answers[1:]:
        screen.line(answer)
    width = None if screen.prose is None else screen.prose - len("why: ")
    print("why: " + _why(platform, advice, overrides, width))
    if out is not None:
        screen.line(f"ranking: {out}")


def _asked(words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """What words say of the question itself, by column, and those that choose among the paths."""
    from weighbridge.advice.paths import parsed

    own = ("size_bytes", "direction", "os", "fpga_mhz", "consume")
    columns = {word: column for word in words for column in parsed([word])}
    asked = parsed([word for word, column in columns.items() if column in own])
    for column, option in (
        ("size_bytes", "--size 64KiB"),
        ("direction", "--direction cpu_to_fpga"),
    ):
        if asked.get(column) is None:
            raise InputError(
                f"no {column.removesuffix('_bytes')}", mend=f"give one, as in {option}"
            )
    return asked, [word for word, column in columns.items() if column not in own]


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


def _print_heading(out: Screen, ranked: Sequence[Ranked], systems: Sequence[str | None]) -> None:
    from weighbridge.advice.ranking import headline_ceiling
    from weighbridge.cli.wording import fabric_clock, os_named, way
    from weighbridge.quantities import format_rate, format_size

    first = ranked[0].point
    ceiling, link = headline_ceiling(ranked)
    asked = (
        f"{format_size(first.size_bytes)} {way(first.direction)}, "
        f"{' and '.join(map(os_named, systems))}{fabric_clock(first)}"
    )
    limit = f"ceiling {format_rate(ceiling, 1)} ({link})"
    if out.over(out.cells(asked) + 2 + out.cells(limit)) > 0:
        out.line(asked)
        out.line(limit)
    else:
        blank = " " * ((out.prose or 0) - out.cells(asked + limit))
        out.line(asked + (blank or "  ") + limit)


def _print_ranking(out: Screen, advice: Advice, shown: Sequence[Ranked]) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.wording import compact, os_named, percent
    from weighbridge.quantities import format_rate, format_time

    ranked, purpose = advice.ranked, advice.purpose
    systems = list(dict.fromkeys(one.point.os for one in ranked))
    _print_heading(out, ranked, systems)
    notes = list(dict.fromkeys(one.unchecked for one in shown if one.unchecked))
    several = len(systems) > 1
    table = Table(
        [
            Column("#", right=True, lead=True),
            *([Column("os", spare=4)] if several else []),
            Column("path", lead=True, short=compact),
            Column("rate", right=True),
            Column("9 in 10", right=True, spare=5),
            Column("latency" if purpose.latency is not None else _TIME[ranked[0].flow], right=True),
            Column("share" if purpose.rate is None else "margin", right=True, spare=3),
            Column("cpu", right=True, spare=2),
            Column("ns/B", right=True, spare=1),
            Column("bound by"),
        ]
    )
    above = 0
    for one in shown:
        mark = "*" * (notes.index(one.unchecked) + 1) if one.unchecked else ""
        table.add(
            "=" if one.rank == above else str(one.rank),
            *([os_named(one.point.os).split()[0]] if several else []),
            one.path + mark,
            format_rate(one.point.size_bytes, one.seconds),
            one.expected.rates(one.rate),
            format_time(one.seconds if purpose.latency is None else one.latency)
            + ("" if one.in_time else " !"),
            percent(one.ceiling_share) if one.margin is None else _margin(one.margin),
            f"{100 * one.occupancy:.0f} %",
            _nanoseconds(one.busy_per_byte),
            _SHORT.get(one.bound_by, one.bound_by),
            style="bold" if one.rank == 1 and one.holds else "",
        )
        above = one.rank
    printed = table.print(out)
    if printed.shortened and any(one.point.prepared for one in shown):
        out.line("programs of the PL330 are prepared beforehand except where marked", "dim")
    _print_notes(out, ranked, shown, notes, printed.left_out)


def _nanoseconds(seconds: float) -> str:
    """Two digits, all of them from ten up."""
    value = seconds * 1e9
    return f"{value:.0f}" if value >= 10 else f"{value:.2f}" if value < 1 else f"{value:.1f}"


def _margin(margin: float) -> str:
    """How far above the rate asked for a path is; one that does not reach it says so."""
    from weighbridge.cli.wording import change

    return change(margin) if margin >= 0 else f"no, {change(margin)}"


def _print_notes(
    out: Screen,
    ranked: Sequence[Ranked],
    shown: Sequence[Ranked],
    notes: Sequence[str],
    left_out: Sequence[str],
) -> None:
    from weighbridge.cli.wording import POSTED, extrapolated, percent, rests_on

    share = "share: of the path's own ceiling"
    if shown[0].margin is not None:
        share = "margin: over the rate asked for"
    legend = [
        (share, share.partition(":")[0]),
        ("9 in 10 measurements lie there, MB/s", "9 in 10"),
        ("cpu: the processor's share of the time", "cpu"),
        ("ns/B: its time for a byte", "ns/B"),
    ]
    said = [words for words, column in legend if column not in left_out]
    if hidden := len(ranked) - len(shown):
        said.append(f"{hidden} more path{'s' if hidden > 1 else ''}: --all")
    if said:
        out.line("; ".join(said), "dim")
    out.line(rests_on([one.expected for one in shown]), "dim")
    if note := extrapolated(one.simulated_bytes for one in shown):
        out.line(note, "dim")
    if not all(one.in_time for one in shown):
        out.line("!: longer than a block may take", "dim")
    if any(one.rank == above.rank for one, above in zip(shown[1:], shown, strict=False)):
        errors = sorted({one.error for one in shown if one.error is not None})
        band = " to ".join(percent(end) for end in dict.fromkeys((*errors[:1], *errors[-1:])))
        known = f" within both errors ({band})" if errors else ""
        known += "; least processor time first"
        if unmeasured := sum(one.error is None for one in shown):
            of = f"{unmeasured} of these {len(shown)}" if errors else "these"
            known += f"; nobody has measured how far the model is off on {of}"
        out.line(f"=: as fast as the numbered row{known}", "dim")
    for number, note in enumerate(notes, 1):
        out.line(f"{'*' * number}: {note}", "dim")
    if any(one.ceiling_share > 1 for one in shown):
        out.line(POSTED, "dim")


def _print_crossovers(out: Screen, advice: Advice) -> None:
    from weighbridge.advice.crossovers import FROM_BYTES
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.wording import os_named
    from weighbridge.quantities import about

    turns = advice.crossovers
    several = len({turn.point.os for turn in turns}) > 1
    out.line(f"Fastest between {about(FROM_BYTES)} and {about(advice.reach)}:")
    table = Table([Column("", right=True, lead=True), Column("", words=True)])
    for turn in turns:
        system = f", {os_named(turn.point.os)}" if several else ""
        table.add(f"  from {about(turn.from_bytes)}", turn.path + system)
    table.print(out)


def _why(
    platform: str,
    advice: Advice,
    overrides: Mapping[str, str],
    width: int | None = None,
) -> str:
    """The command that explains the best."""
    from weighbridge.advice.paths import command_words
    from weighbridge.cli.wording import explain_command

    best = advice.best.point
    words = command_words(best, advice.usual_mhz)
    return explain_command(platform, words, best.size_bytes, overrides, width)
