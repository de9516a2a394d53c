# SPDX-License-Identifier: Apache-2.0
"""The numbers of the executed core that no component of a platform has."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from weighbridge.platforms.model import Quantity
from weighbridge.tomlsource import read_toml


@cache
def core_parameters(core: str = "cortex-a9") -> dict[str, Quantity]:
    """Each with its unit and source, by its name in the emulator of a core."""
    raw, _ = read_toml(Path(__file__).with_name(f"{core}.toml"))
    return TypeAdapter(dict[str, Quantity]).validate_python(raw)
