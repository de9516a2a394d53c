# SPDX-License-Identifier: Apache-2.0
"""TOML files that people write: read them, and say in which line a fault is."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.errors import InputError

if TYPE_CHECKING:
    from pydantic import ValidationError

_KEY = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?")
_ASSIGN = re.compile(rf"\s*({_DOTTED})\s*=")


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """The file's data and its text; InputError names the line of a syntax fault."""
    if path.exists() and not path.is_file():
        raise InputError(f"cannot read {path}: not a file")
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError("not a text file in UTF-8", str(path)) from error
    try:
        return tomllib.loads(text), text
    except ValueError as error:  # a number of thousands of digits, too
        raise InputError(f"TOML syntax: {error}", str(path)) from error
    except RecursionError:
        raise InputError("TOML syntax: nested too deeply", str(path)) from None


def line_of(text: str, location: Sequence[str | int]) -> int | None:
    """Line (from 1) of the deepest part of `location` that the text spells out, or None.

    `location` is a path into the data, as pydantic gives it: ("paths", 3, "link").
    """
    best, depth = None, 0
    table: tuple[str | int, ...] = ()
    arrays: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        found: tuple[str | int, ...] | None = None
        if header := _HEADER.fullmatch(line):
            table = tuple(_names(header[2]))
            if header[1] == "[[":
                arrays[table] = arrays.get(table, -1) + 1
            found = table = _indexed(table, arrays)
        elif assign := _ASSIGN.match(line):
            found = (*table, *_names(assign[1]))
        if found is None:
            continue
        shared = _shared(found, location)
        # A sibling shares the table but not the key: it must not win over the table itself.
        whole = shared == len(found) or shared == len(location)
        if shared > depth and (whole or shared > len(table)):
            best, depth = number, shared
    return best


def without(data: Any, error: ValidationError) -> Any:
    """The data without the entries that a validation found wrong, to look for what else is."""
    left = deepcopy(data)
    for fault in error.errors(include_url=False):
        holder: Any = None
        at: Any = left
        for part in fault["loc"]:
            if isinstance(at, dict) and part in at:
                holder, key, at = at, part, at[part]
            elif isinstance(at, list) and isinstance(part, int) and part < len(at):
                at = at[part]
        if holder is not None and fault["type"] != "missing":
            holder.pop(key, None)
    return left


def _names(dotted: str) -> list[str]:
    return [name.strip("\"'") for name in re.findall(_KEY, dotted)]


def _indexed(
    table: tuple[str | int, ...], arrays: dict[tuple[str | int, ...], int]
) -> tuple[str | int, ...]:
    indexed: list[str | int] = []
    for end, name in enumerate(table, 1):
        indexed.append(name)
        if table[:end] in arrays:
            indexed.append(arrays[table[:end]])
    return tuple(indexed)


def _shared(left: Sequence[str | int], right: Sequence[str | int]) -> int:
    for count, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return count
    return min(len(left), len(right))


#: Names that a message lists: as many as fit a line or two.
_LISTED = 12


def near(name: str, known: Iterable[str]) -> str:
    """What to offer for a misspelt name: its near matches, or what is known."""
    names = list(known)
    return alike(name, names) or "known: " + listed(names)


def listed(names: Sequence[str]) -> str:
    """Names for a message; of many the first, and how many more there are."""
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def alike(name: str, known: Iterable[str]) -> str:
    """What to offer for a misspelt name of many: its near matches; empty where there are none."""
    # A name of any length costs as much as a long one.
    close = difflib.get_close_matches(name[:100], list(known), n=3, cutoff=0.6)
    return "did you mean " + " or ".join(f"'{match}'" for match in close) + "?" if close else ""


def faults(
    error: ValidationError,
    path: Path,
    text: str,
    fields: Iterable[str] = (),
    inserted: Iterable[str] = (),
) -> list[InputError]:
    """Every fault of a pydantic validation, each with its line.

    fields:   the names a misspelt key may have meant.
    inserted: keys of the data that the text does not have.
    """
    errors = []
    names, unseen = list(fields), set(inserted)
    for fault in error.errors(include_url=False):
        location = [part for part in fault["loc"] if part not in unseen]
        line = line_of(text, [part for part in location if not str(part).startswith("function-")])
        where = f"{path}, line {line}" if line else str(path)
        field = ".".join(str(part) for part in location)
        mend = ""
        if fault["type"] == "extra_forbidden":
            what = f"unknown field '{field}'"
            mend = near(str(location[-1]), names) if names else ""
        elif fault["type"] == "missing":
            what = f"missing field '{field}'"
        elif fault["type"] == "model_type":
            what = f"{field}: Input should be a table"
        else:
            said = fault["msg"].removeprefix("Value error, ")
            what = f"{field}: {said}" if field else said
        errors.append(InputError(what, where, mend))
    return errors
