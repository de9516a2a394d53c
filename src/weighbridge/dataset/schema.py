# SPDX-License-Identifier: Apache-2.0
"""The one result schema: what a point is, what a result is, and the columns both are stored in.

Units are bytes, seconds and MHz; None means "not applicable" (empty in CSV, null in JSON).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Value = str | int | float | bool | None
Kind = Literal["text", "integer", "number", "flag"]

#: Key columns every study shares, in storage order.
KEY: dict[str, Kind] = {
    "platform": "text",
    "study": "text",
    "backend": "text",
    "board": "text",
    "os": "text",
    "master": "text",
    "copy": "text",
    "link": "text",
    "ports": "integer",
    "route": "text",
    "memory_attribute": "text",
    "buffer": "text",
    "cache_level": "integer",
    "prepared": "flag",
    "sync": "text",
    "completion": "text",
    "fpga_mhz": "number",
    "direction": "text",
    "size_bytes": "integer",
}

#: Axes that single studies add to the key; a study file declares which of them it uses.
AXES: dict[str, Kind] = {
    "lock_cpu_ways": "integer",
    "lock_acp_ways": "integer",
    "lock_when": "text",
    "sdram_weight": "integer",
    "sdram_priority": "text",
    "dummy_traffic": "flag",
    "working_set_bytes": "integer",
    "stride_bytes": "integer",
    "access": "text",
    "load": "text",
    "target": "text",
    "mps_bytes": "integer",
    "mrrs_bytes": "integer",
    "firmware": "text",
    "traffic": "text",
    "queue_depth": "integer",
    "streams": "integer",
    "consume": "text",
    "flow": "text",
    "fault": "text",
}

#: Value columns, in storage order.
VALUES: dict[str, Kind] = {
    "seconds": "number",
    "statistic": "text",
    "min": "number",
    "p25": "number",
    "p75": "number",
    "p95": "number",
    "p99": "number",
    "max": "number",
    "n": "integer",
    "bytes_moved": "integer",
    "ceiling_seconds": "number",
    "bound_by": "text",
    "register_accesses": "number",
    "interrupts": "number",
    "simulated_cycles": "integer",
    "quality": "text",
}

COLUMNS: dict[str, Kind] = {**KEY, **AXES, **VALUES}

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
    #: min, p25, p75, p95, p99, max in seconds where there is more than one sample.
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
        )
        return row
