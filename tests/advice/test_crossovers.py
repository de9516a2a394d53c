# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from weighbridge.advice.crossovers import (
    FROM_BYTES,
    TO_BYTES,
    crossovers,
    largest,
    resolution,
)
from weighbridge.advice.paths import candidates
from weighbridge.advice.ranking import tie_band
from weighbridge.backends.twin import Twin
from weighbridge.platforms import Platform, load_platform

SIZES = [2**power for power in range(1, 22)]


@pytest.fixture(scope="module")
def platform() -> Platform:
    return load_platform("cyclonev")


@pytest.mark.parametrize("direction", ["cpu_to_fpga", "fpga_to_cpu"])
@pytest.mark.parametrize(("os", "mhz"), [("linux", 150), ("baremetal", 150), (None, 50)])
def test_no_path_beats_the_winner(
    platform: Platform, os: str | None, mhz: float, direction: str
) -> None:
    """The search passes over most paths; asking every one must not find a better one."""
    twin = Twin(platform)
    paths = candidates(platform, direction, os=os, fpga_mhz=mhz)
    turns = crossovers(platform, paths)
    for size in SIZES:
        winner = [turn.point for turn in turns if turn.from_bytes <= size][-1]
        seconds = twin.explain(replace(winner, size_bytes=size)).seconds
        for path in paths:
            band = tie_band(platform, winner, path)
            assert seconds <= twin.explain(replace(path, size_bytes=size)).seconds * (1 + band)


def test_winners_change_places_where_they_are_said_to(platform: Platform) -> None:
    twin = Twin(platform)
    turns = crossovers(platform, candidates(platform, "cpu_to_fpga", os="linux"))
    assert turns[0].from_bytes == FROM_BYTES
    assert len(turns) > 1
    for before, after in pairwise(turns):
        assert before.from_bytes < after.from_bytes < TO_BYTES
        assert before.point != after.point
        earlier = after.from_bytes - resolution(2 ** ((after.from_bytes - 1).bit_length() - 1))
        for size, ahead, behind in (
            (after.from_bytes, after.point, before.point),
            (earlier, before.point, after.point),
        ):
            first, second = (
                twin.explain(replace(path, size_bytes=size)).seconds for path in (ahead, behind)
            )
            assert first <= second * 1.001


def test_one_path_has_no_rival(platform: Platform) -> None:
    paths = candidates(platform, "cpu_to_fpga", os="linux", where={"link": ["LW32"]})
    (only,) = crossovers(platform, paths[:1])
    assert (only.from_bytes, only.point) == (FROM_BYTES, paths[0])


def test_it_looks_no_further_than_a_path_carries(platform: Platform) -> None:
    """A datagram of IPv4 holds 65507 B."""
    assert largest(Twin(platform), candidates(platform, "cpu_to_fpga")) == TO_BYTES
    datagrams = load_platform("stm32h7-fmc")
    paths = candidates(datagrams, "cpu_to_fpga")
    assert largest(Twin(datagrams), paths) == 65507
    assert max(turn.from_bytes for turn in crossovers(datagrams, paths)) <= 65507
    small = load_platform("cyclonev", {"memory": "96KiB"})
    assert largest(Twin(small), candidates(small, "cpu_to_fpga")) == 96 << 10


def test_a_poll_that_costs_the_world_keeps_the_processor_ahead() -> None:
    platform = load_platform("cyclonev", {"linux.system_call": "1000 ms"})
    turns = crossovers(platform, candidates(platform, "cpu_to_fpga", os="linux"))
    # A PL330 needs the call; a DMA controller in the fabric is driven from user space.
    assert {turn.point.master for turn in turns} == {"cpu", "fpga_dmac"}
