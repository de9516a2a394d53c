# SPDX-License-Identifier: Apache-2.0
"""The result table on disk: CSV and Parquet in the one schema, read typed, written whole."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from weighbridge.dataset.files import replacing, unwritable
from weighbridge.dataset.schema import (
    ANSWERED_BY,
    AXES,
    COLUMNS,
    KEY,
    Point,
    Value,
    column_of,
    columns_in,
    is_parameter,
    parameters_in,
)
from weighbridge.dataset.values import stored
from weighbridge.errors import InputError
from weighbridge.tomlsource import alike

if TYPE_CHECKING:
    import duckdb

    from weighbridge.dataset.runs import Run

#: One result; every column of COLUMNS is present, None where it does not apply. Parameters that the
#: row's design changes are further columns.
Row = dict[str, Value]

#: Key columns no row can be without.
REQUIRED = ("platform", "study", "direction", "size_bytes")

#: Columns two rows must share to be about the same point.
JOINED = [name for name in (*KEY, *AXES) if name not in ANSWERED_BY]

#: Most rows that are read into memory, some kilobytes each; and how many are read at a time.
MOST_ROWS = 1_000_000
_BATCH = 10_000

#: Unknown columns that are told by name.
_MOST_TOLD = 10


def joined_columns(rows: Iterable[Row]) -> list[str]:
    """JOINED, and the parameters that designs of the rows change; read them with Row.get()."""
    return [*JOINED, *parameters_in(rows)]


_SQL_TYPES = {"text": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "flag": "BOOLEAN"}


def read_rows(path: Path) -> list[Row]:
    """Typed rows of a CSV or Parquet file, or of a run directory, in file order.

    Raises InputError for an unknown column (by name, with near matches) and for a value that
    does not fit its column (with line and column).
    """
    if path.is_dir():
        from weighbridge.dataset.runs import Run

        return _read_run(Run.open(path))
    if not path.exists():
        raise InputError(f"no such file or run directory: {path}")
    if path.suffix == ".parquet":
        return _read_parquet([path])
    if path.suffix == ".csv":
        return _read_csv(path)
    raise InputError(
        f"unknown kind of file: {path}",
        mend="give a run directory, a .csv or a .parquet in the schema, or 'weighbridge import' it",
    )


def _read_csv(path: Path) -> list[Row]:
    rows: list[Row] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            header = check_columns([name.strip() for name in next(reader, [])], path)
            for cells in reader:
                if not cells:
                    continue
                line = f"{path}, line {reader.line_num}"
                if len(cells) != len(header):
                    raise InputError(f"{len(cells)} cells for {len(header)} columns", line)
                rows.append(typed_row(zip(header, cells, strict=True), line))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError("not a text file in UTF-8", str(path)) from error
    except csv.Error as error:
        raise InputError(f"not a CSV file ({error})", str(path)) from error
    return rows


def _read_run(run: Run) -> list[Row]:
    rows = sum((run.manifest.get("parts") or {}).values())
    if rows > MOST_ROWS:
        raise InputError(
            f"{rows} rows, more than the {MOST_ROWS} that are read into memory",
            str(run.path),
            "ask with 'weighbridge query', which reads them in place",
        )
    return _read_parquet(run.results)


def _read_parquet(files: Sequence[Path]) -> list[Row]:
    return [row for batch in batches(files) for row in batch]


def batches(files: Sequence[Path], of: str = "") -> Iterator[list[Row]]:
    """The typed rows of Parquet files, in order, so many at a time.

    of: clauses of SQL that choose among those of each file.
    """
    import duckdb

    with connect() as connection:
        for path in files:
            number = 0
            try:
                found = connection.execute(f"FROM read_parquet({quoted(path)}) {of}")
                header = check_columns([column[0] for column in found.description or []], path)
                while records := found.fetchmany(_BATCH):
                    yield [
                        typed_row(zip(header, record, strict=True), f"{path}, row {number + row}")
                        for row, record in enumerate(records, 1)
                    ]
                    number += len(records)
            except duckdb.Error as error:
                reason = str(error).splitlines()[0]
                raise InputError(f"not a whole Parquet file ({reason})", str(path)) from error


def read_from(files: Iterable[Path]) -> str:
    """SQL for the rows of Parquet files in order; a column that a file lacks is empty there."""
    return f"read_parquet([{', '.join(map(quoted, files))}], union_by_name = true)"


def check_files(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> None:
    """InputError where Parquet files of one run are not whole, or have not the schema's columns."""
    import duckdb

    for file in files[:1]:
        try:
            found = connection.execute(f"DESCRIBE FROM read_parquet({quoted(file)})").fetchall()
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"not a whole Parquet file ({reason})", str(file)) from error
        check_columns([str(column[0]) for column in found], file)
        for column, kind, *_ in found:
            if kind != _SQL_TYPES[column_of(str(column)).kind]:
                raise InputError(f"it is of type {kind}", f"{file}, column {column}")


