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

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from weighbridge.dataset.records import records
from weighbridge.dataset.schema import COLUMNS, Value
from weighbridge.dataset.table import REQUIRED, Row, joining_key
from weighbridge.dataset.values import stored
from weighbridge.errors import InputError, InputErrors
from weighbridge.tomlsource import alike, faults, near, read_toml

#: What is wrong with a row, from the worst; the first that applies becomes its quality.
INTEGRITY, IMPOSSIBLE, FASTER, POSTED, SLOW = (
    "integrity-failed",
    "non-positive-time",
    "faster-than-ceiling",
    "posted",
    "implausibly-slow",
)

#: Times this much faster than the ceiling are rounding, not wonders.
ROUNDING = 1e-6

#: A transfer slower than this is a slip of the unit: no path has such a fixed cost, or is so far
#: from what its widths and clocks allow.
SLOWEST_SECONDS, SLOWEST_CEILINGS = 1e-3, 300

#: What no path takes or carries, where nobody knows the row's platform: seconds, and bytes per
#: second from the slowest to the fastest.
LEAST_SECONDS, LEAST_RATE, MOST_RATE = 1e-10, 1e3, 1e13

#: Faults of a file that are told one by one, and rows that are named of each.
MOST_FAULTS, MOST_ROWS = 20, 10

#: Words in the names of people's columns: what they mean here, and the unit that a word tells.
_MEANT: tuple[tuple[str, dict[str, str]], ...] = (
    ("seconds", dict.fromkeys(("rate", "bandwidth", "throughput", "speed", "mbps"), "MB/s")),
    ("fpga_mhz", {"mhz": "MHz", "clock": "", "clk": "", "freq": "", "frequency": ""}),
    ("seconds", {"ns": "ns", "us": "us", "usec": "us", "ms": "ms", "time": "", "duration": "",
                 "latency": "", "elapsed": "", "sec": "", "s": ""}),
    ("size_bytes", {"kib": "KiB", "kb": "kB", "size": "", "bytes": "", "length": "", "len": "",
                    "block": ""}),
    ("direction", {"dir": "", "way": ""}),
)  # fmt: skip

#: A number as it is written where the comma is the decimal sign.
_COMMA = re.compile(r"\s*[+-]?\d+,\d+(?:[eE][+-]?\d+)?\s*")
_DECIMAL_COMMA = "write a point for its decimal comma"
#: The units of what a row may have without being true.
_DOUBTED = ("second", "byte/second")

_TIMES = ("seconds", "min", "p25", "p75", "p95", "p99", "max", "ceiling_seconds")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Target(_Strict):
    """What one of the user's columns means: our column, its unit, its words."""

    to: str = Field(description='our column; `theirs = "ours"` says no more than that')
    unit: str | None = Field(
        default=None,
        description="what theirs is in: `us`, `KiB`, `GHz`; else bytes, seconds and MHz. "
        "A rate (`MB/s`) given for `seconds` becomes size / rate",
    )
    values: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="their words, and what they are here"
    )

    @field_validator("to")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in COLUMNS:
            raise ValueError(f"unknown column '{name}' ({near(name, COLUMNS)})")
        return name


class Integrity(_Strict):
    """A column of the user's file, and its values for data that arrived whole."""

    column: str = Field(description="a column that says whether the data arrived whole")
    good: list[str | int | bool] = Field(
        min_length=1, description="its values for a row that did; another row keeps no time"
    )


class Map(_Strict):
    """A map file; see the top of this module."""

    skip: list[str] = Field(default_factory=list, description="their columns to leave out")
    sheet: str | None = Field(
        default=None, description="of an Excel file, which sheet; the first if not said"
    )
    constants: dict[str, str | int | float | bool] = Field(
        default_factory=dict,
        description="our columns that every row shares; a column of the file goes before",
    )
    columns: dict[str, Target] = Field(
        default_factory=dict, description="what their columns mean, by their names"
    )
    integrity: Integrity | None = Field(default=None, description="did the data arrive whole?")

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
    """rows in the schema; unjudged counts the reasons why rows were held against no ceiling, unheld
    those of them that are ok.

    repeated: (row of the file, the earlier one) that are about one point of one board.
    doubted: rows of the file whose quality is not ok, by their quality.
    """

    rows: list[Row]
    unjudged: Counter[str] = field(default_factory=Counter)
    unheld: int = 0
    repeated: list[tuple[str, str]] = field(default_factory=list)
    doubted: dict[str, list[str]] = field(default_factory=dict)

    def qualities(self) -> Counter[str]:
        return Counter(str(row["quality"]) for row in self.rows)


