# SPDX-License-Identifier: Apache-2.0
"""A PCI Express device that reads and writes the host's memory by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from weighbridge import _engine
from weighbridge.backends.twin.packets import packets, trained
from weighbridge.backends.twin.program import Axes, Axis, Flow, Program, demand, flow_of
from weighbridge.dataset.schema import Point
from weighbridge.platforms.pcie_link import Link

_SIZES = tuple(128 << i for i in range(6))


class Device(Program):
    """Requests of a size, as many as go or one at a time; data to the host are writes."""

    understands: ClassVar[Axes] = {
        "access": Axis("throughput", ("throughput", "latency")),
        "traffic": Axis("one_way", ("one_way", "duplex")),
        "mps_bytes": Axis(among=_SIZES),
        "mrrs_bytes": Axis(among=_SIZES),
    }

    @staticmethod
    def drives(kind: str, point: Point) -> bool:
        return kind == "pcie_dma"

    def check(self, point: Point) -> None:
        demand(
            point,
            {
                "link": tuple(self._platform.file.link),
                "direction": ("cpu_to_fpga", "fpga_to_cpu"),
                "os": ("device",),
                "copy": (None,),
                "route": (None,),
            },
        )
        self.said(point)

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        name = self._platform.file.link[str(point.link)].component
        said = self.said(point)
        job = _engine.DeviceJob()
        job.bytes = point.size_bytes
        duplex = said["traffic"] == "duplex"
        job.reads = duplex or point.direction == "cpu_to_fpga"
        job.writes = duplex or point.direction == "fpga_to_cpu"
        job.latency = said["access"] == "latency"
        job.single = flow_of(point, self.flows(point)) == "single"
        job.master = str(point.master)
        numbers = {(name, field): value for field, value in packets(self.link(point)).items()}
        return _engine.device_transfer(self._hardware.description(point, numbers, without), job)

    def flows(self, point: Point) -> tuple[Flow, ...]:
        said = self.said(point)
        usual = said["access"] == "throughput" and said["traffic"] == "one_way"
        return ("steady", "single") if usual else ("steady",)

    def link(self, point: Point) -> Link:
        """The link of a point, with the sizes it asks for."""
        component = self._platform.components[self._platform.file.link[str(point.link)].component]
        said = self.said(point)
        link = trained(component)
        return replace(
            link,
            max_payload=int(said["mps_bytes"] or link.max_payload),
            max_read_request=int(said["mrrs_bytes"] or link.max_read_request),
        )

    def ceiling(self, point: Point) -> float:
        """The line code, the clock's ordered sets and the packets of the request."""
        link, size = self.link(point), point.size_bytes
        if self.said(point)["traffic"] == "duplex":
            wire = max(link.written(size) + link.requested(size), link.completed(size))
        elif point.direction == "fpga_to_cpu":
            wire = link.written(size)
        else:
            wire = max(link.requested(size), link.completed(size))
        return wire * 8 / link.unacknowledged

    def path(self, point: Point) -> list[str]:
        return self._hardware.route(self._hardware.master(point).to[0], 0)[::-1]
