# SPDX-License-Identifier: Apache-2.0
"""What each kind of component asks for: its fields with their dimension, and its choices.

The engine reads the same names (engine/system.cpp); a field more or less is refused here, where the
file and the line are known.
"""

from __future__ import annotations

from typing import Final, Literal

Dimension = Literal["time", "cycles", "bytes", "count", "frequency"]

#: Factor from a unit as written in a platform file to the unit the engine counts in.
UNITS: Final[dict[Dimension, dict[str, float]]] = {
    "time": {"ns": 1.0, "us": 1e3, "ms": 1e6, "ps": 1e-3},
    "cycles": {"cycles": 1.0},
    "bytes": {"B": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "bit": 0.125},
    "count": {"": 1.0},
    "frequency": {"MHz": 1.0, "kHz": 1e-3, "GHz": 1e3},
}

_BRIDGE: Final[dict[str, Dimension]] = {
    "width": "bytes",
    "upstream_width": "bytes",
    "burst_beats": "count",
    "latency": "time",
    "beat_cycles": "cycles",
    "read_cycles": "cycles",
    "write_cycles": "cycles",
    "read_turnaround_cycles": "cycles",
    "write_turnaround_cycles": "cycles",
    "bufferable_turnaround_cycles": "cycles",
    "posted_cycles": "cycles",
    "posted_narrow_cycles": "cycles",
    "wake_cycles": "cycles",
}