class _Faults:
    """What is wrong with a file: what several rows have in common once, with their numbers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        #: What, where in the row and how to mend it -> rows, none where it is of no row.
        self._rows: dict[tuple[str, str, str], list[str]] = {}

    @property
    def count(self) -> int:
        return len(self._rows)

    def add(self, error: InputError, where: str) -> None:
        """An error that was met in the row at `where`."""
        within = error.where.startswith(where)
        place = error.where.removeprefix(where) if within else error.where
        rows = self._rows.setdefault((error.what, place, error.mend), [])
        if within:
            rows.append(where.removeprefix(f"{self._path}, "))

    def told(self) -> list[InputError]:
        """An error for each, up to so many."""
        errors = []
        for (what, place, mend), rows in self._rows.items():
            if not rows:
                errors.append(InputError(what, place, mend))
                continue
            kind, numbers = rows[0].split()[0], [row.split()[1] for row in rows]
            more = len(numbers) - MOST_ROWS
            named = ", ".join(numbers[:MOST_ROWS]) + (f" and {more} more" if more > 0 else "")
            plural = "s" if len(rows) > 1 else ""
            errors.append(InputError(what, f"{self._path}, {kind}{plural} {named}{place}", mend))
        if len(errors) > MOST_FAULTS:
            more_follow = InputError("more faults follow", str(self._path), "mend these first")
            errors[MOST_FAULTS:] = [more_follow]
        return errors


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

    Raises InputErrors with every fault of the file, each with its row: a column that is neither
    mapped, skipped nor in the schema, a value that does not fit, a row without platform, study,
    direction or size.
    """
    imported = Imported([])
    faults = _Faults(path)
    strange: set[str] = set()
    seen: dict[tuple[Value, ...], str] = {}
    for where, record in records(path, mapping.sheet):
        try:
            if isinstance(record, InputError):
                raise record
            unknown = [name for name in record if not _known(name, mapping) and name not in strange]
            if unknown:
                strange.update(unknown)
                raise _unknown(unknown, where)
            row = _row(record, mapping, where, strange)
            _judge_quality(row, record, mapping, judge, imported, where)
        except InputErrors as several:
            for error in several.errors:
                faults.add(error, where)
        except InputError as error:
            faults.add(error, where)
        else:
            place = where.removeprefix(f"{path}, ")
            first = seen.setdefault((row["backend"], row["board"], *joining_key(row)), place)
            if first != place:
                imported.repeated.append((place, first))
            if row["quality"] != "ok":
                imported.doubted.setdefault(str(row["quality"]), []).append(place)
            imported.rows.append(row)
        if faults.count > MOST_FAULTS:
            break
    if faults.count:
        told = faults.told()
        raise told[0] if len(told) == 1 else InputErrors(told)
    if not imported.rows:
        raise InputError("no rows", str(path))
    return imported


def _known(name: str, mapping: Map) -> bool:
    used = mapping.integrity is not None and name == mapping.integrity.column
    return used or name in mapping.skip or name in mapping.columns or name in COLUMNS


def _unknown(names: Sequence[str], where: str) -> InputError:
    told = {name: _offer(name) for name in names[:MOST_FAULTS]}
    offers = ", ".join(
        f"'{name}' ({offer})" if offer else f"'{name}'" for name, offer in told.items()
    )
    more = f" and {len(names) - MOST_FAULTS} more" if len(names) > MOST_FAULTS else ""
    return InputError(f"unknown column {offers}{more}", where, "name it in --map, or skip it there")


def _offer(name: str) -> str:
    """What to write into the map for a column that the schema does not have, if it is like one."""
    words = set(re.split("[^a-z0-9]+", name.lower()))
    for target, meant in _MEANT:
        if found := sorted(words.intersection(meant)):
            unit = next((meant[word] for word in found if meant[word]), "")
            wanted = f'{{ to = "{target}", unit = "{unit}" }}' if unit else f'"{target}"'
            return f'perhaps "{name}" = {wanted}'
    return alike(name, COLUMNS)


