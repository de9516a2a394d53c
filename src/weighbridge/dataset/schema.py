# SPDX-License-Identifier: Apache-2.0
"""The one result schema: what a point is, what a result is, and the columns both are stored in.

Units are bytes, seconds and MHz; None means "not applicable" (empty in CSV, null in JSON).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Value = str | int | float | bool | None
Kind = Literal["text", "integer", "number", "flag"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what its cells are, and what they mean.

    title: its name in words, where replacing underscores by blanks does not make one.
    phrase: how a value is said without the title. zero: a number may be 0, else it is positive.
    most: more than any hardware has; what lies above is a slip that costs memory, or hours.
    """

    kind: Kind
    meaning: str
    title: str = ""
    phrase: str = "{}"
    zero: bool = False
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Axis(Column):
    """A column that some studies have, and how a question about a path may name it.

    asked: 'path', it tells a platform's paths apart; 'point', the paths that have it can be asked
    at it; 'any', every path can, and the path's program says what it allows; else only by studies.
    A program of the twin says what its values are and which is usual: backends/twin/program.py.
    """

    asked: Literal["path", "point", "any", ""] = ""


#: Key columns that every study shares, in storage order.
KEY: dict[str, Column] = {
    "platform": Column("text", "which system: a name of `weighbridge list`"),
    "study": Column("text", "which set of points; empty where a point is of none"),
    "backend": Column("text", "who answered: twin, rtl, uml, published, or what was imported"),
    "board": Column("text", "which board of several, of a measurement"),
    "os": Column("text", "what runs the program: baremetal or linux", title="system"),
    "master": Column("text", "who moves the bytes: a component of the platform"),
    "copy": Column(
        "text", "how the processor copies, where it is not by memcpy", title="way of copying"
    ),
    "link": Column(
        "text",
        "the way between processor and FPGA, as the platform names it; two ports are joined by +",
    ),
    "ports": Column(
        "integer",
        "how many ports of the link at once",
        title="masters at once",
        phrase="{} at once",
        most=64,
    ),
    "route": Column("text", "which port of the memory a DMA master uses"),
    "memory_attribute": Column(
        "text", "how the program's memory is mapped, on bare metal", phrase="{} memory"
    ),
    "buffer": Column(
        "text", "whose memory the bytes are in, and how it is mapped", phrase="{} buffer"
    ),
    "cache_level": Column(
        "integer",
        "which caches are on: a level of the platform",
        phrase="cache level {}",
        zero=True,
        most=1000,
    ),
    "prepared": Column(
        "flag", "whether a DMA program was built before the time began", title="DMA program"
    ),
    "sync": Column("text", "how caches and memory are made to agree", title="synchronisation"),
    "completion": Column("text", "how the program learns of the end: interrupt or poll"),
    "fpga_mhz": Column(
        "number", "clock of the fabric, in MHz", title="clock of the fabric", phrase="fabric at {}"
    ),
    "direction": Column("text", "cpu_to_fpga or fpga_to_cpu"),
    "size_bytes": Column("integer", "bytes of one transfer", title="transfer size"),
}

