# SPDX-License-Identifier: Apache-2.0
"""Copies by the processor and by a PL330, as the published studies' programs make them."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from weighbridge import _engine
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import faults
from weighbridge.backends.twin.extrapolation import Reach
from weighbridge.backends.twin.hardware import Hardware, bytes_of
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
from weighbridge.platforms.kinds import KINDS, MEMORIES
from weighbridge.platforms.model import Link

#: What the engine calls the building of a program.
PREPARATION = "program preparation"
#: How many answers for prepared programs are kept, for the same transfers by programs that are not.
_KEPT = 256
#: Bytes that a long copy's time grows by.
_STEP = 512 * 1024
#: What a cost that holds with the caches off replaces.
_UNCACHED = {"uncached_slowdown": "slowdown", "fetch_uncached": "fetch"}
#: Costs that are no time, and do not go into the engine's costs.
_FOOTPRINT = "footprint"
#: The copy that moves word by word instead of calling memcpy.
_WORD_LOOP = "for-loop"
#: Who goes first at the memory, by the study's words for the settings of its ports.
_FIRST = {
    "default": _engine.First.processor,
    "same": _engine.First.by_weight,
    "l3_higher": _engine.First.other,
}
#: Phases of the poll loop against the transfer that an answer averages over.
_POLL_SAMPLES = 16


class Copies(Program):
    """memcpy, a loop over words, and the PL330 with or without a driver."""

    understands: ClassVar[Axes] = {
        "consume": CONSUMED,
        "lock_cpu_ways": Axis(),
        "lock_acp_ways": Axis(),
        "lock_when": Axis(),
        "sdram_weight": Axis(),
        "sdram_priority": Axis(),
        "dummy_traffic": Axis(),
        "fault": Axis(),
    }

    @staticmethod
    def drives(kind: str, point: Point) -> bool:
        return kind == "pl330" or (kind == "processor" and "access" not in dict(point.axes))

    def check(self, point: Point) -> None:
        file = self._platform.file
        by_processor = self._by_processor(point)
        families = [f for f in file.path if f.of(os=point.os, master=point.master)]
        known: dict[str, tuple[object, ...]] = {
            "link": tuple(self._hardware.device_links()),
            "os": tuple(file.software),
            "cache_level": tuple(self._platform.cache_levels),
            "direction": ("cpu_to_fpga", "fpga_to_cpu"),
            "copy": tuple(c for f in families for c in f.columns.get("copy", ())) or (None,),
        }
        if not by_processor:
            known["route"] = tuple(file.route)
        demand(point, known)
        faults.check(point, faults.CPU_LOCK_MISSED, faults.FOUR_WAYS_LEFT_LOCKED)
        if point.ports not in (None, 1):
            raise Unanswered("several ports at once")
        self.said(point)
        said = self.asked(point)
        said.pop("consume", None)
        if said and by_processor:
            raise Unanswered(f"{', '.join(said)} with a copy by the processor")

    def __init__(self, hardware: Hardware) -> None:
        super().__init__(hardware)
        self._prepared: dict[tuple[Point, int, str], _engine.Outcome] = {}

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        description = self._hardware.description(point, without=without)
        if point.prepared is None or self._hardware.trace_slices:
            return _engine.transfer(description, self._job(point))
        # A program that is prepared beforehand moves the bytes in the same time.
        key = self._prepared_path(point), point.size_bytes, without
        outcome = self._prepared.get(key)
        if outcome is None:
            job = self._job(point)
            job.prepared = True
            outcome = _engine.transfer(description, job)
            if len(self._prepared) >= _KEPT:
                self._prepared.clear()
            self._prepared[key] = outcome
        return outcome if point.prepared else _unprepared(outcome)

    @of_path
    def _prepared_path(self, point: Point) -> Point:
        return replace(point, prepared=True, size_bytes=1)

    @of_path
    def reach(self, point: Point) -> Reach:
        job = self._job(replace(point, size_bytes=1))
        remembers = job.buffer.inner or job.buffer.outer or job.kernel.inner or job.kernel.outer
        held = FORGETS * self._hardware.cached_bytes() if remembers else 0
        # Over many pages, of which some fall into the same sets of a cache; and so that sizes of
        # whole MiB begin with the same prefix.
        step = REPEATS if held else _STEP
        # Whole pieces of the fabric's memory, or a transfer would have one more than another.
        chunk = job.chunk_bytes
        return Reach(max(REPEATS, held), chunk * max(1, step // chunk) if chunk <= step else step)

    @of_path
    def posted(self, point: Point) -> bool:
        if not self._by_processor(point):
            # This program says that it is done before its last bursts have arrived.
            return bool(self._hardware.costs(str(point.os))["early_end"])
        if point.direction != "cpu_to_fpga":
            return False
        job = self._job(point)
        return job.outer_enabled and not job.fabric_ordered

    def ceiling(self, point: Point) -> float:
        return max(point.size_bytes / self._rate(point), self.memory_seconds(point))

    @of_path
    def _rate(self, point: Point) -> float:
        """Bytes per second that the narrowest of the path's data paths takes."""
        link = self._link(point)
        rates = []
        for name in self.path(point):
            component = self._platform.components[name]
            if component.kind in MEMORIES or "width" not in component.numbers:
                continue
            width = component.base_value("width")
            if name == link.component:
                width = bytes_of(link.width)
            rates.append(width * self._hardware.clock_mhz(component.clock, point) * 1e6)
        return min(rates)

    @of_path
    def path(self, point: Point) -> list[str]:
        memory, fabric = self._memory_path(point), self._fabric_path(point)
        return [*reversed(memory), *(name for name in fabric if name not in memory)]

    def _fabric_path(self, point: Point) -> list[str]:
        """Components from the master's bus to the fabric's memory, in order."""
        bus = self._hardware.master(point).to[-1]
        return self._hardware.route(bus, self._link(point).window)

    def _memory_path(self, point: Point) -> list[str]:
        """Components from the master to the processor's memory, in order."""
        offset = (
            0 if self._by_processor(point) else self._platform.file.route[str(point.route)].offset
        )
        return self._hardware.route(self._hardware.master(point).to[0], offset)

    @of_path
    def _by_processor(self, point: Point) -> bool:
        return self._hardware.master(point).kind == "processor"

    def _link(self, point: Point) -> Link:
        return self._platform.file.link[str(point.link)]

    def _job(self, point: Point) -> _engine.TransferJob:
        size = point.size_bytes
        job = _engine.TransferJob(self._any_size(point))
        job.bytes = size
        linux = point.os == "linux"
        # The bare-metal programs check the first piece of what the PL330 has moved, the others all.
        whole = self._by_processor(point) or linux
        job.checked_bytes = size if whole else min(size, job.chunk_bytes)
        if linux:
            assert point.cache_level is not None
            on = self._platform.cache_levels[point.cache_level]
            job.buffer = self._hardware.process_buffer(on, size)
        return job

    @of_path
    def _any_size(self, point: Point) -> _engine.TransferJob:
        """The job of a point but for what depends on its size."""
        file = self._platform.file
        assert point.os is not None
        level = point.cache_level
        assert level is not None
        on = self._platform.cache_levels[level]
        assert file.fabric_memory is not None
        job = _engine.TransferJob()
        job.to_fabric = point.direction == "cpu_to_fpga"
        job.chunk_bytes = bytes_of(file.fabric_memory)
        if not self._by_processor(point):
            # The driver's programs are no longer than this.
            job.chunk_bytes = min(job.chunk_bytes, _engine.MAX_PROGRAM_BYTES)
        job.fabric = self._link(point).window
        job.processor = self._hardware.of_kind("processor")
        job.master = str(point.master)
        inner, outer = self._hardware.cache("inner"), self._hardware.cache("outer")
        job.inner_cache, job.outer_cache = inner, outer
        job.inner_enabled, job.outer_enabled = inner in on, outer in on
        job.instruction_cache = "instruction_cache" in on
        self._lock(job, point, outer)
        job.consume = CONSUME[self.said(point)["consume"]]
        job.word_loop = point.copy == _WORD_LOOP
        linux = point.os == "linux"
        job.fabric_ordered = linux or "mmu" not in on
        if not linux:
            attribute = point.memory_attribute or self._platform.attribute(point.os, level)
            job.buffer = self._hardware.buffer(str(attribute), on, 0)
        if not self._by_processor(point):
            assert point.route is not None
            job.memory_window = file.route[point.route].offset
            job.prepared = bool(point.prepared)
            job.through_kernel = linux
            if linux:
                if point.buffer not in file.buffer:
                    raise Unanswered(f"buffer '{point.buffer}'")
                job.kernel = self._hardware.buffer(point.buffer, on, 0)
            costs = self._hardware.costs(point.os)
            job.kernel_footprint = int(costs[_FOOTPRINT])
            job.software = _software(costs, cached=job.outer_enabled)
            job.poll_samples = _POLL_SAMPLES
            self._schedule(job, point)
        return job

    def _schedule(self, job: _engine.TransferJob, point: Point) -> None:
        """Dummy traffic of the processor's, and how the memory's ports share it with the master."""
        said = dict(point.axes)
        job.dummy_traffic = bool(said.get("dummy_traffic"))
        priority = said.get("sdram_priority")
        if priority is None:
            return
        if priority not in _FIRST:
            raise Unanswered(f"sdram_priority '{priority}' is not one of {tuple(_FIRST)}")
        job.memory = self._hardware.of_kind("sdram")
        schedule = _engine.PortSchedule()
        schedule.first = _FIRST[str(priority)]
        schedule.weight = int(said.get("sdram_weight") or 1)
        job.schedule = schedule

    def _lock(self, job: _engine.TransferJob, point: Point, cache: str) -> None:
        """Ways locked: the processor's from the first on, the coherent masters' from the last."""
        said = dict(point.axes)
        mine, theirs = int(said.get("lock_cpu_ways") or 0), int(said.get("lock_acp_ways") or 0)
        ways = int(self._platform.components[cache].base_value("ways"))
        if max(mine, theirs) > ways:
            raise Unanswered(f"{max(mine, theirs)} locked ways of {ways}")
        job.locked_processor = (1 << faults.ways_locked(point, mine)) - 1
        if theirs:
            port = self._hardware.of_kind("coherency_port")
            if self._platform.components[port].flags["lockable"]:
                job.locked_coherent = ((1 << theirs) - 1) << (ways - theirs)
        job.lock_prepared = said.get("lock_when") == "after"


def _unprepared(prepared: _engine.Outcome) -> _engine.Outcome:
    """The same transfer with its programs built before each start."""
    phase = _engine.Phase()
    phase.name, phase.seconds, phase.processor = PREPARATION, prepared.preparation, True
    outcome = _engine.Outcome()
    outcome.seconds = prepared.seconds + prepared.preparation
    phases = prepared.phases
    start = next(number for number, one in enumerate(phases) if one.name == "start")
    outcome.phases = [*phases[:start], phase, *phases[start:]]
    return outcome


def _software(costs: dict[str, float], cached: bool) -> _engine.DmaSoftware:
    software = _engine.DmaSoftware()
    for field in KINDS["pl330"].costs:
        if field == _FOOTPRINT:
            continue
        value = costs[field]
        if field not in _UNCACHED:
            setattr(software, field, value)
        elif not cached:
            setattr(software, _UNCACHED[field], value)
    return software
