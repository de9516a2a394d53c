# SPDX-License-Identifier: Apache-2.0
"""The twin: turns a point into a job for the engine and the engine's outcome into an answer."""

from __future__ import annotations

import random
from dataclasses import dataclass

from weighbridge import _engine
from weighbridge.backends import DEFAULT_SEED, Unanswered
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputError
from weighbridge.platforms.kinds import SOFTWARE, UNITS
from weighbridge.platforms.schema import MAX_SIZE_BYTES, BufferKind, Component, FabricLink, Platform

#: Where the programs' buffers lie in physical memory.
_PROGRAM_BASE = 0x0020_0000
_KERNEL_BASE = 0x1000_0000
_USER_FIRST_FRAME = 0x2_0000
_PAGE = 4096
#: Of the driver's buffers for DMA controllers in the fabric, one a controller.
_DRIVER_BUFFER = 2 * 1024 * 1024
#: The master that is no component of the processor's half.
_FABRIC = "fpga_dmac"
#: What a cost that holds with the caches off replaces.
_UNCACHED = {"uncached_slowdown": "slowdown", "fetch_uncached": "fetch"}
#: Costs that are no time, and do not go into the engine's costs.
_FOOTPRINT = "footprint"
#: A point's master and the kind of component that it is.
_MASTER_KINDS = {"cpu": "processor", "pl330": "pl330", _FABRIC: "fabric_dma"}
#: The copy that moves word by word instead of calling memcpy.
_WORD_LOOP = "for-loop"
#: Phases in which bytes move through the components, and the share of one that makes a component
#: its bound.
_MOVING = ("transfer by", "copy by")
_BUSY = 0.6
#: Phases of the poll loop against the transfer that an answer averages over.
_POLL_SAMPLES = 16