FIELDS: Final[dict[str, dict[str, Dimension]]] = {
    "processor": {
        "call": "time",
        "call_accesses": "count",
        "call_accesses_ordered": "count",
        "call_fetches": "count",
        "long_bytes": "bytes",
        "long_accesses": "count",
        "ordered_write": "time",
        "ordered_call": "time",
        "short_access": "time",
        "short_bytes": "bytes",
        "subword": "time",
        "short_unit": "bytes",
        "odd_unit": "bytes",
        "ordered_read": "bytes",
        "ordered_reads": "count",
        "ordered_read_line": "time",
        "preload_lines": "count",
        "loop_call": "time",
        "loop_access": "time",
        "line_issue": "time",
        "line_read": "time",
        "second_half_short": "count",
        "second_half_block": "count",
        "block_bytes": "bytes",
        "block_setup": "time",
        "posted_response": "time",
        "posted_behind_load": "time",
        "posted_lines_inner": "count",
        "posted_lines_outer": "count",
        "store_entries": "count",
        "copy_line": "time",
        "loads_in_flight": "count",
        "stores_in_flight": "count",
        "copy_uncached_store": "time",
        "copy_uncached_load": "time",
        "copy_uncached_wait": "time",
        "access": "time",
    },
    "cache": {
        "bytes": "bytes",
        "ways": "count",
        "line": "bytes",
        "prefetch_lines": "count",
        "latency": "time",
        "write_latency": "time",
    },
    "coherency_port": {
        "window": "bytes",
        "latency": "time",
        "read_inner": "time",
        "read_outer": "time",
        "write_inner": "time",
        "write_outer": "time",
        "read_single": "time",
        "write_single": "time",
        "single_overlap": "time",
        "read_overlap": "time",
        "read_eviction": "time",
        "write_memory": "time",
        "writes_buffered": "count",
    },
    "switch": {"latency": "time"},
    "bridge": _BRIDGE,
    "sdram": {
        "width": "bytes",
        "burst": "count",
        "banks": "count",
        "row_bytes": "bytes",
        "cas_cycles": "cycles",
        "precharge": "time",
        "activate": "time",
        "write_recovery": "time",
        "read_recovery": "time",
        "refresh": "time",
        "refresh_interval": "time",
        "read_latency": "time",
        "write_latency": "time",
        "queue": "count",
        "port_beat": "time",
        "port_width": "bytes",
        "port_lead": "count",
        "port_turn": "time",
    },
    "buffered_port": {"width": "bytes", "fifo": "bytes", "piece": "bytes", "latency": "time"},
    "descriptor_dma": {
        "width": "bytes",
        "burst_beats": "count",
        "outstanding_reads": "count",
        "outstanding_writes": "count",
        "commands": "count",
        "command_cycles": "cycles",
        "gather_beats": "count",
    },
    "word_fifo": {
        "depth": "count",
        "batch": "count",
        "read_threshold": "count",
        "write_threshold": "count",
        "word_cycles": "cycles",
    },
    "ram": {},
    "apb": {"request_slices": "count", "response_slices": "count"},
    "parallel_bus": {
        "width": "bytes",
        "address_cycles": "cycles",
        "latency_cycles": "cycles",
        "wait_cycles": "cycles",
        "read_cycles": "cycles",
        "gap_cycles": "cycles",
    },
    "microcontroller": {
        "frame": "cycles",
        "fill_word": "cycles",
        "fill_word_unrolled": "cycles",
        "checksum_halfword": "cycles",
        "carry_halfword": "cycles",
        "copy_word": "cycles",
    },
    "pcie_link": {
        "generation": "count",
        "lanes": "count",
        "max_payload": "bytes",
        "max_read_request": "bytes",
        "read_completion_boundary": "bytes",
        "address": "bytes",
        "tags": "count",
        "posted_credits": "count",
        "latency": "time",
        "completer": "time",
    },
    "pcie_dma": {
        "write_request": "time",
        "write_unit": "time",
        "read_request": "time",
        "read_unit": "time",
        "shared_unit": "time",
        "shared_bytes": "bytes",
        "overhead": "time",
        "staging_byte": "time",
    },
    "core": {
        "load": "time",
        "issue": "time",
        "line": "bytes",
        "outstanding": "count",
        "prefetch_lines": "count",
        "hog_line": "time",
    },
    "central_dma": {"fifo_words": "count", "burst_words": "count", "start": "time"},
    "mdma": {"start": "time", "node": "time", "word": "time"},
    "fabric_dma": {"writes_in_flight": "count", "write_response": "time"},
    "pl330": {
        "start": "time",
        "instruction": "time",
        "mfifo_bytes": "bytes",
        "loads_ahead": "count",
        "beat": "time",
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

_PL330_COSTS: Final[dict[str, Dimension]] = {
    "start_work": "time",
    "start_device": "time",
    "poll_work": "time",
    "poll_device": "time",
    "poll_lead": "time",
    "dummy_work": "time",
    "dummy_lead": "time",
    "dummy_interval": "time",
    "fetch": "time",
    "fetch_uncached": "time",
    "system_call": "time",
    "footprint": "bytes",
    "prepare": "time",
    "prepare_instruction": "time",
    "prepare_burst": "time",
    "uncached_slowdown": "count",
    "burst": "bytes",
    "beat": "bytes",
    "early_end": "count",
    "bufferable": "count",
}
_FABRIC_COSTS: Final[dict[str, Dimension]] = {
    "fabric_base": "time",
    "fabric_base_hidden": "cycles",
    "fabric_base_least": "time",
    "fabric_start": "time",
    "fabric_poll": "time",
    "fabric_poll_lead": "time",
    "fabric_phase": "time",
    "fabric_next": "time",
    "fabric_call": "time",
    "fabric_drain": "time",
}

#: A call of the driver, its own work, an interrupt until the program goes on.
_CALL_COSTS: Final[dict[str, Dimension]] = {
    "stream_call": "time",
    "stream_work": "time",
    "stream_interrupt": "time",
}
_STREAM_COSTS: Final[dict[str, Dimension]] = _CALL_COSTS | {
    "stream_maintain": "time",
    "stream_clean": "time",
    "stream_invalidate": "time",
    "block_limit": "bytes",
    "ring": "bytes",
    "ring_block": "bytes",
}

#: Costs of the software that drives a master, by its kind.
COSTS: Final[dict[str, dict[str, Dimension]]] = {
    "pl330": _PL330_COSTS,
    "fabric_dma": _FABRIC_COSTS,
    "descriptor_dma": _STREAM_COSTS,
    "word_fifo": _CALL_COSTS,
}
#: All of them.
SOFTWARE: Final[dict[str, Dimension]] = {
    field: dimension for costs in COSTS.values() for field, dimension in costs.items()
}
