# SPDX-License-Identifier: Apache-2.0
"""The platform: a system's parts, how they are wired, and where each number comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Strict, model_validator

from weighbridge.dataset.blocks import Block
from weighbridge.dataset.schema import AXES, Point, Value
from weighbridge.platforms.kinds import (
    CLOCK,
    FABRIC_MEMORY,
    KINDS,
    MEMORY,
    RUN_BEATS,
    SOFTWARE,
    UNITS,
    WIDTH,
    Field,
)
from weighbridge.quantities import MAX_SIZE_BYTES
from weighbridge.tomlsource import read_toml

if TYPE_CHECKING:
    from weighbridge.platforms.evidence import Expected


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Elsewhere(_Strict):
    """The same figure from another place, in the same unit."""

    value: float
    source: str


class Quantity(_Strict):
    """A number with its unit and the place it comes from."""

    value: Annotated[float, Strict()]
    unit: str
    source: str
    #: What the number would be without the data that it was fitted to or assumed from. A backend
    #: that is compared with these data uses it: data are not held against themselves.
    elsewhere: Elsewhere | None = None
    axis: str | None = None
    #: The clock that this one is divided from by a whole number. This one runs at the highest
    #: frequency that the division allows and that is not above the one asked for.
    divided_from: str | None = None

    @property
    def fitted(self) -> bool:
        return self.source.startswith("fitted")


class Window(_Strict):
    """Addresses that a switch passes on to one of its neighbours."""

    to: str
    base: int
    bytes: int


class Component(_Strict):
    kind: str
    title: str
    clock: str
    to: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    numbers: dict[str, Quantity] = {}
    choices: dict[str, str] = {}
    flags: dict[str, bool] = {}

    def neighbours(self) -> tuple[str, ...]:
        """Names of the components downstream."""
        return self.to + tuple(window.to for window in self.windows)

    def base_value(self, field: str) -> float:
        """A number in the engine's unit: nanoseconds, cycles, bytes or a count."""
        quantity = self.numbers[field]
        return quantity.value * UNITS[KINDS[self.kind].numbers[field].dimension][quantity.unit]


class Link(_Strict):
    """A way into the fabric: a bridge at a width, and where its memory lies.

    host: whether the memory behind it is the host's and not the fabric's. unchecked: for a master,
    why nobody could check the model of it on this link.
    """

    component: str
    window: int
    width: Quantity
    host: bool = False
    unchecked: dict[str, str] = {}


class FabricLink(_Strict):
    """A way from the fabric into the processor's half: a port at a width.

    run_beats: how many beats the port takes before it waits for their end; 1 where every beat
    waits for the one before.
    """

    component: str
    width: Quantity
    run_beats: Quantity


class Route(_Strict):
    """Which port of the memory a DMA master uses, by what is added to the address."""

    offset: int


class BufferKind(_Strict):
    """Who may cache a buffer's bytes, and where its pages lie.

    inner, outer: whether caches of these levels may hold them. ordered: each access waits for the
    one before. allocate: whether a write that misses takes a line.
    scattered: the pages of a process; driver: the driver's own; else those of a program without a
    system.
    """

    inner: bool = False
    outer: bool = False
    ordered: bool = False
    allocate: bool = True
    scattered: bool = False
    driver: bool = False


class CacheLevel(_Strict):
    """What a cache level switches on, and off, beside the level before it."""

    level: int
    adds: str
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


class Peripheral(_Strict):
    """Registers that a program on the processor finds at an address, beside memory and fabric.

    kind: what they are where there are several that do the same.
    interrupts: their numbers at the processor's interrupt controller; of a PL330 one for each of
        its events, in order, and the one for faults last.
    """

    base: int
    kind: str = ""
    interrupts: list[int] = []
    source: str


class PathFamily(_Strict):
    """A family of paths: the key columns they have, whose lists are multiplied out."""

    title: str
    columns: Block

    @model_validator(mode="before")
    @classmethod
    def _sorted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        if "columns" in raw:
            return raw
        columns = {name: cells for name, cells in raw.items() if name != "title"}
        return {"title": raw.get("title"), "columns": columns}

    def has(self, columns: Mapping[str, Value]) -> bool:
        """Whether one of its paths has these values of its columns."""
        return all(columns.get(name) in values for name, values in self.columns.items())

    def of(self, **columns: Value) -> bool:
        """Whether some of its paths have these values; a column it lacks has None."""
        return all(value in self.columns.get(name, [None]) for name, value in columns.items())


class Accuracy(_Strict):
    """How far the model was found from measurements, for a group of paths: a relative error."""

    os: str
    master: str
    route: str | None = None
    error: Quantity


