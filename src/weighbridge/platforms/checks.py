# SPDX-License-Identifier: Apache-2.0
"""What single fields of a platform file cannot show: dimensions, dangling names, cycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from string import Formatter
from typing import Any

from pydantic import ValidationError

from weighbridge.dataset.schema import AXES, KEY
from weighbridge.errors import InputError
from weighbridge.platforms.kinds import (
    CLOCK,
    FABRIC_MEMORY,
    KINDS,
    MEMORY,
    RUN_BEATS,
    SOFTWARE,
    UNITS,
    WIDTH,
    Check,
    Field,
    Numbers,
)
from weighbridge.platforms.model import Component, File, Quantity
from weighbridge.tomlsource import line_of, near

#: Addresses end here.
_ADDRESSES = 2**32


class Places:
    """Says where in a file a key stands, for messages."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text

    def of(self, *keys: str | int) -> str:
        line = line_of(self._text, keys)
        return f"{self._path}, line {line}" if line else str(self._path)


def check(file: File, places: Places) -> list[InputError]:
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

    copiers = [
        name
        for name, component in file.component.items()
        if component.kind in KINDS and KINDS[component.kind].moves.chunked
    ]
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
            kind = KINDS.get(_kind(file, str(master)))
            wanted = kind.moves.through if kind else ""
            uses = file.link.get(str(way))
            if wanted and uses is not None and _kind(file, uses.component) != wanted:
                errors.append(
                    InputError(
                        f"'{master}' moves bytes through '{way}', which uses '{uses.component}'",
                        places.of("path", number, "link"),
                        f"it must be a {wanted}",
                    )
                )
        masters = [name for name, part in file.component.items() if _drives(part)]
        links = [*file.link, *file.fabric_link]
        for column, known in (("master", masters), ("link", links)):
            for said in family.columns.get(column, []):
                if file.component and said is not None and said not in known:
                    errors.append(
                        InputError(
                            f"a path has the {column} '{said}', of which there is none",
                            places.of("path", number, column),
                            near(str(said), known),
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
    if not file.component and file.backend == File.model_fields["backend"].default:
        errors.append(InputError("no component", places.of(), "the twin is made of them"))
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
        if clock_name is not None and clock_name not in file.clock and file.component:
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


def _drives(component: Component) -> bool:
    """Whether a component may start accesses; one of an unknown kind may."""
    kind = KINDS.get(component.kind)
    return kind is None or kind.master


def _kind(file: File, name: str) -> str:
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


def check_rest(raw: dict[str, Any], error: ValidationError, places: Places) -> list[InputError]:
    """The faults of what is left of a file without the entries that are no entries."""
    wrong = {tuple(fault["loc"][:2]) for fault in error.errors(include_url=False)}
    clocks = raw.get("clock")
    stand_in = {
        "name": "?",
        "title": "?",
        "reference_clock": next(iter(clocks), "?") if isinstance(clocks, dict) else "?",
    }
    left = stand_in | {
        table: {name: entry for name, entry in entries.items() if (table, name) not in wrong}
        if isinstance(entries, dict)
        else entries
        for table, entries in raw.items()
        if (table,) not in wrong
    }
    try:
        file = File.model_validate(left)
    except ValidationError:
        return []
    gone = {str(place[1]) for place in wrong if len(place) == 2}
    # What is said of an entry that was taken out is no fault of its own.
    return [
        fault
        for fault in check(file, places)
        if not any(f"'{name}'" in fault.what for name in gone)
    ]
