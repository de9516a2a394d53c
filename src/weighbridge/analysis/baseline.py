# SPDX-License-Identifier: Apache-2.0
"""The alpha-beta yardstick: what a straight line per curve would achieve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def line_errors(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Relative errors |T_hat/T - 1| of the line T = a + b * bytes that fits one curve best.

    sizes (bytes) and seconds have the same shape (n,), as the result has. The line minimises the
    sum of (T_hat/T - 1)^2; a curve with a single size is met exactly.
    """
    errors: NDArray[np.float64]
    if len(np.unique(sizes)) < 2:
        # A constant: the best one in the same measure.
        level = np.sum(1 / seconds) / np.sum(1 / seconds**2)
        errors = np.abs(level / seconds - 1)
        return errors
    # Columns of about the same length: bytes alone would drown the constant.
    slope = seconds.max() / sizes.max()
    terms = np.column_stack((np.full_like(sizes, seconds.min()), sizes * slope))
    terms /= seconds[:, None]
    factors, *_ = np.linalg.lstsq(terms, np.ones_like(seconds), rcond=None)
    errors = np.abs(terms @ factors - 1)
    return errors
