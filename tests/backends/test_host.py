# SPDX-License-Identifier: Apache-2.0
"""The machine itself measured by the real probe, small; files stand for the windows of a card."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sysroots import BAR0, CARD, bind, config, machine
from weighbridge.backends import Reach
from weighbridge.backends.host import Host
from weighbridge.dataset.samples import Measured
from weighbridge.dataset.schema import Point

LOAD = Point(
    "host", "memory", "fpga_to_cpu", 8, os="linux", master="cpu",
    axes=(("access", "latency"), ("working_set_bytes", 8192)),
)  # fmt: skip
WINDOW = Point(
    "host", "pcie", "cpu_to_fpga", 4096, os="linux", master="cpu", link="BAR0",
    memory_attribute="uncached", completion="read_back", axes=(("access", "wr"), ("device", CARD)),
)  # fmt: skip


def measured(points: dict[int, Point], sysroot: Path | str = "/") -> dict[int, Measured | str]:
    return dict(Host(1, Reach(str(sysroot), seconds=0.1)).measure(points))


def test_a_chain_of_loads() -> None:
    found = measured({5: LOAD})[5]
    assert isinstance(found, Measured)
    assert found.outcome == "ok"
    assert len({sample.block for sample in found.samples}) >= 5
    assert found.timer is not None
    # A load takes from a fraction of a nanosecond to, on whatever runs this, a microsecond.
    assert 0.05 < min(sample.ns for sample in found.samples) < 1000


def test_windows_of_a_card(tmp_path: Path) -> None:
    machine(tmp_path)
    points = {
        0: WINDOW,
        1: replace(WINDOW, completion="posted", size_bytes=64),
        2: replace(WINDOW, completion=None, axes=(("access", "rd"), ("device", CARD))),
        3: replace(WINDOW, link="BAR2", memory_attribute="write_combining"),
    }
    found = measured(points, tmp_path)
    assert {number: getattr(one, "outcome", one) for number, one in found.items()} == dict.fromkeys(
        points, "ok"
    )
    card = tmp_path / "sys/bus/pci/devices" / CARD
    written = (card / "resource0").read_bytes()
    assert written[:4096] != bytes(4096)
    # Nothing beyond the bytes of the point is touched.
    assert (len(written), written[4096:]) == (BAR0, bytes(BAR0 - 4096))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"link": "BAR1"}, "has no BAR1 in memory"),
        ({"link": None}, "link 'None' is none of BAR0"),
        ({"size_bytes": 2 * BAR0}, "BAR0 of 0000:01:00.0 ends at 64 KiB"),
        ({"memory_attribute": "write_combining"}, "lets nobody combine stores to BAR0"),
        ({"axes": (("access", "wr"),)}, "no device is named"),
        ({"axes": (("access", "wr"), ("device", "../../x"))}, "there is no device '../../x'"),
    ],
)
def test_what_may_not_be_touched_is_not(
    changed: dict[str, object], why: str, tmp_path: Path
) -> None:
    machine(tmp_path)
    assert why in str(measured({0: replace(WINDOW, **changed)}, tmp_path)[0])  # type: ignore[arg-type]


def test_a_card_that_a_driver_owns_or_that_is_off(tmp_path: Path) -> None:
    bind(machine(tmp_path / "owned"), CARD, "nvme")
    assert "owned by nvme; free it with" in str(measured({0: WINDOW}, tmp_path / "owned")[0])
    machine(tmp_path / "off", enabled=False)
    assert "is off; echo 1" in str(measured({0: WINDOW}, tmp_path / "off")[0])


def test_the_card_says_what_its_link_allows(tmp_path: Path) -> None:
    around = Host(1, Reach(str(machine(tmp_path, card_config=config(aspm=2))))).surroundings(WINDOW)
    assert (around.ceiling_seconds, around.aspm) == (4096 / 2e9, "L1")
    assert around.degraded == "x4 5 GT/s of x8 8 GT/s"
    assert around.governor == "ondemand"