class File(_Strict):
    schema_: int
    name: str
    title: str
    #: Who answers where nothing else is asked for: a platform without a model is measured.
    backend: str = "twin"
    reference_clock: str = ""
    #: Of this project's nodes in the fabric, where they do not run at the clock of their bus.
    nodes_clock: str | None = None
    fabric_memory: Quantity | None = None
    #: Of the processor, which no transfer exceeds.
    memory: Quantity | None = None
    clock: dict[str, Quantity] = {}
    component: dict[str, Component] = {}
    link: dict[str, Link] = {}
    fabric_link: dict[str, FabricLink] = {}
    route: dict[str, Route] = {}
    software: dict[str, dict[str, Quantity]] = {}
    buffer: dict[str, BufferKind] = {}
    cache_level: tuple[CacheLevel, ...] = ()
    path: tuple[PathFamily, ...] = ()
    peripheral: dict[str, Peripheral] = {}
    accuracy: tuple[Accuracy, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of a platform, as `weighbridge show` prints it."""

    name: str
    value: float
    unit: str
    source: str
    fitted: bool


@dataclass(frozen=True)
class Platform:
    """A checked platform. `file` names it in messages; changed: whether some of its numbers are
    not those of the file."""

    file: File
    path: Path
    changed: bool = False

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def title(self) -> str:
        return self.file.title

    @property
    def components(self) -> dict[str, Component]:
        return self.file.component

    @property
    def modelled(self) -> bool:
        """Whether the file describes the system; else it only says who measures it."""
        return bool(self.file.component)

    @property
    def memory_bytes(self) -> int:
        """The processor's memory; the largest transfer of all where the file does not say."""
        memory = self.file.memory
        return int(memory.value * UNITS["bytes"][memory.unit]) if memory else MAX_SIZE_BYTES

    @cached_property
    def axes(self) -> dict[str, tuple[object, ...]]:
        """Key columns that tell this platform's paths apart, with their values."""
        found: dict[str, dict[object, None]] = {}
        for point in self.paths():
            for key, value in point.key().items():
                if value is not None and key not in {"platform", "study", "size_bytes"}:
                    found.setdefault(key, {})[value] = None
        found["direction"] = dict.fromkeys(("cpu_to_fpga", "fpga_to_cpu"))
        in_fabric = [name for name, one in self.components.items() if KINDS[one.kind].moves.ported]
        for name, link in self.file.fabric_link.items():
            found.setdefault("master", {}).update(dict.fromkeys(in_fabric))
            found.setdefault("link", {})[name] = None
            # Controllers may use two ports of one width at once.
            for other, second in self.file.fabric_link.items():
                if other != name and second.width == link.width:
                    found["link"][f"{name}+{other}"] = None
        return {key: tuple(values) for key, values in found.items()}

    def clock_mhz(self, clock: str, fpga_mhz: float | None = None) -> float:
        """What a clock really runs at where `fpga_mhz` is asked of the fabric's, in MHz."""
        quantity = self.file.clock[clock]
        asked = quantity.value * UNITS["frequency"][quantity.unit]
        if quantity.axis == "fpga_mhz" and fpga_mhz is not None:
            asked = fpga_mhz
        if quantity.divided_from is None:
            return asked
        source = self.clock_mhz(quantity.divided_from)
        # A quotient that is whole but for its rounding is whole.
        return source / ceil(source / asked * (1 - 1e-12))

    @cached_property
    def cache_levels(self) -> dict[int, frozenset[str]]:
        """What is switched on at each cache level."""
        levels: dict[int, frozenset[str]] = {}
        on: frozenset[str] = frozenset()
        for level in self.file.cache_level:
            on = on.difference(level.off).union(level.on)
            levels[level.level] = on
        return levels

    def paths(self) -> list[Point]:
        """Every path, as points of one byte to the fabric at the platform's own clock."""
        points = []
        for family in self.file.path:
            for values in product(*family.columns.values()):
                columns: dict[str, Any] = dict(zip(family.columns, values, strict=True))
                axes = tuple((name, columns.pop(name)) for name in sorted(AXES) if name in columns)
                if columns.get("cache_level") is not None:
                    columns.setdefault(
                        "memory_attribute", self.attribute(columns["os"], columns["cache_level"])
                    )
                own: dict[str, Any] = {
                    "direction": "cpu_to_fpga",
                    "size_bytes": 1,
                    "ports": 1,
                    "fpga_mhz": self._fabric_mhz(),
                }
                points.append(Point(platform=self.name, study="", axes=axes, **(own | columns)))
        return points

    def _fabric_mhz(self) -> float | None:
        """The clock that a point may ask for, as the file has it."""
        for name, clock in self.file.clock.items():
            if clock.axis == "fpga_mhz":
                return self.clock_mhz(name)
        return None

    def error(self, point: Point) -> float | None:
        """Relative error to expect of the model for a point's path; None where nobody measured."""
        for group in (*self.file.accuracy, *self._measured):
            if (group.os, group.master, group.route) == (point.os, point.master, point.route):
                return group.error.value
        return None

    def expected(self, point: Point) -> Expected:
        """The interval that nine of ten measurements of a point lie in, and what it rests on."""
        from weighbridge.platforms.evidence import expected

        return expected(self, point)

    @cached_property
    def _measured(self) -> tuple[Accuracy, ...]:
        """The errors that `make errors` found, kept beside the platform's own file."""
        path = self.path.parent / "accuracy" / self.path.name
        if not path.is_file():
            return ()
        return tuple(map(Accuracy.model_validate, read_toml(path)[0].get("accuracy", [])))

    def unchecked(self, point: Point) -> str:
        """Why the model could not be checked for a point's path; empty where it was."""
        link = self.file.link.get(str(point.link))
        return link.unchecked.get(str(point.master), "") if link else ""

    def describe(self, point: Point) -> str:
        """A point's path in words."""
        columns = point.key()
        words = dict.fromkeys(AXES, "any")
        words |= {name: str(value).replace("_", " ") for name, value in columns.items()}
        words |= {
            "link": str(point.link),
            "caches": "caches off" if point.cache_level == 0 else "caches on",
            "program": "prepared" if point.prepared else "unprepared",
            "copy": point.copy or "memcpy",
        }
        alike = [
            family
            for family in self.file.path
            if family.of(os=point.os, master=point.master, route=point.route)
        ]
        # Of several families the one that has all the point's values.
        exact = [family for family in alike if family.has(columns)]
        for family in exact or alike:
            return family.title.format(**words)
        return f"{point.master}, {point.link}"

    def attribute(self, os: str, level: int) -> str | None:
        """The memory attribute a bare-metal program has by default at a cache level.

        The first kind of its buffers whose accesses are ordered as the MMU, on or off, has them.
        """
        if os == "linux":
            return None
        ordered = "mmu" not in self.cache_levels.get(level, ())
        for name, kind in self.file.buffer.items():
            if kind.ordered == ordered and not (kind.scattered or kind.driver):
                return name
        return None

    def parameters(self) -> Iterator[Parameter]:
        """Every number of the file, named as `--set` takes it."""
        for name, quantity in self.file.clock.items():
            yield _parameter(f"clock.{name}", quantity)
        if self.file.fabric_memory is not None:
            yield _parameter("fabric_memory", self.file.fabric_memory)
        if self.file.memory is not None:
            yield _parameter("memory", self.file.memory)
        for name, component in self.file.component.items():
            for field, quantity in component.numbers.items():
                yield _parameter(f"{name}.{field}", quantity)
        for name, link in self.file.link.items():
            yield _parameter(f"{name}.width", link.width)
        for name, port in self.file.fabric_link.items():
            yield _parameter(f"{name}.width", port.width)
            yield _parameter(f"{name}.run_beats", port.run_beats)
        for name, costs in self.file.software.items():
            for field, quantity in costs.items():
                yield _parameter(f"{name}.{field}", quantity)

    def field(self, name: str) -> Field:
        """What a parameter may be."""
        table, *keys = self.place(name)
        if table == "component":
            return KINDS[self.components[keys[0]].kind].numbers[keys[1]]
        if table == "software":
            return SOFTWARE[keys[1]]
        if table == "fabric_link" and keys[1] == "run_beats":
            return RUN_BEATS
        of_table = {"clock": CLOCK, "fabric_memory": FABRIC_MEMORY, "memory": MEMORY}
        return of_table.get(table, WIDTH)

    def links(self, component: str) -> list[str]:
        """The links by a component: a point's link gives it its width."""
        users = {name: way.component for name, way in self.file.link.items()}
        users |= {name: way.component for name, way in self.file.fabric_link.items()}
        return [name for name, used in users.items() if used == component]

    def place(self, name: str) -> tuple[str, ...]:
        """The keys that lead to a parameter in its file: ('component', 'l3', 'latency')."""
        owner, _, field = name.rpartition(".")
        if not owner:
            return (field,)
        if owner == "clock":
            return (owner, field)
        if owner in self.components and field in self.components[owner].numbers:
            return ("component", owner, field)
        tables: dict[str, Mapping[str, object]] = {
            "link": self.file.link,
            "fabric_link": self.file.fabric_link,
            "software": self.file.software,
        }
        return (next(table for table, owners in tables.items() if owner in owners), owner, field)


def _parameter(name: str, quantity: Quantity) -> Parameter:
    source, other = quantity.source, quantity.elsewhere
    if other is not None:
        source += f"; elsewhere {other.value:g}: {other.source}"
    return Parameter(name, quantity.value, quantity.unit, source, quantity.fitted)
