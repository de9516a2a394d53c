# SPDX-License-Identifier: Apache-2.0
"""The rows of a user's file, whatever its kind: CSV, JSON lines or Excel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from weighbridge.dataset import strict_json
from weighbridge.errors import InputError

#: What the sheets of a file may hold when unpacked.
MOST_EXCEL_BYTES = 200_000_000

#: The cells of a row by column, or what is wrong with the row.
Record = dict[str, object] | InputError


def records(path: Path, sheet: str | None) -> Iterator[tuple[str, Record]]:
    """(where, column -> cell) of each row of the user's file, or where and what is wrong there."""
    readers: dict[str, Callable[[], Iterable[tuple[str, Record]]]] = {
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


def _csv(path: Path) -> Iterator[tuple[str, Record]]:
    import csv

    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        try:
            header = [name.strip() for name in next(reader, [])]
            _once(header, path)
            for sign, name in _OTHER_SIGNS.items():
                if "".join(header).count(sign) >= len(header) > 0:
                    mend = "save it with commas, and with points in its numbers, or as .xlsx"
                    raise InputError(f"its cells are separated by {name}", str(path), mend)
            for cells in reader:
                where = f"{path}, line {reader.line_num}"
                if len(cells) not in (0, len(header)):
                    count = f"{len(cells)} cells for {len(header)} columns"
                    yield where, InputError(count, where)
                elif cells:
                    yield where, dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise InputError(f"not a CSV file ({error})", str(path)) from error


#: What separates the cells of files that are called CSV, too.
_OTHER_SIGNS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def _once(header: list[str], path: Path) -> None:
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise InputError(f"column '{twice[0]}' appears twice", str(path))


def _json_lines(path: Path) -> Iterator[tuple[str, Record]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            where = f"{path}, line {number}"
            if not line.strip():
                continue
            try:
                record = strict_json.read(line)
            except ValueError as error:
                yield where, InputError(f"not a line of JSON ({error})", where)
                continue
            yield where, record if isinstance(record, dict) else InputError("no object", where)


def _excel(path: Path, sheet: str | None) -> Iterator[tuple[str, Record]]:
    from zipfile import ZipFile

    try:
        import openpyxl
    except ImportError as error:
        raise InputError(
            "reading Excel needs openpyxl", mend="pip install 'weighbridge[excel]'"
        ) from error
    try:
        with ZipFile(path) as zipped:
            if sum(part.file_size for part in zipped.infolist()) > MOST_EXCEL_BYTES:
                raise InputError("more than 200 MB of sheets", str(path), "save it as CSV")
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            yield from _sheet(book, path, sheet)
        finally:
            book.close()
    except (InputError, OSError):
        raise
    except Exception as error:  # whatever openpyxl stumbles over
        raise InputError("not an Excel file", str(path)) from error


def _sheet(book: Any, path: Path, sheet: str | None) -> Iterator[tuple[str, Record]]:
    if sheet is not None and sheet not in book.sheetnames:
        there = ", ".join(book.sheetnames)
        raise InputError(f"no sheet '{sheet}'", str(path), f"there: {there}")
    rows = book[sheet or book.sheetnames[0]].iter_rows(values_only=True)
    header = ["" if cell is None else str(cell).strip() for cell in next(rows, ())]
    _once([name for name in header if name], path)
    for number, cells in enumerate(rows, 2):
        if any(cell is not None for cell in cells):
            record = dict(zip(header, cells, strict=False))
            # A column without a name is a remark.
            record.pop("", None)
            yield f"{path}, row {number}", record
