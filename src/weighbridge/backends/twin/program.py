# SPDX-License-Identifier: Apache-2.0
"""What the twin asks of a program: how a master is driven, turned into a job for the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from weighbridge import _engine
from weighbridge.backends import Unanswered
from weighbridge.backends.twin.extrapolation import Reach
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.backends.twin.remembering import of_path
from weighbridge.dataset.schema import Point, Value
from weighbridge.errors import InputError
from weighbridge.platforms.kinds import MEMORIES

#: Bytes after which a transfer that no cache remembers repeats itself: many refreshes of a memory.
REPEATS: Final = 1 << 20
#: How many times its size must have gone through a cache before nothing older is left in it.
FORGETS: Final = 6

#: What an answer is: one transfer by itself, from its first step until its last byte is usable, or
#: the period of a steady flow of such transfers.
Flow = Literal["single", "steady"]

#: What a program does with its data beside moving it.
CONSUME: Final = {
    "none": _engine.Consume.none,
    "cpu_stream": _engine.Consume.stream,
    "cpu_random": _engine.Consume.random,
}


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis may say to a program.

    usual: what a point means that leaves it open; None: nothing. among: its values, or, of numbers,
    `least` to `most`; neither: what the platform allows, which the program's check() demands.
    """

    usual: Value = None
    among: tuple[Value, ...] = ()
    least: float | None = None
    most: float | None = None

    def fault(self, value: Value) -> str:
        """What is allowed instead of a value; empty where it is."""
        if self.among:
            return "" if value in self.among else ", ".join(map(str, self.among))
        if self.least is None or self.most is None:
            return ""
        good = isinstance(value, int | float) and self.least <= value <= self.most
        return "" if good else f"{self.least:g} to {self.most:g}"


#: The axes that a program understands, by name.
Axes = Mapping[str, Axis]

#: Work of the processor on the data that it moves, for the programs that know it.
CONSUMED: Final = Axis("none", tuple(CONSUME))


class Domain(ABC):
    """The points of some masters that a program answers, and what bounds the answers.

    understands: the axes of dataset/schema.py that it knows, beside `flow`.
    """

    understands: ClassVar[Axes] = {}

    def __init__(self, hardware: Hardware) -> None:
        self._hardware = hardware
        self._platform = hardware.platform
        self.paths = hardware.paths

    def asked(self, point: Point) -> dict[str, Value]:
        """The axes that a point says something of; raises Unanswered for one not understood."""
        asked: dict[str, Value] = {
            name: value for name, value in point.axes if value not in (None, False)
        }
        if strange := sorted(set(asked) - {"flow", *self.understands}):
            said = ", ".join(f"{name}={asked[name]}" for name in strange)
            raise Unanswered(f"the model of this path knows no {said}")
        asked.pop("flow", None)
        return asked

    def said(self, point: Point) -> dict[str, Any]:
        """What a point says of each axis, or means by leaving it open.

        InputError for a value that an axis cannot have; else as asked().
        """
        self.asked(point)
        own = {name: value for name, value in point.axes if value is not None}
        said = {name: own.get(name, axis.usual) for name, axis in self.understands.items()}
        for name, value in said.items():
            if value is not None and (allowed := self.understands[name].fault(value)):
                shown = f"'{value}'" if isinstance(value, str) else value
                raise InputError(f"{name} {shown}", mend=f"allowed: {allowed}")
        return said

    @staticmethod
    @abstractmethod
    def drives(kind: str, point: Point) -> bool:
        """Whether a point whose master is of this kind is this program's to answer."""

    @abstractmethod
    def check(self, point: Point) -> None:
        """Raises Unanswered for what the platform lacks, InputError for what nobody can ask.

        It says the same for every size of a path.
        """

    def check_size(self, point: Point) -> None:  # noqa: B027
        """Raises Unanswered for a size that does not go over the point's path."""

    @abstractmethod
    def ceiling(self, point: Point) -> float:
        """Seconds that the widths and clocks of the point's path allow at best."""

    @abstractmethod
    def path(self, point: Point) -> list[str]:
        """Components that the bytes go through, from the processor's memory to the fabric."""

    def flows(self, point: Point) -> tuple[Flow, ...]:
        """What an answer to a point may be, the usual one first."""
        return ("single",)

    def notes(self, point: Point) -> tuple[str, ...]:
        """What a reader should know of an answer that its phases do not show, a sentence each."""
        return ()


