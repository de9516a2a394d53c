# SPDX-License-Identifier: Apache-2.0
"""Any table as a file of its own: CSV, Parquet or JSON, by the name's suffix."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from weighbridge.dataset.files import check_writable, replacing, unwritable, write_text
from weighbridge.dataset.schema import Value
from weighbridge.dataset.table import connect, quoted
from weighbridge.errors import InputError

#: Columns by name, all of one length; None where a cell is empty.
Columns = Mapping[str, Sequence[Value]]

SUFFIXES = (".csv", ".parquet", ".json")
_SQL_TYPES: dict[type, str] = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}


def check_target(path: Path) -> None:
    """InputError where a table cannot be written under this name; ask before working for it."""
    check_writable(path)
    if path.suffix not in SUFFIXES:
        names = " or ".join(f"*{suffix}" for suffix in SUFFIXES)
        raise InputError(f"unknown kind of file: {path}", mend=f"name it {names}")


def write_columns(columns: Columns, path: Path) -> None:
    """Write a table, whole or not at all; equal columns give equal bytes.

    JSON is a list of objects, with null for an empty cell. InputError for another suffix, and where
    the file cannot be written.
    """
    check_target(path)
    if path.suffix == ".parquet":
        _write_parquet(columns, path)
    elif path.suffix == ".csv":
        _write_csv(columns, path)
    else:
        rows = [dict(zip(columns, row, strict=True)) for row in rows_of(columns)]
        write_text(json.dumps(rows, indent=1, allow_nan=False) + "\n", path)


def rows_of(columns: Columns) -> list[tuple[Value, ...]]:
    """The rows of a table."""
    return list(zip(*columns.values(), strict=True))


def _write_csv(columns: Columns, path: Path) -> None:
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows_of(columns):
            writer.writerow(["" if cell is None else _word(cell) for cell in row])


def _word(cell: Value) -> str:
    # As the importer reads flags; repr() gives a number back exactly.
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def _write_parquet(columns: Columns, path: Path) -> None:
    import duckdb

    kinds = {name: _sql_type(values) for name, values in columns.items()}
    unnested = ", ".join(
        'unnest(?::{}[]) AS "{}"'.format(kind, name.replace('"', '""'))
        for name, kind in kinds.items()
    )
    with connect() as connection:
        connection.execute(
            f"CREATE TEMP TABLE written AS SELECT {unnested}",
            [list(values) for values in columns.values()],
        )
        try:
            with replacing(path) as temporary:
                connection.execute(f"COPY written TO {quoted(temporary)} (FORMAT parquet)")
        except duckdb.Error as error:
            raise unwritable(path, error) from error


def _sql_type(values: Sequence[Value]) -> str:
    """The type that holds all the values; whole numbers among others are numbers."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        kinds = {float}
    return _SQL_TYPES.get(kinds.pop(), "VARCHAR") if len(kinds) == 1 else "VARCHAR"
