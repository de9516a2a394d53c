# SPDX-License-Identifier: Apache-2.0
"""A DMA node behind a serial line, which times itself: the line is too slow to time anything.

Frames go out of the memory through a node of fixed function and back into it, by the DMA node's two
rings, until each ring has been gone through once; the statuses' time stamps say how long that took.
"""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weighbridge.backends import Reach, Unanswered
from weighbridge.backends.bridge.client import BAUD, MEMORY, MEMORY_BYTES, Bridge
from weighbridge.dataset.samples import Measured, Sample, Surroundings, Timer
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.registers import datra as r
from weighbridge.registers import get, put

__all__ = ["Bridged"]

#: Entries of a ring, as many as take some thousand ticks. The first frames are not timed, for the
#: way fills with them.
_FEWEST, _MOST, _BYTES = 16, 512, 1 << 17
_FILLING: Final = 8
#: Blocks of samples, each with data of its own.
_BLOCKS: Final = 5
#: Cycles of a tick of the time stamps, which have 16 bits.
_TICK, _STAMPS = 16, 1 << 16
#: Bytes of a status.
_STATUS: Final = 8
#: Bytes that the streams between nodes move in a cycle.
_WORD: Final = 4
#: Seconds in which all frames have come back.
_PATIENCE: Final = 5.0
#: In the memory: descriptors and statuses of both rings, then the frames.
_RINGS: Final = {"cpu_to_fpga": (0x0000, 0x4000), "fpga_to_cpu": (0x2000, 0x5000)}
_SENT: Final = 0x6000
_RETURNED: Final = 0xA000
_LONGEST: Final = _RETURNED - _SENT


@dataclass(frozen=True, slots=True)
class _Direction:
    """A direction's registers: offsets within the node's page."""

    control: int
    ring: int


_DIRECTIONS: Final = {
    "cpu_to_fpga": _Direction(r.DMA_TO_LOGIC_CONTROL, r.DMA_TO_LOGIC_RING),
    "fpga_to_cpu": _Direction(r.DMA_FROM_LOGIC_CONTROL, r.DMA_FROM_LOGIC_RING),
}


