# SPDX-License-Identifier: Apache-2.0
"""What a measuring backend brings home: the timed batches of a point, and how the point ended.

Times are nanoseconds here, as the clocks that were read count them; results are seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

#: How a measured point ends; only `ok` has a time.
OUTCOMES = (
    "ok",
    "unverified",
    "refused",
    "bus_error",
    "timeout",
    "no_memory",
    "io_error",
    "interrupted",
)


@dataclass(frozen=True, slots=True)
class SampleColumn:
    """A field of a sample: what its cells are, whether one can be without it, what it means."""

    kind: Literal["integer", "number"]
    needed: bool
    meaning: str


SAMPLE: dict[str, SampleColumn] = {
    "block": SampleColumn("integer", True, "which block of samples: each has fresh buffers"),
    "at_ns": SampleColumn("integer", True, "CLOCK_MONOTONIC at the batch's begin"),
    "ns": SampleColumn("number", True, "time of the batch over its repetitions"),
    "count": SampleColumn("integer", True, "repetitions in the batch"),
    "bytes": SampleColumn("integer", True, "bytes that the batch really moved"),
    "cpu": SampleColumn("integer", False, "processor at the batch's begin"),
    "cpu_after": SampleColumn("integer", False, "processor at its end, where another"),
    "faults": SampleColumn("integer", False, "page faults in the batch"),
    "switches": SampleColumn("integer", False, "context switches in the batch"),
    "gap_ns": SampleColumn("number", False, "longest gap between time stamps in the batch"),
    "mhz": SampleColumn("number", False, "the processor's clock, where it can be read"),
    "traffic_bytes": SampleColumn("integer", False, "bytes that traffic moved beside the batch"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed batch; the fields are those of SAMPLE, None where the machine cannot tell."""

    block: int
    at_ns: int
    ns: float
    count: int
    bytes: int
    cpu: int | None = None
    cpu_after: int | None = None
    faults: int | None = None
    switches: int | None = None
    gap_ns: float | None = None
    mhz: float | None = None
    traffic_bytes: int | None = None

    @property
    def batch_ns(self) -> float:
        """Time of all its repetitions."""
        return self.ns * self.count

    def record(self) -> dict[str, Any]:
        """As plain data, without what is not known."""
        cells = {name: getattr(self, name) for name in SAMPLE}
        return {name: value for name, value in cells.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Timer:
    """The clock that samples were taken with."""

    name: str
    resolution_ns: float
    overhead_ns: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around a point on the machine that measures it, as the machine describes itself.

    ceiling_seconds: what widths and clocks allow at best; None where they are not known.
    virtual: another system may take the processor. emulated: the times are no hardware's.
    aspm: states in which the point's link sleeps. degraded: what the link does of what
    it could, in words. Empty texts are no trouble.
    """

    ceiling_seconds: float | None = None
    virtual: bool = False
    emulated: bool = False
    governor: str = ""
    aspm: str = ""
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured point: its samples in the order of their time, and how it ended.

    timer:  the clock, where the stream names one.
    message: why it did not end well.
    asked:  what was said to the machine about the point, as key and value.
    """

    outcome: str
    samples: tuple[Sample, ...] = ()
    message: str = ""
    timer: Timer | None = None
    asked: Mapping[str, str] = field(default_factory=dict)

    def blocks(self) -> list[list[Sample]]:
        """The samples of each block, in the order of their time."""
        found: dict[int, list[Sample]] = {}
        for sample in self.samples:
            found.setdefault(sample.block, []).append(sample)
        return list(found.values())
