# SPDX-License-Identifier: Apache-2.0
"""A user's own measurements into the schema: columns renamed, units converted, doubts kept.

A map file says what the user's columns mean:

    skip = ["operator"]                  # columns to leave out
    sheet = "raw"                        # Excel: which sheet, the first if not said

    [constants]                          # what every row shares
    platform = "cyclonev"
    study = "my-board"

    [columns]                            # theirs = ours
    bytes = "size_bytes"
    "time (us)" = { to = "seconds", unit = "us" }
    "rate" = { to = "seconds", unit = "MB/s" }      # a rate becomes size_bytes / rate
    dir = { to = "direction", values = { WR = "cpu_to_fpga", RD = "fpga_to_cpu" } }

    [integrity]                          # a column that says whether the data arrived whole
    column = "crc"
    good = ["ok"]
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from weighbridge.dataset.schema import COLUMNS
from weighbridge.dataset.table import REQUIRED, Row, typed_row
from weighbridge.errors import InputError, InputErrors
from weighbridge.tomlsource import faults, near, read_toml

#: What is wrong with a row, from the worst; the first that applies becomes its quality.
INTEGRITY, IMPOSSIBLE, FASTER, POSTED = (
    "integrity-failed",
    "non-positive-time",
    "faster-than-ceiling",
    "posted",
)

#: Times this much faster than the ceiling are rounding, not wonders.
ROUNDING = 1e-6

_TIMES = ("seconds", "min", "p25", "p75", "p95", "p99", "max", "ceiling_seconds")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Target(_Strict):
    """What one of the user's columns means: our column, its unit, its words."""

    to: str
    unit: str | None = None
    values: dict[str, str | int | float | bool] = Field(default_factory=dict)

    @field_validator("to")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in COLUMNS:
            raise ValueError(f"unknown column '{name}' ({near(name, COLUMNS)})")
        return name


class Integrity(_Strict):
    """A column of the user's file, and its values for data that arrived whole."""

    column: str
    good: list[str | int | bool] = Field(min_length=1)


class Map(_Strict):
    """A map file; see the top of this module."""

    skip: list[str] = Field(default_factory=list)
    sheet: str | None = None
    constants: dict[str, str | int | float | bool] = Field(default_factory=dict)
    columns: dict[str, Target] = Field(default_factory=dict)
    integrity: Integrity | None = None

    @field_validator("columns", mode="before")
    @classmethod
    def _short_form(cls, columns: object) -> object:
        if not isinstance(columns, Mapping):
            return columns
        return {
            name: {"to": target} if isinstance(target, str) else target
            for name, target in columns.items()
        }

    @field_validator("constants")
    @classmethod
    def _of_the_schema(cls, constants: dict[str, Any]) -> dict[str, Any]:
        for name in constants:
            if name not in COLUMNS:
                raise ValueError(f"unknown column '{name}' ({near(name, COLUMNS)})")
        return constants


class Judge(Protocol):
    """Who knows what physics allows."""

    def ceiling(self, row: Row) -> float | str:
        """The least seconds a row's point can take, or the reason why nobody knows."""
        ...

    def posted(self, row: Row) -> bool:
        """Whether a write may be accepted sooner than the link carries it; ceiling() is known."""
        ...


@dataclass(slots=True)
class Imported:
    """rows in the schema; unjudged counts the reasons why rows were held against no ceiling."""

    rows: list[Row]
    unjudged: Counter[str] = field(default_factory=Counter)

    def qualities(self) -> Counter[str]:
        return Counter(str(row["quality"]) for row in self.rows)


def load_map(path: Path) -> Map:
    """Read a map file; InputErrors lists every fault with its line."""
    data, text = read_toml(path)
    try:
        return Map.model_validate(data)
    except ValidationError as error:
        names = [*Map.model_fields, *Target.model_fields, *Integrity.model_fields]
        raise InputErrors(faults(error, path, text, names)) from None


def import_file(path: Path, mapping: Map, judge: Judge) -> Imported:
    """Rows of a CSV, Excel or JSON-lines file in the schema, each with its quality.

    Raises InputError for a column that is neither mapped, skipped nor in the schema, for a value
    that does not fit, and for a row without platform, study, direction or size.
    """
    imported = Imported([])
    for where, record in _records(path, mapping.sheet):
        row = _row(record, mapping, where)
        _judge_quality(row, record, mapping, judge, imported, where)
        imported.rows.append(row)
    if not imported.rows:
        raise InputError("no rows", str(path))
    return imported


def _row(record: Mapping[str, object], mapping: Map, where: str) -> Row:
    cells: dict[str, object] = dict(mapping.constants)
    rates: dict[str, float] = {}
    used = {mapping.integrity.column} if mapping.integrity else set()
    unknown = []
    for name, cell in record.items():
        if name in mapping.skip or (name in used and name not in mapping.columns):
            continue
        target = mapping.columns.get(name) or (Target(to=name) if name in COLUMNS else None)
        if target is None:
            unknown.append(f"'{name}' ({near(name, COLUMNS)})")
        elif cell is not None and cell != "":
            cell = target.values.get(str(cell), cell)
            if target.unit is None:
                cells[target.to] = cell
            elif target.to in _TIMES and _is_rate(target.unit):
                rates[target.to] = _converted(cell, target.unit, "byte/second", where, name)
            else:
                cells[target.to] = _converted(cell, target.unit, _unit(target.to), where, name)
    if unknown:
        raise InputError(
            "unknown column " + ", ".join(unknown), where, "name it in --map, or skip it there"
        )
    # A time that no clock can have measured is a fact about the row, not a fault of the file.
    impossible = {
        name: cells.pop(name) for name in _TIMES if name in cells and _not_positive(cells[name])
    }
    row = typed_row(cells.items(), where)
    for name, rate in rates.items():
        if row["size_bytes"] is not None and rate > 0:
            row[name] = float(row["size_bytes"]) / rate
        else:
            impossible[name] = rate
    if "seconds" in impossible:
        row["quality"] = IMPOSSIBLE
    if missing := [name for name in REQUIRED if row[name] is None]:
        raise InputError(
            f"no {', '.join(missing)}", where, "map a column to it or make it a constant in --map"
        )
    row["backend"] = row["backend"] or "board"
    row["statistic"] = row["statistic"] or "median"
    return row


