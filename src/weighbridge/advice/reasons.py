# SPDX-License-Identifier: Apache-2.0
"""Why a path takes as long as it does: what bounds it, what would bound it next."""

from __future__ import annotations

from dataclasses import dataclass

from weighbridge import _engine
from weighbridge.backends.twin import Explanation, Hop, Phase, Twin
from weighbridge.backends.twin.hardware import bytes_of
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError

#: Where a program's buffer may lie; any aligned address gives the same instructions.
_BUFFER_ADDRESS = 0x1000_0000


@dataclass(frozen=True, slots=True)
class Bound:
    """What takes most of the time, and what would if that took none.

    name, next_name: a phase or what a transfer waits for, in words; next_name is empty where
    nothing else takes any time. seconds: of the bounding phase. seconds_without: of the whole
    without it: software then takes no time, a transfer as long as the next busiest component.
    """

    name: str
    seconds: float
    next_name: str
    seconds_without: float


def bound(twin: Twin, explanation: Explanation) -> Bound:
    """What bounds an answer of the twin, and what would bound it next."""
    (name, seconds), *rest = explanation.bounds()
    floor = 0.0
    moving = explanation.moving
    if name == moving.bound:
        # Inside a transfer the other components keep their own time.
        kept = [hop for hop in moving.hops if hop.title != name]
        busiest = max(kept, key=lambda hop: hop.busy, default=None)
        if busiest and busiest.busy > 0:
            floor = min(busiest.busy, seconds)
            rest.append((busiest.title, floor))
    next_name, next_seconds = max(rest, key=lambda one: one[1], default=("", 0.0))
    without = explanation.seconds - seconds + floor
    return Bound(name, seconds, next_name if next_seconds else "", without)


def hops_in_order(twin: Twin, explanation: Explanation) -> list[tuple[Phase, list[Hop]]]:
    """Phases in which components were at work, each with their hops in the order of the path."""
    path = twin.path(explanation.point)

    def place(hop: Hop) -> int:
        # A driver's copy may use caches that the path itself goes past.
        return path.index(hop.name) if hop.name in path else -1

    return [(phase, sorted(phase.hops, key=place)) for phase in explanation.phases if phase.hops]


def program(twin: Twin, point: Point) -> list[str]:
    """The PL330's microcode for a point as assembly lines; of the first of several equal chunks.

    Raises InputError where no PL330 moves the bytes.
    """
    file = twin.platform.file
    if point.master != "pl330" or point.route is None or point.link is None:
        raise InputError("only a path of the PL330 has a program", mend="add master=pl330")
    assert file.fabric_memory is not None
    chunk = bytes_of(file.fabric_memory)
    ends = [_BUFFER_ADDRESS + file.route[point.route].offset, file.link[point.link].window]
    source, target = ends if point.direction == "cpu_to_fpga" else ends[::-1]
    code = _engine.build_copy(source, target, min(chunk, point.size_bytes))
    lines: list[str] = _engine.disassemble(code)
    return lines
