# SPDX-License-Identifier: Apache-2.0
"""Platforms: one TOML file a system, checked against the kinds of component the engine has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from weighbridge.errors import InputError
from weighbridge.platforms.model import Parameter, Platform, Quantity
from weighbridge.platforms.reading import read_platform

__all__ = [
    "Parameter",
    "Platform",
    "Quantity",
    "load_platform",
    "machine_names",
    "platform_file",
    "platform_names",
    "read_platform",
]

_HERE = Path(__file__).parent
_MACHINES = _HERE / "machines"


def platform_names() -> list[str]:
    """Names of the platforms that come with the product and have a model."""
    return sorted(path.stem for path in _HERE.glob("*.toml"))


def machine_names() -> list[str]:
    """Names of those that have none: whoever runs the product measures them."""
    return sorted(path.stem for path in _MACHINES.glob("*.toml"))


def platform_file(name: str) -> Path | None:
    """The file of a platform that comes with the product; None where there is none of that name."""
    if name in platform_names():
        return _HERE / f"{name}.toml"
    return _MACHINES / f"{name}.toml" if name in machine_names() else None


def load_platform(name_or_path: str, overrides: Mapping[str, str] | None = None) -> Platform:
    """A platform by its name or by the path of its file.

    overrides: NAME.FIELD -> value with unit, as `--set` takes them.
    Raises InputError when there is no such platform or its file is not well-formed.
    """
    if (own := platform_file(name_or_path)) is not None:
        return read_platform(own, overrides)
    path = Path(name_or_path)
    if path.suffix == ".toml" and path.is_file():
        return read_platform(path, overrides)
    # Few commands can do anything with a machine that has no model.
    raise InputError(
        f"unknown platform '{name_or_path}'",
        mend=f"platforms: {', '.join(platform_names())}, or the path of a .toml file",
    )