@dataclass(frozen=True, slots=True)
class Hop:
    """What one component did; seconds and bytes."""

    name: str
    title: str
    transactions: int
    bytes: int
    busy: float
    waiting: float

    def __add__(self, other: Hop) -> Hop:
        """The same component over two phases."""
        return Hop(
            self.name,
            self.title,
            self.transactions + other.transactions,
            self.bytes + other.bytes,
            self.busy + other.busy,
            self.waiting + other.waiting,
        )


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a transfer's time, and what the components did in it. Software has no hops."""

    name: str
    seconds: float
    hops: tuple[Hop, ...]

    @property
    def bound(self) -> str:
        """What the phase's time goes into.

        Software is named as it is. A phase that moves bytes is bound by the component that was busy
        for most of it or, where none was, by the latency that each access waits for.
        """
        if not self.name.startswith(_MOVING):
            return self.name
        busiest = max(self.hops, key=lambda hop: hop.busy, default=None)
        if busiest and busiest.busy > _BUSY * self.seconds:
            return busiest.title
        return "latency of each access"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where the time of a point goes; the phases, in their order, add up to `seconds`."""

    point: Point
    seconds: float
    ceiling_seconds: float
    phases: tuple[Phase, ...]

    @property
    def moving(self) -> Phase:
        """The phase in which the bytes cross between processor and fabric."""
        return next(phase for phase in self.phases if phase.name.startswith(_MOVING))

    @property
    def hops(self) -> tuple[Hop, ...]:
        """What each component did over all phases."""
        total: dict[str, Hop] = {}
        for hop in (hop for phase in self.phases for hop in phase.hops):
            so_far = total.get(hop.name)
            total[hop.name] = so_far + hop if so_far else hop
        return tuple(total.values())

    @property
    def bound_by(self) -> str:
        """What takes most of the time, in words."""
        return self.bounds()[0][0]

    def bounds(self) -> list[tuple[str, float]]:
        """(what, seconds) of each phase, the longest first."""
        named = [(phase.bound, phase.seconds) for phase in self.phases]
        return sorted(named, key=lambda item: -item[1])


class Twin:
    """Answers points of one platform by simulation."""

    name = "twin"

    def __init__(self, platform: Platform, seed: int = DEFAULT_SEED) -> None:
        self.platform = platform
        self._seed = seed
        self._descriptions: dict[tuple[str, float], _engine.Description] = {}
        self._frames: list[int] = []

    def predict(self, point: Point) -> Result:
        """The time of a point; raises Unanswered where the platform has no such path."""
        explanation = self.explain(point)
        return Result(
            point=point,
            seconds=explanation.seconds,
            backend=self.name,
            bytes_moved=point.size_bytes,
            ceiling_seconds=explanation.ceiling_seconds,
            bound_by=explanation.bound_by,
        )

    def explain(self, point: Point) -> Explanation:
        """The time of a point with its phases and what each component did."""
        self._check(point)
        if point.master == _FABRIC:
            outcome = _engine.fabric_transfer(self._description(point), self._fabric_job(point))
        else:
            outcome = _engine.transfer(self._description(point), self._job(point))
        return Explanation(
            point=point,
            seconds=outcome.seconds,
            ceiling_seconds=self.ceiling(point),
            phases=tuple(
                Phase(phase.name, phase.seconds, tuple(map(self._hop, phase.components)))
                for phase in outcome.phases
            ),
        )

    def _hop(self, use: _engine.ComponentUse) -> Hop:
        # Of several equal components each has its number behind the name.
        name, _, number = use.name.partition(" ")
        title = f"{self.platform.components[name].title} {number}".rstrip()
        return Hop(use.name, title, use.transactions, use.bytes, use.busy, use.waiting)

    def ceiling(self, point: Point) -> float:
        """Seconds that the widths and clocks of the point's path allow at best."""
        self._check(point)
        if point.master == _FABRIC:
            return self._fabric_ceiling(point)
        rates = []
        fabric = self.fabric_path(point)
        for name in fabric + self.memory_path(point):
            component = self.platform.components[name]
            if "width" not in component.numbers:
                continue
            width = component.base_value("width")
            if name == fabric[-2]:
                width = self._link_width(point)
            edges = 2 if component.kind == "sdram" else 1
            rates.append(width * edges * self._clock_mhz(component.clock, point) * 1e6)
        return point.size_bytes / min(rates)

    def _fabric_ceiling(self, point: Point) -> float:
        """The widths of the ports at the fabric's clock, or the memory's data bus."""
        widths = sum(
            link.width.value * UNITS["bytes"][link.width.unit] for link in self._fabric_ports(point)
        )
        memory = next(c for c in self.platform.components.values() if c.kind == "sdram")
        peak = 2 * memory.base_value("width") * self._clock_mhz(memory.clock, point)
        return point.size_bytes / (min(widths * self._clock_mhz("fpga", point), peak) * 1e6)

    def fabric_path(self, point: Point) -> list[str]:
        """Components from the master's bus to the fabric's memory, in order."""
        assert point.link is not None
        window = self.platform.file.link[point.link].window
        return self._route(self._master(point).to[-1], window)

    def memory_path(self, point: Point) -> list[str]:
        """Components from the master to the processor's memory, in order."""
        master = self._master(point)
        if point.master == "cpu":
            return self._route(master.to[0], 0)
        assert point.route is not None
        return self._route(master.to[0], self.platform.file.route[point.route].offset)

    def path(self, point: Point) -> list[str]:
        """Every component on the way of a point, its master first."""
        master = self._master_name(point)
        ways = self.fabric_path(point) + self.memory_path(point)
        return list(dict.fromkeys([master, *ways]))

    def _master_name(self, point: Point) -> str:
        kind = _MASTER_KINDS[str(point.master)]
        return next(name for name, part in self.platform.components.items() if part.kind == kind)

    def _master(self, point: Point) -> Component:
        return self.platform.components[self._master_name(point)]

    def _cache(self, level: str) -> str:
        """The name of the cache of a level, inner or outer."""
        return next(
            name
            for name, part in self.platform.components.items()
            if part.choices.get("level") == level
        )

    def _route(self, start: str, address: int) -> list[str]:
        path = [start]
        while True:
            component = self.platform.components[path[-1]]
            if component.windows:
                path.append(
                    next(w.to for w in component.windows if 0 <= address - w.base < w.bytes)
                )
            elif component.to:
                path.append(component.to[-1])
            else:
                return path

    def _link_width(self, point: Point) -> float:
        assert point.link is not None
        width = self.platform.file.link[point.link].width
        return width.value * UNITS["bytes"][width.unit]

    def _clock_mhz(self, clock: str, point: Point) -> float:
        return self.platform.clock_mhz(clock, point.fpga_mhz)

    def _check(self, point: Point) -> None:
        """Refuses what cannot be asked, and raises Unanswered for what this platform lacks."""
        file = self.platform.file
        if not 0 < point.size_bytes <= MAX_SIZE_BYTES:
            raise InputError(
                f"size {point.size_bytes} B", mend=f"allowed: 1 B to {MAX_SIZE_BYTES} B"
            )
        if point.fpga_mhz is not None and not 1 <= point.fpga_mhz <= 1000:
            raise InputError(f"fpga_mhz {point.fpga_mhz:g}", mend="allowed: 1 to 1000 MHz")
        if point.platform != self.platform.name:
            raise Unanswered(f"platform '{point.platform}' is not {self.platform.name}")
        known: dict[str, tuple[object, ...]] = {
            "link": tuple(file.link),
            "os": tuple(file.software),
            "master": tuple(_MASTER_KINDS),
            "cache_level": tuple(self.platform.cache_levels),
            "direction": ("cpu_to_fpga", "fpga_to_cpu"),
        }
        if point.master != "cpu":
            known["route"] = tuple(file.route)
        if point.master == _FABRIC:
            known["link"] = (point.link,) if self._is_fabric_link(point) else ()
        elif point.ports not in (None, 1):
            raise Unanswered("several ports at once")
        families = [f for f in file.path if (f.os, f.master) == (point.os, point.master)]
        known["copy"] = tuple(copy for family in families for copy in family.copies) or (None,)
        for key, allowed in known.items():
            value = getattr(point, key)
            if value not in allowed:
                raise Unanswered(f"{key} '{value}' is not one of {allowed}")
        if any(value not in (None, False) for _, value in point.axes):
            raise Unanswered(f"axes {dict(point.axes)}")

    def _is_fabric_link(self, point: Point) -> bool:
        """Whether a point's link is one port, or two of one width joined by '+'."""
        known = self.platform.file.fabric_link
        parts = str(point.link).split("+")
        widths = {known[part].width.value for part in parts if part in known}
        return all(part in known for part in parts) and len(parts) <= 2 and len(widths) == 1

    def _description(self, point: Point) -> _engine.Description:
        """The platform as the engine wants it, at the point's link and clock."""
        assert point.link is not None
        file = self.platform.file
        key = (point.link, self._clock_mhz("fpga", point))
        if key in self._descriptions:
            return self._descriptions[key]
        # The width of each bridge that the link names, in place of the file's own.
        if point.master == _FABRIC:
            widths = {part.component: part.width for part in self._fabric_ports(point)}
        else:
            widths = {file.link[point.link].component: file.link[point.link].width}
        description = _engine.Description()
        description.reference_clock = file.reference_clock
        description.clocks_mhz = {name: self._clock_mhz(name, point) for name in file.clock}
        components = []
        for name, component in file.component.items():
            spec = _engine.Component()
            spec.name, spec.kind, spec.clock = name, component.kind, component.clock
            spec.to = list(component.to)
            spec.choices = dict(component.choices)
            numbers = {field: component.base_value(field) for field in component.numbers}
            numbers |= {field: float(flag) for field, flag in component.flags.items()}
            if name in widths:
                numbers["width"] = widths[name].value * UNITS["bytes"][widths[name].unit]
            spec.numbers = numbers
            windows = []
            for window in component.windows:
                one = _engine.Window()
                one.target, one.base, one.bytes = window.to, window.base, window.bytes
                windows.append(one)
            spec.windows = windows
            components.append(spec)
        description.components = components
        self._descriptions[key] = description
        return description

    def _job(self, point: Point) -> _engine.Job:
        file = self.platform.file
        assert point.link is not None
        assert point.os is not None
        level = point.cache_level
        assert level is not None
        on = self.platform.cache_levels[level]
        fabric_memory = file.fabric_memory.value * UNITS["bytes"][file.fabric_memory.unit]

        job = _engine.Job()
        job.to_fabric = point.direction == "cpu_to_fpga"
        job.bytes = point.size_bytes
        job.chunk_bytes = int(fabric_memory)
        job.fabric = file.link[point.link].window
        job.master = "processor" if point.master == "cpu" else "pl330"
        job.inner_cache, job.outer_cache = inner, outer = self._cache("inner"), self._cache("outer")
        job.inner_enabled, job.outer_enabled = inner in on, outer in on
        job.instruction_cache = "instruction_cache" in on
        job.word_loop = point.copy == _WORD_LOOP
        job.check_reads = True
        linux = point.os == "linux"
        job.fabric_ordered = linux or "mmu" not in on
        attribute = (
            "user" if linux else point.memory_attribute or self.platform.attribute(point.os, level)
        )
        assert attribute is not None
        job.buffer = self._buffer(attribute, on, point.size_bytes)
        if point.master == "pl330":
            assert point.route is not None
            job.memory_window = file.route[point.route].offset
            job.prepared = bool(point.prepared)
            job.through_kernel = linux
            if linux:
                if point.buffer not in file.buffer:
                    raise Unanswered(f"buffer '{point.buffer}'")
                job.kernel = self._buffer(point.buffer, on, 0)
            footprint = file.software[point.os][_FOOTPRINT]
            job.kernel_footprint = int(footprint.value * UNITS["bytes"][footprint.unit])
            job.software = self._software(point.os, cached=job.outer_enabled)
            job.poll_samples = _POLL_SAMPLES
        return job

    def _fabric_ports(self, point: Point) -> list[FabricLink]:
        """The port of each controller; of 'FH128+FS128', the first port has one of them."""
        first, *others = str(point.link).split("+")
        count = point.ports or 1
        names = [first, *others * (count - 1)] if others else [first] * count
        return [self.platform.file.fabric_link[name] for name in names]

    def _fabric_job(self, point: Point) -> _engine.FabricJob:
        file = self.platform.file
        assert point.os is not None
        assert point.cache_level is not None
        on = self.platform.cache_levels[point.cache_level]
        offset = file.route[str(point.route)].offset
        links = self._fabric_ports(point)
        linux = point.os == "linux"

        job = _engine.FabricJob()
        job.to_fabric = point.direction == "cpu_to_fpga"
        job.bytes = point.size_bytes
        job.beat_bytes = int(links[0].width.value * UNITS["bytes"][links[0].width.unit])
        ports = []
        for link in links:
            port = _engine.FabricPort()
            port.component = link.component
            port.memory_window = offset
            port.run_beats = int(link.run_beats.value)
            ports.append(port)
        job.ports = ports
        job.control = next(iter(file.link.values())).window
        # Each controller has a buffer of twice its share.
        job.buffer_align = max(_PAGE, 2 * -(-point.size_bytes // len(links)))
        job.outer_cache = self._cache("outer")
        job.outer_enabled = job.outer_cache in on
        attribute = "user" if linux else str(point.memory_attribute)
        job.buffer = self._buffer(attribute, on, point.size_bytes)
        job.through_kernel = linux
        # Linux has the second-level cache take shared lines; the bare-metal programs do not.
        job.allocate = linux
        job.ordered_control = linux
        if linux:
            job.kernel = self._buffer(str(point.buffer), on, 0)
            job.kernel_stride = _DRIVER_BUFFER
        costs = {
            field: quantity.value * UNITS[SOFTWARE[field]][quantity.unit]
            for field, quantity in file.software[point.os].items()
        }
        job.base, job.system_call = costs["fabric_base"], costs["fabric_call"]
        job.start_work, job.poll_work = costs["fabric_start"], costs["fabric_poll"]
        job.poll_lead = costs["fabric_poll_lead"]
        return job

    def _buffer(self, attribute: str, on: frozenset[str], size: int) -> _engine.Buffer:
        kind: BufferKind | None = self.platform.file.buffer.get(attribute)
        if kind is None:
            raise Unanswered(f"memory attribute '{attribute}'")
        buffer = _engine.Buffer()
        buffer.base = _KERNEL_BASE if attribute.startswith("kernel") else _PROGRAM_BASE
        buffer.inner = kind.inner and self._cache("inner") in on
        buffer.outer = kind.outer and self._cache("outer") in on
        buffer.ordered = kind.ordered
        buffer.allocate = kind.allocate
        if kind.scattered:
            buffer.base = _USER_FIRST_FRAME * _PAGE
            buffer.frames = self._user_frames(-(-size // _PAGE))
        return buffer

    def _user_frames(self, count: int) -> list[int]:
        """Physical pages of a user buffer: scattered as a running system hands them out."""
        while len(self._frames) < count:
            # Blocks of 64 MiB, each shuffled by itself, so that a longer buffer has the same start.
            block = list(range(16384))
            start = _USER_FIRST_FRAME + len(self._frames)
            random.Random(self._seed + len(self._frames)).shuffle(block)
            self._frames += [start + page for page in block]
        return self._frames[:count]

    def _software(self, os: str, cached: bool) -> _engine.DmaSoftware:
        software = _engine.DmaSoftware()
        for field, quantity in self.platform.file.software[os].items():
            value = quantity.value * UNITS[SOFTWARE[field]][quantity.unit]
            if field == _FOOTPRINT or field.startswith("fabric"):
                continue
            if field not in _UNCACHED:
                setattr(software, field, value)
            elif not cached:
                setattr(software, _UNCACHED[field], value)
        return software
