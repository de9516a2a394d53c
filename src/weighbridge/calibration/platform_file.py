# SPDX-License-Identifier: Apache-2.0
"""New numbers in a platform file, everything else in it left as it stands."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from weighbridge.errors import InputError
from weighbridge.platforms import Platform
from weighbridge.tomlsource import line_of, read_toml

_STRING = r'"(?:[^"\\]|\\.)*"|\'[^\']*\''


def edited(platform: Platform, changes: Mapping[str, tuple[float, str]]) -> str:
    """The text of the platform's file with name -> (value in the file's unit, source) put in.

    Comments, order and all other lines survive. Raises InputError if a number is written in a way
    that cannot be edited in its line.
    """
    expected, text = read_toml(platform.path)
    for name, (value, source) in changes.items():
        keys = platform.place(name)
        for field, new in (("value", value), ("source", source)):
            text = _set(text, (*keys, field), _toml(new))
            _at(expected, keys)[field] = new
    try:
        right = tomllib.loads(text) == expected
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise InputError(
            "a number that is not written as { value = ..., unit = ..., source = ... }",
            str(platform.path),
            "write it so, on one line",
        )
    return text


def _set(text: str, keys: tuple[str, ...], new: str) -> str:
    """The text with the value of the last key replaced, on the line where it stands."""
    number = line_of(text, keys)
    if number is None:
        return text
    lines = text.splitlines(keepends=True)
    # Strings are matched first, so that a key that one of them mentions is passed over.
    pattern = rf"(?P<key>(?<![\w-]){keys[-1]}\s*=\s*)(?:{_STRING}|[^\s,}}#]+)|{_STRING}|#.*"
    for match in re.finditer(pattern, lines[number - 1]):
        if match["key"]:
            line = lines[number - 1]
            lines[number - 1] = line[: match.end("key")] + new + line[match.end() :]
            break
    return "".join(lines)


def _at(data: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        data = data[key]
    return data


def _toml(value: float | str) -> str:
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for the one control character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(int(value)) if value == int(value) else repr(value)
