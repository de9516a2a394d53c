# SPDX-License-Identifier: Apache-2.0
"""Samples of a point in a few figures: nothing is left out, and what strays is counted.

Hoefler and Belli, "Scientific benchmarking of parallel computing systems" (SC 2015): the median
with its interval, quantiles by linear interpolation, all samples kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Blocks whose medians are further apart than this, as a fraction of the median, are unstable.
UNSTABLE: Final = 0.10
#: Blocks that an interval needs.
LEAST_BLOCKS: Final = 5

_QUANTILES: Final = {
    "p1": 0.01,
    "p5": 0.05,
    "p25": 0.25,
    "p75": 0.75,
    "p95": 0.95,
    "p99": 0.99,
    "p99_9": 0.999,
}
#: The blocks whose medians are held against each other, as quantiles of them.
_MIDDLE: Final = (0.1, 0.9)
_RESAMPLES: Final = 2000
_CONFIDENCE: Final = 0.95
#: Tukey's fences, in ranges between the quartiles: beyond the first mild, beyond the second severe.
_FENCES: Final = (1.5, 3.0)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Samples summarised; every figure in the samples' own unit.

    figures:  min, p1 to p99_9 and max, and the ends of the median's 95 % interval, `low95` and
              `high95`, where there are enough blocks and scipy is installed.
    blocks:   how many. block_spread: how far the middle four fifths of their medians are apart, as
              a fraction of the median: a range of all would grow with the number of blocks.
    outliers_mild, outliers_severe: samples beyond Tukey's inner and outer fences.
    """

    median: float
    n: int
    figures: dict[str, float]
    blocks: int
    block_spread: float
    outliers_mild: int
    outliers_severe: int

    @classmethod
    def of(cls, blocks: Sequence[Sequence[float]]) -> Statistics:
        """Of samples in blocks, each with one at least."""
        grouped = [np.asarray(block, dtype=np.float64) for block in blocks]
        pooled = np.concatenate(grouped)
        least, *quantiles, most = np.quantile(pooled, (0, *_QUANTILES.values(), 1))
        median = float(np.median(pooled))
        figures = {"min": least, **dict(zip(_QUANTILES, quantiles, strict=True)), "max": most}
        interval = _interval(grouped)
        if interval is not None:
            figures |= dict(zip(("low95", "high95"), interval, strict=True))
        low, high = np.quantile([np.median(block) for block in grouped], _MIDDLE)
        inner, outer = (_beyond(pooled, figures["p25"], figures["p75"], one) for one in _FENCES)
        return cls(
            median=median,
            n=len(pooled),
            figures={name: float(value) for name, value in figures.items()},
            blocks=len(grouped),
            block_spread=float((high - low) / median),
            outliers_mild=inner - outer,
            outliers_severe=outer,
        )


def _beyond(values: Floats, lower: float, upper: float, fences: float) -> int:
    reach = fences * (upper - lower)
    return int(np.count_nonzero((values < lower - reach) | (values > upper + reach)))


def _interval(blocks: Sequence[Floats]) -> tuple[float, float] | None:
    """The 95 % interval of the median by a bootstrap of whole blocks.

    Samples of one block have its buffers and its moment in common: only blocks are independent. The
    draws have a fixed seed, so the same samples give the same interval.
    """
    if len(blocks) < LEAST_BLOCKS or find_spec("scipy") is None:
        return None
    from scipy.stats import bootstrap

    # Rows of one length; what fills the shorter ones is counted by no median.
    padded = np.full((len(blocks), max(map(len, blocks))), np.nan)
    for row, block in zip(padded, blocks, strict=True):
        row[: len(block)] = block
    median = np.median if not np.isnan(padded).any() else np.nanmedian

    def pooled(chosen: NDArray[np.int64], axis: int = -1) -> Floats:
        drawn = padded[chosen]
        flat = drawn.reshape(*chosen.shape[:-1], -1)
        return np.asarray(median(flat, axis=axis), dtype=np.float64)

    found = bootstrap(
        (np.arange(len(blocks)),),
        pooled,
        n_resamples=_RESAMPLES,
        confidence_level=_CONFIDENCE,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(0),
    ).confidence_interval
    return float(found.low), float(found.high)