class Bridged:
    """Measures frames in rings on the design at the other end of a serial line."""

    name = "bridge"

    def __init__(self, seed: int, reach: Reach) -> None:
        if not reach.serial or reach.at or reach.log:
            raise InputError(
                "a design behind a bridge is reached by a serial line",
                "--backend bridge",
                "give --serial DEVICE alone",
            )
        self._seed, self._line = seed, reach.serial
        self._baud = reach.baud or BAUD
        self._hertz = 0

    def identity(self) -> dict[str, str]:
        return {"board": self._line}

    def facts(self) -> dict[str, object]:
        return {"clock_hz": self._hertz} if self._hertz else {}

    def surroundings(self, point: Point) -> Surroundings:
        """At best the streams between the nodes move a word in each cycle."""
        cycles = -(-point.size_bytes // _WORD)
        return Surroundings(ceiling_seconds=cycles / self._hertz if self._hertz else None)

    def measure(self, points: Mapping[int, Point]) -> Generator[tuple[int, Measured | str]]:
        with Bridge(self._line, self._baud) as bridge:
            design = _Design(bridge)
            self._hertz = design.hertz
            for number, point in points.items():
                try:
                    yield number, design.measured(point, self._seed)[point.direction]
                except Unanswered as reason:
                    yield number, str(reason)


class _Design:
    """The nodes behind the bridge, connected to a loop; InputError where they are not there."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        (self.hertz,) = bridge.read(r.CONTROL_CLOCK)
        self._known: dict[int, Mapping[str, Measured]] = {}
        self._nodes = get(r.CONTROL_NODE_COUNT_NODES, bridge.read(r.CONTROL_NODE_COUNT)[0])
        self._dma, self._loop = self._node(r.NODE_TYPE_DMA), self._node(r.NODE_TYPE_FIXED)
        bridge.write(r.CONTROL_BACKPLANE_SET, [1 | 2 << self._dma | 2 << self._loop])
        self._page = r.card_node_page(self._dma)
        for source, sink in ((self._dma, self._loop), (self._loop, self._dma)):
            route = put(r.CONTROL_ROUTE_OUTPUT_NODE, sink + 1)
            bridge.write(r.control_route_output(source, 0), [route])

    def _node(self, kind: int) -> int:
        for node in range(self._nodes):
            (found,) = self._bridge.read(r.card_node_page(node))
            if found >> 8 & 0xFF == kind:
                return node
        raise InputError(
            f"the design has no node of type {kind}", self._bridge.port, "see docs/bitstream.md"
        )

    def measured(self, point: Point, seed: int) -> Mapping[str, Measured]:
        """The samples of both directions, which a loop has at once, kept for the other's point.

        Unanswered for what the design does not do.
        """
        size = point.size_bytes
        if point.fpga_mhz is not None and round(point.fpga_mhz * 1e6) != self.hertz:
            raise Unanswered(f"the design's clock is {self.hertz / 1e6:g} MHz")
        if size % _WORD or not _WORD <= size <= _LONGEST:
            raise Unanswered(f"a frame has {_WORD} to {_LONGEST} bytes, in whole words")
        if size not in self._known:
            self._known[size] = self._sampled(size, seed)
        return self._known[size]

    def _sampled(self, size: int, seed: int) -> Mapping[str, Measured]:
        timer = Timer("status stamps", _TICK * 1e9 / self.hertz, 0.0, "the logic's own clock")
        samples: dict[str, list[Sample]] = {way: [] for way in _DIRECTIONS}
        chance = random.Random(f"{seed} {size}")
        entries = _entries(size)
        for way, buffer in (("cpu_to_fpga", _SENT), ("fpga_to_cpu", _RETURNED)):
            descriptor = struct.pack("<QII", MEMORY + buffer, size, 0)
            self._bridge.load(_RINGS[way][0], descriptor * entries)
        for block in range(_BLOCKS):
            words = [chance.getrandbits(32) for _ in range(size // _WORD)]
            self._bridge.write(MEMORY + _SENT, words)
            at = time.monotonic_ns()
            if not self._gone_round(entries):
                why = f"frames are missing after {_PATIENCE:g} s"
                return dict.fromkeys(_DIRECTIONS, Measured("timeout", message=why))
            if self._bridge.read(MEMORY + _RETURNED, len(words)) != words:
                why = "what came back is not what was sent"
                return dict.fromkeys(_DIRECTIONS, Measured("unverified", message=why))
            frames = entries - _FILLING
            for way, kept in samples.items():
                ticks = self._stamp(way, entries - 1) - self._stamp(way, _FILLING - 1)
                taken = ticks % _STAMPS * timer.resolution_ns
                kept.append(Sample(block, at, taken / frames, frames, frames * size))
        return {way: Measured("ok", tuple(kept), timer=timer) for way, kept in samples.items()}

    def _gone_round(self, entries: int) -> bool:
        """Once through both rings; False where not every frame comes back."""
        bridge = self._bridge
        # The ring into memory first: what comes back finds a place.
        for way in ("fpga_to_cpu", "cpu_to_fpga"):
            registers, (descriptors, statuses) = _DIRECTIONS[way], _RINGS[way]
            bridge.write(self._page + registers.control, [1])
            ring = self._page + registers.ring
            bridge.write(ring + r.DMA_RING_CONTROL, [0])
            bridge.write(ring + r.DMA_RING_MASK, [entries - 1])
            bridge.write(ring + r.dma_ring_descriptors(0), [MEMORY + descriptors])
            bridge.write(ring + r.dma_ring_statuses(0), [MEMORY + statuses])
            bridge.write(ring + r.DMA_RING_CONTROL, [1])
            bridge.write(ring + r.DMA_RING_TAIL, [entries])
        end = time.monotonic() + _PATIENCE
        ring = self._page + _DIRECTIONS["fpga_to_cpu"].ring
        while bridge.read(ring + r.DMA_RING_WRITTEN)[0] < entries:
            if time.monotonic() > end:
                return False
        return True

    def _stamp(self, way: str, entry: int) -> int:
        """When a frame ended, in ticks; InputError where its status tells of an error."""
        status = _RINGS[way][1] + _STATUS * entry
        frame, tag = self._bridge.read(MEMORY + status, 2)
        if get(r.RING_STATUS_FRAME_ERROR, frame):
            raise InputError(f"frame {entry} ended with an error of the bus", self._bridge.port)
        return get(r.RING_STATUS_TAG_STAMP, tag)


def _entries(size: int) -> int:
    """A power of two."""
    return min(_MOST, max(_FEWEST, 1 << (_BYTES // size - 1).bit_length()))


def measuring(seed: int, reach: Reach) -> Bridged:
    return Bridged(seed, reach)


def made_of() -> list[Path]:
    return [*Path(__file__).parent.glob("*.py")]


assert _RETURNED + _LONGEST <= MEMORY_BYTES
