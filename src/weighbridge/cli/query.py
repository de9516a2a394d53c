# SPDX-License-Identifier: Apache-2.0
"""weighbridge query: SQL over runs."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from weighbridge.errors import InputError


def command(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="Over the views results and runs.")],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN...", help="Runs, CSV or Parquet files [default: runs/*]."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print a list of objects.")] = False,
    csv_: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
) -> None:
    """Ask anything of the results: weighbridge query 'SELECT link, median(seconds) ...'."""
    from weighbridge.dataset.query import query
    from weighbridge.dataset.runs import find_runs

    sources = runs or find_runs(Path("runs"))
    if not sources:
        raise InputError("no runs here", mend="make one with 'weighbridge run', or name one")
    answer = query(sql, sources)
    if json_:
        rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
        print(json.dumps(rows, indent=2, default=str))
    elif csv_:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)
    else:
        _print(answer.columns, answer.rows)


def _print(columns: list[str], rows: list[tuple[object, ...]]) -> None:
    from rich import box
    from rich.table import Table

    from weighbridge.cli.terminal import console

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*("-" if cell is None else _cell(cell) for cell in row))
    console().print(table)


def _cell(cell: object) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
