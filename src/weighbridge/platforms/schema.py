# SPDX-License-Identifier: Apache-2.0
"""The platform file: a system's parts, how they are wired, and where each number comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import ceil
from pathlib import Path
from string import Formatter
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Strict, ValidationError, model_validator

from weighbridge.dataset.blocks import Block
from weighbridge.dataset.schema import AXES, KEY, Point, Value
from weighbridge.errors import InputError, InputErrors
from weighbridge.platforms.kinds import (
    CHUNKED,
    CLOCK,
    FABRIC_MEMORY,
    KINDS,
    LINKED,
    MEMORY,
    PORTED,
    RUN_BEATS,
    SOFTWARE,
    UNITS,
    WIDTH,
    Check,
    Field,
    Numbers,
)
from weighbridge.quantities import MAX_SIZE_BYTES
from weighbridge.tomlsource import faults, line_of, near, read_toml

SCHEMA_VERSION = 1
#: Addresses end here.
_ADDRESSES = 2**32


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
    #: What it is without the data that it was fitted to, or that the assumption rests on: for those
    #: who are compared with these data and would not be told by them.
    elsewhere: Elsewhere | None = None
    axis: str | None = None
    #: The clock that this one is divided from by a whole number: it runs at the highest frequency
    #: that this allows and that is not above the one asked for.
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
    """A way into the fabric: a bridge at a width, and where its memory lies."""

    component: str
    window: int
    width: Quantity
    #: Whether the memory behind it is the host's and not the fabric's.
    host: bool = False
    #: master -> why nobody could check the model for it on this link.
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


class _File(_Strict):
    schema_: int
    name: str
    title: str
    reference_clock: str
    #: Of this project's nodes in the fabric, where they do not run at the clock of their bus.
    nodes_clock: str | None = None
    fabric_memory: Quantity | None = None
    #: Of the processor, which no transfer exceeds.
    memory: Quantity | None = None
    clock: dict[str, Quantity]
    component: dict[str, Component]
    link: dict[str, Link] = {}
    fabric_link: dict[str, FabricLink] = {}
    route: dict[str, Route] = {}
    software: dict[str, dict[str, Quantity]] = {}
    buffer: dict[str, BufferKind] = {}
    cache_level: tuple[CacheLevel, ...] = ()
    path: tuple[PathFamily, ...] = ()
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
    """A checked platform. `file` names it in messages."""

    file: _File
    path: Path

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
        in_fabric = [name for name, one in self.components.items() if one.kind == PORTED]
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


def read_platform(path: Path, overrides: Mapping[str, str] | None = None) -> Platform:
    """Reads and checks a platform file, with `NAME.FIELD=VALUE` overrides applied.

    Raises InputErrors with every fault of the file, each with its line.
    """
    raw, text = read_toml(path)
    places = _Places(path, text)
    raw = _extended(raw, path, places)
    raw["schema_"] = raw.pop("schema", None)
    if raw["schema_"] != SCHEMA_VERSION:
        raise InputError(
            f"schema {raw['schema_']!r} is not supported",
            places.of("schema"),
            f"this version reads schema {SCHEMA_VERSION}",
        )
    errors: list[InputError] = []
    components = raw.get("component", {})
    if isinstance(components, dict):
        raw["component"] = {
            name: _sort_fields(name, fields, places, errors)
            for name, fields in components.items()
            if isinstance(fields, dict)
        }
        driven = [KINDS[kind].costs for kind in KINDS if kind in _kinds_of(components)]
        for costs in raw.get("software", {}).values():
            if isinstance(costs, dict):
                for fields in driven:
                    _fill(costs, fields)
    try:
        file = _File.model_validate(raw)
    except ValidationError as error:
        errors += faults(error, path, text, inserted=_SORTED)
        raise InputErrors(errors + _check_rest(raw, error, places)) from None
    errors += _check(file, places)
    if errors:
        raise InputErrors(errors)
    platform = Platform(file, path)
    return overridden(platform, overrides or {})


def _extended(
    raw: dict[str, Any], path: Path, places: _Places, seen: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """What a file says over what the platform says that it extends.

    A platform's own errors were measured on it, and are not inherited.
    """
    name = raw.pop("extends", None)
    if name is None:
        return raw
    beside, shipped = path.parent / f"{name}.toml", Path(__file__).parent / f"{name}.toml"
    base = beside if beside.is_file() else shipped
    if not isinstance(name, str) or not base.is_file() or base.resolve() in (path.resolve(), *seen):
        raise InputError(
            f"it extends '{name}'",
            places.of("extends"),
            "name another platform: a file beside this one, or one of 'weighbridge list'",
        )
    under, text = read_toml(base)
    under = _extended(under, base, _Places(base, text), (path.resolve(), *seen))
    under.pop("accuracy", None)
    return _over(under, raw)


def _over(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Tables are merged; numbers, lists and a component of another kind are replaced."""
    merged = dict(under)
    for key, value in over.items():
        below = under.get(key)
        merged[key] = value
        if not isinstance(value, dict) or not isinstance(below, dict) or "value" in value:
            continue
        if value.get("kind") in (None, below.get("kind")):
            merged[key] = _over(below, value)
    return merged


