# SPDX-License-Identifier: Apache-2.0
"""Sections as one HTML page that needs no network, and its charts as SVG."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

import altair as alt
import vl_convert
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from weighbridge.report.parts import Figure, Section

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.split(".")[:2])


def page(title: str, subtitle: str, sections: list[Section], crossing: bool) -> str:
    """The whole page; text of any origin is escaped, the chart library stands in it once.

    crossing: bytes go between a processor and an FPGA, and the page says which way is which.
    """
    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(files("weighbridge.report").joinpath("page.html.j2").read_text("utf-8"))
    return template.render(
        title=title,
        subtitle=subtitle,
        sections=sections,
        crossing=crossing,
        spec=_embedded,
        library=_library(),
    )


def svg(figure: Figure) -> str:
    """The figure as a standalone SVG on white, without a browser."""
    drawn: str = vl_convert.vegalite_to_svg(_standalone(figure), vl_version=VEGA_LITE)
    return drawn


def png(figure: Figure, scale: float) -> bytes:
    """The figure as a PNG on white; `scale` pixels for each of the chart's."""
    drawn: bytes = vl_convert.vegalite_to_png(
        _standalone(figure), vl_version=VEGA_LITE, scale=scale
    )
    return drawn


def _standalone(figure: Figure) -> dict[str, object]:
    style = figure.chart["config"] | {"background": "white"}
    return figure.chart | {"title": figure.title, "config": style}


def _embedded(figure: Figure) -> Markup:
    # Only "<" could end the script element that holds the JSON.
    text = json.dumps(figure.chart, separators=(",", ":"), ensure_ascii=False)
    return Markup(text.replace("<", "\\u003c"))


@cache
def _library() -> Markup:
    bundle: str = vl_convert.javascript_bundle(
        "window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE
    )
    return Markup(bundle.replace("</script", "<\\/script"))
