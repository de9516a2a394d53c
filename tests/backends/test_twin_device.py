# SPDX-License-Identifier: Apache-2.0
"""A PCI Express device on the twin: against its link's arithmetic, and against a measured one.

Measured: pcie-bench's data set, NFP-6000 in a Xeon E5-2630v4, warm host cache, Gbit/s and medians.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from weighbridge import platforms
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform
from weighbridge.platforms.pcie_link import Link

#: A link with nothing in its way: no latency, any number of tags and credits, no engine.
NOTHING = tuple(
    (name, "0")
    for name in (
        "pcie_dma.write_request", "pcie_dma.write_unit", "pcie_dma.read_request",
        "pcie_dma.read_unit", "pcie_dma.shared_unit", "link.latency", "link.completer", "link.tags",
        "link.posted_credits",
    )
)  # fmt: skip
#: size -> (reads, writes, both at once).
MEASURED = {
    512: (55.03, 53.01, 42.68),
    1024: (55.41, 53.01, 43.56),
    2048: (55.58, 53.01, 52.00),
}


@cache
def twin(*settings: tuple[str, str]) -> Twin:
    return Twin(load_platform("pcie", dict(settings)))


def point(
    size: int,
    direction: str = "cpu_to_fpga",
    traffic: str = "one_way",
    access: str = "throughput",
    mps: int = 256,
    mrrs: int = 4096,
) -> Point:
    axes = {"access": access, "mps_bytes": mps, "mrrs_bytes": mrrs, "traffic": traffic}
    return Point(
        platform="pcie",
        study="dma-sweep",
        direction=direction,
        size_bytes=size,
        os="device",
        master="pcie_dma",
        link="PCIe",
        axes=tuple(sorted(axes.items())),
    )


def gigabits(one: Point, *settings: tuple[str, str]) -> float:
    return one.size_bytes * 8 / twin(*settings).predict(one).seconds / 1e9


@pytest.mark.parametrize("size", [1, 8, 64, 128, 256, 257, 512, 1024, 1500, 4096])
@pytest.mark.parametrize(("mps", "mrrs"), [(256, 512), (128, 4096), (512, 512)])
def test_a_link_with_nothing_in_its_way_is_its_arithmetic(size: int, mps: int, mrrs: int) -> None:
    link = Link(3, 8, mps, mrrs)
    rates = {
        ("fpga_to_cpu", "one_way"): link.write_rate(size),
        ("cpu_to_fpga", "one_way"): link.read_rate(size),
        ("cpu_to_fpga", "duplex"): link.both_rate(size),
    }
    for (direction, traffic), rate in rates.items():
        one = point(size, direction, traffic, mps=mps, mrrs=mrrs)
        assert gigabits(one, *NOTHING) == pytest.approx(rate / 1e9, rel=5e-4)


@pytest.mark.parametrize("size", MEASURED)
def test_the_measured_device_from_512_bytes_on(size: int) -> None:
    read, write, both = MEASURED[size]
    assert gigabits(point(size)) == pytest.approx(read, rel=0.05)
    assert gigabits(point(size, "fpga_to_cpu")) == pytest.approx(write, rel=0.05)
    assert gigabits(point(size, traffic="duplex")) == pytest.approx(both, rel=0.05)


def test_both_ways_at_once_take_no_less_time_for_more_bytes() -> None:
    took = [size / gigabits(point(size, traffic="duplex")) for size in range(64, 4097, 64)]
    assert all(more > 0.999 * less for less, more in pairwise(took))


def test_small_requests_are_bound_by_the_engine() -> None:
    assert gigabits(point(64, "fpga_to_cpu")) == pytest.approx(24.27, rel=0.02)
    assert gigabits(point(128, "fpga_to_cpu")) == pytest.approx(42.36, rel=0.02)
    assert gigabits(point(64)) == pytest.approx(31.91, rel=0.02)


def test_latency_follows_the_measured_lines() -> None:
    for size in (64, 128, 256, 512, 1024, 2048):
        read = twin().predict(point(size, access="latency")).seconds * 1e9
        assert read == pytest.approx(544 + 0.292 * size, abs=25)
        both = twin().predict(point(size, "fpga_to_cpu", access="latency")).seconds * 1e9
        assert both == pytest.approx(737 + 0.535 * size, rel=0.06)


@pytest.mark.parametrize("direction", ["cpu_to_fpga", "fpga_to_cpu"])
@pytest.mark.parametrize("traffic", ["one_way", "duplex"])
def test_nothing_exceeds_the_ceiling(direction: str, traffic: str) -> None:
    for size in (1, 17, 64, 300, 1500, 65536):
        one = point(size, direction, traffic)
        for settings in ((), NOTHING):
            answer = twin(*settings).predict(one)
            assert answer.ceiling_seconds is not None
            assert answer.seconds >= answer.ceiling_seconds


def test_a_device_that_goes_past_its_link_has_no_ceiling_by_it(tmp_path: Path) -> None:
    """A platform of one's own whose DMA led to the host at once stood at 136 % of the link."""
    mine = tmp_path / "mine.toml"
    text = (Path(platforms.__file__).parent / "pcie.toml").read_text()
    assert 'to = ["link"]' in text
    mine.write_text(text.replace('to = ["link"]', 'to = ["host"]', 1))
    with pytest.raises(Unanswered, match="link 'PCIe': 'pcie_dma' goes past 'link'"):
        Twin(load_platform(mine)).predict(point(4096))


def test_tags_credits_and_boundaries_limit() -> None:
    free = gigabits(point(512))
    # Little's law: a tag a request, each for its latency.
    few = gigabits(point(512), ("link.tags", "1"))
    assert few < 0.6 * free
    assert gigabits(point(512), ("link.tags", "2")) == pytest.approx(2 * few, rel=0.05)
    one = gigabits(point(512, "fpga_to_cpu"), ("link.posted_credits", "1"))
    assert one < 0.3 * gigabits(point(512, "fpga_to_cpu"))
    wider = (("link.lanes", "16"),)
    assert gigabits(point(4096), *NOTHING, *wider) > 1.8 * gigabits(point(4096), *NOTHING)
