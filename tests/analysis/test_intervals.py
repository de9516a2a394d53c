# SPDX-License-Identifier: Apache-2.0
"""Intervals hold what they say of curves that they have never seen, and are no wider than that."""

from __future__ import annotations

import numpy as np
import pytest

from weighbridge.analysis.intervals import NOMINAL, band, bands, coverage

CURVES, POINTS = 60, 20


def drawn(seed: int, between: float, within: float) -> tuple[np.ndarray, np.ndarray]:
    """Residuals whose curves err together."""
    random = np.random.default_rng(seed)
    curves = np.repeat(np.arange(CURVES), POINTS)
    shifts = random.normal(0, between, CURVES)[curves]
    return shifts + random.normal(0, within, len(curves)), curves


@pytest.mark.parametrize(("between", "within"), [(0.0, 0.05), (0.05, 0.01), (0.03, 0.03)])
def test_new_curves_lie_inside_as_often_as_they_should(between: float, within: float) -> None:
    shares, widths = [], []
    for seed in range(10):
        residuals, curves = drawn(seed, between, within)
        low, high = band(residuals, curves)
        new, _ = drawn(1000 + seed, between, within)
        shares.append(np.mean((new >= low) & (new <= high)))
        widths.append(high - low)
    assert 0.86 < np.mean(shares) < 0.95
    # The narrowest interval that can: of a normal distribution.
    assert np.mean(widths) < 1.25 * 2 * 1.645 * np.hypot(between, within)


def test_a_group_of_few_points_takes_that_above_it_and_coverage_is_of_what_was_held_out() -> None:
    residuals, curves = drawn(1, 0.02, 0.02)
    many = curves < CURVES - 1
    residuals = np.where(many, residuals, residuals + 10)
    groups = [((), ("many",) if one else ("few",)) for one in many]
    found = bands(residuals, list(curves), groups)
    assert set(found) == {(), ("many",)}
    assert found["many",].points == POINTS * (CURVES - 1)
    inside = coverage(residuals, list(curves), groups)
    assert not inside[~many].any()
    assert found["many",].covered == pytest.approx(np.mean(inside[many]))
    assert abs(np.mean(inside[many]) - NOMINAL) < 0.05


def test_an_interval_has_a_width_where_the_model_is_exact_and_where_all_is_one_curve() -> None:
    low, high = band(np.zeros(50), np.zeros(50, dtype=np.intp))
    assert low < 0 < high
    assert np.isnan(coverage(np.zeros(50), [0] * 50, [((),)] * 50)).all()
