# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from weighbridge.calibration.calibrate import Calibration, calibrate
from weighbridge.calibration.parameters import chosen
from weighbridge.dataset.table import Row
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

PLATFORM = load_platform("cyclonev")
#: What is wrong with the platform: a board has these factors of its numbers.
FACTORS = {
    "linux.system_call": 1.3,
    "acp.read_outer": 0.8,
    "l3.latency": 1.2,
    "cpu.copy_line": 0.7,
}
START = {parameter.name: parameter.value for parameter in PLATFORM.parameters()}
TRUE = {name: START[name] * factor for name, factor in FACTORS.items()}
BOARD = {name: f"{value} ns" for name, value in TRUE.items()}
Measure = Callable[..., list[Row]]


def calibrated(rows: Sequence[Row], *names: str, limit: int = 150, seed: int = 1) -> Calibration:
    return calibrate(PLATFORM, rows, chosen(PLATFORM, names), limit, seed, processes=2)


def noisy(rows: list[Row], sigma: float) -> list[Row]:
    draw = random.Random(5)
    return [row | {"seconds": float(row["seconds"] or 0) * draw.lognormvariate(0, sigma)}
            for row in rows]  # fmt: skip


@pytest.mark.parametrize("sigma", [0, 0.01])
def test_known_parameters_are_recovered_within_their_intervals(
    measure: Measure, sigma: float
) -> None:
    found = calibrated(noisy(measure(BOARD), sigma), *FACTORS)
    for one in found.fit.estimates:
        true = TRUE[one.parameter.name]
        assert one.low < true < one.high, one
        assert one.half_width < 0.16, one
        # The interval leaves out where the search began: this is no empty claim.
        assert not one.low < one.parameter.value < one.high, one
    assert found.before.held_out is not None
    assert found.after.held_out is not None
    assert found.before.held_out.median > 0.02
    assert found.after.held_out.median < max(1e-3, sigma)
    assert not found.worse


def test_all_fitted_parameters_are_free_by_default(measure: Measure) -> None:
    found = calibrated(measure(BOARD, sizes=(256, 4096, 16384)), limit=60)
    names = {one.parameter.name: one.reason for one in found.fit.estimates}
    assert len(names) > 50
    # The data are Linux and the PL330: whatever bare metal costs cannot be in them.
    assert all(reason for name, reason in names.items() if name.startswith("baremetal."))
    assert found.fit.values()
    assert found.before.held_out is not None
    assert found.after.held_out is not None
    assert found.after.held_out.median < found.before.held_out.median / 5


def test_what_the_data_cannot_tell_is_kept(measure: Measure) -> None:
    found = calibrated(
        measure(BOARD), "linux.system_call", "baremetal.poll_work", "linux.start_work"
    )
    call, poll, work = found.fit.estimates
    assert poll.reason == "changing it by 25% moves no time by 0.1 %"
    assert (poll.value, poll.half_width) == (START["baremetal.poll_work"], float("inf"))
    # Every transfer pays both once: only their sum can be seen.
    assert sorted(bool(one.reason) for one in (call, work)) == [False, True]
    kept = work if work.reason else call
    assert kept.reason.startswith("cannot be told from linux.")
    assert kept.parameter.name not in found.changes("x")


def test_twins_are_named(measure: Measure) -> None:
    names = ("linux.prepare_instruction", "linux.prepare_burst", "linux.system_call")
    found = calibrated(measure({}), *names, limit=100)
    ((one, other, coefficient),) = found.fit.correlated
    assert {one, other} == set(names[:2])
    assert coefficient < -0.9


def test_nothing_to_fit(measure: Measure) -> None:
    rows = measure({}, sizes=(1024,))
    with pytest.raises(InputError, match=r"determine none of baremetal\.poll_work"):
        calibrated(rows, "baremetal.poll_work")
    with pytest.raises(InputError, match="no answer to any of the 32 rows"):
        calibrated([row | {"link": "HF256"} for row in rows], "l3.latency")
    with pytest.raises(InputError, match="none of 32 rows has a time and is ok"):
        calibrated([row | {"backend": "board", "quality": "noise"} for row in rows], "l3.latency")


def test_a_platform_that_is_right_stays_where_it_is(measure: Measure) -> None:
    found = calibrated(noisy(measure({}), 0.01), *FACTORS)
    for one in found.fit.estimates:
        assert one.low < one.parameter.value < one.high
    assert found.before.held_out is not None
    assert found.after.held_out is not None
    assert found.after.held_out.mean == pytest.approx(found.before.held_out.mean, rel=0.05)