def check_columns(header: Sequence[str], path: Path) -> Sequence[str]:
    """The header itself if it is all columns of the schema, each once; InputError otherwise."""
    if not header:
        raise InputError("no header line: the file is empty", str(path))
    unknown = [name for name in header if name not in COLUMNS and not is_parameter(name)]
    if unknown:
        told = unknown[:_MOST_TOLD]
        more = f" and {len(unknown) - len(told)} more" if len(unknown) > len(told) else ""
        meant = [f"'{name}': {found}" for name in told if (found := alike(name, COLUMNS))]
        names = ", ".join(map(repr, told))
        mend = "; ".join(meant) or f"known: {', '.join(KEY)} and axes"
        raise InputError(f"unknown column {names}{more}", str(path), mend)
    if len(set(header)) != len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise InputError(f"column '{twice}' appears twice", str(path))
    return header


def typed_row(cells: Iterable[tuple[str, object]], where: str) -> Row:
    """A row from (column, cell) pairs; InputError names `where` and the column at fault."""
    row: Row = dict.fromkeys(COLUMNS)
    for column, cell in cells:
        try:
            row[column] = stored(column, cell)
        except ValueError as error:
            raise InputError(str(error), f"{where}, column {column}") from error
    return row


def write_parquet(
    rows: Sequence[Row],
    path: Path,
    notes: Mapping[str, str] | None = None,
    columns: Iterable[str] | None = None,
) -> None:
    """Write rows in their order; equal rows give equal bytes. InputError if the disk is full.

    notes: kept in the file beside the rows, as key and value; read_notes() reads them.
    columns: those written; None is all that the rows have.
    """
    import duckdb

    with connect() as connection:
        load(connection, "rows", rows)
        try:
            with replacing(path) as temporary:
                pairs = ", ".join(f"{quoted(k)}: {quoted(v)}" for k, v in (notes or {}).items())
                options = f"FORMAT parquet, KV_METADATA {{{pairs}}}" if pairs else "FORMAT parquet"
                chosen = ", ".join(f'"{column}"' for column in columns or columns_in(rows))
                connection.execute(
                    f"COPY (SELECT {chosen} FROM rows) TO {quoted(temporary)} ({options})"
                )
        except duckdb.Error as error:
            raise unwritable(path, error) from error


def read_notes(path: Path) -> dict[str, str]:
    """What write_parquet() kept beside the rows."""
    with connect() as connection:
        found = connection.execute(f"FROM parquet_kv_metadata({quoted(path)})").fetchall()
    return {key.decode(): text.decode() for _, key, text in found}


@contextmanager
def connect(threads: int = 1) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database, on one thread where what it writes must not depend on timing.

    InputError where the memory does not do for what is asked of it.
    """
    import duckdb

    try:
        with duckdb.connect(config={"threads": threads}) as connection:
            connection.execute("SET enable_progress_bar = false")
            yield connection
    except duckdb.OutOfMemoryException as error:
        raise InputError("not enough memory for the table") from error


def load(connection: duckdb.DuckDBPyConnection, name: str, rows: Sequence[Row]) -> None:
    """Create table `name` with every column of the schema and the rows, and fill it, in order."""
    names = columns_in(rows)
    columns = ", ".join(
        f'unnest(?::{_SQL_TYPES[column_of(name).kind]}[]) AS "{name}"' for name in names
    )
    values = [[row.get(column) for row in rows] for column in names]
    connection.execute(f'CREATE TEMP TABLE "{name}" AS SELECT {columns}', values)


def quoted(path: str | os.PathLike[str]) -> str:
    """A path (or any text) as an SQL string."""
    return "'" + os.fspath(path).replace("'", "''") + "'"


def point_of(row: Row, where: str = "") -> Point:
    """The point a row is about; InputError if platform, study, direction or size is missing."""
    missing = [name for name in REQUIRED if row[name] is None]
    if missing:
        raise InputError(f"a row without {', '.join(missing)}", where)
    key = {name: row[name] for name in KEY if name not in ("backend", "board")}
    axes = tuple((name, row[name]) for name in sorted(AXES) if row[name] is not None)
    design = tuple((name, row[name]) for name in parameters_in([row]) if row[name] is not None)
    return Point(**key, axes=axes, design=design)  # type: ignore[arg-type]


def joining_key(row: Row) -> tuple[Value, ...]:
    """What identifies the row's point; a study's flag that is off is as good as not there."""
    key = [None if name in AXES and row[name] is False else row[name] for name in JOINED]
    for name in parameters_in([row]):
        if row[name] is not None:
            key += (name, row[name])
    return tuple(key)