class Program(Domain):
    """Answers points by the engine; a new way to drive a master is a new module."""

    @abstractmethod
    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        """The engine's answer to a point that has been checked.

        without: a component, or a phase that overlaps others, which takes no time.
        """

    def memory_seconds(self, point: Point) -> float:
        """Seconds that the memory's data bus takes at best for what has to cross it in time.

        What caches on the path hold need not; nor the end of a single transfer into the memory that
        its controller has taken and not written yet.
        """
        held, rate = self._memory(point)
        return max(0, point.size_bytes - held) / rate

    @of_path
    def _memory(self, point: Point) -> tuple[int, float]:
        """Bytes that need not cross the memory's data bus in time, and its bytes per second."""
        components = self._platform.components
        way = self.path(point)
        kinds = {components[name].kind for name in way}
        on = self._platform.cache_levels.get(point.cache_level or 0, frozenset())
        cached = bool(on) and not kinds.isdisjoint(("cache", "coherency_port"))
        held = self._hardware.cached_bytes() if cached else 0
        memory = self._hardware.memory()
        if memory in way:
            held += self.taken(memory, way, point)
        return held, self.bus_rate(memory, point)

    def taken(self, memory: str, way: list[str], point: Point) -> int:
        """Bytes at the end of a single transfer that a memory's controller may have still to write.

        way: begins at the processor's memory; a board's own may be its end.
        """
        ours = 2 * way.index(memory) < len(way)
        into = ours == (point.direction == "fpga_to_cpu")
        if not into or flow_of(point, self.flows(point)) != "single":
            return 0
        part = self._platform.components[memory]
        bursts = part.base_value(MEMORIES[part.kind]) * part.base_value("burst")
        return int(bursts * part.base_value("width"))

    def bus_rate(self, name: str, point: Point) -> float:
        """Bytes per second on a component's data bus at best; a memory's moves at both edges."""
        component = self._platform.components[name]
        edges = 2 if component.kind in MEMORIES else 1
        clock = self._hardware.clock_mhz(component.clock, point) * 1e6
        return component.base_value("width") * edges * clock

    def overlaps(self, point: Point) -> bool:
        """Whether the processor works while the bytes move: phases then are its time, and what is
        left over is what it waits."""
        return False

    def posted(self, point: Point) -> bool:
        """Whether the answer ends with stores still on their way: it may beat the ceiling then."""
        return False

    def in_flight(self, point: Point) -> float:
        """How many transfers of a steady flow are under way at once, the one in hand included."""
        return 1.0

    def reach(self, point: Point) -> Reach:
        """From which size on a longer transfer only repeats what a shorter one does."""
        return Reach(REPEATS, REPEATS // 2)


def flow_of(point: Point, flows: tuple[Flow, ...]) -> Flow:
    """What a point's answer is; InputError for what its program cannot give."""
    said = dict(point.axes).get("flow")
    for flow in flows:
        if said in (None, flow):
            return flow
    raise InputError(f"flow '{said}'", mend="allowed on this path: " + ", ".join(flows))


def demand(point: Point, known: dict[str, tuple[object, ...]]) -> None:
    """Raises Unanswered where a column of the point has none of the values known."""
    columns = point.key()
    for key, allowed in known.items():
        if columns.get(key) not in allowed:
            known_words = ", ".join("none" if value is None else str(value) for value in allowed)
            raise Unanswered(f"{key} '{columns.get(key)}' is none of: {known_words}")
