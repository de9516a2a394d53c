# SPDX-License-Identifier: Apache-2.0
"""weighbridge list: the platforms and studies there are, and what can be asked of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence


def command(
    json_: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
) -> None:
    """Platforms and studies, their axes and the values allowed."""
    from weighbridge.platforms import load_platform, platform_names
    from weighbridge.studies import load_study, study_names

    platforms = [load_platform(name) for name in platform_names()]
    studies = [load_study(name) for name in study_names()]
    listed: dict[str, list[dict[str, Any]]] = {
        "platforms": [
            {"name": one.name, "title": one.title, "axes": one.axes} for one in platforms
        ],
        "studies": [
            {
                "name": one.key,
                "title": one.title,
                "platform": one.platform,
                "points": len(one.points()),
                "axes": one.allowed(),
            }
            for one in studies
        ],
    }
    if json_:
        print(json.dumps(listed, indent=2, default=str))
        return
    for kind, entries in listed.items():
        for entry in entries:
            _print("platform" if kind == "platforms" else "study", entry)


def _print(kind: str, entry: dict[str, Any]) -> None:
    from rich.table import Table

    from weighbridge.cli.terminal import console

    out = console()
    count = f", {entry['points']} points" if "points" in entry else ""
    out.print(entry["name"], style="bold", end="")
    out.print(f"  ({kind}{count})  {entry['title']}")
    axes = Table.grid(padding=(0, 2, 0, 0))
    for axis, values in entry["axes"].items():
        axes.add_row(f"  {axis}", _joined(axis, values))
    out.print(axes, "")


def _joined(axis: str, values: Sequence[Any]) -> str:
    from weighbridge.dataset.values import shown
    from weighbridge.quantities import format_size

    if axis.endswith("_bytes"):
        return ", ".join(format_size(size) for size in values)
    return ", ".join(map(shown, values))
