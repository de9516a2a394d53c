# SPDX-License-Identifier: Apache-2.0
"""weighbridge curve: one path over all sizes, on the terminal or as SVG."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.cli import options
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weighbridge.backends.twin import Explanation
    from weighbridge.dataset.schema import Point
    from weighbridge.platforms import Platform

_BAR = 50


EXAMPLES = (
    "weighbridge curve cyclonev os=linux master=cpu link=LW32",
    "weighbridge curve cyclonev master=pl330 route=acp --from 1KiB --to 64KiB --svg curve.svg",
)


def command(
    platform: options.Platform,
    path: options.Path = None,
    direction: options.Direction = None,
    os: options.Os = None,
    fpga_mhz: options.Clock = None,
    consume: options.Consume = None,
    from_: Annotated[str, typer.Option("--from", metavar="SIZE", help="Smallest size.")] = "2B",
    to: Annotated[str, typer.Option("--to", metavar="SIZE", help="Largest size.")] = "2MiB",
    points: Annotated[
        int | None, typer.Option(metavar="N", help="How many sizes [default: the powers of two].")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw into this file.")
    ] = None,
    set_: options.Set = None,
    json_: options.Json = False,
) -> None:
    """Rate and time of one path over sizes."""
    from weighbridge.advice.curves import curve, sizes_between
    from weighbridge.advice.paths import parsed, point_of
    from weighbridge.backends.twin import Twin
    from weighbridge.cli.terminal import assignments, progress
    from weighbridge.platforms import load_platform
    from weighbridge.quantities import parse_size

    sizes = sizes_between(parse_size(from_), parse_size(to), points)
    words = options.worded(path, direction=direction, os=os, fpga_mhz=fpga_mhz, consume=consume)
    if "size_bytes" in parsed(words):
        raise InputError("a curve has no size of its own", mend="use --from and --to")
    loaded = load_platform(platform, assignments(set_ or [], "--set"))
    point = point_of(loaded, words, sizes[0])
    twin = Twin(loaded)
    twin.ceiling(point)  # refuses what cannot be asked before the first answer
    with progress("sizes", len(sizes)) as advance:
        answers = curve(twin, point, sizes, lambda: advance(1))
    measured = _measured(point)
    if svg is not None:
        _draw(loaded, answers, measured, svg)
    if json_:
        print(json.dumps(_plain(loaded, answers, measured), indent=2))
    elif svg is None:
        _print(loaded, answers, measured)
    else:
        print(f"curve: {svg}")


def _measured(point: Point) -> dict[int, float]:
    """Size -> seconds of what was published of the path."""
    from weighbridge.dataset.published import published_path

    return {
        int(row["size_bytes"] or 0): float(row["seconds"] or 0) for row in published_path(point)
    }


def _plain(
    platform: Platform, answers: Sequence[Explanation], measured: Mapping[int, float]
) -> dict[str, Any]:
    point = answers[-1].point
    key = {name: value for name, value in point.key().items() if name != "size_bytes"}
    return {
        "path": platform.describe(point),
        "point": key,
        "sizes": [
            {
                "size_bytes": one.point.size_bytes,
                "seconds": one.seconds,
                "rate_mb_per_s": one.point.size_bytes / one.seconds / 1e6,
                "ceiling_share": one.ceiling_seconds / one.seconds,
                "bound_by": one.bound_by,
                "published_seconds": measured.get(one.point.size_bytes),
            }
            for one in answers
        ],
    }


def _print(
    platform: Platform, answers: Sequence[Explanation], measured: Mapping[int, float]
) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen
    from weighbridge.cli.wording import path_named, way
    from weighbridge.quantities import format_rate, format_size, format_time

    last = answers[-1]
    ceiling = last.point.size_bytes / last.ceiling_seconds
    rates = [one.point.size_bytes / one.seconds for one in answers]
    out = Screen()
    out.line(f"{path_named(platform, last.point)}, {way(last.point.direction)}")
    out.line(f"ceiling of the path {format_rate(ceiling, 1)}", "dim")
    shown = any(one.point.size_bytes in measured for one in answers)
    table = Table(
        [
            Column("size", right=True, lead=True),
            Column("time", right=True),
            Column("rate", right=True),
            *([Column("published", right=True)] if shown else []),
            Column(f"0 to {format_rate(max(rates), 1)}", label="bars", bar=_BAR, spare=1),
        ]
    )
    for one, rate in zip(answers, rates, strict=True):
        table.add(
            format_size(one.point.size_bytes),
            format_time(one.seconds),
            format_rate(one.point.size_bytes, one.seconds),
            *([_published_rate(one.point.size_bytes, measured)] if shown else []),
            rate / max(rates),
        )
    table.print(out)


def _published_rate(size: int, measured: Mapping[int, float]) -> str:
    from weighbridge.quantities import format_rate

    return format_rate(size, measured[size]) if size in measured else ""


def _draw(
    platform: Platform,
    answers: Sequence[Explanation],
    measured: Mapping[int, float],
    file: Path,
) -> None:
    """Write the rate over the size as an SVG in the style of the report's charts."""
    from weighbridge.cli.extras import report_extra

    with report_extra("--svg"):
        from weighbridge.report import charts
        from weighbridge.report.page import svg
        from weighbridge.report.parts import Figure
    from weighbridge.cli.wording import path_named, way
    from weighbridge.dataset.files import write_text

    point = answers[-1].point
    title = path_named(platform, point)
    values = [
        {
            "direction": way(point.direction),
            "source": "run",
            "size": one.point.size_bytes,
            "rate": charts.rounded(one.point.size_bytes / one.seconds / 1e6),
            "path": platform.describe(point),
        }
        for one in answers
    ]
    first, last = answers[0].point.size_bytes, point.size_bytes
    marks = [
        {
            **values[0],
            "source": "reference",
            "size": size,
            "rate": charts.rounded(size / time / 1e6),
        }
        for size, time in measured.items()
        if first <= size <= last
    ]
    chart = charts.lines(
        values + marks,
        x=charts.size_x(),
        y=charts.RATE,
        colour=charts.Series("path", "Path", (platform.describe(point),)),
        dash=None,
        tooltip={"size": "Size (B)", "rate": "Rate (MB/s)"},
        description=title,
    )
    write_text(svg(Figure("curve", title, "", chart)), file)
