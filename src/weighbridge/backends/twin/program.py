# SPDX-License-Identifier: Apache-2.0
"""What the twin asks of a program: how a master is driven, turned into a job for the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Final, Literal

from weighbridge import _engine
from weighbridge.backends import Unanswered
from weighbridge.backends.twin.extrapolation import Reach
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point, Value
from weighbridge.errors import InputError

#: Bytes after which a transfer that no cache remembers repeats itself: many refreshes of a memory.
REPEATS: Final = 1 << 20
#: Times its size that must have gone through a cache before nothing in it is left of before.
FORGETS: Final = 6

#: What an answer is: one transfer by itself, from its first step to its last byte usable, or the
#: period of a steady flow of such transfers.
Flow = Literal["single", "steady"]

#: What a program does with its data beside moving it.
CONSUME: Final = {
    "none": _engine.Consume.none,
    "cpu_stream": _engine.Consume.stream,
    "cpu_random": _engine.Consume.random,
}


class Program(ABC):
    """Answers the points of the masters it drives; a new way to drive one is a new module."""

    def __init__(self, hardware: Hardware) -> None:
        self._hardware = hardware
        self._platform = hardware.platform

    @staticmethod
    @abstractmethod
    def drives(kind: str, point: Point) -> bool:
        """Whether a point whose master is of this kind is this program's to answer."""

    @abstractmethod
    def check(self, point: Point) -> None:
        """Raises Unanswered for what the platform lacks, InputError for what nobody can ask."""

    @abstractmethod
    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        """The engine's answer to a point that has been checked.

        without: a component, or a phase that overlaps others, which takes no time.
        """

    @abstractmethod
    def ceiling(self, point: Point) -> float:
        """Seconds that the widths and clocks of the point's path allow at best."""

    def memory_seconds(self, point: Point, path: Iterable[str]) -> float:
        """Seconds that the memory's data bus takes at best for what no cache on the path holds."""
        components = self._platform.components
        kinds = {components[name].kind for name in path}
        on = self._platform.cache_levels.get(point.cache_level or 0, frozenset())
        cached = bool(on) and not kinds.isdisjoint(("cache", "coherency_port"))
        held = self._hardware.cached_bytes() if cached else 0
        memory = components[self._hardware.of_kind("sdram")]
        edges = 2 * self._hardware.clock_mhz(memory.clock, point) * 1e6
        return max(0, point.size_bytes - held) / (memory.base_value("width") * edges)

    def flows(self, point: Point) -> tuple[Flow, ...]:
        """What an answer to a point may be, the usual one first."""
        return ("single",)

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

    @abstractmethod
    def path(self, point: Point) -> list[str]:
        """Components that the bytes go through, from the processor's memory to the fabric."""


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


def consumed(point: Point) -> _engine.Consume:
    """What the program does with its data; InputError for a word that is none of CONSUME."""
    word = str(dict(point.axes).get("consume") or "none")
    if word not in CONSUME:
        raise InputError(f"consume '{word}'", mend="allowed: " + ", ".join(CONSUME))
    return CONSUME[word]


def axes(point: Point, *known: str) -> dict[str, Value]:
    """The point's own axes; raises Unanswered for one that says something and is not known."""
    said: dict[str, Value] = {
        name: value for name, value in point.axes if value not in (None, False)
    }
    if strange := sorted(set(said) - {"flow", *known}):
        raise Unanswered(f"axes {', '.join(f'{name}={said[name]}' for name in strange)}")
    said.pop("flow", None)
    return said
