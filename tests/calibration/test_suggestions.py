# SPDX-License-Identifier: Apache-2.0
"""Few points go far where they are chosen: what is suggested, and what is learnt from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tools import how_wrong
from weighbridge.calibration.belief import belief, learnt, suggested, variant
from weighbridge.calibration.panel import panel
from weighbridge.calibration.parameters import chosen
from weighbridge.dataset.table import Row, point_of
from weighbridge.platforms import load_platform


def test_the_point_that_tells_most_is_chosen_and_none_twice() -> None:
    parameters = chosen(load_platform("cyclonev"), ["linux.system_call", "l3.latency"])
    # Points that follow the first number, a little or fully, one the second, and one neither.
    slopes = np.array([[0.1, 0], [1, 0], [1, 0], [1, 0], [0, 0.6], [0, 0]])
    order, left = suggested(slopes, belief(parameters), 6)
    assert order[0] in (1, 2, 3)
    assert order[1] == 4
    assert sorted(order) == list(range(6))
    assert left == sorted(left, reverse=True)
    assert left[2] < 0.1 * left[0]


def test_a_single_point_tells_a_number_and_leaves_the_others(
    measure: Callable[..., list[Row]],
) -> None:
    platform = load_platform("cyclonev")
    parameters = chosen(platform, ["linux.system_call", "linux.poll_lead", "cpu.short_access"])
    call = parameters[0].value
    rows = measure({"linux.system_call": f"{1.4 * call} ns"}, (1024,))[:1]
    with panel(platform, [point_of(rows[0])], 1) as asked:
        at = learnt(asked, np.array([rows[0]["seconds"]], dtype=float), belief(parameters))
        told = asked.seconds([variant(parameters, at)])[0]
    assert told == pytest.approx(rows[0]["seconds"], rel=0.01)
    assert 0.05 < at[0] < np.log(1.6)
    assert at[2] == pytest.approx(0, abs=1e-6)


def test_a_device_is_learnt_from_few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's way, on a few points: from another device, and after six of its own."""
    monkeypatch.setattr(how_wrong, "COUNTS", (6,))
    monkeypatch.setattr(how_wrong, "DRAWS", 1)
    of = how_wrong.case("zynq7000", 24)
    start = how_wrong.from_another(of.platform, load_platform("cyclonev"))
    found = how_wrong.learning(of, start)
    assert found.taken >= 15
    assert np.median(np.abs(found.full)) < 0.05 < np.quantile(np.abs(found.first), 0.9)
    chosen_, _ = found.after[6]
    assert len(chosen_) == len(of.rows) - 6
    assert np.mean(np.abs(chosen_)) < 0.75 * np.mean(np.abs(found.first))
