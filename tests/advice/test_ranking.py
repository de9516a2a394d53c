# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import groupby, pairwise

import pytest

from weighbridge.advice.ranking import Ranked, headline_ceiling, rank, tie_band
from weighbridge.errors import InputError
from weighbridge.platforms import Platform, load_platform
from weighbridge.quantities import MAX_SIZE_BYTES


@pytest.fixture(scope="module")
def platform() -> Platform:
    return load_platform("cyclonev")


@pytest.fixture(scope="module")
def ranked(platform: Platform) -> list[Ranked]:
    return rank(platform, 3000, "cpu_to_fpga")


def test_every_path_once_and_fastest_first(platform: Platform, ranked: list[Ranked]) -> None:
    assert len({one.point for one in ranked}) == len(ranked) == len(platform.paths())
    assert [one.rank for one in ranked] == sorted(one.rank for one in ranked)
    ties = [list(group) for _, group in groupby(ranked, key=lambda one: one.rank)]
    for tie, slower in pairwise(ties):
        assert max(one.seconds for one in tie) <= min(one.seconds for one in slower)


def test_of_equals_the_one_that_leaves_the_processor_the_most_time_is_best(
    ranked: list[Ranked],
) -> None:
    ties = [list(group) for _, group in groupby(ranked, key=lambda one: one.rank)]
    assert any(len(tie) > 1 for tie in ties)
    for tie in ties:
        order = [(bool(one.unchecked), float(f"{one.busy_per_byte:.1e}")) for one in tie]
        assert order == sorted(order)


def test_ties_are_what_the_model_cannot_tell_apart(
    platform: Platform, ranked: list[Ranked]
) -> None:
    ties = [list(group) for _, group in groupby(ranked, key=lambda one: one.rank)]
    leader = None
    for tie in ties:
        first = min(tie, key=lambda one: one.seconds)
        if leader is not None:
            band = tie_band(platform, leader.point, first.point)
            assert leader.seconds < first.seconds * (1 - band)
        for one in tie:
            assert first.seconds >= one.seconds * (1 - tie_band(platform, first.point, one.point))
            assert one.tie == (len(tie) > 1)
        leader = first
    assert any(one.tie for one in ranked)


def test_shares_are_of_the_path_s_own_ceiling(ranked: list[Ranked]) -> None:
    lightweight = next(one for one in ranked if one.point.link == "LW32")
    assert 3000 / lightweight.ceiling_seconds == pytest.approx(400e6)
    assert lightweight.ceiling_share == pytest.approx(lightweight.rate / 400e6)
    assert headline_ceiling(ranked) == (pytest.approx(2400e6), "FS128")


def test_what_nobody_could_measure_is_marked(ranked: list[Ranked]) -> None:
    marked = {(one.point.master, one.point.link) for one in ranked if one.unchecked}
    assert marked == {("pl330", "HF64")}


def test_a_faster_fabric_does_not_slow_a_path_down(platform: Platform) -> None:
    for size in (24, 3000, 96 * 1024):
        slow, fast = (
            {one.path: one.seconds for one in rank(platform, size, "fpga_to_cpu", "linux", mhz)}
            for mhz in (75, 125)
        )
        assert all(fast[path] <= slow[path] for path in slow)


@pytest.mark.parametrize("size", [-1, 0, MAX_SIZE_BYTES + 1])
def test_sizes_that_cannot_be(platform: Platform, size: int) -> None:
    with pytest.raises(InputError, match="size"):
        rank(platform, size, "cpu_to_fpga")


def test_clocks_that_cannot_be(platform: Platform) -> None:
    with pytest.raises(InputError, match="clock"):
        rank(platform, 64, "cpu_to_fpga", fpga_mhz=0)
