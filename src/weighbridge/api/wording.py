# SPDX-License-Identifier: Apache-2.0
"""How answers name their path, their clock and a share of something."""

from __future__ import annotations

from weighbridge.dataset.schema import Point


def heading(path: str, point: Point) -> str:
    """What an answer is to: its path, the system, the direction and the clock."""
    words = (path, str(point.os), point.direction, clock(point))
    return ", ".join(word for word in words if word)


def clock(point: Point) -> str:
    """The fabric's clock in words; empty where the point has none."""
    return "" if point.fpga_mhz is None else f"fabric at {point.fpga_mhz:g} MHz"


def percent(fraction: float | None, digits: int = 0) -> str:
    """A fraction as text, a dash where it does not apply."""
    return "-" if fraction is None else f"{100 * fraction:.{digits}f} %"
