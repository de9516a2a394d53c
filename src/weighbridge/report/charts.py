# SPDX-License-Identifier: Apache-2.0
"""Values drawn as Vega-Lite charts, built and checked by Altair.

Lines, bars and filled dots are the runs, open marks the reference. Every chart is a facet (one
panel a direction), so that the page can lay the panels out side by side or one below the other
by changing `columns` and the panels' `width` only. All names in a chart are given here, none by
Altair's counters: the same values give the same bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from weighbridge.dataset.values import DIRECTIONS
from weighbridge.dataset.words import worded

#: Okabe and Ito's palette, told apart with any colour vision; black and yellow would vanish
#: on one of the two backgrounds. Four more for studies that have as many curves.
COLOURS = (
    "#0077bb", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
    "#7f7f7f", "#8c564b", "#9467bd", "#bcbd22",
)  # fmt: skip
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
SHAPES = ("circle", "triangle-up", "square")

#: Fields of a rate -> what they are called where a reader points at it.
RATE_TIP = {
    "label": "Path",
    "source": "From",
    "size_text": "Size",
    "rate": "Rate (MB/s)",
    "time": "Time",
}

PANEL_WIDTH, PANEL_HEIGHT = 400, 300
#: Left end of the error axis, per cent: smaller errors are drawn there.
LEAST_ERROR = 0.01
#: With fewer ticks nobody can read a value off a logarithmic axis.
_LEAST_TICKS = 4
#: Sizes with a tick, bytes: every power of two from 2 B to 2 MiB.
_SIZES = [2**power for power in range(1, 22)]
#: Every fourth tick labelled, so that both ends are, as B, KiB or MiB (a Vega expression).
_SIZE_LABEL = (
    "round(log(datum.value) / LN2) % 4 != 1 ? ''"
    " : datum.value >= 1048576 ? datum.value / 1048576 + ' MiB'"
    " : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : datum.value + ' B'"
)
_BYTES_LABEL = (
    "datum.value >= 1048576 ? datum.value / 1048576 + ' MiB'"
    " : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : datum.value + ' B'"
)


@dataclass(frozen=True, slots=True)
class Series:
    """What a visual channel tells apart: a field, its title and its values in legend order.

    looks: places of the values in the palettes; a value keeps its look when others are absent.
    """

    field: str
    title: str
    values: tuple[str, ...]
    looks: tuple[int, ...] = ()

    def only(self, present: set[str]) -> Series:
        """The series of the present values."""
        looks = self.looks or tuple(range(len(self.values)))
        kept = [(v, look) for v, look in zip(self.values, looks, strict=True) if v in present]
        return Series(self.field, self.title, tuple(v for v, _ in kept), tuple(p for _, p in kept))

    def scale(self, palette: Sequence[Any]) -> alt.Scale:
        """Values to the palette's entries."""
        looks = self.looks or range(len(self.values))
        return alt.Scale(domain=list(self.values), range=[palette[p % len(palette)] for p in looks])


@dataclass(frozen=True, slots=True)
class Axis:
    """A quantity on the y axis; `log` where its decades all matter."""

    field: str
    title: str
    log: bool = False


RATE = Axis("rate", "Rate (MB/s)", log=True)

#: What the ceiling is, for captions.
CEILING = "Dotted grey: the ceiling, what the widths and clocks of a path allow at best."

Values = list[dict[str, Any]]
#: A chart as Vega-Lite, its values inside.
Spec = dict[str, Any]


def rounded(value: float) -> float:
    """Four significant digits: what a chart can show, and half the page's bytes."""
    return float(f"{value:.4g}")


def size_x() -> alt.X:
    """Transfer size on a log2 axis from 2 B to 2 MiB with readable labels."""
    return alt.X(
        "size:Q",
        title="Transfer size",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(
            values=_SIZES, labelExpr=_SIZE_LABEL, labelFlush=False, labelOverlap=False, grid=False
        ),
    )


