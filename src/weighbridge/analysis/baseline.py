# SPDX-License-Identifier: Apache-2.0
"""The alpha-beta yardstick: what a straight line per curve would achieve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Through the points of fewer sizes there is a line anyway, which says nothing.
LEAST_SIZES = 3


def line_errors(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Relative errors |T_hat/T - 1| of the line T = a + b * bytes that fits one curve best.

    sizes (bytes) and seconds have the same shape (n,), as the result has; of LEAST_SIZES or more.
    The line minimises the sum of (T_hat/T - 1)^2.
    """
    # Columns of about the same length: bytes alone would drown the constant.
    slope = seconds.max() / sizes.max()
    terms = np.column_stack((np.full_like(sizes, seconds.min()), sizes * slope))
    terms /= seconds[:, None]
    factors, *_ = np.linalg.lstsq(terms, np.ones_like(seconds), rcond=None)
    errors: NDArray[np.float64] = np.abs(terms @ factors - 1)
    return errors
