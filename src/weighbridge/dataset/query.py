# SPDX-License-Identifier: Apache-2.0
"""SQL over runs: one view of all results, one of the runs themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weighbridge.dataset.runs import MANIFEST, Run
from weighbridge.dataset.table import connect, load, quoted, read_rows
from weighbridge.errors import InputError


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query gave: column names, and rows of native values in the same order."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(sql: str, sources: Sequence[Path]) -> Answer:
    """Run SQL over run directories (or CSV and Parquet files), in memory.

    View `results` has the schema's columns and `run`, where the row comes from; view `runs` has
    a line per source. InputError for a source that is not whole and for faulty SQL.
    """
    import duckdb

    with connect() as connection:
        parts, runs = [], []
        for number, source in enumerate(sources):
            manifest: dict[str, Any] = {}
            if (source / MANIFEST).is_file():
                run = Run.open(source)
                table, manifest = f"read_parquet({quoted(run.results)})", run.manifest
            else:
                table = f"source_{number}"
                load(connection, table, read_rows(source))
            parts.append(f"SELECT {quoted(source)} AS run, * FROM {table}")
            runs.append(_described(source, manifest))
        connection.execute("CREATE VIEW results AS " + " UNION ALL BY NAME ".join(parts))
        names = list(runs[0])
        columns = ", ".join(f'unnest(?::VARCHAR[]) AS "{name}"' for name in names)
        values = [[run[name] for run in runs] for name in names]
        connection.execute(f"CREATE TABLE runs AS SELECT {columns}", values)
        try:
            found = connection.execute(sql)
            if found is None:
                raise InputError("the query is empty")
            return Answer([column[0] for column in found.description or []], found.fetchall())
        except duckdb.Error as error:
            # DuckDB draws the faulty spot on further lines; the first says what it is.
            raise InputError(str(error).splitlines()[0], "the query") from error


def _described(source: Path, manifest: dict[str, Any]) -> dict[str, str | None]:
    study, platform = manifest.get("study") or {}, manifest.get("platform") or {}
    return {
        "run": str(source),
        "study": study.get("name"),
        "platform": platform.get("name"),
        "backend": manifest.get("backend"),
        "command": " ".join(manifest.get("command", [])) or None,
        "weighbridge": manifest.get("weighbridge"),
        "finished": manifest.get("finished"),
    }
