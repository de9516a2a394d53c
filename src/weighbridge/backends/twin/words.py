# SPDX-License-Identifier: Apache-2.0
"""Words through a node's FIFO in the fabric, each an access of the processor."""

from __future__ import annotations

from weighbridge import _engine
from weighbridge.backends.twin.driver_accesses import FIFO_WAIT, Accesses, driver_call
from weighbridge.backends.twin.program import Program, demand
from weighbridge.dataset.schema import Point

_WORD = 4


class Words(Program):
    """One call of the driver that moves a buffer word by word, with or without a wait."""

    @staticmethod
    def drives(kind: str, point: Point) -> bool:
        return kind == "word_fifo"

    def check(self, point: Point) -> None:
        file = self._platform.file
        ports = self._hardware.master(point).to
        demand(
            point,
            {
                "link": tuple(n for n, link in file.link.items() if link.component in ports),
                "os": tuple(file.software),
                "completion": ("interrupt", "poll"),
                "direction": ("cpu_to_fpga", "fpga_to_cpu"),
                "copy": (None,),
                "route": (None,),
                "buffer": (None,),
                "ports": (1, None),
            },
        )
        self.said(point)

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        costs = self._hardware.costs(str(point.os))
        job = _engine.WordJob()
        job.to_fabric = point.direction == "cpu_to_fpga"
        job.words = -(-point.size_bytes // _WORD)
        job.node = str(point.master)
        node = self._hardware.master(point)
        cycles = node.base_value("word_cycles")
        job.interval = cycles * 1e3 / self._hardware.clock_mhz(node.clock, point)
        job.processor = self._hardware.of_kind("processor")
        job.control = self._platform.file.link[str(point.link)].window
        job.waits = point.completion == "interrupt"
        job.call = driver_call(Accesses(0), costs["stream_call"], costs["stream_work"])
        job.wait = driver_call(FIFO_WAIT, costs["stream_interrupt"])
        return _engine.word_transfer(self._hardware.description(point, without=without), job)

    def ceiling(self, point: Point) -> float:
        """A word a beat of the port."""
        component = self._platform.components[self._platform.file.link[str(point.link)].component]
        rate = _WORD * self._hardware.clock_mhz(component.clock, point) * 1e6
        return point.size_bytes / rate

    def path(self, point: Point) -> list[str]:
        bus = self._platform.components[self._hardware.of_kind("processor")].to[-1]
        return self._hardware.route(bus, self._platform.file.link[str(point.link)].window)
