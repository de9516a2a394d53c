# SPDX-License-Identifier: Apache-2.0
"""Blocks in the fabric that read and write memory through the processor's ports, all at once."""

from __future__ import annotations

from typing import ClassVar, Final

from weighbridge import _engine
from weighbridge.backends import Unanswered
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.backends.twin.program import Axes, Axis, Flow, Program, demand
from weighbridge.dataset.schema import Point
from weighbridge.platforms.model import Component

_MIXES: Final = ("read_write", "read_only", "write_only")
#: What the address's bits mean: the platform's own way, or another one that its controller knows.
_MAPS: Final = {
    "row_bank_col": _engine.AddressMap.row_bank_column,
    "bank_row_col": _engine.AddressMap.bank_row_column,
}
#: Answers to whole tests that are kept: the rows of one test are its streams.
_KEPT: Final = 64


class Traffic(Program):
    """One stream of a test: a block's reads or its writes, while others run.

    The time is that of one burst in the steady flow; of a generator with bursts of its own size,
    that of a whole transfer by itself.
    """

    understands: ClassVar[Axes] = {
        "access": Axis("sequential", ("sequential", "strided")),
        "stride_bytes": Axis(),  # of sequential bursts their own size, of strided ones so much more
        "block": Axis(),
        "active_ports": Axis(),
        "interconnect": Axis("direct", ("direct", "smartconnect")),
        "mix": Axis(among=_MIXES),
        "ddr_map": Axis(among=tuple(_MAPS)),
        "hp0_qos": Axis(among=("video", "best_effort", "equal")),
    }

    def __init__(self, hardware: Hardware) -> None:
        super().__init__(hardware)
        self._tests: dict[object, list[_engine.BlockLoad]] = {}

    @staticmethod
    def drives(kind: str, point: Point) -> bool:
        return kind == "traffic_generator"

    def check(self, point: Point) -> None:
        links = [name for name in self._platform.file.link if self._reaches(point, name)]
        demand(point, {"link": tuple(links), "direction": ("cpu_to_fpga", "fpga_to_cpu")})
        said = self.said(point)
        active = self._active(point)
        for name in active:
            if name not in links:
                raise Unanswered(f"active_ports '{said['active_ports']}': no port '{name}'")
        # A path that says nothing of it has one.
        if point.ports not in (None, 1, len(active)):
            raise Unanswered(f"{point.ports} ports, and {len(active)} are active")
        if said["mix"] == ("write_only" if point.direction == "cpu_to_fpga" else "read_only"):
            raise Unanswered(f"mix '{said['mix']}' has no stream {point.direction}")
        if said["interconnect"] == "direct" and point.link not in active:
            raise Unanswered(f"link '{point.link}' is not active in '{said['active_ports']}'")
        if not 0 <= self._number(point) < len(active):
            raise Unanswered(f"block '{said['block']}' is none of {len(active)}")
        stride = said["stride_bytes"]
        beat = self._beat(point)
        if stride is not None and (stride < 1 or stride % beat):
            raise Unanswered(f"stride {stride} B is no whole number of beats of {beat} B")

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        streams = self._test(point)[self._number(point)]
        outcome = streams.read if point.direction == "cpu_to_fpga" else streams.write
        least = self.ceiling(point)
        # Without the memory, or without what is before it, the port's own rate is left. The window
        # that is timed begins and ends within a burst: its edges add no rate to the port's either.
        if without not in self.path(point) and outcome.seconds >= least:
            return outcome
        alone = _engine.Outcome()
        alone.seconds = least
        phases = outcome.phases
        for phase in phases:
            phase.seconds = alone.seconds
        alone.phases = phases
        return alone

    def flows(self, point: Point) -> tuple[Flow, ...]:
        return ("single",) if self._single(point) else ("steady",)

    def ceiling(self, point: Point) -> float:
        """The bytes on the port's data channel, which reads and writes have each for themselves.

        Blocks behind an interconnect share it.
        """
        port = self._port(point, str(point.link))
        rate = self._beat(point) * self._hardware.clock_mhz(port.clock, point) * 1e6
        return self._whole(point) / rate

    def path(self, point: Point) -> list[str]:
        return self._hardware.route(self._platform.file.link[str(point.link)].component, 0)[::-1]

    def _test(self, point: Point) -> list[_engine.BlockLoad]:
        """What became of every stream of the point's test."""
        said = self.said(point)
        generator = self._hardware.master(point)
        active = self._active(point)
        windows = [generator.to.index(self._platform.file.link[name].component) for name in active]
        # Behind an interconnect all blocks use the point's own port.
        shared = said["interconnect"] != "direct"
        ports = [str(point.link)] * len(active) if shared else active
        job = _engine.PortLoadJob()
        job.generator = str(point.master)
        blocks = []
        for name, window in zip(ports, windows, strict=True):
            block = _engine.LoadBlock()
            block.port, block.window = self._platform.file.link[name].component, window
            blocks.append(block)
        job.blocks = blocks
        components = self._platform.components
        video = [n for n, part in components.items() if part.choices.get("traffic") == "video"]
        job.video = video if said["hp0_qos"] in (None, "video") else []
        mix = said["mix"]
        if mix is None:
            mix = "read_only" if point.direction == "cpu_to_fpga" else "write_only"
        job.reads, job.writes = mix != "write_only", mix != "read_only"
        job.burst_bytes = self._burst(point)
        strided = said["access"] == "strided"
        skipped = int(generator.base_value("skipped")) if strided else 0
        job.stride = int(said["stride_bytes"] or job.burst_bytes + skipped)
        job.bytes, job.single = self._whole(point), self._single(point)
        memory = self.path(point)[0]
        own = components[memory].choices["map"]
        job.map = _MAPS[said["ddr_map"]] if said["ddr_map"] else getattr(_engine.AddressMap, own)
        key = (
            *(point.fpga_mhz, mix, tuple((b.port, b.window) for b in blocks), tuple(job.video)),
            *(job.burst_bytes, job.stride, job.bytes, job.map, job.generator),
            self._hardware.trace_slices,
        )
        if key not in self._tests:
            description = self._hardware.description(point)
            if len(self._tests) >= _KEPT:
                self._tests.clear()
            self._tests[key] = _engine.port_load(description, job)
        return self._tests[key]

    def _reaches(self, point: Point, link: str) -> bool:
        return self._platform.file.link[link].component in self._hardware.master(point).to

    def _active(self, point: Point) -> list[str]:
        """The links whose blocks run."""
        return str(self.said(point)["active_ports"] or point.link).split("+")

    def _number(self, point: Point) -> int:
        """Which of the blocks that run is the point's: its port's, or as it says."""
        said = self.said(point)
        active = self._active(point)
        if said["interconnect"] != "direct" and said["block"] is not None:
            return int(said["block"])
        return active.index(str(point.link)) if point.link in active else 0

    def _port(self, point: Point, link: str) -> Component:
        return self._platform.components[self._platform.file.link[link].component]

    def _beat(self, point: Point) -> int:
        return bytes_of(self._platform.file.link[str(point.link)].width)

    def _single(self, point: Point) -> bool:
        """Whether the generator makes transfers of bursts of its own."""
        return self._hardware.master(point).base_value("burst_bytes") > 0

    def _burst(self, point: Point) -> int:
        """Bytes of a burst: the point's own, as far as there is such a burst, in whole beats."""
        generator = self._hardware.master(point)
        own = int(generator.base_value("burst_bytes"))
        longest = own or int(generator.base_value("longest_burst"))
        return min(longest, self._whole(point))

    def _whole(self, point: Point) -> int:
        """The point's bytes in whole beats: a part of one takes as long."""
        beat = self._beat(point)
        return -(-point.size_bytes // beat) * beat
