# SPDX-License-Identifier: Apache-2.0
"""The numbers of a platform as knobs: which may be turned, where each stands, one turned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weighbridge.errors import InputError
from weighbridge.platforms import Parameter, Platform
from weighbridge.platforms.kinds import UNITS
from weighbridge.tomlsource import near

#: Dimensions that the engine counts in whole numbers, unless the file gives a fraction.
_COUNTED = {*UNITS["count"], *UNITS["bytes"]}


def why_fixed(parameter: Parameter) -> str:
    """Why a parameter cannot be turned by a per cent or so; empty if it can."""
    if parameter.value == 0:
        return "is 0, which no factor changes"
    if parameter.unit in _COUNTED and parameter.value == int(parameter.value):
        return "counts in whole numbers"
    return ""


def turnable(platform: Platform) -> list[Parameter]:
    """Every number that can be turned by a per cent or so, in the file's order."""
    return [parameter for parameter in platform.parameters() if not why_fixed(parameter)]


def chosen(platform: Platform, names: Sequence[str]) -> list[Parameter]:
    """The parameters of these names, each once, or all fitted ones that can be turned.

    Raises InputError for an unknown name, with near matches, and for one that cannot be turned.
    """
    if not names:
        return [parameter for parameter in turnable(platform) if parameter.fitted]
    known = {parameter.name: parameter for parameter in platform.parameters()}
    for name in names:
        if name not in known:
            owner = [other for other in known if other.startswith(name.partition(".")[0] + ".")]
            raise InputError(f"unknown parameter '{name}'", "--free", near(name, owner or known))
        if reason := why_fixed(known[name]):
            raise InputError(f"'{name}' {reason}", "--free", "only other numbers can be fitted")
    return [known[name] for name in dict.fromkeys(names)]


def turned(platform: Platform, values: Mapping[str, float]) -> Platform:
    """The platform with parameters replaced, name -> value in the parameter's own unit.

    For thousands of variants: nothing is read or checked again, so values must be positive.
    """
    file = platform.file
    for name, value in values.items():
        keys = platform.place(name)
        if keys[0] == "component":
            keys = (*keys[:2], "numbers", *keys[2:])
        file = _replaced(file, keys, value)
    return type(platform)(file, platform.path)


def _replaced(node: Any, keys: Sequence[str], value: float) -> Any:
    if not keys:
        return node.model_copy(update={"value": value})
    head, *rest = keys
    if isinstance(node, dict):
        return node | {head: _replaced(node[head], rest, value)}
    return node.model_copy(update={head: _replaced(getattr(node, head), rest, value)})
