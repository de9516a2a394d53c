# SPDX-License-Identifier: Apache-2.0
"""Streams of blocks through a DMA engine in the fabric that works off a queue of commands."""

from __future__ import annotations

from math import ceil
from typing import ClassVar

from weighbridge import _engine
from weighbridge.backends.twin.driver_accesses import (
    BLOCK_FROM_FABRIC,
    BLOCK_TO_FABRIC,
    DMA_WAIT,
    RING_FROM_FABRIC,
    RING_TO_FABRIC,
    driver_call,
)
from weighbridge.backends.twin.extrapolation import Reach
from weighbridge.backends.twin.hardware import PAGE, bytes_of
from weighbridge.backends.twin.program import (
    CONSUME,
    CONSUMED,
    FORGETS,
    REPEATS,
    Axes,
    Axis,
    Flow,
    Program,
    demand,
    flow_of,
)
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms.model import Link
from weighbridge.quantities import format_size

#: Blocks the program maps: uncached where the port is not coherent, or cached and maintained.
_COHERENT, _STREAMING = "coherent", "streaming"
#: Blocks of the driver's own, to and from which it copies.
_RING = "ring"
#: Where the driver has its blocks in physical memory.
_BLOCKS_BASE = 0x1000_0000


class Streams(Program):
    """A program that keeps several blocks in flight, one way or both ways at once."""

    understands: ClassVar[Axes] = {
        "traffic": Axis("one_way", ("one_way", "duplex")),
        "queue_depth": Axis(2),
        "streams": Axis(1),
        "consume": CONSUMED,
    }

    @staticmethod
    def drives(kind: str, point: Point) -> bool:
        return kind == "descriptor_dma"

    def check(self, point: Point) -> None:
        file = self._platform.file
        ports = self._hardware.master(point).to
        demand(
            point,
            {
                "link": tuple(n for n, link in file.link.items() if link.component in ports),
                "os": tuple(file.software),
                "buffer": (_COHERENT, _STREAMING, _RING),
                "completion": ("interrupt", "poll"),
                "direction": ("cpu_to_fpga", "fpga_to_cpu"),
                "copy": (None,),
                "route": (None,),
                "ports": (1, None),
            },
        )
        said = self.said(point)
        slots = int(self._number(point, "commands"))
        for axis in ("queue_depth", "streams"):
            if not 1 <= int(str(said[axis])) <= slots:
                raise InputError(f"{axis} {said[axis]}", mend=f"allowed: 1 to {slots}")

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        job = self.job(point)
        job.without = without
        return _engine.stream(self._hardware.description(point, without=without), job)

    def flows(self, point: Point) -> tuple[Flow, ...]:
        return ("steady",) if self.said(point)["traffic"] == "duplex" else ("steady", "single")

    def reach(self, point: Point) -> Reach:
        costs = self._hardware.costs(str(point.os))
        block = int(costs["ring_block" if point.buffer == _RING else "block_limit"])
        # Whole rounds of the blocks in flight, as many as make a cache forget.
        forgotten = max(REPEATS, FORGETS * self._hardware.cached_bytes())
        together = int(self.said(point)["queue_depth"])
        step = block * max(together, forgotten // block)
        return Reach(step, step)

    def notes(self, point: Point) -> tuple[str, ...]:
        if flow_of(point, self.flows(point)) == "steady":
            return ()
        blocks = self.pieces(point)
        if blocks > 1:
            beside = "copies one" if point.buffer == _RING else "works on one"
            return (f"{blocks} blocks: the driver {beside} while another crosses",)
        if point.buffer != _RING:
            return ()
        longest = int(self._hardware.costs(str(point.os))["ring_block"])
        said = "one block of the ring: its copy and its transfer follow each other; above "
        return (f"{said}{format_size(longest)} they overlap",)

    def overlaps(self, point: Point) -> bool:
        return flow_of(point, self.flows(point)) == "steady" or self.pieces(point) > 1

    def in_flight(self, point: Point) -> float:
        """The driver's blocks, of which a transfer may be several."""
        return self.job(point).blocks / self.pieces(point)

    def pieces(self, point: Point) -> int:
        """Into how many blocks of the driver's a block of this size has to be cut."""
        costs = self._hardware.costs(str(point.os))
        longest = costs["ring_block" if point.buffer == _RING else "block_limit"]
        return ceil(point.size_bytes / longest)

    def ceiling(self, point: Point) -> float:
        """The port's width, or the engine's, at the port's clock; or the memory's data bus."""
        link = self.link(point)
        said = self.said(point)
        port = self._platform.components[link.component]
        width = min(bytes_of(link.width), self._number(point, "width"))
        rate = width * self._hardware.clock_mhz(port.clock, point) * 1e6
        least = point.size_bytes * int(said["streams"]) / rate
        return max(least, self.memory_seconds(point))

    def path(self, point: Point) -> list[str]:
        return self._hardware.route(self.link(point).component, 0)[::-1]

    def link(self, point: Point) -> Link:
        return self._platform.file.link[str(point.link)]

    def _number(self, point: Point, field: str) -> float:
        return self._hardware.master(point).base_value(field)

    def coherent(self, point: Point) -> bool:
        """Whether the link's port looks into the processor's caches."""
        on_path = self._hardware.route(self.link(point).component, 0)
        return any(self._platform.components[name].kind == "coherency_port" for name in on_path)

    def _ring_blocks(self, point: Point, size: int) -> int:
        """Blocks of a ring in flight: each begins a page, and takes a command slot."""
        ring = int(self._hardware.costs(str(point.os))["ring"])
        return min(int(self._number(point, "commands")), ring // (ceil(size / PAGE) * PAGE))

    def job(self, point: Point) -> _engine.StreamJob:
        said = self.said(point)
        ring = point.buffer == _RING
        coherent = self.coherent(point)
        costs = self._hardware.costs(str(point.os))
        count = self.pieces(point)

        job = _engine.StreamJob()
        job.to_fabric = point.direction == "cpu_to_fpga"
        job.duplex = said["traffic"] == "duplex"
        # The engine moves whole beats.
        beat = int(self._number(point, "width"))
        job.pieces = count
        job.bytes = ceil(point.size_bytes / count / beat) * beat
        job.blocks = self._ring_blocks(point, job.bytes) if ring else int(said["queue_depth"])
        job.single = flow_of(point, self.flows(point)) == "single"
        job.streams = 1 if job.single else int(said["streams"])
        job.master, job.port = str(point.master), self.link(point).component
        job.window = self.link(point).window
        job.processor = self._hardware.of_kind("processor")
        job.control = self._hardware.registers(self._hardware.master(point)).window
        job.inner_cache, job.outer_cache = (self._hardware.cache(one) for one in ("inner", "outer"))
        everything = frozenset((job.inner_cache, job.outer_cache))
        cached = coherent or point.buffer == _STREAMING
        job.block = _engine.Buffer()
        job.block.base = _BLOCKS_BASE
        job.block.inner = job.block.outer = cached
        job.copies = ring
        if ring:
            job.user = self._hardware.process_buffer(everything, job.bytes)
        job.maintain = cached and not coherent
        job.maintain_call = costs["stream_maintain"]
        job.clean, job.invalidate = costs["stream_clean"], costs["stream_invalidate"]
        outer = self._platform.components[job.outer_cache]
        job.resident_bytes = 2 * int(outer.base_value("bytes"))
        job.polling = point.completion == "poll"
        # write() and read() do in one call what takes two calls for a block.
        call = costs["stream_call"] / count if ring else costs["stream_call"]
        calls = (RING_TO_FABRIC, RING_FROM_FABRIC) if ring else (BLOCK_TO_FABRIC, BLOCK_FROM_FABRIC)
        back, queue = (call, 0.0) if ring else (call, call)
        work = costs["stream_work"]
        job.dequeue_to_fabric = driver_call(calls[0]["dequeue"], back, work)
        job.enqueue_to_fabric = driver_call(calls[0]["enqueue"], queue, work)
        job.dequeue_from_fabric = driver_call(calls[1]["dequeue"], back, work)
        job.enqueue_from_fabric = driver_call(calls[1]["enqueue"], queue, work)
        job.wait = driver_call(DMA_WAIT, costs["stream_interrupt"])
        job.consume = CONSUME[str(said["consume"])]
        return job
