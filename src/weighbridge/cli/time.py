# SPDX-License-Identifier: Apache-2.0
"""weighbridge time: how long a program for a board takes, executed on the board's model."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.cli import options

if TYPE_CHECKING:
    from weighbridge.advice.timeline import Timeline
    from weighbridge.backends.elf.machine import Run
    from weighbridge.backends.elf.profile import Profile, Spent
    from weighbridge.cli.terminal import Screen
    from weighbridge.platforms import Platform

EXAMPLES = (
    "weighbridge time program.elf --platform cyclonev",
    "weighbridge time program.elf --platform cyclonev --call copy --speedscope copy.json",
    "weighbridge time program.elf --platform cyclonev --call copy --compare program.elf",
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
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="OTHER",
            help="Beside it another ELF file, or another platform, or PLATFORM:LINK.",
        ),
    ] = None,
    folded: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write folded stacks, for a flame graph.")
    ] = None,
    speedscope: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the call stacks, for www.speedscope.app."),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write calls and accesses, for ui.perfetto.dev."),
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
    from weighbridge.cli.terminal import Screen, assignments
    from weighbridge.dataset.files import check_writable, write_text
    from weighbridge.errors import InputError
    from weighbridge.platforms import load_platform

    for written in (folded, speedscope, trace):
        if written is not None:
            check_writable(written)
    overrides = assignments(set_ or [], "--set")
    asked = _Asked(
        load_platform(platform, overrides),
        program,
        input_.read_text(errors="replace") if input_ else "",
        call,
        link,
        fpga_mhz,
        most,
    )
    beside: _Asked | None = None
    if compare is not None and Path(compare).is_file() and not compare.endswith(".toml"):
        beside = replace(asked, program=Path(compare))
    elif compare is not None:
        named, _, its_link = compare.partition(":")
        its_platform = load_platform(named, overrides)
        beside = replace(asked, platform=its_platform, link=its_link or link)
    for one in (asked, beside):
        if one is not None:
            one.check()
    done, found = asked.executed(trace is not None)
    if folded is not None:
        write_text(found.folded(), folded)
    if speedscope is not None:
        write_text(found.speedscope(f"{program.name} on {asked.platform.name}"), speedscope)
    if trace is not None:
        asked.drawn(found).write(trace)
    other = other_done = None
    if beside is not None:
        other_done, other = beside.executed(False)
    if json_:
        told = _told(found) | {"stopped": done.stopped, "output": done.output}
        if other is not None and other_done is not None:
            told["compared"] = _told(other) | {"stopped": other_done.stopped}
        print(json.dumps(told))
    elif other is None:
        _print(Screen(), asked.platform, found, top)
    else:
        _print_both(Screen(), found, other, top)
    for run in (done, other_done):
        if run is not None and run.stopped:
            raise InputError(f"stopped: {run.stopped}")


@dataclass(frozen=True)
class _Asked:
    """A program, and the board that it is executed on."""

    platform: Platform
    program: Path
    plan: str
    call: str
    link: str | None
    fpga_mhz: str | None
    most: int

    def check(self) -> None:
        """InputError for what no program can be executed with; ask before one is."""
        from weighbridge.errors import InputError

        if not self.program.is_file():
            raise InputError(f"no file {self.program}", mend="give an ELF file")
        _check_executes(self.platform)
        known = self.platform.file.link
        if self.link is not None and self.link not in known:
            name = self.platform.name
            raise InputError(
                f"{name} has no link '{self.link}'",
                mend=f"known: {', '.join(known)}; beside another platform: --compare {name}:LINK",
            )

    def executed(self, traced: bool) -> tuple[Run, Profile]:
        from weighbridge.advice.timeline import MOST_SLICES
        from weighbridge.backends.elf.machine import described, run
        from weighbridge.backends.elf.profile import profile
        from weighbridge.backends.twin.hardware import Hardware
        from weighbridge.dataset.schema import Point
        from weighbridge.quantities import parse_frequency_mhz

        point = Point(
            platform=self.platform.name,
            study="",
            direction="cpu_to_fpga",
            size_bytes=1,
            link=self.link,
            fpga_mhz=parse_frequency_mhz(self.fpga_mhz) if self.fpga_mhz else None,
        )
        done = run(
            self.program,
            described(Hardware(self.platform, 0), point),
            self.plan,
            self.call,
            report=True,
            trace=MOST_SLICES if traced else 0,
            most=self.most,
        )
        return done, profile(self.program, done.report)

    def drawn(self, found: Profile) -> Timeline:
        """The calls and accesses of a run, for a viewer of traces."""
        from weighbridge.advice.timeline import drawn
        from weighbridge.backends.twin import Trace

        titles = {name: part.title for name, part in self.platform.components.items()}
        trace = Trace(titles, found.slices, (), 1, found.dropped)
        calls = [(name, begin, end - begin) for name, begin, end in found.spans]
        title = f"{self.program.name} on {self.platform.title}"
        return drawn(title, ("calls", calls), list(titles), trace, {"seconds": found.seconds})


def _check_executes(platform: Platform) -> None:
    """InputError for a platform whose file does not say where a program finds registers."""
    from weighbridge.backends.elf.board import NEEDED
    from weighbridge.errors import InputError
    from weighbridge.platforms import load_platform, platform_names

    if platform.file.peripheral.keys() >= set(NEEDED):
        return
    others = (load_platform(name) for name in platform_names())
    known = [one.name for one in others if one.file.peripheral.keys() >= set(NEEDED)]
    raise InputError(
        f"no program can be executed on {platform.name}", mend=f"platforms: {', '.join(known)}"
    )


def _told(found: Profile) -> dict[str, Any]:
    """A profile for a script; what is one by one goes into files of its own."""
    told = asdict(found)
    for name in ("stacks", "spans", "slices", "dropped"):
        del told[name]
    return told


def _print_both(out: Screen, first: Profile, second: Profile, top: int) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.quantities import format_time

    def ratio(one: float, other: float) -> str:
        return f"{other / one:.3g}" if one else "-"

    table = Table(
        [
            Column("function", lead=True),
            Column("time", right=True),
            Column("beside", right=True),
            Column("of it", right=True),
            Column("instructions", right=True),
            Column("beside", right=True),
        ]
    )

    def spent(of: Profile | Spent | None) -> tuple[float, int]:
        return (of.seconds, of.instructions) if of else (0.0, 0)

    rows = [("all", spent(first), spent(second))]
    for name in {**first.functions, **second.functions}:
        rows.append((name, spent(first.functions.get(name)), spent(second.functions.get(name))))
    for name, one, other in sorted(rows, key=lambda row: -max(row[1][0], row[2][0]))[: top + 1]:
        table.add(
            name,
            format_time(one[0]),
            format_time(other[0]),
            ratio(one[0], other[0]),
            str(one[1]),
            str(other[1]),
        )
    table.print(out)


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
