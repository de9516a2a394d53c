# SPDX-License-Identifier: Apache-2.0
"""The one result schema: what a point is, what a result is, and the columns both are stored in.

Units are bytes, seconds and MHz; None means "not applicable" (empty in CSV, null in JSON).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Value = str | int | float | bool | None
Kind = Literal["text", "integer", "number", "flag"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what its cells are, and what they mean."""

    kind: Kind
    meaning: str


#: Key columns every study shares, in storage order.
KEY: dict[str, Column] = {
    "platform": Column("text", "which system: a name of `weighbridge list`"),
    "study": Column("text", "which set of points; empty where a point is of none"),
    "backend": Column("text", "who answered: twin, rtl, uml, published, or what was imported"),
    "board": Column("text", "which board of several, of a measurement"),
    "os": Column("text", "what runs the program: baremetal or linux"),
    "master": Column("text", "who moves the bytes: a component of the platform"),
    "copy": Column("text", "how the processor copies, where it is not by memcpy"),
    "link": Column(
        "text",
        "the way between processor and FPGA, as the platform names it; two ports are joined by +",
    ),
    "ports": Column("integer", "how many ports of the link at once"),
    "route": Column("text", "which port of the memory a DMA master uses"),
    "memory_attribute": Column("text", "how the program's memory is mapped, on bare metal"),
    "buffer": Column("text", "whose memory the bytes are in, and how it is mapped"),
    "cache_level": Column("integer", "which caches are on: a level of the platform"),
    "prepared": Column("flag", "whether a DMA program was built before the time began"),
    "sync": Column("text", "how caches and memory are made to agree"),
    "completion": Column("text", "how the program learns of the end: interrupt or poll"),
    "fpga_mhz": Column("number", "clock of the fabric, in MHz"),
    "direction": Column("text", "cpu_to_fpga or fpga_to_cpu"),
    "size_bytes": Column("integer", "bytes of one transfer"),
}

#: Axes that single studies add to the key; a study file declares which of them it uses.
AXES: dict[str, Column] = {
    "lock_cpu_ways": Column(
        "integer", "ways of the cache that the processor's misses may not fill"
    ),
    "lock_acp_ways": Column("integer", "ways of the cache that coherent masters may not fill"),
    "lock_when": Column(
        "text", "whether the ways are locked before or after the source is prepared"
    ),
    "sdram_weight": Column("integer", "beats of a burst in one turn at the memory's ports"),
    "sdram_priority": Column("text", "who goes first at the memory's ports"),
    "dummy_traffic": Column("flag", "whether another program uses the memory meanwhile"),
    "working_set_bytes": Column("integer", "bytes that a loop goes over"),
    "stride_bytes": Column("integer", "bytes from one access of a chain to the next"),
    "access": Column("text", "what a loop does: latency, or a read, write or copy in order"),
    "load": Column("text", "what runs beside a loop"),
    "target": Column("text", "which memory a loop goes over"),
    "mps_bytes": Column("integer", "maximum payload of a PCI Express packet"),
    "mrrs_bytes": Column("integer", "maximum read request of PCI Express"),
    "firmware": Column("text", "which program a microcontroller runs"),
    "traffic": Column("text", "which directions move at once"),
    "queue_depth": Column("integer", "transfers under way at once"),
    "streams": Column("integer", "streams that share a port"),
    "consume": Column("text", "what the program does with its data beside moving it"),
    "flow": Column(
        "text",
        "single, a transfer by itself to its last byte usable; or steady, the period of a flow",
    ),
    "fault": Column("text", "which fault of the published measurements is repeated"),
    "device": Column("text", "which device of several, as its bus addresses it: 0000:01:00.0"),
}

