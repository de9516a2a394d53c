# SPDX-License-Identifier: Apache-2.0
"""DMA controllers in the fabric that move single beats, one or several at once."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from weighbridge import _engine
from weighbridge.backends.twin import faults
from weighbridge.backends.twin.extrapolation import Reach
from weighbridge.backends.twin.hardware import PAGE, bytes_of
from weighbridge.backends.twin.program import (
    CONSUME,
    CONSUMED,
    FORGETS,
    REPEATS,
    Axes,
    Axis,
    Program,
    demand,
)
from weighbridge.backends.twin.remembering import of_path
from weighbridge.dataset.schema import Point
from weighbridge.platforms.model import FabricLink

#: Of the driver's buffers, one a controller.
_DRIVER_BUFFER = 2 * 1024 * 1024


class Fabric(Program):
    """Programs that start one or several controllers and wait for them."""

    understands: ClassVar[Axes] = {"consume": CONSUMED, "fault": Axis()}

    @staticmethod
    def drives(kind: str, point: Point) -> bool:
        return kind == "fabric_dma"

    def check(self, point: Point) -> None:
        file = self._platform.file
        known: dict[str, tuple[object, ...]] = {
            "os": tuple(file.software),
            "cache_level": tuple(self._platform.cache_levels),
            "direction": ("cpu_to_fpga", "fpga_to_cpu"),
            "route": tuple(file.route),
            "copy": (None,),
            "link": (point.link,) if self._is_link(point) else tuple(file.fabric_link),
        }
        demand(point, known)
        self.said(point)
        faults.check(point, faults.BEATS_BECOME_32_BIT)

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        description = self._hardware.description(point, without=without)
        return _engine.fabric_transfer(description, self._job(point))

    @of_path
    def reach(self, point: Point) -> Reach:
        parts = (self._platform.components[name] for name in self.path(point))
        coherent = any(part.kind == "coherency_port" for part in parts)
        # Beats that go past the caches find nothing in them, where no driver copies beside.
        if not coherent and not self._job(replace(point, size_bytes=1)).through_kernel:
            return Reach(REPEATS, REPEATS // 2)
        forgotten = max(REPEATS, FORGETS * self._hardware.cached_bytes())
        return Reach(forgotten, REPEATS)

    def ceiling(self, point: Point) -> float:
        """The widths of the ports at the fabric's clock, or the memory's data bus."""
        return max(point.size_bytes / self._rate(point), self.memory_seconds(point))

    @of_path
    def _rate(self, point: Point) -> float:
        ports = self._ports(point)
        widths = sum(bytes_of(link.width) for link in ports)
        fabric = self._platform.components[ports[0].component]
        return widths * self._hardware.clock_mhz(fabric.clock, point) * 1e6

    @of_path
    def posted(self, point: Point) -> bool:
        # Beat by beat, a controller is done when its last write is on its way.
        return point.direction == "fpga_to_cpu" and any(
            link.run_beats.value == 1 for link in self._ports(point)
        )

    @of_path
    def path(self, point: Point) -> list[str]:
        offset = self._platform.file.route[str(point.route)].offset
        walks = [self._hardware.route(port.component, offset) for port in self._ports(point)]
        return list(dict.fromkeys(name for walk in walks for name in reversed(walk)))

    def _is_link(self, point: Point) -> bool:
        """Whether a point's link is one port, or two of one width joined by '+'."""
        known = self._platform.file.fabric_link
        parts = str(point.link).split("+")
        widths = {known[part].width.value for part in parts if part in known}
        return all(part in known for part in parts) and len(parts) <= 2 and len(widths) == 1

    @of_path
    def _ports(self, point: Point) -> list[FabricLink]:
        """The port of each controller; of 'FH128+FS128', the first port has one of them."""
        first, *others = str(point.link).split("+")
        count = point.ports or 1
        names = [first, *others * (count - 1)] if others else [first] * count
        return [self._platform.file.fabric_link[name] for name in names]

    def beat_bytes(self, point: Point) -> int:
        """Of the ports' width, unless a fault of the program's has cut it."""
        links, parts = self._ports(point), self._platform.components
        nexts = (parts[link.component].to[0] for link in links)
        at_memory = sum(parts[name].kind == "sdram" for name in nexts)
        width = bytes_of(links[0].width)
        return 4 if faults.beats_become_words(point, width, at_memory) else width

    def _job(self, point: Point) -> _engine.FabricJob:
        job = _engine.FabricJob(self._any_size(point))
        job.bytes = point.size_bytes
        job.beat_bytes = self.beat_bytes(point)
        # Each controller has a buffer of twice its share.
        job.buffer_align = max(PAGE, 2 * -(-point.size_bytes // len(self._ports(point))))
        if job.through_kernel:
            assert point.cache_level is not None
            on = self._platform.cache_levels[point.cache_level]
            job.buffer = self._hardware.process_buffer(on, point.size_bytes)
        return job

    @of_path
    def _any_size(self, point: Point) -> _engine.FabricJob:
        """The job of a point but for what depends on its size."""
        file = self._platform.file
        assert point.os is not None
        assert point.cache_level is not None
        on = self._platform.cache_levels[point.cache_level]
        offset = file.route[str(point.route)].offset
        links = self._ports(point)
        linux = point.os == "linux"

        job = _engine.FabricJob()
        job.to_fabric = point.direction == "cpu_to_fpga"
        ports = []
        for link in links:
            port = _engine.FabricPort()
            port.component = link.component
            port.memory_window = offset
            port.run_beats = int(link.run_beats.value)
            ports.append(port)
        job.ports = ports
        job.controller = self._hardware.of_kind("fabric_dma")
        job.processor = self._hardware.of_kind("processor")
        job.control = next(iter(file.link.values())).window
        job.outer_cache = self._hardware.cache("outer")
        job.outer_enabled = job.outer_cache in on
        if not linux:
            job.buffer = self._hardware.buffer(str(point.memory_attribute), on, 0)
        job.through_kernel = linux
        # Linux has the second-level cache take shared lines; the bare-metal programs do not.
        job.allocate = linux
        job.ordered_control = linux
        job.consume = CONSUME[self.said(point)["consume"]]
        if linux:
            job.kernel = self._hardware.buffer(str(point.buffer), on, 0)
            job.kernel_stride = _DRIVER_BUFFER
        costs = self._hardware.costs(point.os)
        fabric = self._platform.components[links[0].component]
        cycle = 1e3 / self._hardware.clock_mhz(fabric.clock, point)
        # The program takes off an empty run, in which it waits for the fabric's clock as well.
        hidden = cycle * costs["fabric_base_hidden"]
        job.base = max(costs["fabric_base"] - hidden, costs["fabric_base_least"])
        job.system_call, job.drain = costs["fabric_call"], costs["fabric_drain"]
        job.phase, job.next_work = costs["fabric_phase"], costs["fabric_next"]
        job.start_work, job.poll_work = costs["fabric_start"], costs["fabric_poll"]
        job.poll_lead = costs["fabric_poll_lead"]
        return job