#: Where the fields of a component go; no names of the file.
_SORTED = {"numbers", "choices", "flags", "columns"}


class _Places:
    """Says where in a file a key stands, for messages."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text

    def of(self, *keys: str | int) -> str:
        line = line_of(self._text, keys)
        return f"{self._path}, line {line}" if line else str(self._path)


def _sort_fields(
    name: str, fields: dict[str, Any], places: _Places, errors: list[InputError]
) -> dict[str, Any]:
    """Sorts a component's fields into numbers, choices and flags; notes what does not belong."""
    kind = str(fields.get("kind"))
    declared = KINDS.get(kind)
    if declared is None:
        errors.append(
            InputError(
                f"unknown kind '{kind}'",
                places.of("component", name, "kind"),
                f"kinds: {', '.join(KINDS)}",
            )
        )
        return {"kind": kind, "title": name, "clock": str(fields.get("clock"))}
    sorted_fields: dict[str, Any] = {"numbers": {}, "choices": {}, "flags": {}}
    for field, value in fields.items():
        if field in declared.numbers:
            sorted_fields["numbers"][field] = value
        elif field in declared.choices:
            sorted_fields["choices"][field] = value
            allowed = declared.choices[field]
            if value not in allowed:
                errors.append(
                    InputError(
                        f"'{field}' of '{name}' is '{value}'",
                        places.of("component", name, field),
                        f"allowed: {', '.join(allowed)}",
                    )
                )
        elif field in declared.flags:
            sorted_fields["flags"][field] = value
        elif field in {"kind", "title", "clock", "to", "windows"}:
            sorted_fields[field] = value
        else:
            errors.append(
                InputError(
                    f"'{name}' is a {kind} and has no field '{field}'",
                    places.of("component", name, field),
                    near(field, declared.fields),
                )
            )
    _fill(sorted_fields["numbers"], declared.numbers)
    missing = [
        field
        for field in declared.fields
        if field not in fields and field not in sorted_fields["numbers"]
    ]
    if missing:
        errors.append(
            InputError(
                f"'{name}' is a {kind} and lacks {', '.join(missing)}",
                places.of("component", name),
            )
        )
    return sorted_fields


def _kinds_of(components: Mapping[str, Any]) -> set[str]:
    return {str(fields.get("kind")) for fields in components.values() if isinstance(fields, dict)}


def _fill(said: dict[str, Any], fields: Mapping[str, Field]) -> None:
    """Adds to what a file says the numbers that it leaves to their defaults."""
    for name, field in fields.items():
        if name not in said and field.standard is not None:
            unit = next(unit for unit, factor in UNITS[field.dimension].items() if factor == 1)
            said[name] = {"value": field.standard, "unit": unit, "source": "default"}


def _check_rest(raw: dict[str, Any], error: ValidationError, places: _Places) -> list[InputError]:
    """The faults of what is left of a file without the entries that are no entries."""
    wrong = {tuple(fault["loc"][:2]) for fault in error.errors(include_url=False)}
    left = {
        table: {name: entry for name, entry in entries.items() if (table, name) not in wrong}
        if isinstance(entries, dict)
        else entries
        for table, entries in raw.items()
    }
    try:
        file = _File.model_validate(left)
    except ValidationError:
        return []
    gone = {str(place[1]) for place in wrong if len(place) == 2}
    # What is said of an entry that was taken out is no fault of its own.
    return [
        fault
        for fault in _check(file, places)
        if not any(f"'{name}'" in fault.what for name in gone)
    ]