def with_ceilings(values: Values, axis: Axis) -> Values:
    """The records and those of the ceilings of the runs' curves, each ceiling once.

    values: those of runs have their ceiling as `limit`, in the unit of the axis, where known.
    """
    curves: dict[tuple[Any, ...], dict[int, float]] = {}
    if any(axis.field not in value for value in values):
        return values
    told = ("size", "size_text", axis.field, "limit", "rate", "time", "nanoseconds", "bound")
    for value in values:
        if value["source"] == "run" and "limit" in value:
            name = tuple(str(cell) for field, cell in value.items() if field not in told)
            direction = (value["direction"], *name)
            curves.setdefault(direction, {})[value["size"]] = value["limit"]
    found = {(name[0], tuple(curve.items())) for name, curve in curves.items()}
    return values + [
        {
            "direction": direction,
            "source": "ceiling",
            "ceiling": str(number),
            "size": size,
            axis.field: limit,
        }
        for number, (direction, curve) in enumerate(sorted(found))
        for size, limit in curve
    ]


def bytes_x(title: str, sizes: Collection[int]) -> alt.X:
    """Bytes on a log2 axis as long as the data, with about eight ticks at powers of two."""
    first, last = (math.log2(end) for end in (min(sizes), max(sizes)))
    step = max(1, math.ceil((last - first) / 9))
    ticks = [2**power for power in range(math.ceil(first), math.floor(last) + 1, step)]
    return alt.X(
        "size:Q",
        title=title,
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(
            values=ticks, labelExpr=_BYTES_LABEL, labelFlush=False, labelSeparation=8, grid=False
        ),
    )


def clock_x(clocks: Sequence[float]) -> alt.X:
    """FPGA clock on a linear axis, a tick for each clock (MHz)."""
    scale = alt.Scale(zero=False, nice=False, padding=12)
    axis = alt.Axis(values=list(clocks), grid=False)
    return alt.X("mhz:Q", title="FPGA clock (MHz)", scale=scale, axis=axis)


def category_x(field: str, title: str, order: list[str]) -> alt.X:
    """Names on the x axis in the order given."""
    return alt.X(f"{field}:N", title=title, sort=order, axis=alt.Axis(labelAngle=0))


def lines(
    values: Values,
    *,
    x: alt.X,
    y: Axis,
    colour: Series,
    dash: Series | None,
    tooltip: dict[str, str],
    description: str,
) -> Spec:
    """One curve per colour and dash in each direction's panel.

    values:  records with `direction`, `source` ("run" or "reference") and the encoded fields.
    tooltip: field to label, in the order shown.
    """
    parts = (colour, dash) if dash else (colour,)
    picks = [_pick(part) for part in parts]
    encoding: dict[str, Any] = {
        "x": x,
        "y": _y(y, values),
        "color": _colour(colour),
        "tooltip": _tips(tooltip),
    }
    line_only = {"strokeDash": _dash(dash)} if dash else {}
    run = alt.Chart(name="run").transform_filter("datum.source === 'run'").encode(**encoding)
    line = run.mark_line(strokeWidth=2, clip=True).encode(opacity=_lit(picks), **line_only)
    # Unseen but wide marks: a tooltip should not ask for a steady hand.
    target = run.properties(name="target").mark_point(size=120, filled=True)
    layers = [
        line.add_params(*picks),
        target.encode(opacity=alt.value(0)),
        *_reference(values, encoding, _lit(picks), dash),
    ]
    if any(value["source"] == "ceiling" for value in values):
        ceiling = alt.Chart(name="ceiling").transform_filter("datum.source === 'ceiling'")
        dotted = ceiling.mark_line(strokeWidth=1.3, strokeDash=[1, 3], color="#808080", clip=True)
        layers.insert(0, dotted.encode(x=x, y=encoding["y"], detail="ceiling:N"))
    if any(value["source"] == "band" for value in values):
        layers.insert(0, _band(x, y, values, encoding["color"]))
    return _panels(layers, values, description)


def _band(x: alt.X, y: Axis, values: Values, colour: alt.Color) -> alt.Chart:
    """What nine of ten measurements lie in, behind the lines; what is beyond the axis is cut."""
    area = alt.Chart(name="band").transform_filter("datum.source === 'band'")
    ends = (_y(y, values, f"{y.field}_low"), alt.Y2(f"{y.field}_high:Q"))
    mark = area.mark_area(opacity=0.13, clip=True, line=False)
    band: alt.Chart = mark.encode(x=x, y=ends[0], y2=ends[1], color=colour)
    return band


