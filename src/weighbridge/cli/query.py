# SPDX-License-Identifier: Apache-2.0
"""weighbridge query: SQL over runs."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from weighbridge.errors import InputError
from weighbridge.printable import printable

EXAMPLES = (
    "weighbridge query 'SELECT link, median(seconds) FROM results GROUP BY link'",
    "weighbridge query 'FROM results LIMIT 5' runs/cache-levels --csv",
)


def command(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="Over the views results and runs.")],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN...", help="Runs, CSV or Parquet files [default: runs/*]."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print a list of objects.")] = False,
    csv_: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
    safe: Annotated[
        bool,
        typer.Option(
            "--safe", help="For SQL from elsewhere: reading, no files, no network, 10 s, 512 MB."
        ),
    ] = False,
) -> None:
    """Ask anything of the results: weighbridge query 'SELECT link, median(seconds) ...'."""
    from weighbridge.dataset.query import query
    from weighbridge.dataset.runs import find_runs
    from weighbridge.dataset.strict_json import plain

    sources = runs or find_runs(Path("runs"))
    if not sources:
        raise InputError("no runs here", mend="make one with 'weighbridge run', or name one")
    answer = query(sql, sources, safe=safe)
    if json_:
        twice = [name for name, count in Counter(answer.columns).items() if count > 1]
        if twice:
            raise InputError(f"column '{twice[0]}' appears twice", "the query", "name one with AS")
        rows = [plain(dict(zip(answer.columns, row, strict=True))) for row in answer.rows]
        print(json.dumps(rows, indent=2, allow_nan=False))
    elif csv_:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        # As it is, but on a terminal, which would obey what is in the data.
        shown = printable if sys.stdout.isatty() else str
        writer.writerow(map(shown, answer.columns))
        for row in answer.rows:
            writer.writerow(shown(cell) if isinstance(cell, str) else cell for cell in row)
    else:
        _print(answer.columns, answer.rows)


def _print(columns: list[str], rows: list[tuple[object, ...]]) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen

    out = Screen()
    numbers = [
        all(isinstance(row[i], int | float) or row[i] is None for row in rows)
        for i in range(len(columns))
    ]
    table = Table(
        [
            Column(printable(name), right=number)
            for name, number in zip(columns, numbers, strict=True)
        ]
    )
    for row in rows:
        table.add(*("-" if cell is None else _cell(cell) for cell in row))
    table.print(out)


def _cell(cell: object) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else printable(str(cell))
