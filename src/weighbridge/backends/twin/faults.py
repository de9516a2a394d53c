# SPDX-License-Identifier: Apache-2.0
"""Faults of the published programs, which a point asks for by `fault=NAME`; off by default.

They let artefacts of published data be reproduced on purpose. Nothing else of the twin knows them.
"""

from __future__ import annotations

from typing import Final

from weighbridge.backends.twin.program import demand
from weighbridge.dataset.schema import Point

#: Filling the source runs past its end, wraps in the fabric's address decoder and resets the DMA
#: controllers, which fall back to beats of 32 bit (bare metal, from the FPGA).
BEATS_BECOME_32_BIT: Final = "beats-become-32-bit"
#: The driver writes the processor's lock to the wrong registers: it is never set (Linux).
CPU_LOCK_MISSED: Final = "cpu-lock-missed"
#: In the programs that lock after the preparation, the run without a lock is really one with four
#: ways locked for the processor (bare metal). Of zero to seven ways, four fits the data.
FOUR_WAYS_LEFT_LOCKED: Final = "four-ways-left-locked"

#: Where the RAMs lie in the study's FPGA projects: the bridge's, then the ports' in order.
_BRIDGE_RAM = 0x1_0000
_RAM_DISTANCE = 0x1_0000
#: Ports to the SDRAM in the projects that have all controllers, by their width in bytes.
_ALL_PORTS: Final = {4: 4, 8: 4, 16: 2}
#: From this clock on the projects have only the controllers that are used.
_REDUCED_MHZ = 150


def has(point: Point, fault: str) -> bool:
    """Whether a point asks for this fault."""
    return dict(point.axes).get("fault") == fault


def check(point: Point, *known: str) -> None:
    """Raises Unanswered if a point asks for a fault that its program cannot have."""
    demand(point, {"fault": (None, *known)})


def ways_locked(point: Point, asked: int) -> int:
    """Ways that are locked for the processor where a point has asked for so many."""
    if has(point, CPU_LOCK_MISSED) and point.os == "linux":
        return 0
    left = has(point, FOUR_WAYS_LEFT_LOCKED) and point.os == "baremetal" and asked == 0
    return 4 if left and dict(point.axes).get("lock_when") == "after" else asked


def beats_become_words(point: Point, width: int, ports: int) -> bool:
    """Whether the fill overwrites the controllers' registers.

    width: of the ports, in bytes. ports: how many of the controllers are at ports to the SDRAM; the
    others are at the bridge.

    Each controller's RAM is filled with its share of the bytes. The decoder knows addresses up to
    the power of two above the highest RAM; those beyond are the controllers'.
    """
    asked = has(point, BEATS_BECOME_32_BIT)
    if not asked or point.os != "baremetal" or point.direction != "fpga_to_cpu":
        return False
    reduced = (point.fpga_mhz or 0) >= _REDUCED_MHZ
    highest = _BRIDGE_RAM + _RAM_DISTANCE * (ports if reduced else _ALL_PORTS[width])
    decoded = 1 << highest.bit_length()
    last = _BRIDGE_RAM + _RAM_DISTANCE * ports
    return last + point.size_bytes / (point.ports or 1) > decoded
