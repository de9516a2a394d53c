# SPDX-License-Identifier: Apache-2.0
"""A processor with a companion FPGA: the published study's sentences, 'about' being within 10 %."""

from __future__ import annotations

from functools import cache

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform
from weighbridge.platforms.pcie_link import packet_seconds

ABOUT = 0.1
FAR = 4160
BIG = 64 << 20
#: PC2-5300, one channel: 667 million transfers of 8 B.
ATOM_PEAK = 5.333e9


@cache
def twin(seed: int = 8, *settings: tuple[str, str]) -> Twin:
    return Twin(load_platform("atom-virtex5", dict(settings)), seed)


def point(
    master: str, access: str, target: str = "native", size: int = BIG, load: str = "idle",
    stride: int = FAR,
) -> Point:  # fmt: skip
    axes: dict[str, str | int] = {"access": access, "target": target, "load": load}
    if access == "latency":
        axes |= {"working_set_bytes": size, "stride_bytes": stride}
    return Point(
        platform="atom-virtex5",
        study="",
        direction="cpu_to_fpga" if (access == "wr") != (target == "atom_ddr2") else "fpga_to_cpu",
        size_bytes=4 if access == "latency" else size,
        os="linux",
        master=master,
        axes=tuple(sorted(axes.items())),
    )


def latency(master: str, target: str = "native", size: int = BIG, stride: int = FAR) -> float:
    """Nanoseconds of a load."""
    one = point(master, "latency", target, size, stride=stride)
    return twin().predict(one).seconds * 1e9


def rate(master: str, access: str, target: str = "native", size: int = 4 << 20) -> float:
    return size / twin().predict(point(master, access, target, size)).seconds


def test_the_atom_reaches_the_boards_memory_in_two_microseconds() -> None:
    assert latency("atom", "ddr2", 1 << 20) == pytest.approx(2000, rel=ABOUT)
    assert latency("atom", "ddr2", 1 << 20) / latency("atom") == pytest.approx(18, rel=ABOUT)
    assert latency("atom") == pytest.approx(111, rel=ABOUT)


def test_the_bridge_is_half_of_that() -> None:
    card = latency("atom", "gddr2", 1 << 20)
    assert card == pytest.approx(1000, rel=ABOUT)
    assert latency("atom", "ddr2", 1 << 20) - card == pytest.approx(1000, rel=ABOUT)


def test_the_link_itself_is_a_small_part() -> None:
    word = packet_seconds(0, 1, 1) + packet_seconds(4, 1, 1)
    assert word * 1e9 / latency("atom", "ddr2", 1 << 20) == pytest.approx(0.09, abs=0.01)


def test_the_microblaze_takes_seven_times_its_own_latency() -> None:
    far = latency("microblaze", "atom_ddr2", 1 << 20)
    assert far / latency("microblaze") == pytest.approx(7, rel=ABOUT)


def test_the_atom_reads_two_thirds_of_its_memorys_rate() -> None:
    assert rate("atom", "rd") / ATOM_PEAK == pytest.approx(2 / 3, rel=ABOUT)


def test_first_level_of_the_boards_processors_is_as_slow_as_the_atoms_second() -> None:
    second = latency("atom", size=24 << 20)
    for master in ("ppc440_mc", "microblaze"):
        assert latency(master, size=8 << 10, stride=64) == pytest.approx(second, rel=0.35)


def test_only_the_atom_prefetches() -> None:
    assert latency("atom", stride=64) < 0.25 * latency("atom")
    for master in ("ppc440_mc", "ppc440_mpmc", "microblaze"):
        assert latency(master, stride=64) > 0.9 * latency(master)


def test_writes_are_to_be_preferred_to_reads() -> None:
    assert rate("atom", "wr", "ddr2", 64 << 10) > 4 * rate("atom", "rd", "ddr2", 64 << 10)
    assert rate("atom", "rd", "ddr2", 64 << 10) == pytest.approx(2e6, rel=ABOUT)


def test_the_central_dma_stays_far_below_the_link_and_crosses_the_bus_twice() -> None:
    one = Point(
        platform="atom-virtex5", study="cdma-copy", direction="fpga_to_cpu", size_bytes=1 << 20,
        os="linux", master="cdma", link="atom_ddr2", ports=1,
    )  # fmt: skip
    answer = twin().explain(one)
    assert one.size_bytes * 8 / answer.seconds < 0.5 * 2.5e9
    bus = next(hop for hop in answer.hops if hop.name == "ppc_plb")
    assert bus.bytes == 2 * one.size_bytes


def test_a_hundred_runs_spread_more_beside_a_memory_hog() -> None:
    idle = twin().predict(point("atom", "latency"))
    busy = twin().predict(point("atom", "latency", load="stress"))
    assert idle.n == busy.n == 100
    for answer in (idle, busy):
        spread = answer.spread
        assert spread["min"] <= spread["p25"] <= answer.seconds <= spread["p75"] <= spread["max"]
    assert busy.seconds > idle.seconds
    assert busy.spread["p75"] - busy.spread["p25"] > idle.spread["p75"] - idle.spread["p25"]


def test_a_seed_is_a_run() -> None:
    one = point("atom", "latency", load="stress")
    assert twin(3).predict(one) == Twin(load_platform("atom-virtex5"), 3).predict(one)
    assert twin(3).predict(one).spread != twin(4).predict(one).spread


def test_half_the_second_level_moves_its_knee() -> None:
    half = Twin(load_platform("atom-virtex5", {"atom_l2.bytes": "256KiB"}))

    def at(of: Twin, lines: int) -> float:
        return of.predict(point("atom", "latency", size=lines * FAR)).seconds

    assert at(twin(), 6000) < 0.4 * at(twin(), 16000)
    assert at(half, 6000) > 2 * at(twin(), 6000)
    assert at(half, 3000) == pytest.approx(at(twin(), 6000), rel=0.2)