#: Value columns, in storage order.
VALUES: dict[str, Column] = {
    "seconds": Column("number", "time of the transfer; the statistic of its samples"),
    "statistic": Column("text", "which statistic `seconds` is"),
    "min": Column("number", "least of the samples, in seconds"),
    "p1": Column("number", "percentile of the samples, in seconds"),
    "p5": Column("number", "percentile of the samples, in seconds"),
    "p25": Column("number", "quartile of the samples, in seconds"),
    "p75": Column("number", "quartile of the samples, in seconds"),
    "p95": Column("number", "percentile of the samples, in seconds"),
    "p99": Column("number", "percentile of the samples, in seconds"),
    "p99_9": Column("number", "percentile 99.9 of the samples, in seconds"),
    "max": Column("number", "largest of the samples, in seconds"),
    "low95": Column("number", "lower end of the 95 % interval of `seconds`"),
    "high95": Column("number", "upper end of the 95 % interval of `seconds`"),
    "n": Column("integer", "how many samples"),
    "blocks": Column("integer", "how many blocks of samples, each with fresh buffers"),
    "block_spread": Column("number", "how far the blocks' medians are apart, as a fraction"),
    "outliers_mild": Column("integer", "samples beyond Tukey's inner fences, kept all the same"),
    "outliers_severe": Column("integer", "samples beyond Tukey's outer fences, kept all the same"),
    "bytes_moved": Column("integer", "bytes that crossed"),
    "ceiling_seconds": Column("number", "time that widths and clocks of the path allow at best"),
    "bound_by": Column("text", "what the transfer waits for most"),
    "register_accesses": Column("number", "accesses to the logic's registers in a transfer"),
    "interrupts": Column("number", "interrupts in a transfer"),
    "simulated_cycles": Column("integer", "cycles of the logic simulated for it"),
    "quality": Column("text", "ok, or why the row is doubted"),
    "doubt": Column("text", "what was seen of it, in a sentence, where it is doubted"),
}

COLUMNS: dict[str, Column] = {**KEY, **AXES, **VALUES}

#: Columns that name who answered rather than what was asked: two runs join without them.
ANSWERED_BY = ("backend", "board")

_ASKED = tuple(name for name in KEY if name not in ANSWERED_BY)


@dataclass(frozen=True, slots=True)
class Point:
    """One path, size, direction and set of clocks: what can be measured or predicted."""

    platform: str
    study: str
    direction: str
    size_bytes: int
    os: str | None = None
    master: str | None = None
    copy: str | None = None
    link: str | None = None
    ports: int | None = None
    route: str | None = None
    memory_attribute: str | None = None
    buffer: str | None = None
    cache_level: int | None = None
    prepared: bool | None = None
    sync: str | None = None
    completion: str | None = None
    fpga_mhz: float | None = None
    #: Values of the study's own axes, as sorted (name, value) pairs.
    axes: tuple[tuple[str, Value], ...] = ()

    def key(self) -> dict[str, Value]:
        """The point as key columns (all of KEY but backend and board, then its axes)."""
        return {name: getattr(self, name) for name in _ASKED} | dict(self.axes)


@dataclass(frozen=True, slots=True)
class Result:
    """What a backend answers for a point; a sample set is summarised by its median."""

    point: Point
    seconds: float
    backend: str
    board: str | None = None
    statistic: str = "median"
    #: How many samples; None where a publication does not say.
    n: int | None = 1
    bytes_moved: int | None = None
    ceiling_seconds: float | None = None
    bound_by: str | None = None
    #: Of the processor's, for what the result is for, where they were counted.
    register_accesses: float | None = None
    interrupts: float | None = None
    #: Of logic, for this answer: 0 where a simulation for another point has answered it as well.
    simulated_cycles: int | None = None
    quality: str = "ok"
    doubt: str | None = None
    #: Further columns about the samples, from min to outliers_severe, where there are several.
    spread: dict[str, float] = field(default_factory=dict)

    def row(self) -> dict[str, Value]:
        """The result as one row of the table; every column of COLUMNS present."""
        row: dict[str, Value] = dict.fromkeys(COLUMNS)
        row.update(self.point.key())
        row.update(self.spread)
        row.update(
            backend=self.backend,
            board=self.board,
            seconds=self.seconds,
            statistic=self.statistic,
            n=self.n,
            bytes_moved=self.bytes_moved,
            ceiling_seconds=self.ceiling_seconds,
            bound_by=self.bound_by,
            register_accesses=self.register_accesses,
            interrupts=self.interrupts,
            simulated_cycles=self.simulated_cycles,
            quality=self.quality,
            doubt=self.doubt,
        )
        return row
