# SPDX-License-Identifier: Apache-2.0
"""A platform's block diagram as SVG: masters left, memories right, one path marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from weighbridge.platforms import Platform, Quantity
from weighbridge.platforms.model import Component

#: Pixels.
_BOX_WIDTH, _BOX_HEIGHT, _COLUMN, _ROW, _MARGIN = 172, 58, 232, 84, 24
_TITLE_HEIGHT = 64

_STYLE = """
  .ground { fill: #f6f8fa }
  text { font: 12px system-ui, sans-serif; fill: #1c2733 }
  .name { font-weight: 600; font-size: 13px }
  .title { font-size: 17px; font-weight: 600 }
  .note { fill: #5b6875; font-size: 11px }
  .box { fill: #fff; stroke: #8795a3; stroke-width: 1.2 }
  .wire { fill: none; stroke: #aab5c0; stroke-width: 1.4 }
  .on.box { fill: #fdf0dc; stroke: #c46a00; stroke-width: 2 }
  .on.wire { stroke: #c46a00; stroke-width: 3 }
"""

#: A wire, as the names of the boxes and lanes it runs through.
Wire = tuple[str, ...]

#: What a box says of its component: field, and how it is read.
_FACTS = {
    "cache": (("bytes", "{}"), ("ways", "{} ways")),
    "bridge": (("width", "{}"),),
    "sdram": (("width", "{}"),),
}


#: Height of the lane in which a wire passes a column that it does not stop at.
_LANE = 26


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a box stands, or where a wire passes a column: its left edge and its middle."""

    x: float
    y: float


def diagram(
    platform: Platform,
    path: Sequence[str] = (),
    title: str = "",
    fpga_mhz: float | None = None,
    style: str = _STYLE,
) -> str:
    """The SVG text. Each box and wire says in data attributes what it stands for.

    path: names of components to mark; the wires between two of them are marked too.
    title: what the marked path is, in words. fpga_mhz: the fabric's clock, if not the file's.
    style: what stands in its style sheet; a page that has its own gives none.
    """
    components = platform.components
    places, wires = _layout(components)
    width = max(place.x for place in places.values()) + _BOX_WIDTH + _MARGIN
    height = max(place.y for place in places.values()) + _BOX_HEIGHT / 2 + _MARGIN
    marked = set(path)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">',
        f"<title>{escape(platform.title)}</title><style>{style}</style>",
        f'<rect class="ground" width="{width:.0f}" height="{height:.0f}"/>',
        f'<text class="title" x="{_MARGIN}" y="{_MARGIN + 10}">{escape(platform.title)}</text>',
        f'<text class="note" x="{_MARGIN}" y="{_MARGIN + 30}">{escape(title)}</text>',
    ]
    # Marked wires last, so that no other runs over them.
    on = {wire: wire[0] in marked and wire[-1] in marked for wire in wires}
    for wire in sorted(wires, key=lambda wire: on[wire]):
        parts.append(_wire(wire, [places[stop] for stop in wire], on[wire]))
    for name, component in components.items():
        clock = platform.file.clock[component.clock]
        if clock.axis == "fpga_mhz" and fpga_mhz is not None:
            clock = clock.model_copy(
                update={"value": platform.clock_mhz(component.clock, fpga_mhz)}
            )
        parts += _box(name, component, clock, places[name], name in marked)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _layout(components: Mapping[str, Component]) -> tuple[dict[str, _Place], list[Wire]]:
    """Columns by the longest way from a master; a wire gets a lane in each column it passes.

    Returns the places of boxes and lanes by name, and each wire as the names it runs through.
    """
    column: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in column:
            above = [other for other in components if name in components[other].neighbours()]
            column[name] = 1 + max((depth(other) for other in above), default=-1)
        return column[name]

    columns: dict[int, list[str]] = {}
    for name in components:
        columns.setdefault(depth(name), []).append(name)
    wires: list[Wire] = []
    for name, component in components.items():
        for neighbour in component.neighbours():
            passed = range(column[name] + 1, column[neighbour])
            lanes = tuple(f"{name}>{neighbour}@{index}" for index in passed)
            for index, lane in zip(passed, lanes, strict=True):
                columns[index].append(lane)
            wires.append((name, *lanes, neighbour))

    order = {name: float(at) for names in columns.values() for at, name in enumerate(names)}
    ends = [pair for wire in wires for pair in pairwise(wire)]
    # Each name is pulled towards what it is wired to, column by column, there and back.
    for sweep in range(8):
        forth = sweep % 2 == 0
        for index in sorted(columns, reverse=not forth):
            pulls = {}
            for name in columns[index]:
                near = [a if forth else b for a, b in ends if (b if forth else a) == name]
                pulls[name] = sum(map(order.get, near)) / len(near) if near else order[name]  # type: ignore[arg-type]
            columns[index].sort(key=lambda name: pulls[name])
            order.update(_centred(columns[index], components))
    top = min(order[name] - _height(name, components) / 2 for name in order)
    shift = _TITLE_HEIGHT + _MARGIN - top
    return {
        name: _Place(_MARGIN + index * _COLUMN, order[name] + shift)
        for index, names in columns.items()
        for name in names
    }, wires


def _height(name: str, components: Mapping[str, Component]) -> int:
    return _ROW if name in components else _LANE


def _centred(names: Sequence[str], components: Mapping[str, Component]) -> dict[str, float]:
    """Middles of a column's boxes and lanes, stacked around zero."""
    y = -sum(_height(name, components) for name in names) / 2
    middles = {}
    for name in names:
        height = _height(name, components)
        middles[name] = y + height / 2
        y += height
    return middles


def _wire(wire: Wire, stops: Sequence[_Place], on: bool) -> str:
    first = stops[0]
    path = f"M{first.x + _BOX_WIDTH:.0f} {first.y:.0f}"
    for start, end in pairwise(stops):
        middle = (start.x + _BOX_WIDTH + end.x) / 2
        path += f" C{middle:.0f} {start.y:.0f} {middle:.0f} {end.y:.0f} {end.x:.0f} {end.y:.0f}"
        if end is not stops[-1]:
            path += f" H{end.x + _BOX_WIDTH:.0f}"
    ends = f'data-from="{escape(wire[0])}" data-to="{escape(wire[-1])}"'
    return f'<path class="wire{" on" if on else ""}" {ends} d="{path}"/>'


def _box(name: str, component: Component, clock: Quantity, place: _Place, on: bool) -> list[str]:
    facts = [
        text.format(f"{component.numbers[field].value:g} {component.numbers[field].unit}".strip())
        for field, text in _FACTS.get(component.kind, ())
    ]
    facts.append(f"{clock.value:g} {clock.unit}")
    kind = component.kind.replace("_", " ")
    lines = (("name", component.title), ("note", f"{name}: {kind}"), ("note", ", ".join(facts)))
    top = place.y - _BOX_HEIGHT / 2
    text = "".join(
        f'<text class="{style}" x="{place.x + 10:.0f}" y="{top + 19 + 16 * at:.0f}">'
        f"{escape(line)}</text>"
        for at, (style, line) in enumerate(lines)
    )
    return [
        f'<rect class="box{" on" if on else ""}" data-component="{escape(name)}" '
        f'x="{place.x:.0f}" y="{top:.0f}" rx="6" '
        f'width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}"/>{text}'
    ]
