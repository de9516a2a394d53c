# SPDX-License-Identifier: Apache-2.0
"""Why a path takes as long as it does: what bounds it, what would bound it next."""

from __future__ import annotations

from dataclasses import dataclass

from weighbridge import _engine
from weighbridge.backends.twin import Explanation, Hop, Phase, Twin
from weighbridge.backends.twin.explanation import LATENCY, Load
from weighbridge.backends.twin.hardware import bytes_of
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError

#: Where a program's buffer may lie; any aligned address gives the same instructions.
_BUFFER_ADDRESS = 0x1000_0000


@dataclass(frozen=True, slots=True)
class Bound:
    """What takes most of the time, and what would take most of it if that took none.

    name, next_name: a phase or what a transfer waits for, in words; next_name is empty where
    nothing else takes any time. seconds: of the bounding phase, or that a component is busy beside
    others. seconds_without: of the whole without it, as the twin answers with that component taking
    no time; never less than anything else is busy.
    """

    name: str
    seconds: float
    next_name: str
    seconds_without: float


def bound(twin: Twin, explanation: Explanation) -> Bound:
    """What bounds an answer of the twin, and what would bound it next."""
    first, *rest = explanation.bounds()
    left = _without(twin, explanation, first)
    # Components work side by side: each keeps the time that it was busy.
    busy = (
        Load(hop.title, min(hop.busy, explanation.seconds), hop.name)
        for hop in explanation.hops
        if hop.name != first.component
    )
    loads = list(busy)
    if explanation.overlaps and first.component:
        loads.append(Load("processor", explanation.processor_seconds))
    floor = max(loads, key=lambda load: load.seconds, default=Load("", 0.0))
    if floor.seconds > left[0]:
        left = floor.seconds, floor.title
    seconds, next_name = min(left[0], explanation.seconds), left[1]
    if not next_name:
        following = max(rest, key=lambda load: load.seconds, default=Load("", 0.0))
        next_name = following.title if following.seconds else ""
    return Bound(first.title, first.seconds, next_name, seconds)


def _without(twin: Twin, explanation: Explanation, load: Load) -> tuple[float, str]:
    """Seconds of an answer without what takes the most of it, and what bounds it then, if known."""
    if load.title == LATENCY:
        busiest = explanation.moving.busiest
        kept = busiest.busy if busiest else 0.0
        title = busiest.title if busiest and busiest.busy else ""
        return explanation.seconds - explanation.moving.seconds + kept, title
    if load.component or explanation.overlaps:
        # Of several equal components each has its number behind the name.
        changed = load.component.partition(" ")[0] or load.phase
        other = twin.explain(explanation.point, without=changed)
        following = other.beside(changed).bounds()[0]
        return other.seconds, following.title
    return explanation.seconds - load.seconds, ""


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
    master = twin.platform.components.get(str(point.master))
    if master is None or master.kind != "pl330" or point.route is None or point.link is None:
        able = [name for name, one in twin.platform.components.items() if one.kind == "pl330"]
        mend = f"add master={able[0]}" if able else f"{twin.platform.name} has none"
        raise InputError("only a path of a PL330 has a program", mend=mend)
    assert file.fabric_memory is not None
    chunk = bytes_of(file.fabric_memory)
    ends = [_BUFFER_ADDRESS + file.route[point.route].offset, file.link[point.link].window]
    source, target = ends if point.direction == "cpu_to_fpga" else ends[::-1]
    code = _engine.build_copy(source, target, min(chunk, point.size_bytes))
    lines: list[str] = _engine.disassemble(code)
    return lines
