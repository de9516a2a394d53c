# SPDX-License-Identifier: Apache-2.0
"""What each kind of component asks for: its fields with dimension and range, and its choices.

The engine reads the same names (engine/system.cpp); a field more or less, and a number that no
hardware has, is refused here, where the file and the line are known. The engine divides by these
numbers, loops on them and allocates by them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

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

    whole: no fraction; power: a power of two; among: one of these.
    """

    dimension: Dimension
    least: float = 0
    most: float = 0
    whole: bool = False
    power: bool = False
    among: tuple[float, ...] = ()

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


def _time(most: float = 1e6, least: float = 0) -> Field:
    """Of hardware: up to a millisecond."""
    return Field("time", least, most)


def _cost(most: float = 1e9, least: float = 0) -> Field:
    """Of software: up to a second."""
    return Field("time", least, most)


def _cycles(least: float = 0) -> Field:
    return Field("cycles", least, 10_000)


#: A stream is asked for when it has gone through its caches: through more of them it takes minutes.
LARGEST_CACHE: Final = 16 * MIB


def _bytes(least: float = 1, most: float = GIB, power: bool = False) -> Field:
    return Field("bytes", least, most, whole=True, power=power)


def _count(least: float = 0, most: float = 65536, power: bool = False) -> Field:
    return Field("count", least, most, whole=True, power=power)


def _ratio(most: float, least: float = 0) -> Field:
    return Field("count", least, most)


_WIDTH: Final = _bytes(1, 1024, power=True)
_LINE: Final = _bytes(16, 4096, power=True)
#: The engine keeps as many of the latest events of a copy.
_LATEST: Final = 63
#: Of a clock.
CLOCK: Final = Field("frequency", 0.1, 20_000)
#: Of the memory in the fabric, and of the processor's.
FABRIC_MEMORY: Final = _bytes(1, GIB)
MEMORY: Final = _bytes(KIB, 16 * GIB)
#: Beats that a port takes at a time.
RUN_BEATS: Final = _count(1, 4096)
WIDTH: Final = _WIDTH

_BRIDGE: Final[dict[str, Field]] = {
    "width": _WIDTH,
    "upstream_width": _WIDTH,
    "burst_beats": _count(0, 4096),
    "latency": _time(),
    "beat_cycles": _cycles(1e-3),
    "read_cycles": _cycles(),
    "write_cycles": _cycles(),
    "read_turnaround_cycles": _cycles(),
    "write_turnaround_cycles": _cycles(),
    "bufferable_turnaround_cycles": _cycles(),
    "posted_cycles": _cycles(),
    "posted_narrow_cycles": _cycles(),
    "wake_cycles": _cycles(),
}

