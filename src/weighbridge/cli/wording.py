# SPDX-License-Identifier: Apache-2.0
"""How answers put points into words: headings, shares, bars and the next command to type."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from weighbridge.dataset.words import worded
from weighbridge.quantities import format_size

if TYPE_CHECKING:
    from weighbridge.dataset.schema import Point
    from weighbridge.platforms import Platform
    from weighbridge.platforms.evidence import Expected

_EIGHTHS = " ▏▎▍▌▋▊▉█"
#: The blanks at which a text may be broken: not the one between a number and its unit.
_BREAKS = re.compile(
    r"(?<!\d) +| +(?!(?:[kKMGT]?i?(?:B|bit)(?:/s)?|[mun]?s|[kMG]?Hz|%)(?![A-Za-z]))"
)


#: Why a rate may be above what widths and clocks allow.
POSTED = "over 100 %: the call returns while posted writes are under way"


def way(direction: str) -> str:
    """A direction in words."""
    return worded("direction", direction)


def os_named(os: str | None) -> str:
    """An operating system as people write it."""
    return worded("os", os)


def path_named(platform: Platform, point: Point) -> str:
    """A path in words, where it runs and how fast the fabric's clock is."""
    described = f"{platform.describe(point)}, {os_named(point.os)}"
    usual = [path.cache_level for path in platform.paths() if path.os == point.os]
    if point.cache_level not in usual:
        described += f", cache level {point.cache_level}"
    if point.ports not in (None, 1):
        described += f", {point.ports} ports at once"
    return described + fabric_clock(point)


def fabric_clock(point: Point) -> str:
    """The fabric's clock where a point has one, to follow what it runs on."""
    return "" if point.fpga_mhz is None else f", fabric at {point.fpga_mhz:g} MHz"


def compact(path: str) -> str:
    """A path in words without what goes without saying."""
    return path.replace(", prepared", "")


def percent(fraction: float) -> str:
    """A share in whole per cent, with a digit more below ten."""
    return f"{100 * fraction:.0f} %" if fraction >= 0.0995 else f"{100 * fraction:.2g} %"


def change(fraction: float) -> str:
    """A relative change in whole per cent with its sign; never as if nothing were left."""
    digits = 0
    while fraction > -1 and round(100 * fraction, digits) <= -100 and digits < 6:
        digits += 1
    return f"{100 * fraction:+.{digits}f} %"


def bar(fraction: float, width: int) -> str:
    """A bar of at most `width` columns, in eighths of a column."""
    eighths = round(min(max(fraction, 0.0), 1.0) * width * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def wrapped(
    text: str, width: int | None, cells: Callable[[str], int] = len, hang: int = 0
) -> list[str]:
    """Lines of `width` columns, broken between words; all but the first leave `hang` free.

    A number keeps its unit. A word that is too long by itself is not broken.
    """
    if width is None or cells(text) <= width:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    lines: list[str] = []
    line = ""
    for word in _BREAKS.split(text.strip()):
        joined = f"{line} {word}" if line else indent + word
        if line and cells(joined) > width - (hang if lines else 0):
            lines.append(line)
            joined = word
        line = joined
    return [*lines, line]


def explain_command(
    platform_argument: str,
    words: Sequence[str],
    size_bytes: int,
    overrides: Mapping[str, str],
    width: int | None,
) -> str:
    """A command to paste, broken with backslashes to lines of `width` columns."""
    size = format_size(size_bytes).replace(" ", "")
    parts = [
        "weighbridge explain",
        *map(shlex.quote, (platform_argument, *words)),
        f"--size {size}",
    ]
    parts += [f"--set {shlex.quote(f'{name}={value}')}" for name, value in overrides.items()]
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]} {part}".strip()
        if width is not None and lines[-1] and len(joined) > width - 2:
            lines.append(part)
        else:
            lines[-1] = joined
    return " \\\n    ".join(lines)


def extrapolated(simulated_bytes: Iterable[int | None]) -> str:
    """That answers rest on shorter transfers; empty where all of each was simulated."""
    shorter = {size for size in simulated_bytes if size is not None}
    if not shorter:
        return ""
    ends = " to ".join(map(format_size, sorted({min(shorter), max(shorter)})))
    return f"extrapolated from the first {ends}, within 0.5 %; --exact simulates all of it"


def rests_on(intervals: Sequence[Expected]) -> str:
    """What the intervals of several answers rest on, and how many of them each."""
    counts = Counter(one.words for one in intervals)
    if len(counts) == 1:
        return f"evidence: {intervals[0].words}"
    said = "; ".join(f"{words} ({count})" for words, count in counts.items())
    return f"evidence: {said}"
