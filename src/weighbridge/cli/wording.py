# SPDX-License-Identifier: Apache-2.0
"""How answers put points into words: headings, shares, bars and the next command to type."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weighbridge.quantities import format_size

if TYPE_CHECKING:
    from weighbridge.dataset.schema import Point
    from weighbridge.platforms import Platform

_DIRECTIONS = {"cpu_to_fpga": "from processor to FPGA", "fpga_to_cpu": "from FPGA to processor"}
_OS = {"linux": "Linux", "baremetal": "bare metal"}
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def way(direction: str) -> str:
    """A direction in words."""
    return _DIRECTIONS.get(direction, direction)


def os_named(os: str | None) -> str:
    """An operating system as people write it."""
    return _OS.get(str(os), str(os))


def path_named(platform: Platform, point: Point) -> str:
    """A path in words, where it runs and how fast the fabric's clock is."""
    described = f"{platform.describe(point)}, {os_named(point.os)}"
    usual = [path.cache_level for path in platform.paths() if path.os == point.os]
    if point.cache_level not in usual:
        described += f", cache level {point.cache_level}"
    return described + fabric_clock(point)


def fabric_clock(point: Point) -> str:
    """The fabric's clock where a point has one, to follow what it runs on."""
    return "" if point.fpga_mhz is None else f", fabric at {point.fpga_mhz:g} MHz"


def compact(path: str, tight: bool) -> str:
    """A path in words, for the column of a table; tight: what is usual goes without saying."""
    return path.replace(", prepared", "") if tight else path


def percent(fraction: float) -> str:
    """A share in whole per cent, with a digit more below ten."""
    return f"{100 * fraction:.0f} %" if fraction >= 0.0995 else f"{100 * fraction:.2g} %"


def bar(fraction: float, width: int) -> str:
    """A bar of at most `width` columns, in eighths of a column."""
    eighths = round(min(max(fraction, 0.0), 1.0) * width * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def explain_command(
    platform_argument: str,
    words: Sequence[str],
    size_bytes: int,
    overrides: Mapping[str, str],
    width: int,
) -> str:
    """A command to paste, broken with backslashes to lines of `width` columns."""
    size = format_size(size_bytes).replace(" ", "")
    parts = ["weighbridge", "explain", platform_argument, *words, "--size", size]
    for name, value in overrides.items():
        parts += ["--set", f"{name}={value}"]
    lines = textwrap.wrap(
        shlex.join(parts), width - 2, break_long_words=False, break_on_hyphens=False
    )
    return " \\\n    ".join(lines)
