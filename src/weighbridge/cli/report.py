# SPDX-License-Identifier: Apache-2.0
"""`weighbridge report`: runs as one offline HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = ("weighbridge report runs/cache-levels -o report.html",)


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Run directories, or CSV/Parquet in the schema."),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The HTML file to write.")
    ] = Path("report.html"),
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            "--reference",
            metavar="FILE",
            help="Measured rows to draw over as points; repeats "
            "[default: what was published of these studies].",
        ),
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="DIR", help="Also write each chart as an SVG file there."),
    ] = None,
    platform: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of runs of several platforms, which one.")
    ] = None,
) -> None:
    """Draw the runs as one HTML file that opens from disk, interactive and without network."""
    from weighbridge.cli.extras import report_extra
    from weighbridge.dataset.files import check_writable

    for file in (out, *([] if svg is None else [svg / "any.svg"])):
        check_writable(file, parents=True)
    with report_extra("the report"):
        from weighbridge.report import write_report
    written = write_report(runs, out, reference=reference, svg_directory=svg, platform=platform)
    typer.echo(f"report: {written[0]}")
    if len(written) > 1:
        typer.echo(f"charts: {len(written) - 1} SVG files in {svg}")
