# SPDX-License-Identifier: Apache-2.0
"""Points of a platform's studies as lines of a plan for the Linux program of `stack/study/`.

The probe moves bytes in memory and windows by the processor alone. A study's ways need a module in
the board's kernel; the program in front of it takes plans of the same form, of one kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from weighbridge.backends import Unanswered
from weighbridge.backends.probe import Settings
from weighbridge.dataset.schema import Point, Value
from weighbridge.dataset.values import shown
from weighbridge.errors import InputError

#: The columns of a point that a program under Linux can vary; the FPGA's image decides the others.
_WORDS: Final = (
    *("master", "route", "buffer", "copy", "prepared", "completion", "direction"),
    *("dummy_traffic", "lock_cpu_ways", "lock_acp_ways", "lock_when"),
    *("sdram_priority", "sdram_weight"),
)
#: The columns that the FPGA's image decides, and what several of their values are.
_IMAGE: Final = {"link": "links", "fpga_mhz": "clocks"}
_MASTERS: Final = ("cpu", "pl330", "dmaengine")


def is_transfer(point: Point) -> bool:
    """It says how bytes go to the FPGA, and not how the processor's accesses fare."""
    return dict(point.axes).get("access") is None


def check_image(points: Iterable[Point]) -> None:
    """InputError where points are of more than one FPGA image, which is one link at one clock."""
    found: dict[str, list[Value]] = {}
    for point in points:
        for name in _IMAGE:
            value, values = getattr(point, name), found.setdefault(name, [])
            if value is not None and value not in values:
                values.append(value)
    several = {name: values for name, values in found.items() if len(values) > 1}
    if several:
        told = " and ".join(f"{len(values)} {_IMAGE[name]}" for name, values in several.items())
        words = (f"--where {name}={shown(values[0])}" for name, values in several.items())
        raise InputError(
            f"the board's FPGA has one link at one clock, and these points have {told}",
            mend=f"name one, as in {' '.join(words)}",
        )


def settings(given: Settings) -> Iterator[tuple[str, str]]:
    """The words of the program's line `set`."""
    yield "seed", str(given.seed)
    yield "blocks", str(given.blocks)


def words(point: Point) -> Iterator[tuple[str, str]]:
    """Words of a point's line; Unanswered for what the program has no way to do."""
    if point.os != "linux":
        raise Unanswered(f"the program runs under Linux, not under {point.os}")
    if point.master not in _MASTERS:
        raise Unanswered(f"a program under Linux cannot have {point.master} move bytes")
    said = point.key()
    yield "kernel", "transfer"
    yield "bytes", str(point.size_bytes)
    for name in _WORDS:
        if (value := said.get(name)) is not None:
            yield name, str(int(value) if isinstance(value, bool) else value)