FIELDS: Final[dict[str, dict[str, Field]]] = {
    "processor": {
        "call": _time(),
        "call_accesses": _count(0, 1000),
        "call_accesses_ordered": _count(0, 1000),
        "call_fetches": _count(0, 1000),
        "long_bytes": _bytes(0),
        "long_accesses": _count(0, 1000),
        "ordered_write": _time(),
        "ordered_call": _time(),
        "short_access": _time(),
        "short_bytes": _bytes(0),
        "subword": _time(),
        "short_unit": _bytes(1, 64),
        "odd_unit": _bytes(1, 64),
        "ordered_read": _bytes(1, 64),
        "ordered_reads": _count(1, 64),
        "ordered_read_line": _time(),
        "preload_lines": _count(0, _LATEST),
        "loop_call": _time(),
        "loop_access": _time(),
        "line_issue": _time(),
        "line_read": _time(),
        "second_half_short": _ratio(10),
        "second_half_block": _ratio(10),
        "block_bytes": _bytes(0),
        "block_setup": _time(),
        "posted_response": _time(),
        "posted_behind_load": _time(),
        "posted_lines_inner": _count(1, _LATEST),
        "posted_lines_outer": _count(1, _LATEST),
        "store_entries": _count(1, _LATEST),
        "copy_line": _time(),
        "loads_in_flight": _count(1, _LATEST),
        "stores_in_flight": _count(1, _LATEST),
        "copy_uncached_store": _time(),
        "copy_uncached_load": _time(),
        "copy_uncached_wait": _time(),
        "access": _time(),
    },
    "cache": {
        "bytes": _bytes(most=LARGEST_CACHE),
        "ways": _count(1, 64),
        "line": _LINE,
        "prefetch_lines": _count(0, _LATEST),
        "latency": _time(),
        "write_latency": _time(),
    },
    "coherency_port": {
        "window": _bytes(0, 4 * GIB),
        "latency": _time(),
        "read_inner": _time(),
        "read_outer": _time(),
        "write_inner": _time(),
        "write_outer": _time(),
        "read_single": _time(),
        "write_single": _time(),
        "single_overlap": _time(),
        "read_overlap": _time(),
        "read_eviction": _time(),
        "write_memory": _time(),
        "writes_buffered": _count(1, 1024),
    },
    "switch": {"latency": _time()},
    "bridge": _BRIDGE,
    "sdram": {
        "width": _WIDTH,
        "burst": _count(1, 64, power=True),
        "banks": _count(1, 1024, power=True),
        "row_bytes": _bytes(16, MIB, power=True),
        "cas_cycles": _cycles(),
        "precharge": _time(),
        "activate": _time(),
        "write_recovery": _time(),
        "read_recovery": _time(),
        "refresh": _time(1e6),
        "refresh_interval": _time(1e7, 100),
        "read_latency": _time(),
        "write_latency": _time(),
        "queue": _count(0, 4096),
        "port_beat": _time(least=1e-3),
        "port_width": _WIDTH,
        "port_lead": _count(0, 4096),
        "port_turn": _time(),
    },
    "buffered_port": {
        "width": _WIDTH,
        "fifo": _bytes(1, 16 * MIB),
        "piece": _bytes(1, MIB),
        "latency": _time(),
    },
    "descriptor_dma": {
        "width": _WIDTH,
        "burst_beats": _count(1, 4096),
        "outstanding_reads": _count(1, 4096),
        "outstanding_writes": _count(1, 4096),
        "commands": _count(1, 4096),
        "command_cycles": _cycles(),
        "gather_beats": _count(0, 4096),
    },
    "word_fifo": {
        "depth": _count(1),
        "batch": _count(1),
        "read_threshold": _count(0),
        "write_threshold": _count(0),
        "word_cycles": _cycles(),
    },
    "ram": {},
    "apb": {"request_slices": _count(0, 100), "response_slices": _count(0, 100)},
    "parallel_bus": {
        "width": _WIDTH,
        "address_cycles": _cycles(),
        "latency_cycles": _cycles(),
        "wait_cycles": _cycles(),
        "read_cycles": _cycles(),
        "gap_cycles": _cycles(),
    },
    "microcontroller": {
        "frame": _cycles(),
        "fill_word": _cycles(),
        "fill_word_unrolled": _cycles(),
        "checksum_halfword": _cycles(),
        "carry_halfword": _cycles(),
        "copy_word": _cycles(),
    },
    "pcie_link": {
        "generation": Field("count", among=(1, 2, 3, 4, 5)),
        "lanes": Field("count", among=(1, 2, 4, 8, 12, 16, 32)),
        "max_payload": Field("bytes", among=(128, 256, 512, 1024, 2048, 4096)),
        "max_read_request": Field("bytes", among=(128, 256, 512, 1024, 2048, 4096)),
        "read_completion_boundary": Field("bytes", among=(64, 128)),
        "address": Field("bytes", among=(4, 8)),
        "tags": _count(0, 65536),
        "posted_credits": _count(0, 65536),
        "latency": _time(),
        "completer": _time(),
    },
    "pcie_dma": {
        "write_request": _time(),
        "write_unit": _time(),
        "read_request": _time(),
        "read_unit": _time(),
        "shared_unit": _time(),
        "shared_bytes": _bytes(0),
        "overhead": _time(),
        "staging_byte": _time(),
    },
    "core": {
        "load": _time(),
        "issue": _time(),
        "line": _LINE,
        "outstanding": _count(1, _LATEST),
        "prefetch_lines": _count(0, _LATEST),
        "hog_line": _time(),
    },
    "central_dma": {"fifo_words": _count(1), "burst_words": _count(1), "start": _time()},
    "mdma": {"start": _time(), "node": _time(), "word": _time()},
    "fabric_dma": {"writes_in_flight": _count(1, 4096), "write_response": _time()},
    "pl330": {
        "start": _time(),
        "instruction": _time(),
        "mfifo_bytes": _bytes(16, MIB),
        "loads_ahead": _count(1, 4096),
        "beat": _time(),
    },
}

#: Fields that are words, with the words allowed.
CHOICES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "cache": {"level": ("inner", "outer"), "replacement": ("random", "round_robin")},
}

#: Fields that are true or false.
FLAGS: Final[dict[str, tuple[str, ...]]] = {
    "bridge": ("synchronise",),
    "coherency_port": ("lockable",),
    "descriptor_dma": ("allocate",),
    "pcie_link": ("ecrc", "splits_at_boundary"),
}

