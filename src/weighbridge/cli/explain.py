# SPDX-License-Identifier: Apache-2.0
"""weighbridge explain: where the time of one path goes, and what would bound it next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.cli import options
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.advice.reasons import Bound
    from weighbridge.api import Explained
    from weighbridge.backends.twin import Explanation
    from weighbridge.cli.terminal import Screen

_BAR = 30
#: Two times that differ by less look equal: they are printed with four digits.
_MORE = 1.0005
#: One transfer takes a time, of a steady flow one comes every so often.
_WHEN = {"single": "in", "steady": "every"}


EXAMPLES = (
    "weighbridge explain cyclonev os=linux master=pl330 route=acp link=HF128 --size 64KiB",
    "weighbridge explain pcie access=latency --size 64B --direction cpu_to_fpga",
    "weighbridge explain cyclonev master=pl330 route=acp --size 256 --program",
    "weighbridge explain cyclonev master=pl330 route=acp --size 64KiB --trace trace.json",
)


def command(
    platform: options.Platform,
    path: options.Path = None,
    size: options.Size = None,
    direction: options.Direction = None,
    os: options.Os = None,
    fpga_mhz: options.Clock = None,
    consume: options.Consume = None,
    set_: options.Set = None,
    program: Annotated[
        bool, typer.Option("--program", help="Show the PL330's program, too.")
    ] = False,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every access, for Perfetto or Chrome (.json)."),
    ] = None,
    exact: options.Exact = False,
    json_: options.Json = False,
) -> None:
    """Where the time of one path goes, hop by hop, what bounds it and what would bound it next."""
    from weighbridge import api
    from weighbridge.advice import reasons
    from weighbridge.advice.paths import parsed
    from weighbridge.advice.timeline import timeline
    from weighbridge.cli.terminal import Screen, assignments
    from weighbridge.dataset.files import check_writable

    if trace is not None:
        if trace.suffix != ".json":
            raise InputError(
                f"a trace is a JSON file, {trace} is not", "--trace", "end it in .json"
            )
        check_writable(trace)
    words = options.worded(path, direction=direction, os=os, fpga_mhz=fpga_mhz, consume=consume)
    keys: dict[str, Any] = dict(parsed(words))
    explained = api.explain(
        platform,
        size=size,
        set=assignments(set_ or [], "--set"),
        trace=trace is not None,
        exact=exact,
        **keys,
    )
    twin, explanation = explained.twin, explained.explanation
    lines = reasons.program(twin, explained.point) if program else []
    drawn = None if trace is None else timeline(twin, explanation)
    if trace is not None and drawn is not None:
        drawn.write(trace)
    if json_:
        print(json.dumps(explained.to_dict() | ({"program": lines} if program else {}), indent=2))
        return
    out = Screen()
    _print_answer(out, explained)
    _print_phases(out, explanation)
    _print_hops(out, explained)
    _print_bound(out, explanation, explained.bound)
    if lines:
        out.line()
        out.line("Program of the PL330:", "bold")
        for line in lines:
            out.raw(f"  {line}")
    if drawn is not None:
        out.line()
        out.line(f"trace: {trace}, {drawn.accesses} accesses; open it at ui.perfetto.dev")
        if drawn.dropped:
            out.line(f"cut there: {drawn.dropped} more are not in it", "dim")


def _print_answer(out: Screen, explained: Explained) -> None:
    from weighbridge.cli.wording import POSTED, extrapolated, path_named, percent, rests_on, way
    from weighbridge.dataset.values import shown
    from weighbridge.quantities import format_rate, format_size, format_time

    twin, explanation, expected = explained.twin, explained.explanation, explained.expected
    point, seconds = explanation.point, explanation.seconds
    ceiling = format_rate(point.size_bytes, explanation.ceiling_seconds)
    out.line(
        f"{format_size(point.size_bytes)} {way(point.direction)} "
        f"{_WHEN[explanation.flow]} {format_time(seconds)}: "
        f"{format_rate(point.size_bytes, seconds)}, "
        f"{percent(explanation.ceiling_seconds / seconds)} of the ceiling of {ceiling}",
        "bold",
    )
    out.line(path_named(twin.platform, point))
    low, high = format_time(expected.low * seconds), format_time(expected.high * seconds)
    rates = expected.rates(explained.rate)
    out.line(
        f"9 in 10 measurements lie in {low} to {high}, {rates} MB/s; {rests_on([expected])}", "dim"
    )
    if explanation.flow == "steady" and "single" in twin.flows(point):
        out.line("a steady flow; flow=single tells what one by itself takes", "dim")
    if explained.filled:
        said = " ".join(f"{key}={shown(value)}" for key, value in explained.filled.items())
        out.line(f"not said, and so taken: {said}", "dim")
    posted = POSTED if explanation.ceiling_seconds > seconds else ""
    cut = extrapolated([explanation.simulated_bytes])
    for note in (*explained.notes, posted, twin.platform.unchecked(point), cut):
        if note:
            out.line(note, "dim")


def _print_phases(out: Screen, explanation: Explanation) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.wording import percent
    from weighbridge.quantities import format_time

    table = Table(
        [
            Column("phase", lead=True),
            Column("time", right=True),
            Column("share", right=True),
            Column("", label="bars", bar=_BAR, spare=1),
        ]
    )
    for phase in explanation.phases:
        share = phase.seconds / explanation.seconds
        if phase.seconds:
            table.add(phase.name, format_time(phase.seconds), percent(share), share)
    out.line()
    table.print(out)


def _print_hops(out: Screen, explained: Explained) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.wording import percent
    from weighbridge.quantities import format_time

    explanation = explained.explanation

    def share(seconds: float) -> str:
        return percent(seconds / explanation.seconds) if seconds else "-"

    table = Table(
        [
            Column("hop", lead=True),
            Column("", lead=True),
            Column("accesses", right=True, spare=3),
            Column("moved", right=True, spare=2),
            Column("busy", right=True),
            Column("share", right=True, label="share busy"),
            Column("waiting", right=True),
            Column("share", right=True, label="share waiting", spare=1),
        ]
    )
    for phase, hops in explained.hops:
        table.section(phase.name)
        for hop in hops:
            table.add(
                hop.name,
                hop.title,
                str(hop.transactions),
                f"{hop.bytes} B",
                format_time(hop.busy) if hop.busy else "-",
                share(hop.busy),
                format_time(hop.waiting) if hop.waiting else "-",
                share(hop.waiting),
            )
    out.line()
    table.print(out)
    if any(
        max(hop.busy, hop.waiting) > phase.seconds * _MORE
        for phase, hops in explained.hops
        for hop in hops
    ):
        out.line("more than the phase itself: several accesses at a time", "dim")


def _print_bound(out: Screen, explanation: Explanation, bound: Bound) -> None:
    from weighbridge.cli.wording import percent
    from weighbridge.quantities import format_time

    share = percent(bound.seconds / explanation.seconds)
    out.line()
    out.line(f"Bound by: {bound.name}, {share} of the time.", "bold")
    if bound.next_name and bound.seconds_without > 0:
        gain = explanation.seconds / bound.seconds_without
        faster = f"{gain:.1f} times as fast" if gain >= 1.05 else "hardly faster"
        out.line(
            f"Without it: {format_time(bound.seconds_without)}, {faster}, "
            f"then bound by: {bound.next_name}."
        )
