# SPDX-License-Identifier: Apache-2.0
"""What each kind of component asks for, as the engine declares it, and what its software costs.

A component's fields stand beside its class in the engine. This module refuses a field too many or
too few, and a number that no hardware has, because it knows the file and the line: the engine
divides by these numbers, loops on them and allocates by them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from weighbridge import _engine
from weighbridge.quantities import format_size

Dimension = Literal["time", "cycles", "bytes", "count", "frequency"]

#: Factor from a unit as written in a platform file to the unit the engine counts in.
UNITS: Final[dict[Dimension, dict[str, float]]] = {
    "time": {"ns": 1.0, "us": 1e3, "ms": 1e6, "ps": 1e-3},
    "cycles": {"cycles": 1.0},
    "bytes": {"B": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3, "bit": 0.125},
    "count": {"": 1.0},
    "frequency": {"MHz": 1.0, "kHz": 1e-3, "GHz": 1e3},
}


@dataclass(frozen=True, slots=True)
class Field:
    """What a number may be, in the engine's unit: nanoseconds, cycles, bytes, counts, MHz.

    whole: no fraction; power: a power of two; among: one of these. standard: what it is where a
    file says nothing. meaning: what it is a number of.
    """

    dimension: Dimension
    least: float = 0
    most: float = 0
    whole: bool = False
    power: bool = False
    among: tuple[float, ...] = ()
    standard: float | None = None
    meaning: str = ""

    def fault(self, value: float) -> str:
        """What is wrong with a value, as 'it must ...'; empty if nothing is."""
        unit = {
            "time": " ns",
            "bytes": " B",
            "frequency": " MHz",
            "cycles": " cycles",
            "count": "",
        }[self.dimension]
        if self.among:
            allowed = ", ".join(f"{one:g}" for one in self.among)
            return "" if value in self.among else f"it must be one of {allowed}{unit}"
        if not self.least <= value <= self.most:
            ends = f"{self.least:g} to {self.most:g}{unit}"
            if self.dimension == "bytes":
                ends = f"{format_size(int(self.least))} to {format_size(int(self.most))}"
            return f"it must be {ends}"
        if (self.whole or self.power) and value != int(value):
            return f"it must be a whole number{' of bytes' if self.dimension == 'bytes' else ''}"
        if self.power and int(value) & (int(value) - 1):
            return "it must be a power of two"
        return ""

    def neighbours(self, value: float) -> list[float]:
        """The values next to one, below and above, of a field that goes in steps; else none."""
        if self.among:
            steps = sorted(self.among)
            place = steps.index(value)
            return [*steps[max(place - 1, 0) : place], *steps[place + 1 : place + 2]]
        if self.power:
            return [one for one in (value / 2, value * 2) if not self.fault(one)]
        return []


KIB, MIB, GIB = 2.0**10, 2.0**20, 2.0**30


def _cost(most: float = 1e9, least: float = 0, standard: float | None = None) -> Field:
    """Of software: up to a second."""
    return Field("time", least, most, standard=standard)


def _cycles(least: float = 0) -> Field:
    return Field("cycles", least, 10_000)


def _bytes(least: float = 1, most: float = GIB, power: bool = False) -> Field:
    return Field("bytes", least, most, whole=True, power=power)


def _count(least: float = 0, most: float = 65536, power: bool = False) -> Field:
    return Field("count", least, most, whole=True, power=power)


def _ratio(most: float, least: float = 0) -> Field:
    return Field("count", least, most)


#: Of a clock.
CLOCK: Final = Field("frequency", 0.1, 20_000)
#: Of the memory in the fabric, and of the processor's.
FABRIC_MEMORY: Final = _bytes(1, GIB)
MEMORY: Final = _bytes(KIB, 16 * GIB)
#: Beats that a port takes at a time.
RUN_BEATS: Final = _count(1, 4096)
WIDTH: Final = _bytes(1, 1024, power=True)


def _says(field: Field, meaning: str) -> Field:
    return replace(field, meaning=meaning)


_PL330_COSTS: Final[dict[str, Field]] = {
    "start_work": _says(_cost(), "of the processor until the program's start has been written"),
    "start_device": _says(_cost(), "more, on the way to the controller's registers"),
    "poll_work": _says(_cost(), "between two looks at the controller's status"),
    "poll_device": _says(_cost(), "more of a look, on the way to the status register"),
    "poll_lead": _says(_cost(), "more before the first look"),
    "dummy_work": _says(
        _cost(), "more between two looks, where the processor makes dummy traffic meanwhile"
    ),
    "dummy_lead": _says(
        _cost(), "more before the start and before each later look, beside dummy traffic"
    ),
    "dummy_interval": _says(_cost(least=1), "between two accesses of the dummy traffic"),
    "fetch": _says(_cost(), "of a line of the controller's program"),
    "fetch_uncached": _says(_cost(standard=0), "the same with the caches off"),
    "system_call": _says(_cost(standard=0), "into the kernel and back"),
    "footprint": _says(
        replace(_bytes(0, 16 * MIB), standard=0),
        "of its own that a system call touches in the caches",
    ),
    "prepare": _says(_cost(standard=0), "of a program's building, in whole"),
    "prepare_instruction": _says(_cost(standard=0), "more for each instruction"),
    "prepare_burst": _says(_cost(standard=0), "more where there are whole bursts to count"),
    "uncached_slowdown": _says(
        replace(_ratio(1000, 1), standard=1),
        "by which the processor's work grows with the caches off",
    ),
    "burst": _says(_bytes(1, 128, power=True), "that the program moves in a burst"),
    "beat": _says(Field("bytes", among=(1, 2, 4, 8)), "of a beat of it"),
    "early_end": _says(
        Field("count", among=(0, 1)), "1: the program signals its end with stores still under way"
    ),
    "bufferable": _says(
        Field("count", among=(0, 1)), "1: its stores are answered before memory has them"
    ),
}
_FABRIC_COSTS: Final[dict[str, Field]] = {
    "fabric_base": _says(_cost(), "of a transfer of one beat, beside the beat"),
    "fabric_base_hidden": _says(_cycles(), "of the controller's clock that lie within that time"),
    "fabric_base_least": _says(_cost(standard=0), "that remains of it at any clock"),
    "fabric_start": _says(_cost(), "of each controller's start but the last"),
    "fabric_poll": _says(_cost(), "between two looks at the controllers' status"),
    "fabric_poll_lead": _says(_cost(), "from the start to the first look"),
    "fabric_phase": _says(_cost(), "by which the looks shift from run to run, on the mean"),
    "fabric_next": _says(_cost(), "of a look at each further controller"),
    "fabric_call": _says(_cost(standard=0), "into the kernel and back"),
    "fabric_drain": _says(
        _cost(standard=0), "more of a transfer to memory until its last write is done"
    ),
}

#: A call of the driver, its own work, an interrupt until the program goes on.
_CALL_COSTS: Final[dict[str, Field]] = {
    "stream_call": _says(_cost(), "into the kernel and back"),
    "stream_work": _says(_cost(), "of the driver in that call"),
    "stream_interrupt": _says(_cost(), "from an interrupt until the program goes on"),
}
_STREAM_COSTS: Final[dict[str, Field]] = _CALL_COSTS | {
    "stream_maintain": _says(_cost(), "of the maintenance of a range, whatever its length"),
    "stream_clean": _says(_cost(), "of a line written back"),
    "stream_invalidate": _says(_cost(), "of a line dropped"),
    "block_limit": _says(_bytes(4 * KIB), "of the longest block; a longer transfer takes several"),
    "ring": _says(_bytes(4 * KIB), "of the ring between the driver and the node"),
    "ring_block": _says(_bytes(4), "of a block of that ring"),
}

#: Numbers of one component, or of one operating system's costs, by field in the engine's units.
Numbers = Mapping[str, float]


def _sets(numbers: Numbers) -> str:
    sets = numbers["bytes"] / numbers["line"] / numbers["ways"]
    if sets < 1 or sets != int(sets) or int(sets) & (int(sets) - 1):
        return f"its sets, bytes / line / ways = {sets:g}, must be a power of two"
    return ""


def _refreshed(numbers: Numbers) -> str:
    if numbers["refresh"] > numbers["refresh_interval"] / 2:
        return "a refresh must take less than half of the interval between two"
    return ""


def _bursts(numbers: Numbers) -> str:
    if numbers["row_bytes"] < numbers["width"] * numbers["burst"]:
        return "a row must hold a burst"
    return ""


def _buffered(numbers: Numbers) -> str:
    return "" if numbers["mfifo_bytes"] >= 128 else "the MFIFO must hold a burst of 128 B"


def _program(numbers: Numbers) -> str:
    return "" if numbers["burst"] >= numbers["beat"] else "a burst must be of one beat at least"


def _ringed(numbers: Numbers) -> str:
    return (
        "" if numbers["ring"] >= numbers["ring_block"] else "the ring must hold one of its blocks"
    )


#: Says what is wrong with several numbers together, or nothing.
Check = Callable[[Numbers], str]


@dataclass(frozen=True, slots=True)
class Moves:
    """How a master's transfers are cut, and what its links are; the engine says what each means."""

    chunked: bool
    ported: bool
    through: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of component.

    master: it starts accesses and takes none, and a program of the twin drives it. neighbours: how
    many `to` names, in the order in which the engine reads them; None: any number. numbers, choices
    (with the words allowed) and flags: its fields; meanings: of all of them. together: what several
    of its numbers must be. costs: those of the software that drives it; costs_together: what
    several of these must be. moves: how a master's transfers are cut, and what its links are.
    """

    master: bool
    moves: Moves
    neighbours: int | None
    numbers: dict[str, Field]
    choices: dict[str, tuple[str, ...]]
    flags: tuple[str, ...]
    meanings: dict[str, str]
    together: tuple[Check, ...]
    costs: dict[str, Field]
    costs_together: tuple[Check, ...]

    @property
    def fields(self) -> list[str]:
        return [*self.numbers, *self.choices, *self.flags]


#: Kinds of the memory behind its controller, whose data move at both edges of its clock; and the
#: field that says how many bursts to be written the controller may hold.
MEMORIES: Final = {"sdram": "queue", "ddr_controller": "write_entries"}
#: What the numbers of a kind must be together.
_TOGETHER: Final[dict[str, tuple[Check, ...]]] = {
    "cache": (_sets,),
    "sdram": (_refreshed, _bursts),
    "pl330": (_buffered,),
}
#: Costs of the software that drives a master, by its kind, and what these must be together.
_COSTS: Final[dict[str, tuple[dict[str, Field], tuple[Check, ...]]]] = {
    "pl330": (_PL330_COSTS, (_program,)),
    "fabric_dma": (_FABRIC_COSTS, ()),
    "descriptor_dma": (_STREAM_COSTS, (_ringed,)),
    "word_fifo": (_CALL_COSTS, ()),
}
_NUMBERS: Final[dict[_engine.Dimension, Dimension]] = {
    _engine.Dimension.time: "time",
    _engine.Dimension.cycles: "cycles",
    _engine.Dimension.bytes: "bytes",
    _engine.Dimension.count: "count",
}


def _declared(kind: _engine.Kind) -> Kind:
    costs, costs_together = _COSTS.get(kind.name, ({}, ()))
    return Kind(
        master=kind.master,
        moves=Moves(kind.moves.chunked, kind.moves.ported, kind.moves.through),
        neighbours=kind.neighbours,
        numbers={
            field.name: Field(
                _NUMBERS[field.dimension],
                field.range.least,
                field.range.most,
                field.whole,
                field.range.power,
                tuple(field.range.among),
                field.range.standard,
                field.meaning,
            )
            for field in kind.fields
            if field.dimension in _NUMBERS
        },
        choices={
            field.name: tuple(field.words)
            for field in kind.fields
            if field.dimension == _engine.Dimension.choice
        },
        flags=tuple(
            field.name for field in kind.fields if field.dimension == _engine.Dimension.flag
        ),
        meanings={field.name: field.meaning for field in kind.fields},
        together=_TOGETHER.get(kind.name, ()),
        costs=costs,
        costs_together=costs_together,
    )


KINDS: Final[dict[str, Kind]] = {kind.name: _declared(kind) for kind in _engine.kinds()}

#: The costs of the software that drives any of them.
SOFTWARE: Final[dict[str, Field]] = {
    name: field for kind in KINDS.values() for name, field in kind.costs.items()
}
