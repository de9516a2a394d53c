# SPDX-License-Identifier: Apache-2.0
"""SQL over runs: one view of all results, one of the runs themselves."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

from weighbridge.dataset.runs import MANIFEST, Run
from weighbridge.dataset.table import check_files, connect, load, quoted, read_from, read_rows
from weighbridge.errors import InputError

if TYPE_CHECKING:
    import duckdb

#: What a query from elsewhere may take: seconds, rows of its answer, memory, characters.
SAFE_SECONDS, SAFE_ROWS, SAFE_MEMORY = 10.0, 1_000_000, "512MB"
SAFE_LENGTH = 10_000
#: What any query over a run in parts may take of the memory.
LARGE_MEMORY = "768MB"

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
    """Run SQL over run directories (or CSV and Parquet files).

    They are loaded into memory first, but for runs in parts, which are read where they are, in a
    bounded memory; what does not fit is spilled into a folder of its own, but not where `safe`.

    View `results` has the schema's columns and `run`, where the row comes from; view `runs` has
    a line per source. safe: the SQL comes from elsewhere; it can only read, reaches no file and no
    network, and has so many seconds and a bounded memory. InputError for a source that is not
    whole and for faulty SQL.
    """
    import duckdb

    if safe and len(sql) > SAFE_LENGTH:
        raise InputError(f"more than {SAFE_LENGTH} characters", "the query")
    runs = [_opened(source) for source in sources]
    large = any(run and run.in_parts for run in runs)
    with _spilling(large and not safe) as folder, connect(_threads(large)) as connection:
        _load(connection, sources, runs)
        if large:
            connection.execute(f"SET memory_limit = '{LARGE_MEMORY}'")
        if folder is not None:
            connection.execute(f"SET temp_directory = {quoted(folder)}")
        if safe:
            files = [file for run in runs if run and run.in_parts for file in run.results]
            # No other file; and reading is all that a query may do with these.
            connection.execute(f"SET allowed_paths = [{', '.join(map(quoted, files))}]")
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
        except duckdb.OutOfMemoryException:
            most = LARGE_MEMORY if large and not safe else SAFE_MEMORY
            mend = "approx_quantile() and the like need little"
            raise InputError(f"it takes more memory than {most}", "the query", mend) from None
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


def _opened(source: Path) -> Run | None:
    """The run of a directory; None where the source is a file."""
    return Run.open(source) if (source / MANIFEST).is_file() else None


def _threads(large: bool) -> int:
    """One, for the same bytes whatever the timing; where that takes minutes, all there are."""
    return len(os.sched_getaffinity(0)) if large else 1


@contextmanager
def _spilling(wanted: bool) -> Iterator[Path | None]:
    if not wanted:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as folder:
        yield Path(folder)


def _load(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Path], opened: Sequence[Run | None]
) -> None:
    """Create `results`, a view where a run is in parts and a table elsewhere, and `runs`."""
    parts, described = [], []
    for number, (source, run) in enumerate(zip(sources, opened, strict=True)):
        line = _described(source, run.manifest if run else {})
        if run and run.in_parts:
            check_files(connection, run.results)
            rows = read_from(run.results)
        else:
            load(connection, rows := f"source_{number}", read_rows(source))
        parts.append(f"SELECT {quoted(line['run'] or '')}::VARCHAR AS run, * FROM {rows}")
        described.append(line)
    made = "VIEW" if any(run and run.in_parts for run in opened) else "TABLE"
    connection.execute(f"CREATE {made} results AS " + " UNION ALL BY NAME ".join(parts))
    columns = ", ".join(f'unnest(?::VARCHAR[]) AS "{name}"' for name in described[0])
    values = [[line[name] for line in described] for name in described[0]]
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
