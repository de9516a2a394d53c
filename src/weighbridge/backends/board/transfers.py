# SPDX-License-Identifier: Apache-2.0
"""Points of a platform's studies as lines of a plan for the Linux program of `stack/study/`.

The probe moves bytes in memory and windows by the processor alone. A study's ways need a module in
the board's kernel; the program in front of it takes plans of the same form, of one kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from weighbridge.backends import Unanswered
from weighbridge.backends.probe import Settings
from weighbridge.dataset.schema import Point

#: The columns of a point that a program under Linux can vary; the FPGA's image decides the others.
_WORDS: Final = (
    *("master", "route", "buffer", "copy", "prepared", "completion", "direction"),
    *("dummy_traffic", "lock_cpu_ways", "lock_acp_ways", "lock_when"),
    *("sdram_priority", "sdram_weight"),
)
_MASTERS: Final = ("cpu", "pl330", "dmaengine")


def is_transfer(point: Point) -> bool:
    """It says how bytes go to the FPGA, and not how the processor's accesses fare."""
    return dict(point.axes).get("access") is None


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