def bars(values: Values, *, x: alt.X, y: Axis, tooltip: dict[str, str], description: str) -> Spec:
    """One bar per x value, the reference as an open mark over it."""
    encoding: dict[str, Any] = {
        "x": x,
        "y": _y(y, values),
        "tooltip": _tips(tooltip),
    }
    run = alt.Chart(name="run").transform_filter("datum.source === 'run'").encode(**encoding)
    reference = _reference(values, encoding | {"color": alt.value(COLOURS[1])}, alt.value(1.0))
    return _panels([run.mark_bar(color=COLOURS[0]), *reference], values, description)


def dots(
    values: Values,
    *,
    x: Axis,
    y: str,
    colour: Series,
    tooltip: dict[str, str],
    description: str,
) -> Spec:
    """A filled dot per run value and an open one per reference value along named rows.

    Where a value has a `limit`, a grey tick shows it.
    """
    pick = _pick(colour)
    encoding: dict[str, Any] = {
        "x": alt.X(f"{x.field}:Q", title=x.title, scale=alt.Scale(zero=True)),
        "y": alt.Y(f"{y}:N", title=None, sort=None, axis=alt.Axis(labelLimit=120)),
        "color": _colour(colour, dots=True),
        "tooltip": _tips(tooltip),
    }
    if colour.field != y:
        encoding["yOffset"] = alt.YOffset(f"{colour.field}:N", sort=list(colour.values))
    run = alt.Chart(name="run").transform_filter("datum.source === 'run'").encode(**encoding)
    dot = run.mark_point(filled=True, size=70).encode(opacity=_lit([pick])).add_params(pick)
    limits = []
    if any("limit" in value for value in values):
        tick = run.properties(name="ceiling").mark_tick(color="#808080", thickness=2)
        limits = [tick.encode(x=alt.X("limit:Q", title=x.title), color=alt.value("#808080"))]
    return _panels([*limits, dot, *_reference(values, encoding, _lit([pick]))], values, description)


def distribution(values: Values, *, colour: Series, description: str) -> Spec:
    """Cumulative share of points (per cent) against their error (per cent, log axis)."""
    pick = _pick(colour)
    curve = (
        alt.Chart(name="run")
        .mark_line(strokeWidth=2, interpolate="step-after", clip=True)
        .encode(
            x=alt.X(
                "error:Q",
                title="Error of the time (%)",
                scale=alt.Scale(type="log", domain=[LEAST_ERROR, 100], clamp=True),
                axis=alt.Axis(values=[0.01, 0.1, 1, 10, 100], grid=True, format="~g"),
            ),
            y=alt.Y("share:Q", title="Points with at most this error (%)"),
            color=_colour(colour),
            opacity=_lit([pick]),
            tooltip=_tips({"group": "Group"}),
        )
        .add_params(pick)
    )
    return _panels([curve], values, description)


def scatter(values: Values, *, colour: Series, tooltip: dict[str, str], description: str) -> Spec:
    """A mark for each point: its signed error over its size, per cent."""
    pick = _pick(colour)
    ends = [-100, -50, -20, -10, -5, -2, -1]
    scale = alt.Scale(type="symlog", constant=1, nice=False)
    ticks = [*ends, 0, *(-end for end in reversed(ends))]
    mark = (
        alt.Chart(name="run")
        .mark_point(filled=True, size=14)
        .encode(
            x=size_x(),
            y=alt.Y(
                "error:Q",
                title="Run over reference, less 1 (%)",
                scale=scale,
                axis=alt.Axis(
                    values=ticks, labelExpr="(datum.value > 0 ? '+' : '') + datum.value", grid=True
                ),
            ),
            color=_colour(colour, dots=True),
            opacity=alt.condition(pick, alt.value(0.55), alt.value(0.03)),
            tooltip=_tips(tooltip),
        )
        .add_params(pick)
    )
    return _panels([mark], values, description)


def _tips(tooltip: dict[str, str]) -> list[alt.Tooltip]:
    # Nominal: numbers are shown as they stand, already rounded.
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in tooltip.items()]


