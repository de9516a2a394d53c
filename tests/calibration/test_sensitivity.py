# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from weighbridge.advice.paths import point_of
from weighbridge.backends.twin import Twin
from weighbridge.calibration.panel import panel
from weighbridge.calibration.sensitivity import Sensitivity, at_own_clock, sensitivity
from weighbridge.platforms import load_platform

PLATFORM = load_platform("cyclonev")


def of(*words: str, size: int, spread: float = 0.1, count: int = 6) -> Sensitivity:
    platform, point = at_own_clock(PLATFORM, point_of(PLATFORM, words, size))
    with panel(platform, [point], 1) as asked:
        return sensitivity(asked, spread, count, seed=1)


def test_a_small_transfer_is_its_system_call_a_large_one_its_port() -> None:
    path = ("os=linux", "master=pl330", "route=acp", "link=HF128", "prepared=true")
    assert of(*path, size=64).influences[0].parameter.name == "linux.system_call"
    assert of(*path, size=64 * 1024).influences[0].parameter.name == "acp.read_outer"


def test_the_clock_of_the_fabric_is_a_parameter() -> None:
    words = ("os=baremetal", "master=pl330", "route=acp", "link=HF32", "fpga_mhz=50")
    found = of(*words, size=64 * 1024)
    clock = next(one for one in found.influences if one.parameter.name == "clock.fpga")
    assert clock.parameter.value == 50
    assert clock.effect < -0.05
    assert found.seconds == Twin(PLATFORM).predict(point_of(PLATFORM, words, 65536)).seconds


def test_indices_are_shares() -> None:
    found = of("os=linux", "master=cpu", "link=LW32", size=4096)
    indexed = [one for one in found.influences if one.first is not None and one.total is not None]
    assert 0 < len(indexed) <= 6
    assert sum(one.first or 0 for one in indexed) == pytest.approx(1, abs=0.15)
    assert all((one.total or 0) > (one.first or 0) - 0.1 for one in indexed)
    assert found.low < found.seconds < found.high
    assert of("os=linux", "master=cpu", "link=LW32", size=4096) == found


def test_what_goes_in_steps_is_taken_to_its_neighbours() -> None:
    pcie = load_platform("pcie")
    point = point_of(pcie, ("traffic=one_way", "direction=cpu_to_fpga"), 4096)
    with panel(pcie, [point], 1) as asked:
        found = sensitivity(asked, 0.1, 6, seed=1)
    steps = {(one.parameter.name, one.value): one.effect for one in found.steps}
    half, more = steps["link.lanes", 4], steps["link.lanes", 12]
    assert half == pytest.approx(1, abs=0.05)
    assert more is not None
    assert more < -0.2
    lanes = Twin(load_platform("pcie", {"link.lanes": "4"})).predict(point).seconds
    assert half == pytest.approx(lanes / found.seconds - 1)
    assert ("link.max_payload", 128) in steps
    assert not any(name == "link.address" for name, _ in steps)  # of 64 B headers it changes none


def test_a_step_that_the_platform_cannot_take_is_left_out() -> None:
    """A cache line of 64 B in place of 32 is one; a row shorter than a burst is none."""
    small = load_platform("cyclonev", {"sdram.row_bytes": "32 B"})
    point = point_of(small, ("os=linux", "master=cpu", "link=LW32"), 4096)
    with panel(small, [point], 1) as asked:
        steps = sensitivity(asked, 0.1, 1, seed=1).steps
    assert not any((one.parameter.name, one.value) == ("sdram.row_bytes", 16) for one in steps)
    assert "LW32.width" in {one.parameter.name for one in steps}