def _row(record: Mapping[str, object], mapping: Map, where: str, strange: set[str]) -> Row:
    """The row of a record; strange: what has been told already and holds for every row."""
    cells: dict[str, object] = dict(mapping.constants)
    rates: dict[str, float] = {}
    faults: list[InputError] = []
    #: Our column -> the user's name of it.
    names = {name: name for name in mapping.constants}
    for name, cell in record.items():
        if name in mapping.skip or not (name in mapping.columns or name in COLUMNS):
            continue
        target = mapping.columns.get(name) or Target(to=name)
        names[target.to] = name
        if cell is None or cell == "":
            continue
        cell = target.values.get(str(cell), cell)
        try:
            if target.unit is None:
                cells[target.to] = cell
            elif target.to in _TIMES and _is_rate(target.unit):
                rates[target.to] = _converted(cell, target.unit, "byte/second", where, name)
            else:
                cells[target.to] = _converted(cell, target.unit, _unit(target.to), where, name)
        except InputError as error:
            faults.append(error)
    # A time that no clock can have measured is a fact about the row, not a fault of the file.
    impossible = {
        name: cells.pop(name) for name in _TIMES if name in cells and _not_positive(cells[name])
    }
    row: Row = dict.fromkeys(COLUMNS)
    for column, cell in cells.items():
        try:
            row[column] = stored(column, cell)
        except ValueError as error:
            theirs = names[column]
            place = column if theirs == column else f"{theirs} ({column})"
            comma = COLUMNS[column].kind in ("integer", "number") and _COMMA.fullmatch(str(cell))
            mend = _DECIMAL_COMMA if comma else ""
            faults.append(InputError(str(error), f"{where}, column {place}", mend))
    for name, rate in rates.items():
        if row["size_bytes"] is not None and 0 < rate < math.inf:
            row[name] = float(row["size_bytes"]) / rate
        else:
            impossible[name] = rate
    if "seconds" in impossible:
        row["quality"] = IMPOSSIBLE
    missing = [name for name in REQUIRED if row[name] is None]
    if missing and not faults:
        # What no row can have is said of the first one only.
        told = ", ".join(missing)
        if names.keys() >= set(missing) or told not in strange:
            strange.add(told)
            mend = "map a column to it or make it a constant in --map"
            raise InputError(f"no {told}", where, mend)
        raise InputErrors([])
    if faults:
        raise InputErrors(faults)
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
            raise InputError(f"no column '{check.column}' for [integrity]", "--map")
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
    try:
        ceiling = judge.ceiling(row)
    except InputError as error:
        raise InputError(error.what, where, error.mend) from error
    if isinstance(ceiling, str):
        out.unjudged[ceiling] += 1
        row["quality"] = row["quality"] or _anywhere(row)
        out.unheld += row["quality"] == "ok"
        return
    row["ceiling_seconds"] = row["ceiling_seconds"] or ceiling
    if row["quality"] not in (None, "ok"):
        return
    row["quality"] = "ok"
    if float(row["seconds"]) < ceiling * (1 - ROUNDING):
        posted = row["completion"] == "posted" or judge.posted(row)
        row["quality"] = POSTED if posted else FASTER
    elif float(row["seconds"]) > SLOWEST_SECONDS + SLOWEST_CEILINGS * ceiling:
        row["quality"] = SLOW


def _anywhere(row: Row) -> str:
    """The quality of a row whose platform nobody knows, by what holds for any."""
    seconds, size = float(row["seconds"] or 0), int(row["size_bytes"] or 0)
    if seconds < max(LEAST_SECONDS, size / MOST_RATE):
        return FASTER
    return SLOW if seconds > SLOWEST_SECONDS + size / LEAST_RATE else "ok"


def _not_positive(cell: object) -> bool:
    try:
        return not float(cell) > 0  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
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
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    # A time that is no number is doubted like one that cannot be, row by row.
    if math.isnan(value) and str(cell).strip().lower().lstrip("+-") == "nan" and into in _DOUBTED:
        return value
    if isinstance(cell, bool) or not math.isfinite(value):
        mend = _DECIMAL_COMMA if _COMMA.fullmatch(str(cell)) else ""
        raise InputError(f"'{cell}' is not a number", f"{where}, column {name}", mend)
    # 64 KiB times 1024.0 is whole; a unit like kB may leave the last bit astray.
    return round(value) if into == "byte" and abs(value - round(value)) < 1e-6 else value