def _y(axis: Axis, values: Values, field: str = "") -> alt.Y:
    """The axis for its own field, or for another one on the same scale."""
    values = [value for value in values if axis.field in value]
    if not axis.log:
        return alt.Y(
            f"{axis.field}:Q",
            title=axis.title,
            scale=alt.Scale(zero=True),
            axis=alt.Axis(tickCount=6),
        )
    low = min(value[axis.field] for value in values)
    high = max(value[axis.field] for value in values)
    domain = [rounded(low / 1.1), rounded(high * 1.1)]
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    # Within less than a decade the usual three steps would be one or two.
    steps = range(1, 10) if high < 8 * low else (1, 2, 5)
    ticks = [step * 10.0**power for power in decades for step in steps]
    ticks = [tick for tick in ticks if domain[0] <= tick <= domain[1]]
    if len(ticks) < _LEAST_TICKS:
        span = (domain[1] - domain[0]) / _LEAST_TICKS
        power = 10.0 ** math.floor(math.log10(span))
        step = power * max(unit for unit in (1, 2, 5) if unit * power <= span)
        ends = (math.ceil(domain[0] / step), math.floor(domain[1] / step))
        ticks = [rounded(step * number) for number in range(ends[0], ends[1] + 1)]
    return alt.Y(
        f"{field or axis.field}:Q",
        title=axis.title,
        scale=alt.Scale(type="log", nice=False, domain=domain),
        axis=alt.Axis(values=ticks, format=",~g"),
    )


def _colour(series: Series, *, dots: bool = False) -> alt.Color:
    legend = (
        alt.Legend(symbolType="circle", symbolSize=80, symbolOpacity=1)
        if dots
        else alt.Legend(symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
    )
    scale = series.scale(COLOURS)
    return alt.Color(f"{series.field}:N", title=series.title, scale=scale, legend=legend)


def _dash(series: Series) -> alt.StrokeDash:
    legend = alt.Legend(symbolType="stroke", symbolStrokeWidth=2, symbolOpacity=1)
    scale = series.scale(DASHES)
    return alt.StrokeDash(f"{series.field}:N", title=series.title, scale=scale, legend=legend)


def _pick(series: Series) -> alt.Parameter:
    return alt.selection_point(
        name=f"pick_{series.field}", fields=[series.field], bind="legend", toggle="true"
    )


def _lit(picks: list[alt.Parameter]) -> Any:
    chosen: Any = picks[0]
    for pick in picks[1:]:
        chosen = chosen & pick
    return alt.condition(chosen, alt.value(1.0), alt.value(0.08))


def _reference(
    values: Values, encoding: dict[str, Any], opacity: Any, told_by: Series | None = None
) -> list[alt.Chart]:
    """Open marks; their shape follows what the dash of the lines tells apart."""
    # Vega warns of a layer without values.
    if not any(value["source"] == "reference" for value in values):
        return []
    chart = alt.Chart(name="reference").transform_filter("datum.source === 'reference'")
    if told_by:
        looks = told_by.looks or range(len(told_by.values))
        shapes = [SHAPES[look % len(SHAPES)] for look in looks]
        place = f"indexof({json.dumps(told_by.values)}, datum[{json.dumps(told_by.field)}])"
        chart = chart.transform_calculate(shape=f"{json.dumps(shapes)}[{place}]")
        # Ready shapes without a scale: a legend of theirs would repeat the dashes'.
        encoding = encoding | {"shape": alt.Shape("shape:N", scale=None)}
    mark = chart.mark_point(filled=False, size=34, strokeWidth=1.4)
    return [mark.encode(opacity=opacity, **encoding)]


def _panels(layers: list[alt.Chart], values: Values, description: str) -> Spec:
    # The values and the style go in last: Altair would copy and check them again at every step.
    data = alt.NamedData("values")
    panel = alt.layer(*layers, data=data).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    header = alt.Header(title=None, labelFontWeight="bold", labelFontSize=12)
    words = {direction: worded("direction", direction) for direction in DIRECTIONS}
    named = f"{json.dumps(words)}[datum.direction] || datum.direction"
    facet = alt.Facet("panel:N", header=header, sort=list(words.values()))
    spec: Spec = panel.facet(facet=facet, columns=2).transform_calculate(panel=named).to_dict()
    return spec | {"data": {"values": values}, "description": description, "config": CONFIG}


#: Transparent, and in greys that read on white and on near-black: an SVG does not know where
#: it will be shown. The page sets its own text colours.
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {"gridColor": "#80808033", "domainColor": "#808080", "tickColor": "#808080"},
    "facet": {"spacing": 36},
    "legend": {
        "orient": "bottom",
        "columns": 4,
        "labelLimit": 260,
        "symbolSize": 320,
        "padding": 10,
    },
}
