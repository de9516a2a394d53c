# SPDX-License-Identifier: Apache-2.0
"""One value of one column: as files store it, and as people type it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from weighbridge.dataset.schema import COLUMNS, Value, column_of, is_parameter
from weighbridge.errors import InputError
from weighbridge.quantities import (
    MAX_SIZE_BYTES,
    format_size,
    parse_frequency_mhz,
    parse_size,
)
from weighbridge.tomlsource import near

DIRECTIONS = ("cpu_to_fpga", "fpga_to_cpu")

#: Short names people may type for a column.
ALIASES = {"size": "size_bytes", "clock": "fpga_mhz"}


def stored(column: str, value: object) -> Value:
    """`value` (CSV text or a native value) as `column` stores it; ValueError says what is wrong.

    Empty text is None. Sizes are bytes, clocks MHz, times seconds: no units here.
    """
    if value is None or value == "":
        return None
    declared = column_of(column)
    kind = declared.kind
    if kind == "text":
        return _text(column, value)
    if kind == "flag":
        return _flag(value)
    number = _number(value)
    if number < 0 or (number == 0 and not declared.zero):
        raise ValueError(f"'{value}' is {'negative' if declared.zero else 'not positive'}")
    if kind == "number":
        return float(number)
    if number != int(number):
        raise ValueError(f"'{value}' is not a whole number")
    if column.endswith("_bytes") and number > MAX_SIZE_BYTES:
        raise ValueError(f"'{value}' is too large (at most {format_size(MAX_SIZE_BYTES)})")
    if declared.most is not None and number > declared.most:
        raise ValueError(f"'{value}' is too large (at most {declared.most})")
    if abs(number) >= 2**63:
        raise ValueError(f"'{value}' is too large")
    return int(number)


def _text(column: str, value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"'{value}' is not text")
    if isinstance(value, str) and not _whole(value):
        raise ValueError(f"'{value}' is not text")
    if column == "direction" and value not in DIRECTIONS:
        raise ValueError(f"'{value}' is not a direction (allowed: {', '.join(DIRECTIONS)})")
    return str(value)


def _whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which no file can hold."""
    try:
        text.encode()
    except UnicodeError:
        return False
    return True


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word not in ("true", "false"):
        raise ValueError(f"'{value}' is not true or false")
    return word == "true"


def _number(value: object) -> int | float:
    """An int stays one: 64 bits do not fit in a float."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return value
    text = str(value).strip()
    # float() also takes '1_000', which nobody means.
    if isinstance(value, bool) or "_" in text:
        raise ValueError(f"'{value}' is not a number")
    try:
        number = int(text) if text.isdecimal() and len(text) < 20 else float(text)
    except ValueError:
        raise ValueError(f"'{value}' is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"'{value}' is not finite")
    return number


def given(column: str, value: object) -> Value:
    """Like stored(), for what people write: '64KiB', '150MHz'. ValueError or InputError."""
    if isinstance(value, str) and value:
        if column in ("direction", "consume"):
            value = value.replace("-", "_")
        if column.endswith("_bytes"):
            return parse_size(value)
        if column == "fpga_mhz":
            return parse_frequency_mhz(value)
    return stored(column, value)


def shown(value: Value) -> str:
    """A value as people read it in a table or a message."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def column_named(name: str, known: Iterable[str] = COLUMNS) -> str:
    """The column a person means by `name`; InputError offers near matches."""
    if known is COLUMNS and is_parameter(name):
        return name
    column = ALIASES.get(name, name.replace("-", "_"))
    if column not in known:
        raise InputError(f"unknown key '{name}'", mend=near(name, known))
    return column


def spelled(value: Value, known: Iterable[Value]) -> Value:
    """The known value that a person means: a hyphen may stand for an underscore and back."""
    names = [name for name in known if isinstance(name, str)]
    if not isinstance(value, str) or value in names:
        return value
    alike = (name for name in names if name.replace("_", "-") == value.replace("_", "-"))
    return next(alike, value)


def parse_where(conditions: Iterable[str]) -> dict[str, list[Value]]:
    """['link=HF32', 'link=HF64', 'size=64KiB'] as column -> wanted values.

    The same key repeated widens the choice, different keys narrow it; 'route=' asks for none.
    """
    wanted: dict[str, list[Value]] = {}
    for condition in conditions:
        key, equals, text = condition.partition("=")
        if not equals:
            raise InputError(f"'{condition}' is not KEY=VALUE", "--where")
        column = column_named(key.strip())
        try:
            value = given(column, text.strip())
        except InputError as error:
            raise InputError(error.what, f"--where {condition}", error.mend) from error
        except ValueError as error:
            raise InputError(str(error), f"--where {condition}") from error
        wanted.setdefault(column, []).append(value)
    return wanted
