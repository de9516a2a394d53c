# SPDX-License-Identifier: Apache-2.0
"""A PCI Express device that reads and writes the host's memory by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from weighbridge import _engine
from weighbridge.backends.twin.packets import packets, trained
from weighbridge.backends.twin.program import Flow, Program, axes, demand, flow_of
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms.pcie_link import Link

#: What is meant by an axis that a point leaves open.
_USUAL: Final = {"access": "throughput", "traffic": "one_way"}
_ACCESS: Final = ("throughput", "latency")
_TRAFFIC: Final = ("one_way", "duplex")
_SIZES: Final = tuple(128 << i for i in range(6))


class Device(Program):
    """Requests of a size, as many as go or one at a time; data to the host are writes."""

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
        axes(point, "mps_bytes", "mrrs_bytes", *_USUAL)
        said = self._axes(point)
        for axis, known in {"access": _ACCESS, "traffic": _TRAFFIC}.items():
            if said[axis] not in known:
                raise InputError(f"{axis} '{said[axis]}'", mend="allowed: " + ", ".join(known))
        for axis in ("mps_bytes", "mrrs_bytes"):
            if axis in said and said[axis] not in _SIZES:
                allowed = ", ".join(map(str, _SIZES))
                raise InputError(f"{axis} {said[axis]}", mend=f"allowed: {allowed}")

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        name = self._platform.file.link[str(point.link)].component
        said = self._axes(point)
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
        said = self._axes(point)
        usual = all(said[axis] == value for axis, value in _USUAL.items())
        return ("steady", "single") if usual else ("steady",)

    def link(self, point: Point) -> Link:
        """The link of a point, with the sizes it asks for."""
        component = self._platform.components[self._platform.file.link[str(point.link)].component]
        said = self._axes(point)
        link = trained(component)
        return replace(
            link,
            max_payload=int(str(said.get("mps_bytes", link.max_payload))),
            max_read_request=int(str(said.get("mrrs_bytes", link.max_read_request))),
        )

    def ceiling(self, point: Point) -> float:
        """The line code, the clock's ordered sets and the packets of the request."""
        link, size = self.link(point), point.size_bytes
        if self._axes(point)["traffic"] == "duplex":
            wire = max(link.written(size) + link.requested(size), link.completed(size))
        elif point.direction == "fpga_to_cpu":
            wire = link.written(size)
        else:
            wire = max(link.requested(size), link.completed(size))
        return wire * 8 / link.unacknowledged

    def path(self, point: Point) -> list[str]:
        return self._hardware.route(self._hardware.master(point).to[0], 0)[::-1]

    @staticmethod
    def _axes(point: Point) -> dict[str, object]:
        said = {name: value for name, value in point.axes if value is not None}
        return {**_USUAL, **said}
