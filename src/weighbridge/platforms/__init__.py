# SPDX-License-Identifier: Apache-2.0
"""Platforms: one TOML file a system, checked against the kinds of component the engine has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from weighbridge.errors import InputError
from weighbridge.platforms.model import Parameter, Platform, Quantity
from weighbridge.platforms.reading import read_platform

__all__ = ["Parameter", "Platform", "Quantity", "load_platform", "platform_names"]

_HERE = Path(__file__).parent


def platform_names() -> list[str]:
    """Names of the platforms that come with the product."""
    return sorted(path.stem for path in _HERE.glob("*.toml"))


def load_platform(name_or_path: str, overrides: Mapping[str, str] | None = None) -> Platform:
    """A platform by its name or by the path of its file.

    overrides: NAME.FIELD -> value with unit, as `--set` takes them.
    Raises InputError when there is no such platform or its file is not well-formed.
    """
    if name_or_path in platform_names():
        return read_platform(_HERE / f"{name_or_path}.toml", overrides)
    path = Path(name_or_path)
    if path.suffix == ".toml" and path.is_file():
        return read_platform(path, overrides)
    raise InputError(
        f"unknown platform '{name_or_path}'",
        mend=f"platforms: {', '.join(platform_names())}, or the path of a .toml file",
    )
