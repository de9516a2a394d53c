# SPDX-License-Identifier: Apache-2.0
"""SQL over runs: one view of all results, one of the runs themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

from weighbridge.dataset.runs import MANIFEST, Run
from weighbridge.dataset.table import connect, load, read_rows
from weighbridge.errors import InputError

if TYPE_CHECKING:
    import duckdb

#: What a query from elsewhere may take: seconds, rows of its answer, memory, characters.
SAFE_SECONDS, SAFE_ROWS, SAFE_MEMORY = 10.0, 1_000_000, "512MB"
SAFE_LENGTH = 10_000

#: The kinds of statements that only read: PIVOT is several in one.
_READING = ("SELECT", "MULTI")
#: Nothing outside of the database, and no way back.
_SAFE = (
    "SET enable_external_access = false",
    "SET python_enable_replacements = false",
    f"SET memory_limit = '{SAFE_MEMORY}'",
    "SET max_temp_directory_size = '0B'",
    "SET lock_configuration = true",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query gave: column names, and rows of native values in the same order."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(
    sql: str, sources: Sequence[Path], *, safe: bool = False, seconds: float = SAFE_SECONDS
) -> Answer:
    """Run SQL over run directories (or CSV and Parquet files), loaded into memory first.

    View `results` has the schema's columns and `run`, where the row comes from; view `runs` has
    a line per source. safe: the SQL comes from elsewhere; it can only read, reaches no file and no
    network, and has so many seconds and a bounded memory. InputError for a source that is not
    whole and for faulty SQL.
    """
    import duckdb

    if safe and len(sql) > SAFE_LENGTH:
        raise InputError(f"more than {SAFE_LENGTH} characters", "the query")
    with connect() as connection:
        _load(connection, sources)
        if safe:
            for setting in _SAFE:
                connection.execute(setting)
        try:
            sql.encode()
            with _at_most(seconds if safe else None, connection):
                if safe:
                    _check_reading(connection, sql)
                found = connection.execute(sql)
                if found is None:
                    raise InputError("the query is empty")
                columns = [column[0] for column in found.description or []]
                rows = found.fetchmany(SAFE_ROWS + 1) if safe else found.fetchall()
        except duckdb.InterruptException:
            raise InputError(f"it takes more than {seconds:g} s", "the query") from None
        except (duckdb.Error, UnicodeError, OverflowError) as error:
            # DuckDB draws the faulty spot on further lines; the first says what it is.
            raise InputError((str(error).splitlines() or ["faulty"])[0], "the query") from error
    if safe and len(rows) > SAFE_ROWS:
        raise InputError(f"more than {SAFE_ROWS} rows", "the query", "add a LIMIT")
    return Answer(columns, rows)


def _check_reading(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """InputError for a statement that does anything but read."""
    for statement in connection.extract_statements(sql):
        if (kind := statement.type.name) not in _READING:
            raise InputError(f"{kind} does not only read", "the query", "ask with SELECT or FROM")


def _load(connection: duckdb.DuckDBPyConnection, sources: Sequence[Path]) -> None:
    """Create the tables `results` and `runs`."""
    parts, runs = [], []
    for number, source in enumerate(sources):
        manifest = Run.open(source).manifest if (source / MANIFEST).is_file() else {}
        load(connection, f"source_{number}", read_rows(source))
        parts.append(f"SELECT ?::VARCHAR AS run, * FROM source_{number}")
        runs.append(_described(source, manifest))
    names = [run["run"] for run in runs]
    connection.execute("CREATE TABLE results AS " + " UNION ALL BY NAME ".join(parts), names)
    columns = ", ".join(f'unnest(?::VARCHAR[]) AS "{name}"' for name in runs[0])
    values = [[run[name] for run in runs] for name in runs[0]]
    connection.execute(f"CREATE TABLE runs AS SELECT {columns}", values)


@contextmanager
def _at_most(seconds: float | None, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Interrupt what the connection does after so many seconds, if any."""
    if seconds is None:
        yield
        return
    timer = Timer(seconds, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _described(source: Path, manifest: dict[str, Any]) -> dict[str, str | None]:
    study, platform = manifest.get("study") or {}, manifest.get("platform") or {}
    return {
        # A name that is not UTF-8 is made so.
        "run": str(source).encode("utf-8", "replace").decode(),
        "study": study.get("name"),
        "platform": platform.get("name"),
        "backend": manifest.get("backend"),
        "command": " ".join(manifest.get("command", [])) or None,
        "weighbridge": manifest.get("weighbridge"),
        "finished": manifest.get("finished"),
    }
