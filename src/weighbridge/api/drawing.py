# SPDX-License-Identifier: Apache-2.0
"""Curves as a picture, in the style of the report's charts."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.api.curves import Curves
    from weighbridge.report.parts import Figure

SUFFIXES = (".svg", ".png")
#: Pixels of the picture for each of the chart's.
_SCALE = 2
#: Paths that the colours of a picture tell apart.
MOST = 6


def check_suffix(path: Path) -> None:
    """InputError where no picture can be written under this name; ask before working for it."""
    if path.suffix not in SUFFIXES:
        names = " or ".join(f"*{suffix}" for suffix in SUFFIXES)
        raise InputError(f"unknown kind of picture: {path}", mend=f"name it {names}")


def draw(curves: Curves, path: Path) -> None:
    """Write the rates over the sizes as .svg or .png, whole or not at all."""
    from weighbridge.dataset.files import replacing, write_text

    check_suffix(path)
    if path.suffix == ".svg":
        write_text(svg(curves), path)
        return
    drawn = _page().png(_figure(curves), _SCALE)
    with replacing(path) as temporary:
        temporary.write_bytes(drawn)


def svg(curves: Curves) -> str:
    """The rates over the sizes; InputError where the packages that draw are not installed."""
    drawn: str = _page().svg(_figure(curves))
    return drawn


def _page() -> Any:
    try:
        return import_module("weighbridge.report.page")
    except ModuleNotFoundError as error:
        raise InputError(
            f"a picture needs {error.name}, which is not installed",
            mend="pip install 'weighbridge[report]'",
        ) from error


def _figure(curves: Curves) -> Figure:
    if len(curves) > MOST:
        raise InputError(f"{len(curves)} paths in one picture", mend=f"give at most {MOST}")
    from weighbridge.report import charts
    from weighbridge.report.parts import Figure

    labels = curves.labels
    directions = {curve.point.direction for curve in curves}
    title = curves.title
    # One panel: a direction that differs stands in the labels.
    panel = directions.pop().replace("_", " ") if len(directions) == 1 else "both directions"
    values = [
        {
            "direction": panel,
            "source": "run",
            "size": size,
            "rate": charts.rounded(rate / 1e6),
            "path": label,
        }
        for label, curve in zip(labels, curves, strict=True)
        for size, rate in zip(curve.sizes, curve.rates, strict=True)
    ]
    marks = [
        {
            "direction": panel,
            "source": "reference",
            "size": size,
            "rate": charts.rounded(size / seconds / 1e6),
            "path": label,
        }
        for label, curve in zip(labels, curves, strict=True)
        for size, seconds in curve.published.items()
        if curve.sizes[0] <= size <= curve.sizes[-1]
    ]
    bands = [
        {
            "direction": panel,
            "source": "band",
            "size": size,
            "rate_low": charts.rounded(rate / 1e6 / expected.high),
            "rate_high": charts.rounded(rate / 1e6 / expected.low),
            "path": label,
        }
        for label, curve in zip(labels, curves, strict=True)
        for size, rate, expected in zip(curve.sizes, curve.rates, curve.expected, strict=True)
    ]
    chart = charts.lines(
        values + marks + bands,
        x=charts.size_x(),
        y=charts.RATE,
        colour=charts.Series("path", "Path", tuple(labels)),
        dash=None,
        tooltip={"path": "Path", "size": "Size (B)", "rate": "Rate (MB/s)"},
        description=title,
    )
    # The names of paths are long, and none is cut.
    legend = chart["config"]["legend"] | {"columns": 1, "labelLimit": 0}
    chart = chart | {"config": chart["config"] | {"legend": legend}}
    return Figure("curve", title, "", chart)
