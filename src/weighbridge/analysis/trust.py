# SPDX-License-Identifier: Apache-2.0
"""Whether a measured point can be trusted: what its samples tell of mistakes and disturbances."""

from __future__ import annotations

from typing import Final, NamedTuple

from weighbridge.analysis.statistics import UNSTABLE, Statistics
from weighbridge.dataset.samples import Measured

OK: Final = "ok"


class Doubt(NamedTuple):
    """A quality, and what was seen in a sentence; the sentence is empty where all is well."""

    quality: str
    seen: str = ""


def judged(measured: Measured, statistics: Statistics, ceiling: float | None) -> Doubt:
    """The worst that the samples of a point tell."""
    del measured, ceiling
    if statistics.block_spread > UNSTABLE:
        spread = f"{100 * statistics.block_spread:.0f} %"
        return Doubt("unstable", f"the medians of its {statistics.blocks} blocks span {spread}")
    return Doubt(OK)
