# SPDX-License-Identifier: Apache-2.0
"""What a path costs for a purpose: streams, a processor with other work, data that are used."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from weighbridge.advice.paths import point_of
from weighbridge.advice.purpose import Purpose
from weighbridge.advice.ranking import rank
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

ZYNQ = load_platform("zynq7000")
CYCLONE = load_platform("cyclonev")
STREAM = Purpose(stream=True)


@cache
def twin(name: str) -> Twin:
    return Twin(ZYNQ if name == "zynq7000" else CYCLONE)


def linux_pl330() -> Point:
    words = ["os=linux", "master=pl330", "route=sdramc", "link=HF128"]
    return point_of(CYCLONE, words, 65536)


def datra(link: str, buffer: str) -> Point:
    words = ["master=datra_dma", f"link={link}", f"buffer={buffer}", "direction=fpga_to_cpu"]
    return point_of(ZYNQ, words, 65536)


def test_one_block_costs_what_the_twin_says() -> None:
    cost = Purpose().cost(twin("cyclonev"), linux_pl330())
    assert cost.seconds == cost.latency == twin("cyclonev").explain(linux_pl330()).seconds
    assert 0.3 < cost.occupancy < 0.6
    assert cost.busy_per_byte * 65536 == pytest.approx(cost.occupancy * cost.seconds)


def test_two_blocks_in_flight_hide_the_shorter_part() -> None:
    asked = twin("cyclonev"), linux_pl330()
    one = replace(STREAM, depth=1).cost(*asked)
    two = STREAM.cost(*asked)
    single = Purpose().cost(*asked)
    assert one.seconds == pytest.approx(single.seconds)
    assert two.seconds == pytest.approx(max(single.busy, single.seconds - single.busy))
    assert two.latency == pytest.approx(one.latency + two.seconds)


def test_blocks_follow_no_faster_than_a_component_is_done_with_one() -> None:
    """FS128 once had 2872 of 2400 MB/s: a program sees the end while the memory still writes."""
    words = ["os=baremetal", "master=fpga_dmac", "link=FS128", "direction=fpga_to_cpu"]
    point = point_of(CYCLONE, words, 1492)
    answer = twin("cyclonev").explain(point)
    busiest = max(hop.busy for hop in answer.hops)
    assert answer.seconds - answer.processor_seconds < answer.ceiling_seconds < busiest
    cost = STREAM.cost(twin("cyclonev"), point)
    assert cost.seconds == pytest.approx(busiest)
    assert cost.bound_by == "SDRAM"
    both = replace(STREAM, duplex=True).cost(twin("cyclonev"), point)
    assert both.seconds > 1.5 * busiest


def test_a_copy_by_the_processor_has_nothing_to_hide_behind() -> None:
    point = point_of(CYCLONE, ["os=linux", "master=cpu"], 65536)
    cost = STREAM.cost(twin("cyclonev"), point)
    assert cost.occupancy == 1
    assert cost.seconds == Purpose().cost(twin("cyclonev"), point).seconds


def test_a_processor_with_other_work_stretches_its_own_part_alone() -> None:
    asked = twin("cyclonev"), linux_pl330()
    whole, half = Purpose().cost(*asked), Purpose(processor=0.5).cost(*asked)
    assert half.seconds - whole.seconds == pytest.approx(whole.busy)


def test_both_ways_and_several_streams_share_what_there_is() -> None:
    asked = twin("cyclonev"), linux_pl330()
    alone = STREAM.cost(*asked).seconds
    assert replace(STREAM, duplex=True).cost(*asked).seconds > 1.3 * alone
    assert replace(STREAM, streams=3).cost(*asked).seconds == pytest.approx(3 * alone)
    # Nodes of their own share a port.
    node = twin("zynq7000"), datra("HP", "coherent")
    three = replace(STREAM, streams=3).cost(*node).seconds
    assert three == pytest.approx(3 * STREAM.cost(*node).seconds, rel=0.05)


@pytest.mark.parametrize("name", ["pcie", "zynqmp", "stm32h7-fmc"])
def test_a_steady_flow_is_shared_and_needs_a_second_block(name: str) -> None:
    """Also where the path's program is asked neither of its streams nor of its depth."""
    platform = load_platform(name)
    path = next(
        one
        for one in rank(platform, 512, "cpu_to_fpga", purpose=STREAM)
        if dict(one.point.axes).get("mix") != "read_write"
    )
    asked = Twin(platform)
    four = replace(STREAM, streams=4).cost(asked, path.point)
    assert four.seconds == pytest.approx(4 * path.seconds)
    alone = Purpose().cost(asked, path.point)
    assert replace(STREAM, depth=1).cost(asked, path.point).seconds >= alone.seconds
    if dict(path.point.axes).get("traffic") != "duplex":
        with pytest.raises(InputError, match="both ways at once"):
            replace(STREAM, duplex=True).cost(asked, path.point)


@pytest.mark.parametrize("consume", ["cpu_stream", "cpu_random"])
def test_data_that_are_used_cost_by_where_they_are(consume: str) -> None:
    used = Purpose(consume=consume)

    def more(name: str, point: Point) -> float:
        return used.cost(twin(name), point).busy - Purpose().cost(twin(name), point).busy

    uncached = point_of(
        CYCLONE,
        ["os=baremetal", "master=pl330", "route=sdramc", "cache_level=0", "direction=fpga_to_cpu"],
        65536,
    )
    cached = point_of(
        CYCLONE, ["os=baremetal", "master=pl330", "route=acp", "direction=fpga_to_cpu"], 65536
    )
    assert more("cyclonev", uncached) > 2 * more("cyclonev", cached) > 0
    assert more("zynq7000", datra("HP", "coherent")) > 2 * more(
        "zynq7000", datra("ACP", "coherent")
    )


def test_paths_that_hold_the_rate_and_the_latency_come_first() -> None:
    rate = Purpose(rate=400e6)
    ranked = rank(CYCLONE, 65536, "cpu_to_fpga", "linux", 150, None, rate)
    holding = [one.margin is not None and one.margin >= 0 for one in ranked]
    assert holding == sorted(holding, reverse=True)
    assert any(holding)
    assert not all(holding)
    assert ranked[0].margin == pytest.approx(ranked[0].rate / 400e6 - 1)
    late = rank(CYCLONE, 65536, "cpu_to_fpga", "linux", 150, None, Purpose(latency=150e-6))
    assert [one.in_time for one in late] == sorted((one.in_time for one in late), reverse=True)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"consume": "gpu"}, "allowed: none, cpu_stream, cpu_random"),
        ({"processor": 0.0}, "above 0, up to 1"),
        ({"depth": 0}, "allowed: 1 to 64"),
        ({"streams": 65}, "allowed: 1 to 64"),
    ],
)
def test_what_cannot_be_asked(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Purpose(**wrong)  # type: ignore[arg-type]
