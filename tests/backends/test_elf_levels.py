# SPDX-License-Identifier: Apache-2.0
"""The caches' levels: registers and pages are those of the definition, hits and misses follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from weighbridge.backends.elf import board
from weighbridge.backends.elf.machine import described, run
from weighbridge.backends.elf.programs import firmware
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

MAIN = Path(__file__).with_name("elf_programs") / "levels.c"
HARDWARE = Hardware(load_platform("cyclonev"), 1)
POINT = Point(platform="cyclonev", study="", direction="cpu_to_fpga", size_bytes=1, link="HF32")
#: Of SCTLR: MMU, data cache, prediction, instruction cache.
MMU, DATA, PREDICTION, INSTRUCTIONS = 1 << 0, 1 << 2, 1 << 11, 1 << 12
AUXILIARY_AT_RESET = 0x0206_0000
LINE = 32


def left(
    level: int, memory: str = "nonshareable", published: int = 0, copies: int = 0, kib: int = 4
) -> dict[str, Any]:
    """What a program leaves that sets a level, and then copies."""
    words = (level, int(memory == "shareable"), published, copies, kib)
    plan = "".join(chr(ord("0") + word) for word in words)
    program = firmware(board.header(HARDWARE), MAIN)
    done = run(program, described(HARDWARE, POINT), plan, report=True)
    assert done.stopped == ""
    return done.report


def defined(level: int) -> dict[str, int]:
    """The registers at a level, bit by bit as the study lists them."""

    def sums(bits: dict[int, int], start: int = 0) -> int:
        return start | sum(bit for since, bit in bits.items() if level >= since)

    sctlr = {1: MMU, 4: INSTRUCTIONS, 5: PREDICTION, 6: DATA}
    auxiliary = {2: 3 << 17 | 1 << 28 | 1 << 29, 10: 1 << 0, 12: 1 << 30, 13: 1 << 11}
    return {
        # At level 0 instructions are cached and predicted, as the boot loader leaves them.
        "sctlr": sums(sctlr) if level else INSTRUCTIONS | PREDICTION,
        "actlr": sums({7: 1 << 2, 9: 1 << 1, 10: 1 << 3}),
        "scu_control": sums({3: 1 << 0, 11: 1 << 3}),
        "l2_control": sums({8: 1}),
        "l2_auxiliary": sums(auxiliary) if level >= 2 else AUXILIARY_AT_RESET,
    }


@pytest.mark.parametrize("level", range(14))
def test_registers_are_those_of_the_definition(level: int) -> None:
    registers = dict(left(level)["registers"])
    used = MMU | DATA | PREDICTION | INSTRUCTIONS
    assert registers["sctlr"] & ~used == left(0)["registers"][0][1] & ~used
    registers["sctlr"] &= used
    assert registers == defined(level)


def test_the_published_bit_of_level_10_is_set_only_by_the_name_of_the_fault() -> None:
    intended, published = 1 << 0, 1 << 30
    auxiliary = [dict(left(10, published=asked)["registers"])["l2_auxiliary"] for asked in (0, 1)]
    assert auxiliary[0] & (intended | published) == intended
    assert auxiliary[1] & (intended | published) == published


@pytest.mark.parametrize(
    ("level", "memory", "pages"),
    [
        (0, "shareable", [[0, "ordered"]]),
        (1, "nonshareable", [[0, "inner outer "], [0x4000_0000, "device"]]),
        (13, "nonshareable", [[0, "inner outer "], [0x4000_0000, "device"]]),
        # A core that takes no part in coherency keeps nothing shared in its own cache.
        (9, "shareable", [[0, "outer "], [0x4000_0000, "device"]]),
    ],
)
def test_pages_are_those_of_the_definition(
    level: int, memory: str, pages: list[tuple[int, str]]
) -> None:
    assert left(level, memory)["pages"] == pages


def looked_up(**asked: Any) -> dict[str, tuple[int, int]]:
    """Lookups and misses of each cache."""
    return {name: (lookups, misses) for name, lookups, misses in left(**asked)["caches"]}


def more(
    second: dict[str, tuple[int, int]], first: dict[str, tuple[int, int]], cache: str
) -> tuple[int, int]:
    return (second[cache][0] - first[cache][0], second[cache][1] - first[cache][1])


@pytest.mark.parametrize(
    ("level", "memory", "held"),
    [
        (0, "nonshareable", ()),
        (5, "nonshareable", ()),
        (6, "nonshareable", ("l1",)),
        (7, "nonshareable", ("l1",)),
        (8, "nonshareable", ("l1", "l2")),
        (13, "nonshareable", ("l1", "l2")),
        (9, "shareable", ("l2",)),
    ],
)
def test_hits_and_misses_of_a_copy_follow(level: int, memory: str, held: tuple[str, ...]) -> None:
    fewer = looked_up(level=level, memory=memory, copies=2)
    longer = looked_up(level=level, memory=memory, copies=2, kib=8)
    oftener = looked_up(level=level, memory=memory, copies=3)
    lines = 4096 // LINE
    for cache in ("l1", "l2"):
        if cache not in held:
            assert fewer[cache] == longer[cache] == oftener[cache] == (0, 0)
            continue
        # Each further line of the source is missed fewer; a copy of what was copied misses none.
        assert more(longer, fewer, cache)[1] == lines
        lookups, misses = more(oftener, fewer, cache)
        assert misses == 0
        # Past a first level that holds all, nothing is looked up behind it.
        assert (lookups >= lines) == (cache == held[0])
