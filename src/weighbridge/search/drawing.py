# SPDX-License-Identifier: Apache-2.0
"""The front of a search as a picture: cost against the first goal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.api.drawing import check_suffix
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.report.parts import Figure
    from weighbridge.search import Answer

#: Pixels of a PNG for each of the chart's.
_SCALE = 2
#: Metric -> its axis, and what turns a value into its unit.
_AXES = {
    "period": "Rate (MB/s)",
    "latency": "Latency (us)",
    "processor": "Share of a core (%)",
}


def draw(answer: Answer, path: Path) -> None:
    """Write the front as .svg or .png, whole or not at all."""
    from weighbridge.dataset.files import replacing, write_text

    check_suffix(path)
    try:
        from weighbridge.report.page import png, svg
    except ModuleNotFoundError as error:
        raise InputError(
            f"a picture needs {error.name}, which is not installed",
            mend="pip install 'weighbridge[report]'",
        ) from error
    if path.suffix == ".svg":
        write_text(svg(_figure(answer)), path)
        return
    drawn = png(_figure(answer), _SCALE)
    with replacing(path) as temporary:
        temporary.write_bytes(drawn)


def _figure(answer: Answer) -> Figure:
    import altair as alt

    from weighbridge.report import charts
    from weighbridge.report.parts import Figure

    metric = answer.front_metric

    def value(seconds_or_share: float) -> float:
        if metric == "period":
            return charts.rounded(answer.question.size / seconds_or_share / 1e6)
        return charts.rounded(seconds_or_share * (1e6 if metric == "latency" else 100))

    members = {one.design for one in answer.front}
    rows: list[dict[str, Any]] = []
    for design, metrics in sorted(answer.space.known.items()):
        if metrics is None:
            continue
        rows.append(
            {
                "cost": charts.rounded(float(answer.space.costs[design])),
                "value": value(metrics[metric]),
                "kind": "on the front" if design in members else "simulated",
            }
        )
    unit = f" ({answer.question.unit})" if answer.question.unit else ""
    x = alt.X("cost:Q", title=f"Cost{unit}", scale=alt.Scale(zero=False))
    y = alt.Y("value:Q", title=_AXES[metric])
    data: Any = alt.InlineData(values=rows)
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=["on the front", "simulated"], range=[charts.COLOURS[1], "#999999"]),
    )
    points = alt.Chart(data).mark_circle(size=50).encode(x=x, y=y, color=colour)
    steps = (
        alt.Chart(data)
        .transform_filter("datum.kind == 'on the front'")
        .mark_line(interpolate="step-after", color=charts.COLOURS[1])
        .encode(x=x, y=y)
    )
    goal: Any = alt.InlineData(values=[{"goal": value(answer.question.limits[metric])}])
    limit = alt.Chart(goal).mark_rule(strokeDash=[4, 3], color="#555555").encode(y="goal:Q")
    chart = (
        alt.layer(steps, points, limit)
        .properties(width=charts.PANEL_WIDTH, height=charts.PANEL_HEIGHT)
        .to_dict()
    )
    chart = chart | {"config": charts.CONFIG, "description": "cost against the first goal"}
    return Figure("front", f"{answer.question.title}: what more costs", "", chart)
