# SPDX-License-Identifier: Apache-2.0
"""The Zynq-7000 on the twin: the same physics as for the Cyclone V, edited and asked."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

KIB = 1024
DIRECTIONS = ("cpu_to_fpga", "fpga_to_cpu")
PLATFORM = load_platform("zynq7000")
TWIN = Twin(PLATFORM)
# Streams by Datra's nodes are asked in test_twin_datra.py.
PATHS = [path for path in PLATFORM.paths() if not str(path.master).startswith("datra")]


def seconds(twin: Twin, point: Point, **changes: object) -> float:
    return twin.predict(replace(point, **changes)).seconds  # type: ignore[arg-type]


def only(**key: object) -> Point:
    """The one path with these key columns."""
    (point,) = [p for p in PATHS if all(getattr(p, k) == v for k, v in key.items())]
    return point


LINUX_CPU = only(os="linux", copy="memcpy")
LINUX_LOOP = only(os="linux", copy="for-loop")
LINUX_DMA = only(os="linux", master="pl330")
BARE_CPU = only(os="baremetal", master="cpu", cache_level=9)
BARE_DMA = only(os="baremetal", master="pl330", cache_level=9)


@pytest.mark.parametrize(
    ("below", "size", "above"),
    [
        (8, 12, 16),
        (64, 100, 128),
        (2 * KIB, 3000, 4 * KIB),
        (64 * KIB, 96 * KIB, 128 * KIB),
        (512 * KIB, 700 * KIB, 1024 * KIB),
    ],
)
def test_sizes_off_the_grid_lie_between_their_neighbours(below: int, size: int, above: int) -> None:
    for path, direction, mhz in product(PATHS, DIRECTIONS, (50, 100, 200)):
        point = replace(path, direction=direction, fpga_mhz=mhz)
        times = [seconds(TWIN, point, size_bytes=bytes) for bytes in (below, size, above)]
        assert times == sorted(times), point


def test_clocks_off_the_grid_lie_between_their_neighbours() -> None:
    for path, direction, size in product(PATHS, DIRECTIONS, (8, 64, KIB, 64 * KIB)):
        point = replace(path, direction=direction, size_bytes=size)
        times = [seconds(TWIN, point, fpga_mhz=mhz) for mhz in (250, 210, 160, 110, 75, 50)]
        assert times == sorted(times), point


def test_twice_the_clocks_and_half_the_latencies_take_exactly_half_the_time() -> None:
    changes = {}
    for parameter in PLATFORM.parameters():
        if parameter.name.startswith("clock."):
            changes[parameter.name] = f"{2 * parameter.value!r} MHz"
        elif parameter.unit in ("ns", "us"):
            changes[parameter.name] = f"{parameter.value / 2!r} {parameter.unit}"
    fast = Twin(load_platform("zynq7000", changes))
    for path, direction, size in product(PATHS, DIRECTIONS, (2, 64, 3000, 64 * KIB)):
        point = replace(path, direction=direction, size_bytes=size)
        assert seconds(TWIN, point, fpga_mhz=150) == 2 * seconds(fast, point, fpga_mhz=300)


def test_the_port_runs_at_whole_fractions_of_its_source() -> None:
    asked = {50: 50.0, 100: 100.0, 150: 1000 / 7, 175: 1000 / 6, 225: 200.0, 250: 250.0}
    assert {mhz: PLATFORM.clock_mhz("fpga", mhz) for mhz in asked} == asked
    free = Twin(load_platform("zynq7000", {"clock.io_pll": "1200 MHz"}))
    point = replace(BARE_DMA, size_bytes=32 * KIB)
    ratio = seconds(TWIN, point, fpga_mhz=150) / seconds(free, point, fpga_mhz=150)
    assert ratio == pytest.approx(150 / (1000 / 7), rel=0.01)


def test_a_bare_metal_transfer_repeats_its_pieces() -> None:
    for direction in DIRECTIONS:
        point = replace(BARE_DMA, direction=direction)
        piece = seconds(TWIN, point, size_bytes=32 * KIB)
        assert seconds(TWIN, point, size_bytes=KIB * KIB) == pytest.approx(32 * piece, rel=1e-3)


def test_a_loop_over_words_is_slower_than_memcpy_and_its_wide_accesses() -> None:
    for direction, size in product(DIRECTIONS, (64, 64 * KIB)):
        point = replace(LINUX_CPU, direction=direction, size_bytes=size)
        assert seconds(TWIN, point, copy="for-loop") > 2 * seconds(TWIN, point)


@pytest.mark.parametrize(
    ("change", "point"),
    [
        ({"gp1.latency": "20 ns"}, replace(LINUX_LOOP, size_bytes=KIB)),
        ({"cpu.ordered_read": "32 B"}, replace(LINUX_CPU, size_bytes=KIB, direction="fpga_to_cpu")),
        ({"gp1.burst_beats": "32"}, replace(BARE_DMA, size_bytes=32 * KIB)),
        ({"linux.burst": "128 B"}, replace(LINUX_DMA, size_bytes=32 * KIB,
                                           direction="fpga_to_cpu")),
        ({"l2.bytes": "1 MiB"}, replace(LINUX_DMA, size_bytes=512 * KIB)),
        ({"GP32.width": "64 bit"}, replace(BARE_CPU, size_bytes=KIB, direction="fpga_to_cpu")),
    ],
)  # fmt: skip
def test_faster_parts_make_faster_paths(change: dict[str, str], point: Point) -> None:
    if "gp1.burst_beats" in change:
        change = change | {"baremetal.beat": "8 B", "baremetal.burst": "128 B"}
    assert seconds(Twin(load_platform("zynq7000", change)), point) < seconds(TWIN, point)


def test_the_second_level_prefetch_hides_its_misses_from_a_slow_loop() -> None:
    point = replace(LINUX_LOOP, size_bytes=1024 * KIB)
    without = Twin(load_platform("zynq7000", {"l2.prefetch_lines": "0"}))
    assert seconds(without, point) > 1.03 * seconds(TWIN, point)


def test_few_fitted_numbers_and_none_of_a_link() -> None:
    fitted = [parameter for parameter in PLATFORM.parameters() if parameter.fitted]
    assert len(fitted) <= 60
    assert not [parameter for parameter in fitted if parameter.name.startswith("GP32.")]


def test_copies_that_the_system_lacks_are_not_answered() -> None:
    for point in (replace(BARE_CPU, copy="for-loop"), replace(LINUX_CPU, copy=None)):
        with pytest.raises(Unanswered):
            seconds(TWIN, point)
