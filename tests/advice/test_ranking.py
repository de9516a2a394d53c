# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

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
    assert [one.seconds for one in ranked] == sorted(one.seconds for one in ranked)
    assert [one.rank for one in ranked] == sorted(one.rank for one in ranked)


def test_ties_are_what_the_model_cannot_tell_apart(
    platform: Platform, ranked: list[Ranked]
) -> None:
    for number, one in enumerate(ranked):
        leader = ranked[one.rank - 1]
        band = tie_band(platform, leader.point, one.point)
        assert leader.seconds >= one.seconds * (1 - band)
        assert one.tie == (sum(other.rank == one.rank for other in ranked) > 1)
        if one.rank == number + 1 and number:
            leader = ranked[ranked[number - 1].rank - 1]
            band = tie_band(platform, leader.point, one.point)
            assert leader.seconds < one.seconds * (1 - band)
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


@pytest.mark.parametrize("size", [-1, 0, MAX_SIZE_BYTES])
def test_sizes_that_cannot_be(platform: Platform, size: int) -> None:
    with pytest.raises(InputError, match="size"):
        rank(platform, size, "cpu_to_fpga")


def test_clocks_that_cannot_be(platform: Platform) -> None:
    with pytest.raises(InputError, match="fpga_mhz"):
        rank(platform, 64, "cpu_to_fpga", fpga_mhz=0)