def _check(file: _File, places: _Places) -> list[InputError]:
    """Faults that single fields cannot show: dimensions, dangling names, cycles."""
    errors: list[InputError] = []

    def quantity(field: Field, value: Quantity, *where: str) -> bool:
        units = UNITS[field.dimension]
        name = ".".join(where[-2:])
        if value.unit not in units:
            allowed = ", ".join(repr(unit) for unit in units)
            errors.append(
                InputError(
                    f"'{name}' has the unit '{value.unit}'",
                    places.of(*where),
                    f"a {field.dimension} is written in {allowed}",
                )
            )
            return False
        good = True
        for which, there in ((value, ""), (value.elsewhere, " elsewhere")):
            if which is None or not (fault := field.fault(which.value * units[value.unit])):
                continue
            good = False
            text = f"{which.value:g} {value.unit}".rstrip()
            errors.append(InputError(f"'{name}' is {text}{there}", places.of(*where), fault))
        return good

    def together(checks: Iterable[Check], numbers: Numbers, owner: str, *where: str) -> None:
        for check in checks:
            if fault := check(numbers):
                errors.append(InputError(f"'{owner}'", places.of(*where), fault))

    copiers = [name for name, component in file.component.items() if component.kind in CHUNKED]
    if copiers and file.fabric_memory is None:
        errors.append(
            InputError(
                "no fabric_memory", places.of(), f"'{copiers[0]}' copies in chunks of that size"
            )
        )
    for name, clock in file.clock.items():
        quantity(CLOCK, clock, "clock", name)
        if clock.divided_from is not None:
            source = file.clock.get(clock.divided_from)
            if source is None or source.divided_from is not None:
                errors.append(
                    InputError(
                        f"'clock.{name}' is divided from '{clock.divided_from}'",
                        places.of("clock", name),
                        "it must be a clock that is not divided itself",
                    )
                )
    if file.fabric_memory is not None:
        quantity(FABRIC_MEMORY, file.fabric_memory, "fabric_memory")
    if file.memory is not None:
        quantity(MEMORY, file.memory, "memory")
    for name, component in file.component.items():
        kind = KINDS.get(component.kind)
        if kind is None:
            continue  # said by whoever sorted its fields
        good = [
            quantity(kind.numbers[field], value, "component", name, field)
            for field, value in component.numbers.items()
        ]
        if all(good) and len(good) == len(kind.numbers):
            numbers = {field: component.base_value(field) for field in kind.numbers}
            together(kind.together, numbers, name, "component", name)
        for window in component.windows:
            if window.base < 0 or window.bytes < 1 or window.base + window.bytes > _ADDRESSES:
                errors.append(
                    InputError(
                        f"a window of '{name}' is {window.bytes:#x} B from {window.base:#x} on",
                        places.of("component", name, "windows"),
                        f"windows lie below {_ADDRESSES:#x}",
                    )
                )
        if component.clock not in file.clock:
            errors.append(
                InputError(
                    f"'{name}' names the clock '{component.clock}'",
                    places.of("component", name, "clock"),
                    f"clocks: {', '.join(file.clock)}",
                )
            )
        for neighbour in component.neighbours():
            if neighbour not in file.component:
                errors.append(
                    InputError(
                        f"'{name}' leads to '{neighbour}', which is not a component",
                        places.of("component", name, "to"),
                        f"components: {', '.join(file.component)}",
                    )
                )
        if kind.neighbours not in (None, len(component.to)):
            errors.append(
                InputError(
                    f"'{name}' is a {component.kind} and leads to {len(component.to)} components",
                    places.of("component", name, "to"),
                    f"it must lead to {kind.neighbours}",
                )
            )
    for link_name, link in file.link.items():
        quantity(WIDTH, link.width, "link", link_name, "width")
        if not 0 <= link.window < _ADDRESSES:
            errors.append(
                InputError(
                    f"link '{link_name}' has its window at {link.window:#x}",
                    places.of("link", link_name, "window"),
                    f"addresses lie below {_ADDRESSES:#x}",
                )
            )
        if file.component.get(link.component, None) is None:
            errors.append(
                InputError(
                    f"link '{link_name}' uses '{link.component}', which is not a component",
                    places.of("link", link_name, "component"),
                )
            )
    for port_name, port in file.fabric_link.items():
        quantity(WIDTH, port.width, "fabric_link", port_name, "width")
        quantity(RUN_BEATS, port.run_beats, "fabric_link", port_name, "run_beats")
        if port.component not in file.component:
            errors.append(
                InputError(
                    f"port '{port_name}' uses '{port.component}', which is not a component",
                    places.of("fabric_link", port_name, "component"),
                )
            )
    if not file.path:
        mend = "each way that can be asked for is a [[path]]; is the file cut?"
        errors.append(InputError("no path", places.of(), mend))
    for number, family in enumerate(file.path):
        if fault := _title_fault(family.title):
            errors.append(
                InputError(
                    f"title '{family.title}': {fault}",
                    places.of("path", number, "title"),
                    "name columns in braces, as in {link}; a brace itself is doubled",
                )
            )
        for master, way in product(*(family.columns.get(c, []) for c in ("master", "link"))):
            wanted = LINKED.get(_kind(file, str(master)), "")
            uses = file.link.get(str(way))
            if wanted and uses is not None and _kind(file, uses.component) != wanted:
                errors.append(
                    InputError(
                        f"'{master}' moves bytes through '{way}', which uses '{uses.component}'",
                        places.of("path", number, "link"),
                        f"it must be a {wanted}",
                    )
                )
        if "cache_level" in family.columns and "os" not in family.columns:
            errors.append(
                InputError(
                    f"path '{family.title}' has a cache_level and no os",
                    places.of("path", number, "cache_level"),
                    "what its caches keep depends on both",
                )
            )
    used = {component.kind for component in file.component.values()}
    driven = [kind for name, kind in KINDS.items() if name in used and kind.costs]
    needed = [field for kind in driven for field in kind.costs]
    for os, costs in file.software.items():
        for field, value in costs.items():
            if field in needed:
                quantity(SOFTWARE[field], value, "software", os, field)
            else:
                errors.append(
                    InputError(
                        f"software has no cost '{field}'",
                        places.of("software", os, field),
                        near(field, needed),
                    )
                )
        missing = [field for field in needed if field not in costs]
        if missing:
            errors.append(
                InputError(f"'{os}' lacks {', '.join(missing)}", places.of("software", os))
            )
            continue
        for kind in driven:
            units = {name: UNITS[field.dimension] for name, field in kind.costs.items()}
            if all(costs[name].unit in units[name] for name in units):
                numbers = {
                    name: costs[name].value * units[name][costs[name].unit] for name in units
                }
                together(kind.costs_together, numbers, os, "software", os)
    for what, clock_name in (
        ("reference_clock", file.reference_clock),
        ("nodes_clock", file.nodes_clock),
    ):
        if clock_name is not None and clock_name not in file.clock:
            said = what.replace("_", " ")
            errors.append(InputError(f"the {said} '{clock_name}' is not a clock", places.of(what)))
    cycle = _cycle(file.component)
    if cycle:
        errors.append(
            InputError(
                f"the topology has a cycle: {' -> '.join(cycle)}",
                places.of("component", cycle[0], "to"),
                "an access must reach a memory",
            )
        )
    return errors


