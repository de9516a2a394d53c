# SPDX-License-Identifier: Apache-2.0
"""Masters in the fabric that share a memory: what its ports and its controller make of bursts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from weighbridge.advice.paths import point_of
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

BOARD = "zynqmp-ultra96"


@pytest.fixture(scope="module")
def twin() -> Twin:
    return Twin(load_platform(BOARD))


def asked(direction: str, beats: int, active: str = "HP1", link: str = "", **axes: object) -> Point:
    axes = {"active_ports": active, "mix": "read_write"} | axes
    return Point(
        platform=BOARD,
        study="",
        direction=direction,
        size_bytes=16 * beats,
        os="baremetal",
        master="fabric-test-block",
        link=link or active.split("+")[0],
        fpga_mhz=300,
        axes=tuple(sorted(axes.items())),  # type: ignore[arg-type]
    )


def rate(twin: Twin, point: Point) -> float:
    """MB/s."""
    return point.size_bytes / twin.predict(point).seconds / 1e6


def reads(twin: Twin, beats: int, active: str = "HP1", link: str = "") -> float:
    return rate(twin, asked("cpu_to_fpga", beats, active, link, mix="read_only"))


def test_a_read_fetches_whole_granules_of_64_bytes(twin: Twin) -> None:
    whole = reads(twin, 16)
    # Seventeen beats are cut after sixteen and touch six granules and a half, in the mean.
    assert reads(twin, 9) == pytest.approx(whole * 144 / 192, rel=0.03)
    assert reads(twin, 17) == pytest.approx(whole * 272 / 368, rel=0.03)
    assert reads(twin, 32) == pytest.approx(whole, rel=0.01)


def test_short_bursts_are_bound_by_what_a_port_has_under_way(twin: Twin) -> None:
    assert reads(twin, 2) == pytest.approx(2 * reads(twin, 1), rel=0.05)
    assert reads(twin, 1, "HP2+HP3", "HP3") < reads(twin, 1)


def test_controller_ports_take_turns_and_then_the_ports_behind_one(twin: Twin) -> None:
    active = "HP1+HP2+HP3"
    first, second, third = (reads(twin, 16, active, link) for link in active.split("+"))
    assert first == pytest.approx(second, rel=0.03)
    assert third == pytest.approx(first + second, rel=0.05)


def test_the_video_class_takes_most_and_best_effort_shares(twin: Twin) -> None:
    def share(**axes: object) -> float:
        both = [
            rate(twin, asked("cpu_to_fpga", 16, "HP0+HP3", link, mix="read_only", **axes))
            for link in ("HP0", "HP3")
        ]
        return both[0] / sum(both)

    assert share() > 0.85
    assert share(hp0_qos="best_effort") == pytest.approx(0.5, abs=0.03)


def test_masters_behind_an_interconnect_share_one_port(twin: Twin) -> None:
    def block(number: int) -> float:
        point = asked(
            "fpga_to_cpu", 64, "HP0+HP1", "HP3", interconnect="smartconnect", block=number
        )
        return rate(twin, replace(point, fpga_mhz=100))

    assert block(0) == pytest.approx(block(1), rel=0.02)
    assert block(0) == pytest.approx(800, rel=0.02)


def test_nothing_exceeds_the_ceiling_and_more_than_a_burst_is_several(twin: Twin) -> None:
    for beats in (1, 3, 16, 256):
        for direction in ("cpu_to_fpga", "fpga_to_cpu"):
            point = asked(direction, beats)
            assert twin.predict(point).seconds >= twin.ceiling(point) * 0.999
    one = twin.predict(asked("fpga_to_cpu", 256)).seconds
    assert twin.predict(asked("fpga_to_cpu", 1024)).seconds == pytest.approx(4 * one)


def test_all_clocks_doubled_and_all_nanoseconds_halved_is_half_the_time(twin: Twin) -> None:
    platform = load_platform(BOARD)
    overrides = {"clock.ddr": "1066.6666MHz"}
    for name, part in platform.components.items():
        for field, quantity in part.numbers.items():
            if quantity.unit in ("ns", "us"):
                overrides[f"{name}.{field}"] = f"{quantity.value / 2!r}{quantity.unit}"
    fast = Twin(load_platform(BOARD, overrides))
    point = asked("cpu_to_fpga", 9, "HP1+HP3")
    twice = replace(point, fpga_mhz=600)
    # The clocks' periods are whole picoseconds.
    seconds = twin.predict(point).seconds
    assert fast.predict(twice).seconds == pytest.approx(seconds / 2, rel=0.01)


@pytest.mark.parametrize(
    ("point", "words"),
    [
        (asked("cpu_to_fpga", 4, "HP1", "HP2"), "not active"),
        (asked("cpu_to_fpga", 4, "HP1+HP7"), "no port 'HP7'"),
        (asked("cpu_to_fpga", 4, mix="write_only"), "no stream cpu_to_fpga"),
        (asked("cpu_to_fpga", 4, stride_bytes=24), "no whole number of beats"),
        (asked("cpu_to_fpga", 4, block=3, interconnect="smartconnect"), "block '3'"),
        (replace(asked("cpu_to_fpga", 4), ports=2), "2 ports"),
        (replace(asked("cpu_to_fpga", 4), link="HP9"), "link 'HP9'"),
    ],
)
def test_what_the_platform_lacks_is_not_answered(twin: Twin, point: Point, words: str) -> None:
    with pytest.raises(Unanswered, match=words):
        twin.predict(point)


def test_a_value_that_an_axis_cannot_have_is_refused(twin: Twin) -> None:
    with pytest.raises(InputError, match="mix 'both'"):
        twin.predict(asked("cpu_to_fpga", 4, mix="both"))


def test_a_part_of_a_beat_takes_as_long_as_all_of_it() -> None:
    platform = load_platform("zynqmp")
    twin = Twin(platform)

    def seconds(size: int) -> float:
        return twin.predict(point_of(platform, ["link=HP0", "mix=read_only"], size)).seconds

    beats = {count: [seconds(16 * count - part) for part in (0, 1, 15)] for count in (1, 2, 3, 5)}
    for times in beats.values():
        assert len(set(times)) == 1
    assert list(beats.values()) == sorted(beats.values())
