# SPDX-License-Identifier: Apache-2.0
"""A machine described by itself: recorded from the system, never asked of the user."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from weighbridge.survey.memory import Memory, memory
from weighbridge.survey.pcie import Device, devices
from weighbridge.survey.processor import Processor, processor
from weighbridge.survey.sysroot import Sysroot
from weighbridge.survey.system import System, system

__all__ = ["Survey", "survey"]


@dataclass(frozen=True, slots=True)
class Survey:
    """What a machine says of itself; sizes are bytes, clocks MHz, None is what it does not tell."""

    processor: Processor
    memory: Memory
    system: System
    devices: tuple[Device, ...]

    def plain(self) -> dict[str, Any]:
        """For JSON, without what is not known."""
        told: dict[str, Any] = _told(asdict(self))
        return told


def survey(root: Sysroot) -> Survey:
    """Describe the machine, or the one that a folder stands for."""
    return Survey(processor(root), memory(root), system(root), devices(root))


def _told(value: Any) -> Any:
    if isinstance(value, dict):
        inner = {str(key): _told(one) for key, one in value.items()}
        return {key: one for key, one in inner.items() if one not in (None, [], {})}
    return [_told(one) for one in value] if isinstance(value, list | tuple) else value
