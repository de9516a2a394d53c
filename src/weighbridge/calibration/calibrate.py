# SPDX-License-Identifier: Apache-2.0
"""A calibration: the folds, the fit to one, and what both say of it before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weighbridge.calibration.fit import Fit, fit
from weighbridge.calibration.measurements import Folds, Measured, folds
from weighbridge.calibration.panel import Advance, Array, panel
from weighbridge.dataset.table import Row
from weighbridge.platforms import Parameter, Platform

#: Below this a second process costs more to start than it saves.
WORTH_A_PROCESS = 100
#: Errors that differ by less are the same: 0.01 per cent of the time.
ALIKE = 1e-4
#: Without so many points more than parameters a fit says nothing of its own error.
SPARE_POINTS = 5
#: In a mean, errors are clipped to this: where the model lacks a mechanism, no parameter helps.
CLIPPED = 0.1


@dataclass(frozen=True, slots=True)
class Errors:
    """Of |T_hat / T - 1| over n points, as fractions; in the mean, none counts above CLIPPED."""

    n: int
    mean: float
    median: float
    p90: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """Errors of both folds; held_out is None where there is only one curve."""

    fit: Errors
    held_out: Errors | None


@dataclass(frozen=True, slots=True)
class Calibration:
    folds: Folds
    fit: Fit
    before: Judgement
    after: Judgement

    @property
    def worse(self) -> bool:
        """Whether the mean error of the held-out curves grew."""
        before, after = self.before.held_out, self.after.held_out
        return before is not None and after is not None and after.mean > before.mean + ALIKE

    @property
    def unfounded(self) -> str:
        """Why the data determine nothing that a platform file should say; empty where they do."""
        determined = [one for one in self.fit.estimates if not one.reason]
        points, needed = len(self.folds.fit), len(determined) + SPARE_POINTS
        if points < needed:
            return f"{len(determined)} parameters need {needed} points or more, not {points}"
        if all(one.at_bound for one in determined):
            return "every parameter is at the end of its range: are the times in seconds?"
        return ""

    def changes(self, data: str) -> dict[str, tuple[float, str]]:
        """Name -> (value, source) of what the data determine; data: what they are called."""
        count = len(self.folds.fit)
        return {
            one.parameter.name: (one.value, f"fitted: {data}, {count} points, +-{one.relative}")
            for one in self.fit.estimates
            if not one.reason
        }


def calibrate(
    platform: Platform,
    rows: Sequence[Row],
    parameters: Sequence[Parameter],
    limit: int,
    seed: int,
    processes: int,
    advance: Advance = lambda count: None,
    cluster: str = "",
) -> Calibration:
    """Fit parameters to at most `limit` points; the same seed gives the same result.

    processes, cluster: as panel() takes them.
    Raises InputError if no row counts, or if the rows determine none of the parameters.
    """
    parts = folds(platform, rows, limit, seed)
    points = [one.point for one in parts.fit]
    count = processes if len(points) >= WORTH_A_PROCESS else 1
    with panel(platform, points, count, cluster) as asked:
        found = fit(
            asked, _seconds(parts.fit), [one.curve for one in parts.fit], parameters, advance
        )
    judged = (*parts.fit, *parts.held_out)
    with panel(platform, [one.point for one in judged], 1) as asked:
        before, after = np.abs(asked.seconds([{}, found.values()]) / _seconds(judged) - 1)
    split = len(parts.fit)
    return Calibration(parts, found, _judgement(before, split), _judgement(after, split))


def _seconds(measured: Sequence[Measured]) -> Array:
    return np.array([one.seconds for one in measured])


def _judgement(errors: Array, split: int) -> Judgement:
    held_out = errors[split:]
    return Judgement(_errors(errors[:split]), _errors(held_out) if len(held_out) else None)


def _errors(errors: Array) -> Errors:
    mean = np.minimum(errors, CLIPPED).mean()
    median, p90 = np.quantile(errors, (0.5, 0.9))
    return Errors(len(errors), float(mean), float(median), float(p90))