def _kind(file: _File, name: str) -> str:
    """The kind of a component; empty where there is none of that name."""
    component = file.component.get(name)
    return "" if component is None else component.kind


def _title_fault(title: str) -> str:
    """What str.format would not do with a path's title; empty if it would."""
    words = {*KEY, *AXES, "caches", "program"}
    try:
        fields = [field for _, field, _, _ in Formatter().parse(title) if field is not None]
    except ValueError as error:
        return str(error)
    strange = [field for field in fields if field not in words]
    return f"no column '{strange[0]}'" if strange else ""


def _cycle(components: Mapping[str, Component]) -> list[str]:
    """A closed walk through the wiring, or nothing."""
    finished: set[str] = set()

    def walk(name: str, trail: list[str]) -> list[str]:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in finished or name not in components:
            return []
        for neighbour in components[name].neighbours():
            found = walk(neighbour, [*trail, name])
            if found:
                return found
        finished.add(name)
        return []

    for name in components:
        found = walk(name, [])
        if found:
            return found
    return []


def overridden(platform: Platform, overrides: Mapping[str, str]) -> Platform:
    """The platform with some of its numbers replaced, as `--set NAME.FIELD=VALUE` asks."""
    from weighbridge.quantities import parse_quantity

    if not overrides:
        return platform
    raw = platform.file.model_dump()
    places = {parameter.name: parameter for parameter in platform.parameters()}
    for key, text in overrides.items():
        owner, _, field = key.rpartition(".")
        target = key
        if field == "clock" and owner in platform.components:
            target = f"clock.{platform.components[owner].clock}"
        if target not in places:
            near = [name for name in places if name.startswith(f"{owner}.")]
            raise InputError(
                f"unknown parameter '{key}'",
                "--set",
                f"parameters: {', '.join(near)}" if near else "see: weighbridge show",
            )
        if field == "width" and owner in platform.components and (links := platform.links(owner)):
            raise InputError(
                f"'{key}' is the width of the link",
                "--set",
                f"set {' or '.join(f'{link}.width' for link in links)}",
            )
        value = parse_quantity(text, places[target].unit)
        slot = raw
        for step in platform.place(target):
            slot = slot[step]
            slot = slot.get("numbers", slot)
        slot.update(value=value, source=f"set to {text}", elsewhere=None)
    file = _File.model_validate(raw)
    errors = _check(file, _Places(platform.path, ""))
    if errors:
        raise InputErrors([InputError(error.what, "--set", error.mend) for error in errors])
    return Platform(file, platform.path)


def independent(platform: Platform) -> Platform:
    """The platform with the numbers that are given elsewhere from there."""

    def replace(node: object) -> None:
        if not isinstance(node, dict):
            return
        if other := node.get("elsewhere"):
            node.update(other, elsewhere=None)
        for inner in node.values():
            replace(inner)

    raw = platform.file.model_dump()
    replace(raw)
    return Platform(_File.model_validate(raw), platform.path)