def _judge_quality(
    row: Row, record: Mapping[str, object], mapping: Map, judge: Judge, out: Imported, where: str
) -> None:
    """Set the row's quality; one that the file states already is kept."""
    check = mapping.integrity
    if check is not None:
        if check.column not in record:
            raise InputError(f"no column '{check.column}' for [integrity]", where)
        if str(record[check.column]) not in map(str, check.good):
            row["quality"] = INTEGRITY
    if row["quality"] in (INTEGRITY, IMPOSSIBLE):
        # Never a number: not even --all-quality may count it.
        row["seconds"] = None
        return
    if row["seconds"] is None:
        if row["quality"] in (None, "ok"):
            raise InputError("no seconds", where, "map a column to it in --map")
        return
    ceiling = judge.ceiling(row)
    if isinstance(ceiling, str):
        out.unjudged[ceiling] += 1
        row["quality"] = row["quality"] or "ok"
        return
    row["ceiling_seconds"] = row["ceiling_seconds"] or ceiling
    if row["quality"] not in (None, "ok"):
        return
    row["quality"] = "ok"
    if float(row["seconds"]) < ceiling * (1 - ROUNDING):
        posted = row["completion"] == "posted" or judge.posted(row)
        row["quality"] = POSTED if posted else FASTER


def _not_positive(cell: object) -> bool:
    try:
        return not float(cell) > 0  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def _unit(column: str) -> str:
    if column in _TIMES:
        return "second"
    if column == "fpga_mhz":
        return "MHz"
    if column.endswith("_bytes") or column == "bytes_moved":
        return "byte"
    raise InputError(f"column '{column}' has no unit", "--map")


@cache
def _scale(unit: str, into: str) -> float:
    from weighbridge.quantities import parse_quantity

    return parse_quantity(f"1 {unit}", into)


@cache
def _is_rate(unit: str) -> bool:
    # pint's byte has no dimension, so that MHz, too, would pass for bytes per second.
    return "/" in unit


def _converted(cell: object, unit: str, into: str, where: str, name: str) -> float:
    try:
        scale = _scale(unit, into)
    except InputError as error:
        raise InputError(f"unit of '{name}': {error.what}", "--map", error.mend) from error
    try:
        value = float(cell) * scale  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"'{cell}' is not a number", f"{where}, column {name}") from None
    # 64 KiB times 1024.0 is whole; a unit like kB may leave the last bit astray.
    return round(value) if into == "byte" and abs(value - round(value)) < 1e-6 else value


def _records(path: Path, sheet: str | None) -> Iterator[tuple[str, dict[str, object]]]:
    """(where, column -> cell) of each row of the user's file."""
    readers: dict[str, Callable[[], Iterable[tuple[str, dict[str, object]]]]] = {
        ".csv": lambda: _csv(path),
        ".jsonl": lambda: _json_lines(path),
        ".ndjson": lambda: _json_lines(path),
        ".xlsx": lambda: _excel(path, sheet),
        ".xlsm": lambda: _excel(path, sheet),
    }
    if path.suffix.lower() not in readers:
        raise InputError(f"unknown kind of file: {path}", mend="give " + ", ".join(readers))
    try:
        yield from readers[path.suffix.lower()]()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError("not a text file in UTF-8", str(path)) from error


def _csv(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    import csv

    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        try:
            header = [name.strip() for name in next(reader, [])]
            _once(header, path)
            for cells in reader:
                where = f"{path}, line {reader.line_num}"
                if len(cells) not in (0, len(header)):
                    raise InputError(f"{len(cells)} cells for {len(header)} columns", where)
                if cells:
                    yield where, dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise InputError(f"not a CSV file ({error})", str(path)) from error


def _once(header: list[str], path: Path) -> None:
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise InputError(f"column '{twice[0]}' appears twice", str(path))


def _json_lines(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            where = f"{path}, line {number}"
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise InputError("not a line of JSON", where) from error
            if not isinstance(record, dict):
                raise InputError("not a JSON object", where)
            yield where, record


def _excel(path: Path, sheet: str | None) -> Iterator[tuple[str, dict[str, object]]]:
    from zipfile import BadZipFile

    try:
        import openpyxl
    except ImportError as error:
        raise InputError(
            "reading Excel needs openpyxl", mend="pip install 'weighbridge[excel]'"
        ) from error
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, ValueError) as error:
        raise InputError("not an Excel file", str(path)) from error
    try:
        if sheet is not None and sheet not in book.sheetnames:
            there = ", ".join(book.sheetnames)
            raise InputError(f"no sheet '{sheet}'", str(path), f"there: {there}")
        rows = book[sheet or book.sheetnames[0]].iter_rows(values_only=True)
        header = [str(cell).strip() for cell in next(rows, ()) if cell is not None]
        _once(header, path)
        for number, cells in enumerate(rows, 2):
            if any(cell is not None for cell in cells):
                yield f"{path}, row {number}", dict(zip(header, cells, strict=False))
    finally:
        book.close()
