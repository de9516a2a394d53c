# SPDX-License-Identifier: Apache-2.0
"""JSON as its standard has it: no NaN, no infinity, no half of a character."""

from __future__ import annotations

import json
import math


def read(text: str | bytes) -> object:
    """The value that a text of JSON stands for; ValueError says why it is none."""
    try:
        value = json.loads(text, parse_constant=_refused)
        # Half of a surrogate pair is no text, but Python's reader lets it pass.
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeError:
        raise ValueError("not text") from None
    except json.JSONDecodeError:
        raise ValueError("not JSON") from None
    return value


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not a number of JSON")


def plain(value: object) -> object:
    """A value as JSON writes it: null for what is not finite, text where JSON has no word."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)
