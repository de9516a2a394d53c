# SPDX-License-Identifier: Apache-2.0
"""Every path of every platform, over sizes and clocks: no answer that physics forbids."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import weighbridge as wb
from tools.scan import (
    ROUNDING,
    SIZES,
    answered,
    asked,
    disagreeing,
    forbidden,
    too_fast_without,
    twin,
)
from weighbridge.advice.purpose import Purpose
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Explanation, Twin
from weighbridge.dataset.schema import Point
from weighbridge.dataset.values import DIRECTIONS
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform, platform_names

#: Seconds between two looks of a program at a controller, by its system.
LOOK = {"linux": 0.2e-6, "baremetal": 0.6e-6}
#: Seconds of an interrupt: a program that gets ahead of its stream waits, and is woken by one.
INTERRUPT = 10e-6
#: Cycles of the fabric that such a look takes beside.
LOOK_CYCLES = 20


#: A frame of one page through the coherency port: a byte more and it takes half of the time.
RING = next(
    replace(point, size_bytes=4096)
    for path in twin("zynq7000").platform.paths()
    for point in asked(path)
    if (path.link, path.buffer, point.fpga_mhz) == ("ACP", "ring", 333)
)


def defended(answer: Explanation) -> None:
    """An answer is no faster than its widths and clocks, and its phases are all of it."""
    assert list(forbidden(answer)) == [], answer.point


@pytest.mark.parametrize("name", platform_names())
def test_no_rate_is_above_its_ceiling_and_phases_add_up(name: str) -> None:
    """Of the whole scan, `make scan`, the sizes that fall on this path: six of the sixty each."""
    count = 0
    for number, path in enumerate(twin(name).platform.paths()):
        for point in asked(path):
            for size in SIZES[number % 10 : 50 : 10]:
                answer = answered(replace(point, size_bytes=size))
                if answer is not None:
                    defended(answer)
                    count += 1
    assert count > 0


#: Platforms with a memory of their own -> its component.
MEMORIES = {
    name: part
    for name in platform_names()
    for part, component in load_platform(name).components.items()
    if component.kind == "sdram"
}


@pytest.mark.parametrize("name", MEMORIES)
@pytest.mark.parametrize("mhz", [1, 20])
def test_no_rate_is_above_the_ceiling_of_a_slow_memory(name: str, mhz: int) -> None:
    """Its controller has taken the end of a transfer that the memory has not: half of 1450 B."""
    slow = Twin(wb.platform(name, **{f"{MEMORIES[name]}.clock": f"{mhz}MHz"}))
    count = 0
    for path in slow.platform.paths():
        for direction, size in product(DIRECTIONS, (64, 1450, 16384)):
            with suppress(Unanswered, InputError):
                answer = slow.explain(replace(path, direction=direction, size_bytes=size))
                if answer.flow == "single":
                    defended(answer)
                    count += 1
    assert count > 0


def test_a_controller_may_be_done_before_its_last_write() -> None:
    """One beat at 1 MHz stood at 131 % of the ceiling, and nothing said why."""
    path = {"master": "fpga_dmac", "route": "sdramc", "link": "FH32", "direction": "fpga_to_cpu"}
    answer = wb.explain("cyclonev", size="4B", os="linux", fpga_mhz=1, **path).explanation
    assert answer.posted
    defended(answer)


@st.composite
def points(draw: st.DrawFn) -> Point:
    path = draw(st.sampled_from([p for n in platform_names() for p in twin(n).platform.paths()]))
    point = draw(st.sampled_from(list(asked(path))))
    return replace(point, size_bytes=draw(st.integers(1, 1 << 17)))


@settings(max_examples=150, derandomize=True)
@given(points())
def test_a_what_if_leaves_every_other_resource_its_time(point: Point) -> None:
    answer = answered(point)
    assume(answer is not None)
    assert answer is not None
    assert list(too_fast_without(answer)) == []


@settings(max_examples=60, derandomize=True)
@given(points())
def test_all_commands_say_the_same_of_a_point(point: Point) -> None:
    answer = answered(point)
    assume(answer is not None)
    assert answer is not None
    assert list(disagreeing(answer)) == []


def test_what_is_forbidden_is_seen() -> None:
    """Each finding of the scan, had of an answer that is made wrong."""
    path = next(p for p in twin("cyclonev").platform.paths() if p.master == "pl330")
    answer = answered(replace(path, size_bytes=4096))
    assert answer is not None
    first, *others = answer.phases
    wrong = replace(answer, phases=(replace(first, seconds=first.seconds + 1e-9), *others))
    assert any("phases of" in one for one in forbidden(wrong))
    wrong = replace(answer, phases=(replace(first, seconds=-first.seconds), *others))
    assert any("a phase of a negative time" in one for one in forbidden(wrong))
    wrong = replace(answer, ceiling_seconds=answer.seconds * 1.01)
    assert any("1.01 of the ceiling" in one for one in forbidden(wrong))
    wrong = replace(answer, seconds=answer.seconds * 1.01)
    assert len(list(disagreeing(wrong))) == 3


@settings(max_examples=60, derandomize=True)
@given(points(), st.integers(1, 8), st.booleans())
def test_no_stream_is_above_its_ceiling(point: Point, depth: int, duplex: bool) -> None:
    purpose = Purpose(stream=True, depth=depth, duplex=duplex)
    assume(purpose.fits(point))
    try:
        cost = purpose.cost(twin(point.platform), point)
    except (Unanswered, InputError):
        assume(False)
    assert cost.seconds >= cost.answer.ceiling_seconds * (1 - ROUNDING) or cost.answer.posted
    # A block is usable no earlier than by itself.
    alone = Purpose().cost(twin(point.platform), point)
    if cost.answer.flow == "steady" and not duplex:
        assert cost.latency >= alone.seconds * (1 - ROUNDING)


def test_the_questions_that_once_beat_the_bus() -> None:
    """HP ring at 250 MHz 2039 of 2000 MB/s, a stream of 64 KiB 1145 of 1143, ACP ring 102.9 %."""
    for path in twin("zynq7000").platform.paths():
        if path.master != "datra_dma":
            continue
        for mhz in (142.857, 250.0):
            for size in (65536, 1 << 20):
                answer = answered(replace(path, fpga_mhz=mhz, size_bytes=size))
                assert answer is not None
                defended(answer)


def test_a_program_that_ends_before_its_last_bursts_is_marked() -> None:
    """At 1 MHz 64 B through a port of 4 B take 16 us; the program sees the end after 1.9."""
    early = [
        path
        for path in twin("zynq7000").platform.paths()
        if path.master == "pl330" and path.os == "baremetal"
    ]
    found = set()
    for path in early:
        for direction in DIRECTIONS:
            point = replace(path, direction=direction, fpga_mhz=1.0, size_bytes=64)
            answer = answered(point)
            assert answer is not None
            defended(answer)
            found.add(answer.quality)
    assert "posted" in found


def test_a_latency_holds_copy_and_interrupt() -> None:
    """A ring's period of 3.6 us once stood for the latency of 4 KiB."""
    ring = next(p for p in twin("zynq7000").platform.paths() if p.buffer == "ring")
    point = replace(ring, direction="fpga_to_cpu", size_bytes=4096)
    single = Purpose().cost(twin("zynq7000"), point)
    phases = {phase.name: phase.seconds for phase in single.answer.phases}
    assert phases["interrupts and wake-ups"] > 8e-6
    assert phases["kernel-to-user copy"] > 0
    assert single.latency == single.seconds > 11e-6
    stream = Purpose(stream=True).cost(twin("zynq7000"), point)
    assert stream.latency >= single.latency


