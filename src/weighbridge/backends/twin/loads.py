# SPDX-License-Identifier: Apache-2.0
"""Memory benchmarks: chains of loads and passes over a working set, and a central DMA."""

from __future__ import annotations

from typing import ClassVar, Final

from weighbridge import _engine
from weighbridge.backends import Unanswered
from weighbridge.backends.twin.extrapolation import Reach
from weighbridge.backends.twin.program import (
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
from weighbridge.platforms.kinds import MEMORIES
from weighbridge.platforms.model import Link

#: What a loop does, by the words of an `access` axis.
_LOOPS: Final = {
    "latency": _engine.Loop.chain,
    "rd": _engine.Loop.read,
    "wr": _engine.Loop.write,
    "cp": _engine.Loop.copy,
}
_LOAD: Final = ("idle", "stress")
#: The core's own memory, through its caches.
NATIVE: Final = "native"
#: Runs of a point, each a part of one long loop.
RUNS: Final = 100
#: What is meant by a chain that says no more.
_STRIDE, _WORKING_SET = 64, 64 << 20


class Loads(Program):
    """Loops by a core, over its own memory through its caches or over another past them."""

    understands: ClassVar[Axes] = {
        "access": Axis(),
        "target": Axis(NATIVE),
        "load": Axis("idle"),
        "working_set_bytes": Axis(),
        "stride_bytes": Axis(_STRIDE),
    }

    @staticmethod
    def drives(kind: str, point: Point) -> bool:
        return kind in ("core", "central_dma")

    def check(self, point: Point) -> None:
        self.said(point)
        engine = self._hardware.master(point).kind == "central_dma"
        reached = [
            name for name, link in self._platform.file.link.items() if self._reaches(point, link)
        ]
        known: dict[str, tuple[object, ...]] = {
            "os": ("linux",),
            "direction": self._directions(point),
            "route": (None,),
            "copy": (None,),
            "link": tuple(reached) if engine else (None,),
            "target": (None,) if engine else (NATIVE, *reached),
            "access": (None,) if engine else tuple(_LOOPS),
            "load": (None,) if engine else _LOAD,
        }
        demand(point, known)
        if not engine and self.said(point)["access"] == "latency":
            stride, working_set = self._stride(point), self._working_set(point)
            if not 4 <= stride <= working_set:
                raise InputError(f"stride_bytes {stride}", mend=f"allowed: 4 to {working_set}")

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        description = self._hardware.description(point, without=without)
        if self._hardware.master(point).kind == "central_dma":
            copy = _engine.CopyEngineJob()
            copy.master, copy.bytes = str(point.master), point.size_bytes
            here, there = self._ends(point)
            copy.source, copy.target = here.window, there.window
            return _engine.engine_copy(description, copy)
        job = _engine.LoadJob()
        job.loop = _LOOPS[str(self.said(point)["access"])]
        job.core = str(point.master)
        job.cached = self.said(point)["target"] == NATIVE
        job.port = 0 if job.cached else 1
        job.base = 0 if job.cached else self._target(point).window
        job.held = self._hardware.cached_bytes()
        job.working_set, job.stride = self._working_set(point), self._stride(point)
        job.hog = self.said(point)["load"] == "stress"
        job.single = flow_of(point, self.flows(point)) == "single"
        job.seed, job.runs = self._hardware.seed, 1 if job.single else RUNS
        return _engine.load_loop(description, job)

    def flows(self, point: Point) -> tuple[Flow, ...]:
        if self._hardware.master(point).kind == "central_dma":
            return ("single",)
        chain = self.said(point)["access"] == "latency"
        return ("steady",) if chain else ("steady", "single")

    def reach(self, point: Point) -> Reach:
        forgotten = max(REPEATS, FORGETS * self._hardware.cached_bytes())
        return Reach(forgotten, REPEATS)

    def ceiling(self, point: Point) -> float:
        """The narrowest width at its clock on the way, or the link's payload rate.

        What the caches on the way hold goes no further; the core issues an access for each line.
        """
        times, held = [], 0.0
        path = self.path(point)
        for name in path:
            component = self._platform.components[name]
            if component.kind == "pcie_link":
                from weighbridge.backends.twin.packets import trained

                times.append(point.size_bytes * 8 / trained(component).unacknowledged)
            elif "width" in component.numbers:
                taken = self.taken(name, path, point) if component.kind in MEMORIES else 0
                times.append(max(0, point.size_bytes - taken) / self.bus_rate(name, point))
            elif component.kind == "cache":
                held += component.base_value("bytes")
        least = max(times)
        if not held:
            return least
        core = self._hardware.master(point)
        issued = core.base_value("issue") * 1e-9 * point.size_bytes / core.base_value("line")
        working_set = self._working_set(point)
        return max(issued, least * max(0.0, 1 - held / working_set))

    def path(self, point: Point) -> list[str]:
        master = self._hardware.master(point)
        if master.kind == "central_dma":
            walks = [self._hardware.route(master.to[0], end.window) for end in self._ends(point)]
            return list(dict.fromkeys([*reversed(walks[0]), *walks[1]]))
        if self.said(point)["target"] == NATIVE:
            return self._hardware.route(master.to[0], 0)[::-1]
        return self._hardware.route(master.to[1], self._target(point).window)[::-1]

    def _directions(self, point: Point) -> tuple[str, ...]:
        """Which way the bytes go: stores into the fabric's memory and loads from the host's to it.

        What stays with a core, a copy, and what a DMA engine moves go either way.
        """
        both = ("cpu_to_fpga", "fpga_to_cpu")
        said = self.said(point)
        link = self._platform.file.link.get(str(said["target"]))
        if link is None or said.get("access") == "cp":
            return both
        return both[:1] if link.host == (said.get("access") != "wr") else both[1:]

    def _reaches(self, point: Point, link: Link) -> bool:
        """Whether a master's port leads to a memory."""
        try:
            walk = self._hardware.route(self._hardware.master(point).to[-1], link.window)
        except Unanswered:  # no window of a switch on the way
            return False
        return link.component in walk

    def _ends(self, point: Point) -> tuple[Link, Link]:
        """The memories that a copy is from and to, the first of the platform and the point.s."""
        there = self._platform.file.link[str(point.link)]
        here = next(iter(self._platform.file.link.values()))
        return (here, there) if point.direction == "fpga_to_cpu" else (there, here)

    def _target(self, point: Point) -> Link:
        return self._platform.file.link[str(self.said(point)["target"])]

    def _working_set(self, point: Point) -> int:
        chain = self.said(point)["access"] == "latency"
        usual = _WORKING_SET if chain else point.size_bytes
        return int(self.said(point)["working_set_bytes"] or usual)

    def _stride(self, point: Point) -> int:
        return int(self.said(point)["stride_bytes"] or _STRIDE)