#: Axes that single studies add to the key; a study file declares which of them it uses. Of those
#: that tell paths apart the last one is chosen first.
AXES: dict[str, Axis] = {
    "lock_cpu_ways": Axis(
        "integer",
        "ways of the cache that the processor's misses may not fill",
        title="cache ways locked for the processor",
        phrase="{} ways locked for the processor",
        zero=True,
        most=64,
    ),
    "lock_acp_ways": Axis(
        "integer",
        "ways of the cache that coherent masters may not fill",
        title="cache ways locked for coherent masters",
        phrase="{} ways locked for coherent masters",
        zero=True,
        most=64,
    ),
    "lock_when": Axis(
        "text",
        "whether the ways are locked before or after the source is prepared",
        title="when the lock is set",
    ),
    "sdram_weight": Axis(
        "integer",
        "beats of a burst in one turn at the memory's ports",
        title="weight of the memory's port",
        phrase="weight {}",
        zero=True,
        most=1 << 16,
    ),
    "sdram_priority": Axis(
        "text",
        "who goes first at the memory's ports",
        title="priority of the memory's port",
        phrase="priority {}",
    ),
    "dummy_traffic": Axis("flag", "whether another program uses the memory meanwhile"),
    "working_set_bytes": Axis(
        "integer", "bytes that a loop goes over", title="working set", phrase="working set {}"
    ),
    "stride_bytes": Axis(
        "integer",
        "bytes from one access of a chain to the next",
        title="stride",
        phrase="stride {}",
    ),
    "access": Axis(
        "text",
        "what a loop does: latency, or a read, write or copy in order",
        title="kind of access",
        asked="point",
    ),
    "load": Axis("text", "what runs beside a loop", title="load beside it", asked="path"),
    "target": Axis("text", "which memory a loop goes over", title="memory", asked="path"),
    "mps_bytes": Axis(
        "integer",
        "maximum payload of a PCI Express packet",
        title="maximum payload",
        phrase="payloads of {}",
        most=4096,
    ),
    "mrrs_bytes": Axis(
        "integer",
        "maximum read request of PCI Express",
        title="maximum read request",
        phrase="read requests of {}",
        most=4096,
    ),
    "firmware": Axis("text", "which program a microcontroller runs", asked="path"),
    "traffic": Axis("text", "which directions move at once", asked="path"),
    "queue_depth": Axis(
        "integer",
        "transfers under way at once",
        title="blocks in flight",
        phrase="{} blocks in flight",
        zero=True,
        most=4096,
        asked="point",
    ),
    "streams": Axis(
        "integer", "streams that share a port", phrase="{} streams", most=1024, asked="point"
    ),
    "consume": Axis(
        "text",
        "what the program does with its data beside moving it",
        title="use of the data",
        asked="any",
    ),
    "flow": Axis(
        "text",
        "single, a transfer by itself to its last byte usable; or steady, the period of a flow",
        asked="any",
    ),
    "mix": Axis("text", "whether the fabric reads, writes or does both at once", asked="path"),
    "active_ports": Axis(
        "text",
        "the links whose masters run at once, joined by +",
        title="links in use at once",
        asked="any",
    ),
    "interconnect": Axis(
        "text",
        "what is between masters in the fabric and their port: direct, or one they share",
        asked="any",
    ),
    "block": Axis(
        "integer",
        "which of several masters behind one port",
        title="master in the fabric",
        zero=True,
        most=64,
        asked="any",
    ),
    "ddr_map": Axis(
        "text",
        "what the bits of an address mean to the memory, from the top down",
        title="address map",
        asked="any",
    ),
    "hp0_qos": Axis(
        "text",
        "the class of the first port's requests in the memory's controller",
        title="class of the first port",
        asked="any",
    ),
    "fault": Axis("text", "which fault of the published measurements is repeated"),
    "device": Axis("text", "which device of several, as its bus addresses it: 0000:01:00.0"),
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
    "block_spread": Column(
        "number", "how far the blocks' medians are apart, as a fraction", zero=True
    ),
    "outliers_mild": Column(
        "integer", "samples beyond Tukey's inner fences, kept all the same", zero=True
    ),
    "outliers_severe": Column(
        "integer", "samples beyond Tukey's outer fences, kept all the same", zero=True
    ),
    "bytes_moved": Column("integer", "bytes that crossed", zero=True),
    "ceiling_seconds": Column("number", "time that widths and clocks of the path allow at best"),
    "bound_by": Column("text", "what the transfer waits for most"),
    "register_accesses": Column(
        "number", "accesses to the logic's registers in a transfer", zero=True
    ),
    "interrupts": Column("number", "interrupts in a transfer", zero=True),
    "simulated_cycles": Column("integer", "cycles of the logic simulated for it", zero=True),
    "latency_cycles": Column("number", "mean latency of reads, in cycles of the fabric"),
    "reads_in_flight": Column("number", "reads that were under way at once, in the mean"),
    "quality": Column("text", "ok, or why the row is doubted"),
    "doubt": Column("text", "what was seen of it, in a sentence, where it is doubted"),
}

COLUMNS: dict[str, Column] = {**KEY, **AXES, **VALUES}

#: A number of the platform that a design changes is a column of its own, named as `--set` takes it.
PARAMETER = Column(
    "number",
    "what a design has for this parameter of the platform, in the unit that `weighbridge show` "
    "prints; empty where the platform is as it is",
    zero=True,
)
_PARAMETER = re.compile(r"[A-Za-z_][\w-]*\.[A-Za-z_][\w-]*")


def is_parameter(column: str) -> bool:
    """Whether a column is named like a parameter of a platform: 'sdram.clock'."""
    return _PARAMETER.fullmatch(column) is not None


def column_of(name: str) -> Column:
    """What a column is, of the schema or a parameter of a platform."""
    return COLUMNS.get(name, PARAMETER)


def parameters_in(rows: Iterable[Mapping[str, Value]]) -> list[str]:
    """The parameters that are columns of any of the rows, by name."""
    return sorted({name for row in rows for name in row.keys() - COLUMNS.keys()})


def columns_in(rows: Iterable[Mapping[str, Value]]) -> list[str]:
    """Every column of the schema, and behind the key the parameters that the rows have."""
    return [*KEY, *AXES, *parameters_in(rows), *VALUES]


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
    #: Parameters of the platform that this point's design changes, as sorted (name, value) pairs;
    #: a value is in the parameter's own unit.
    design: tuple[tuple[str, float], ...] = ()

    def key(self) -> dict[str, Value]:
        """The point as key columns (all of KEY but backend and board, its axes, its design)."""
        return {name: getattr(self, name) for name in _ASKED} | dict(self.axes) | dict(self.design)


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
