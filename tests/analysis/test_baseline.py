# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from weighbridge.analysis.baseline import line_errors


def test_a_line_is_met_exactly() -> None:
    sizes = 2.0 ** np.arange(1, 22)
    assert line_errors(sizes, 3e-6 + sizes / 640e6) == pytest.approx(0, abs=1e-9)


def test_no_other_line_has_smaller_squares() -> None:
    rng = np.random.default_rng(1)
    sizes = 2.0 ** np.arange(1, 22)
    seconds = (1e-6 + sizes / 1e9) * rng.uniform(0.8, 1.2, sizes.shape)
    best = np.sum(line_errors(sizes, seconds) ** 2)
    for alpha in np.geomspace(0.5e-6, 2e-6, 30):
        for beta in np.geomspace(0.5e-9, 2e-9, 30):
            assert np.sum(((alpha + beta * sizes) / seconds - 1) ** 2) >= best
