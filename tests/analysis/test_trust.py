# SPDX-License-Identifier: Apache-2.0
"""Each mistake and disturbance that samples show, made on purpose; sound samples have no name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from weighbridge.analysis.statistics import Statistics
from weighbridge.analysis.trust import Doubt, Evidence, judged
from weighbridge.dataset.samples import Measured, Sample, Surroundings, Timer
from weighbridge.dataset.schema import Point

POINT = Point("m", "s", "cpu_to_fpga", 4096, axes=(("access", "cp"),))
TIMER = Timer("tsc", 20.0, 25.0)
MHZ = 3000.0
Change = Callable[[int, int, Sample], Sample]


def stream(seed: int, change: Change | None = None, each: int = 20) -> tuple[Sample, ...]:
    """Five blocks of samples of a quiet machine, each changed by its block and its place."""
    rng = np.random.default_rng(seed)
    made = []
    for block in range(5):
        for place in range(each):
            ns = 1000 * (1 + abs(rng.normal(0, 0.01)))
            # Now and then a timer's interrupt, as any machine has it.
            gap = 3000.0 if rng.random() < 0.04 else 40.0
            one = Sample(
                block, (block * each + place) * 200_000, ns + gap / 100, 100, 409_600,
                cpu=0, faults=0, switches=0, gap_ns=gap, mhz=MHZ * (1 + rng.normal(0, 0.003)),
            )  # fmt: skip
            made.append(change(block, place, one) if change else one)
    return tuple(made)


def doubt(
    samples: tuple[Sample, ...],
    point: Point = POINT,
    around: Surroundings | None = None,
    timer: Timer | None = TIMER,
) -> Doubt:
    blocks: dict[int, list[float]] = {}
    for sample in samples:
        blocks.setdefault(sample.block, []).append(sample.ns * 1e-9)
    statistics = Statistics.of(list(blocks.values()))
    measured = Measured("ok", samples, timer=timer)
    return judged(Evidence(point, measured, statistics, around or Surroundings()))


@pytest.mark.parametrize("seed", range(20))
def test_a_quiet_machine_has_no_doubt(seed: int) -> None:
    quiet = Surroundings(ceiling_seconds=5e-7, virtual=True, governor="performance")
    assert doubt(stream(seed), around=quiet) == Doubt("ok")


def _every(n: int, **changed: object) -> Change:
    return lambda block, place, one: replace(one, **changed) if place % n == 0 else one  # type: ignore[arg-type]


def _slow_start(block: int, place: int, one: Sample) -> Sample:
    return replace(one, ns=one.ns * (1.5 if place < 6 else 1))


def _slow_block(block: int, place: int, one: Sample) -> Sample:
    return replace(one, ns=one.ns * (1.3 if block == 3 else 1))


def _slow_clock(block: int, place: int, one: Sample) -> Sample:
    return replace(one, mhz=MHZ / 2, ns=2 * one.ns) if block > 2 else one


def _in_two_places(block: int, place: int, one: Sample) -> Sample:
    return replace(one, cpu=block % 2)


@pytest.mark.parametrize(
    ("change", "quality", "seen"),
    [
        (_every(1, bytes=204_800), "bytes-miscounted", "2048 B moved where 4096 B"),
        (_every(10, faults=2), "page-faults", "10% of the batches"),
        (_every(10, cpu_after=1), "migrated", "10% of the batches changed"),
        (_in_two_places, "migrated", "ran on 2 processors"),
        (_every(4, switches=1), "preempted", "25% of the batches"),
        (_every(4, gap_ns=4e6), "steal", "25% of the batches time is missing, up to 4 ms"),
        (_slow_clock, "frequency-change", "MHz, governor ondemand"),
        (_slow_start, "warm-up", "begin 1.5 times as slow"),
        (_every(2, gap_ns=9000.0), "interrupted", "50% of the batches have a gap"),
        (_slow_block, "unstable", "5 blocks span 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_done_to_samples_is_named(change: Change, quality: str, seen: str) -> None:
    found = doubt(stream(1, change), around=Surroundings(virtual=True, governor="ondemand"))
    if quality == "warm-up":
        seen = "times as slow as they end"
    assert found.quality == quality
    assert seen in found.seen


def test_a_timer_that_is_too_coarse() -> None:
    found = doubt(stream(1), timer=Timer("jiffies", 50_000.0, 60_000.0))
    assert found.quality == "timer-floor"
    assert "steps of the timer's 50 us" in found.seen
    # 100 us and a step of 20 ns are fine.
    assert doubt(stream(1)).quality == "ok"


def test_faster_than_the_link() -> None:
    around = Surroundings(ceiling_seconds=2e-6)
    assert doubt(stream(1), around=around).quality == "faster-than-ceiling"
    posted = doubt(stream(1), replace(POINT, completion="posted"), around)
    assert posted.quality == "posted"
    assert "not waited for" in posted.seen


def test_a_link_that_sleeps_or_lacks_lanes() -> None:
    assert doubt(stream(1), around=Surroundings(aspm="L1")).quality == "aspm"
    found = doubt(stream(1), around=Surroundings(degraded="x1 of x4"))
    assert (found.quality, "x1 of x4" in found.seen) == ("link-degraded", True)


def test_a_chain_moves_what_it_is_given() -> None:
    """Pointers are as long as the machine has them."""
    chain = Measured("ok", stream(1, _every(1, bytes=800)), asked={"order": "random"})
    statistics = Statistics.of([[sample.ns for sample in chain.samples]])
    point = replace(POINT, size_bytes=4)
    assert judged(Evidence(point, chain, statistics, Surroundings())).quality == "ok"


def test_the_worst_is_named_first() -> None:
    def both(block: int, place: int, one: Sample) -> Sample:
        return replace(_slow_block(block, place, one), bytes=1)

    assert doubt(stream(1, both)).quality == "bytes-miscounted"