@settings(max_examples=150, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(points(), st.floats(10, 300), st.floats(1.05, 4))
def test_a_faster_fabric_slows_nothing_down(point: Point, mhz: float, factor: float) -> None:
    """But for what the study shows: the edges of the fabric's clock, and a run that is taken off.

    Each access is brought to an edge of the fabric's clock, so that a faster clock may cost an
    access a part of a period; a DMA controller's end is seen at the next look of the processor; the
    programs of the fabric's own controllers on bare metal take off an empty run, which a faster
    clock makes shorter.
    """
    assume(point.fpga_mhz is not None)
    slow = answered(replace(point, fpga_mhz=mhz))
    fast = answered(replace(point, fpga_mhz=min(1000.0, mhz * factor)))
    assume(slow is not None and fast is not None)
    assert slow is not None
    assert fast is not None
    # An access that is waited for takes some twelve periods, of which the edge may cost one.
    allowed = 1.12 if point.master in ("cpu", "datra_cpu", "fpga_dmac") else 1.03
    looks = point.master in ("pl330", "fpga_dmac")
    look = LOOK[point.os or ""] + 1e-6 * LOOK_CYCLES / mhz if looks else 0.0
    if point.master == "datra_dma":
        look = INTERRUPT
    assert fast.seconds <= slow.seconds * allowed + 2e-9 * 1e3 / mhz + look


@settings(max_examples=100, derandomize=True)
@given(points(), st.integers(1, 1 << 16))
@example(RING, 1)
def test_more_bytes_take_no_less_time(point: Point, more: int) -> None:
    """But for what the study shows.

    A program is shorter for whole bursts; a copy takes another path from a size on, and two bytes
    by themselves are two accesses where four are one. A byte more than a page, or than a block of
    a ring, is one more descriptor: it is fetched, or its bytes are copied, while the one before
    moves, where a single one is waited for.
    """
    less, longer = answered(point), answered(replace(point, size_bytes=point.size_bytes + more))
    assume(less is not None and longer is not None)
    assert less is not None
    assert longer is not None
    own = 1.0
    if point.master == "cpu" or (point.master == "pl330" and point.prepared is False):
        own = 0.5
    elif point.master in ("pl330", "fpga_dmac"):
        own = 0.75
    elif point.master == "datra_dma":
        own = 0.45
    if less.flow == "single" and longer.flow == "single" and point.master == "datra_dma":
        # Where a byte more cuts it into more blocks of the ring, and only there.
        own = (
            0.45
            if twin(point.platform).notes(less.point) != twin(point.platform).notes(longer.point)
            else 0.95
        )
    assert longer.seconds >= less.seconds * own * 0.99