#: Kinds of masters that move what fits into the fabric's memory at a time.
CHUNKED: Final = ("processor", "pl330")

#: Kind of a master -> kind of the component at each link that it moves bytes through.
LINKED: Final[dict[str, str]] = {"pcie_dma": "pcie_link"}

#: How many neighbours `to` names, in the order the engine reads them.
NEIGHBOURS: Final[dict[str, int]] = {
    "processor": 2,
    "cache": 1,
    "coherency_port": 2,
    "switch": 0,
    "bridge": 1,
    "sdram": 0,
    "ram": 0,
    "apb": 1,
    "parallel_bus": 1,
    "microcontroller": 1,
    "mdma": 1,
    "core": 2,
    "central_dma": 1,
    "pcie_link": 1,
    "pcie_dma": 1,
    "pl330": 1,
    "fabric_dma": 2,
    "buffered_port": 1,
    "word_fifo": 1,
}

#: Kinds that start accesses and take none; each is driven by a program of the twin.
MASTERS: Final[frozenset[str]] = frozenset(
    (
        "processor",
        "pl330",
        "fabric_dma",
        "microcontroller",
        "mdma",
        "core",
        "central_dma",
        "pcie_dma",
        "descriptor_dma",
        "word_fifo",
    )
)

_PL330_COSTS: Final[dict[str, Field]] = {
    "start_work": _cost(),
    "start_device": _cost(),
    "poll_work": _cost(),
    "poll_device": _cost(),
    "poll_lead": _cost(),
    "dummy_work": _cost(),
    "dummy_lead": _cost(),
    "dummy_interval": _cost(least=1),
    "fetch": _cost(),
    "fetch_uncached": _cost(),
    "system_call": _cost(),
    "footprint": _bytes(0, 16 * MIB),
    "prepare": _cost(),
    "prepare_instruction": _cost(),
    "prepare_burst": _cost(),
    "uncached_slowdown": _ratio(1000, 1),
    "burst": _bytes(1, 128, power=True),
    "beat": Field("bytes", among=(1, 2, 4, 8)),
    "early_end": Field("count", among=(0, 1)),
    "bufferable": Field("count", among=(0, 1)),
}
_FABRIC_COSTS: Final[dict[str, Field]] = {
    "fabric_base": _cost(),
    "fabric_base_hidden": _cycles(),
    "fabric_base_least": _cost(),
    "fabric_start": _cost(),
    "fabric_poll": _cost(),
    "fabric_poll_lead": _cost(),
    "fabric_phase": _cost(),
    "fabric_next": _cost(),
    "fabric_call": _cost(),
    "fabric_drain": _cost(),
}

#: A call of the driver, its own work, an interrupt until the program goes on.
_CALL_COSTS: Final[dict[str, Field]] = {
    "stream_call": _cost(),
    "stream_work": _cost(),
    "stream_interrupt": _cost(),
}
_STREAM_COSTS: Final[dict[str, Field]] = _CALL_COSTS | {
    "stream_maintain": _cost(),
    "stream_clean": _cost(),
    "stream_invalidate": _cost(),
    "block_limit": _bytes(4 * KIB),
    "ring": _bytes(4 * KIB),
    "ring_block": _bytes(4),
}

#: Costs of the software that drives a master, by its kind.
COSTS: Final[dict[str, dict[str, Field]]] = {
    "pl330": _PL330_COSTS,
    "fabric_dma": _FABRIC_COSTS,
    "descriptor_dma": _STREAM_COSTS,
    "word_fifo": _CALL_COSTS,
}
#: All of them.
SOFTWARE: Final[dict[str, Field]] = {
    name: field for costs in COSTS.values() for name, field in costs.items()
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


def _program(numbers: Numbers) -> str:
    return "" if numbers["burst"] >= numbers["beat"] else "a burst must be of one beat at least"


def _ringed(numbers: Numbers) -> str:
    return (
        "" if numbers["ring"] >= numbers["ring_block"] else "the ring must hold one of its blocks"
    )


#: What several numbers of a kind must be together; each tells what is wrong, or nothing.
TOGETHER: Final[dict[str, tuple[Callable[[Numbers], str], ...]]] = {
    "cache": (_sets,),
    "sdram": (_refreshed, _bursts),
    "pl330": (
        lambda numbers: (
            "" if numbers["mfifo_bytes"] >= 128 else "the MFIFO must hold a burst of 128 B"
        ),
    ),
}
#: The same of the costs of the software that drives a master of a kind.
COSTS_TOGETHER: Final[dict[str, tuple[Callable[[Numbers], str], ...]]] = {
    "pl330": (_program,),
    "descriptor_dma": (_ringed,),
}
