# SPDX-License-Identifier: Apache-2.0
"""What the guest's software costs, as far as it can be had from other studies.

The twin has fitted some of the driver's costs to the table that this backend is compared with. Two
of them can be had elsewhere, and are taken from there: a call of a driver from the study of another
board, and the maintenance of a line from this board's other study. What is set by hand stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from weighbridge.platforms import load_platform
from weighbridge.platforms.kinds import SOFTWARE, UNITS
from weighbridge.platforms.schema import Platform, Quantity

#: The board whose study has calls of a driver: read() and write() of a character device that serves
#: a DMA controller, on the same processor; and the clock that both are scaled by.
_OTHER: Final = "cyclonev"
_CALL: Final = "fabric_call"
_CLOCK: Final = "mpu"


def costs(platform: Platform, os: str) -> Mapping[str, Quantity]:
    """The software's costs of an operating system."""
    found = dict(platform.file.software.get(os, {}))
    if os != "linux" or "stream_call" not in found:
        return found
    call, line = _call(platform), _line(platform)
    taken = {"stream_call": call, "stream_work": call}
    taken |= {"stream_clean": line, "stream_invalidate": line}
    return found | {
        name: quantity
        for name, quantity in taken.items()
        if not found[name].source.startswith("set to ")
    }


def in_ns(found: Mapping[str, Quantity]) -> dict[str, float]:
    """Costs in the engine's units, which are ns for those of streams."""
    return {name: one.value * UNITS[SOFTWARE[name]][one.unit] for name, one in found.items()}


def _call(platform: Platform) -> Quantity:
    """Half of a call: what is paid at its entry, or for its work, is not told apart."""
    other = load_platform(_OTHER)
    there = other.file.software["linux"][_CALL]
    slower = other.clock_mhz(_CLOCK) / platform.clock_mhz(_CLOCK)
    source = f"half of {_OTHER}'s linux.{_CALL}, {there.value:g} {there.unit}, by the clock"
    return Quantity(value=round(there.value * slower / 2, 1), unit=there.unit, source=source)


def _line(platform: Platform) -> Quantity:
    """A line is named to the second level's controller, which answers when it is done."""
    parts = platform.components
    cpu = next(name for name, part in parts.items() if part.kind == "processor")
    l2 = next(name for name, part in parts.items() if part.choices.get("level") == "outer")
    value = parts[cpu].base_value("ordered_write") + parts[l2].base_value("latency")
    source = f"{cpu}.ordered_write and {l2}.latency: a register of the second level's controller"
    return Quantity(value=value, unit="ns", source=source)
