# SPDX-License-Identifier: Apache-2.0
"""weighbridge list: the platforms and studies there are, and what can be asked of them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.cli import options
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weighbridge.cli.terminal import Screen
    from weighbridge.dataset.schema import Point
    from weighbridge.platforms import Platform


EXAMPLES = (
    "weighbridge list",
    "weighbridge list zynq7000",
)


def command(
    platform: Annotated[
        str | None,
        typer.Argument(metavar="PLATFORM", help="Only this platform: its name or its .toml."),
    ] = None,
    json_: options.Json = False,
) -> None:
    """Platforms and studies, their axes and the values allowed."""
    from weighbridge.platforms import load_platform, machine_names, platform_names
    from weighbridge.studies import load_study, study_names

    asked = [platform] if platform else [*platform_names(), *machine_names()]
    found = [load_platform(name) for name in asked]
    platforms = [one for one in found if one.modelled]
    names = {one.name for one in found}
    studies = [one for one in map(load_study, study_names()) if names.issuperset(one.platforms)]
    listed: dict[str, list[dict[str, Any]]] = {
        "platforms": [
            {
                "name": one.name,
                "title": one.title,
                "parameters": len(list(one.parameters())),
                "axes": one.axes | {"direction": _directions(one)},
            }
            for one in platforms
        ],
        "machines": [
            {"name": one.name, "title": one.title, "axes": one.axes}
            for one in found
            if not one.modelled
        ],
        "studies": [
            {
                "name": one.key,
                "title": one.title,
                "platform": one.platform,
                "points": sum(1 for _ in one.walk()),
                "axes": one.allowed(),
            }
            for one in studies
        ],
    }
    if json_:
        print(json.dumps(listed, indent=2, default=str))
        return
    from weighbridge.cli.terminal import Screen

    out = Screen()
    for one in listed["platforms"]:
        count = f"platform, {one['parameters']} parameters"
        _print(out, one, count)
        if platform:
            out.line(f"The numbers: weighbridge show {platform}", "dim")
            out.line()
    for one in listed["machines"]:
        _print(out, one, "measured, without a model")
    for one in listed["studies"]:
        _print(out, one, f"study, {one['points']} points")
    if platform and not studies:
        out.line("No study that comes along is of this platform.")


def _directions(platform: Platform) -> tuple[str, ...]:
    """The directions in which some path can be asked."""
    from weighbridge.backends import Unanswered
    from weighbridge.backends.twin import Twin
    from weighbridge.dataset.values import DIRECTIONS

    twin = Twin(platform)
    paths = platform.paths()

    def answered(path: Point) -> bool:
        try:
            return twin.ceiling(path) > 0
        except (Unanswered, InputError):
            return False

    return tuple(
        way for way in DIRECTIONS if any(answered(replace(one, direction=way)) for one in paths)
    )


def _print(out: Screen, entry: dict[str, Any], kind: str) -> None:
    from weighbridge.cli.table import Column, Table

    out.line(f"{entry['name']}  ({kind})  {entry['title']}", "bold", "  ")
    axes = Table([Column("", lead=True), Column("", words=True)])
    for axis, values in entry["axes"].items():
        axes.add(f"  {axis}", _joined(axis, values))
    axes.print(out)
    out.line()


#: More than these tell a reader nothing.
_MOST_SIZES = 100


def _joined(axis: str, values: Sequence[Any]) -> str:
    from weighbridge.dataset.values import shown
    from weighbridge.quantities import format_size

    if axis.endswith("_bytes"):
        if len(values) > _MOST_SIZES:
            return f"{len(values)} from {format_size(values[0])} to {format_size(values[-1])}"
        return ", ".join(format_size(size) for size in values)
    return ", ".join(map(shown, values))
