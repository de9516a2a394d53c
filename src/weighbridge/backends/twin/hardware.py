# SPDX-License-Identifier: Apache-2.0
"""A platform as the engine wants it, at a point's clocks; what every program asks of it."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType

from weighbridge import _engine
from weighbridge.backends import Unanswered
from weighbridge.backends.twin.packets import packets, trained
from weighbridge.backends.twin.remembering import Paths, of_platform
from weighbridge.dataset.schema import Point
from weighbridge.platforms.kinds import KINDS, MEMORIES, SOFTWARE, UNITS
from weighbridge.platforms.model import Component, Link, Platform, Quantity

#: Where the programs' buffers lie in physical memory.
_PROGRAM_BASE = 0x0020_0000
_DRIVER_BASE = 0x1000_0000
_USER_FIRST_FRAME = 0x2_0000
PAGE = 4096


@cache
def _frames_of(seed: int) -> list[int]:
    """Pages handed out so far: one list for all of a seed, drawing them takes longer than most
    answers."""
    return []


class Hardware:
    """The hardware of a platform; the seed decides what is random in it."""

    def __init__(self, platform: Platform, seed: int) -> None:
        self.platform = platform
        self.seed = seed
        self._asked = threading.local()
        #: What is known of the paths of the points that were asked.
        self.paths = Paths()
        self._descriptions: dict[object, _engine.Description] = {}
        self._frames = _frames_of(seed)

    @property
    def trace_slices(self) -> int:
        """Of a trace at most; 0: nothing is traced. Each thread has its own."""
        return getattr(self._asked, "trace_slices", 0)

    @contextmanager
    def traced(self, slices: int) -> Iterator[None]:
        """What this thread asks within is traced."""
        self._asked.trace_slices = slices
        try:
            yield
        finally:
            self._asked.trace_slices = 0

    def master(self, point: Point) -> Component:
        """The component that moves a point's bytes; raises Unanswered where there is none."""
        component = self.platform.components.get(str(point.master))
        if component is None or not KINDS[component.kind].master:
            masters = [n for n, c in self.platform.components.items() if KINDS[c.kind].master]
            raise Unanswered(f"master '{point.master}' is not one of {tuple(masters)}")
        return component

    @of_platform
    def of_kind(self, kind: str) -> str:
        """The name of the first component of a kind; raises Unanswered where there is none."""
        for name, component in self.platform.components.items():
            if component.kind == kind:
                return name
        raise Unanswered(f"{self.platform.name} has no {kind}")

    @of_platform
    def memory(self) -> str:
        """The name of the processor's memory; raises Unanswered where there is none."""
        for name, component in self.platform.components.items():
            if component.kind in MEMORIES:
                return name
        raise Unanswered(f"{self.platform.name} has no memory")

    @of_platform
    def cache(self, level: str) -> str:
        """The name of the cache of a level, inner or outer; raises Unanswered without one."""
        for name, part in self.platform.components.items():
            if part.choices.get("level") == level:
                return name
        raise Unanswered(f"{self.platform.name} has no {level} cache")

    @of_platform
    def cached_bytes(self) -> int:
        """Of the largest cache; 0 where there is none."""
        caches = (c for c in self.platform.components.values() if c.kind == "cache")
        return max((int(cache.base_value("bytes")) for cache in caches), default=0)

    @of_platform
    def route(self, start: str, address: int) -> list[str]:
        """Components that an access to an address goes through, from `start` on."""
        path = [start]
        while True:
            component = self.platform.components[path[-1]]
            if component.windows:
                held = [w.to for w in component.windows if 0 <= address - w.base < w.bytes]
                if not held:
                    raise Unanswered(f"no window of '{path[-1]}' holds the address {address:#x}")
                path.append(held[0])
            elif component.to:
                path.append(component.to[-1])
            else:
                return path

    @of_platform
    def device_links(self) -> dict[str, Link]:
        """Links by which the processor reaches the fabric."""
        bus = self.platform.components[self.of_kind("processor")].to[-1]
        return {
            name: link
            for name, link in self.platform.file.link.items()
            if link.component in self.route(bus, link.window)
        }

    def registers(self, master: Component) -> Link:
        """The link to the registers of a master in the fabric: the one in its own clock."""
        links = list(self.device_links().values())
        own = [n for n in links if self.platform.components[n.component].clock == master.clock]
        return (own or links)[0]

    def clock_mhz(self, clock: str, point: Point) -> float:
        """What a clock runs at for a point, in MHz."""
        return self.platform.clock_mhz(clock, point.fpga_mhz)

    def _widths(self, point: Point) -> dict[tuple[str, str], float]:
        """The widths that a point's links give their components."""
        file = self.platform.file
        names = [*str(point.link).split("+"), str(dict(point.axes).get("target"))]
        links = (file.link.get(name) or file.fabric_link.get(name) for name in names)
        return {(link.component, "width"): float(bytes_of(link.width)) for link in links if link}

    @of_platform
    def costs(self, os: str) -> dict[str, float]:
        """An operating system's software costs in the engine's units."""
        return {
            field: quantity.value * UNITS[SOFTWARE[field].dimension][quantity.unit]
            for field, quantity in self.platform.file.software[os].items()
        }

    def description(
        self,
        point: Point,
        numbers: Mapping[tuple[str, str], float] = MappingProxyType({}),
        without: str = "",
    ) -> _engine.Description:
        """The platform at a point's clocks, with the links of the point at their widths.

        numbers: (component, field) -> value in the engine's unit, in place of the file's own.
        without: the component that takes no time.
        """
        if numbers:
            return self._described(point, numbers, without)
        known = self.paths[point]
        key = "description", self.trace_slices, without
        if key not in known:
            known[key] = self._described(point, numbers, without)
        found: _engine.Description = known[key]
        return found

    def _described(
        self, point: Point, numbers: Mapping[tuple[str, str], float], without: str
    ) -> _engine.Description:
        file = self.platform.file
        clocks = {name: self.clock_mhz(name, point) for name in file.clock}
        numbers = self._widths(point) | dict(numbers)
        key = (tuple(clocks.values()), tuple(sorted(numbers.items())), without, self.trace_slices)
        if key in self._descriptions:
            return self._descriptions[key]
        description = _engine.Description()
        description.reference_clock = file.reference_clock
        description.clocks_mhz = clocks
        description.trace_slices = self.trace_slices
        components = []
        for name, component in file.component.items():
            spec = _engine.Component()
            spec.name, spec.kind, spec.clock = name, component.kind, component.clock
            spec.ideal = name == without
            spec.to = list(component.to)
            spec.choices = dict(component.choices)
            own = {field: component.base_value(field) for field in component.numbers}
            own |= {field: float(flag) for field, flag in component.flags.items()}
            if component.kind == "pcie_link":
                own |= packets(trained(component))
            own |= {field: value for (part, field), value in numbers.items() if part == name}
            spec.numbers = own
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

    def buffer(self, attribute: str, on: frozenset[str], size: int) -> _engine.Buffer:
        """A buffer of `size` bytes with a memory attribute of the platform's; `on`: its caches."""
        kind = self.platform.file.buffer.get(attribute)
        if kind is None:
            raise Unanswered(f"memory attribute '{attribute}'")
        buffer = _engine.Buffer()
        buffer.base = _DRIVER_BASE if kind.driver else _PROGRAM_BASE
        buffer.inner = kind.inner and self.cache("inner") in on
        buffer.outer = kind.outer and self.cache("outer") in on
        buffer.ordered = kind.ordered
        buffer.allocate = kind.allocate
        if kind.scattered:
            buffer.base = _USER_FIRST_FRAME * PAGE
            buffer.frames = self._user_frames(-(-size // PAGE))
        return buffer

    def process_buffer(self, on: frozenset[str], size: int) -> _engine.Buffer:
        """A buffer of a process, of the platform's kind whose pages are scattered."""
        for name, kind in self.platform.file.buffer.items():
            if kind.scattered:
                return self.buffer(name, on, size)
        raise Unanswered(f"{self.platform.name} has no buffer of a process")

    def _user_frames(self, count: int) -> list[int]:
        """Physical pages of a user buffer: scattered as a running system hands them out."""
        while len(self._frames) < count:
            # Blocks of 64 MiB, each shuffled by itself, so that a longer buffer has the same start.
            block = list(range(16384))
            start = _USER_FIRST_FRAME + len(self._frames)
            random.Random(self.seed + len(self._frames)).shuffle(block)
            self._frames += [start + page for page in block]
        return self._frames[:count]


def bytes_of(quantity: Quantity) -> int:
    """A quantity of bytes or bits in bytes."""
    return int(quantity.value * UNITS["bytes"][quantity.unit])
