# SPDX-License-Identifier: Apache-2.0
"""Least squares over the logarithm of the time, with what the data can and cannot tell.

Parameters are fitted by the logarithm of their factor against the start, within FACTOR. The twin is
piecewise constant, because its accesses start on clock edges: a fine difference sees the next edge
and not the slope. Slopes are therefore taken over whole per cents and averaged over many points,
and at last taken over as much as the data leave open. No interval is narrower than RESOLUTION.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from weighbridge.calibration.panel import Advance, Array, Panel
from weighbridge.errors import InputError
from weighbridge.platforms import Parameter

#: A fitted value lies between its start divided and multiplied by this.
FACTOR = 4.0
#: Errors above this count less than by their square: no model is right everywhere.
SOFT = 0.02
#: Half the width of the differences that slopes are taken over: first, and never less.
COARSE, FINE = 0.08, 0.01
#: Stages of a fit, the second with slopes over what the first left open.
STAGES = 2
#: Iterations of a stage.
ROUNDS = 8
#: Half the width of the difference by which parameters without effect are found.
SCREEN = 0.25
#: Changes of the time below this are none.
NOISE = 1e-3
#: No interval is narrower: slopes know nothing of smaller steps.
RESOLUTION = FINE / 2
#: Smallest eigenvalue of J^T J against its largest.
TINY = 1e-12
#: Pairs are told apart badly from here on.
CORRELATED = 0.9
CONFIDENCE = 0.95
#: Digits that a fitted value is given with; the rounding is far below RESOLUTION.
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Estimate:
    """A parameter after the fit; values in its own unit.

    half_width: of the interval, in logarithms (0.1: from value / e^0.1 to value * e^0.1).
    reason: why the data do not determine it; it then keeps its start. Empty where they do.
    """

    parameter: Parameter
    value: float
    half_width: float = inf
    reason: str = ""

    @property
    def low(self) -> float:
        return self.value * exp(-self.half_width)

    @property
    def high(self) -> float:
        return self.value * exp(self.half_width)

    @property
    def relative(self) -> str:
        """Half the interval in per cent of the value, two digits: '1.2 %'."""
        return f"{100 * (exp(self.half_width) - 1):.2g} %"

    @property
    def at_bound(self) -> bool:
        return not self.reason and abs(log(self.value / self.parameter.value)) > 0.99 * log(FACTOR)


@dataclass(frozen=True, slots=True)
class Fit:
    """estimates: in the order asked; correlated: names of pairs and their coefficient."""

    estimates: tuple[Estimate, ...]
    correlated: tuple[tuple[str, str, float], ...]

    def values(self) -> dict[str, float]:
        """What the data determine, name -> value."""
        return {
            estimate.parameter.name: estimate.value
            for estimate in self.estimates
            if not estimate.reason
        }


def evaluations(parameters: int) -> int:
    """How many variants a fit may ask for, at most, if every parameter is determined."""
    variants = 2 * parameters + 1
    return (STAGES * (ROUNDS + 2) + 1) * variants


def fit(
    panel: Panel,
    measured: Array,
    curves: Sequence[int],
    parameters: Sequence[Parameter],
    advance: Advance = lambda count: None,
) -> Fit:
    """Fit parameters to measured seconds of the panel's points.

    curves: the curve of each point; points of one curve share what the model does not know.
    Raises InputError if the data determine none of the parameters.
    """
    problem = _Problem(panel, np.log(measured), np.asarray(curves), advance)
    kept, reasons = _screened(problem, parameters)
    at = np.zeros(len(kept))
    steps = np.full(len(kept), COARSE)
    stages = STAGES
    while kept and stages > 0:
        at = problem.solved(kept, at, steps)
        # Across a single clock edge a difference looks like a steep slope: two are taken.
        told = [problem.told(kept, at, steps)]
        if steps.min() < COARSE:
            told.append(problem.told(kept, at, np.full(len(kept), COARSE)))
        stages -= 1
        while (half_widths := _widest(told)).max(initial=0) > log(FACTOR):
            weak = int(np.argmax(half_widths))
            reasons[kept[weak].name] = _why_weak(kept, weak, told[-1].covariance)
            del kept[weak]
            at = np.delete(at, weak)
            told = [one.without(weak) for one in told]
            stages = max(stages, 1)  # without it, the others may lie elsewhere
        steps = np.clip(half_widths, FINE, COARSE)
    if not kept:
        named = ", ".join(parameter.name for parameter in parameters)
        raise InputError(f"the data determine none of {named}", mend="nothing to fit")
    return Fit(
        tuple(_estimate(parameter, kept, at, half_widths, reasons) for parameter in parameters),
        _correlated(kept, told[0].covariance),
    )


def _estimate(
    parameter: Parameter,
    kept: Sequence[Parameter],
    at: Array,
    half_widths: Array,
    reasons: dict[str, str],
) -> Estimate:
    if reason := reasons.get(parameter.name):
        return Estimate(parameter, parameter.value, reason=reason)
    index = kept.index(parameter)
    value = float(f"{parameter.value * exp(at[index]):.{DIGITS}g}")
    return Estimate(parameter, value, float(half_widths[index]))


def _screened(
    problem: _Problem, parameters: Sequence[Parameter]
) -> tuple[list[Parameter], dict[str, str]]:
    """Parameters that move any point at all, and why the others are left alone.

    Tells the problem which points each of them moves, so that slopes ask for no others.
    """
    count = len(parameters)
    slopes = problem.slopes(parameters, np.zeros(count), np.full(count, SCREEN))
    kept, reasons = [], {}
    for parameter, moves in zip(parameters, SCREEN * np.abs(slopes).T, strict=True):
        problem.moved[parameter.name] = np.flatnonzero(moves).tolist()
        if moves.max() > NOISE:
            kept.append(parameter)
        else:
            reasons[parameter.name] = (
                f"changing it by {SCREEN:.0%} moves no time by {100 * NOISE:g} %"
            )
    return kept, reasons


def _correlated(kept: Sequence[Parameter], covariance: Array) -> tuple[tuple[str, str, float], ...]:
    coefficients = _coefficients(covariance)
    pairs = [
        (kept[a].name, kept[b].name, float(coefficients[a, b]))
        for a, b in combinations(range(len(kept)), 2)
    ]
    return tuple(sorted((p for p in pairs if abs(p[2]) > CORRELATED), key=lambda p: -abs(p[2])))


def _why_weak(kept: Sequence[Parameter], weak: int, covariance: Array) -> str:
    """Why a parameter has too wide an interval: another one does the same, or all are weak."""
    others = np.abs(_coefficients(covariance)[weak])
    others[weak] = 0
    partner = int(np.argmax(others))
    if others[partner] > CORRELATED:
        return f"cannot be told from {kept[partner].name}"
    return f"its interval would be wider than a factor of {FACTOR:g}"


def _coefficients(covariance: Array) -> Array:
    deviation = np.sqrt(np.diag(covariance))
    return np.asarray(covariance / np.outer(deviation, deviation))


def _widest(told: Sequence[_Told]) -> Array:
    """Half of each interval: the wider of what several differences say."""
    return np.asarray(np.max([one.half_widths for one in told], axis=0))


@dataclass(frozen=True, slots=True)
class _Told:
    """What slopes (points, parameters) and residuals (points) say of the parameters.

    floors: half of an interval that cannot be narrower, whatever the residuals.
    """

    slopes: Array
    residuals: Array
    curves: NDArray[np.intp]
    floors: Array

    def without(self, index: int) -> _Told:
        """The same with one parameter kept as it is."""
        return _Told(
            np.delete(self.slopes, index, axis=1),
            self.residuals,
            self.curves,
            np.delete(self.floors, index),
        )

    @property
    def covariance(self) -> Array:
        """From J^T J and the variance of the residuals, points taken as independent."""
        return self._variance * self._inverse

    @property
    def half_widths(self) -> Array:
        """Half of each interval, in logarithms; infinite for a parameter without slope.

        Points of a curve err together. The wider of two counts: points taken as independent, and
        whole curves taken as independent (the sandwich estimate over curves).
        """
        from scipy.stats import t as student

        scores = self.slopes * (self._weights * self.residuals)[:, np.newaxis]
        groups, index = np.unique(self.curves, return_inverse=True)
        sums = np.zeros((len(groups), self.slopes.shape[1]))
        np.add.at(sums, index, scores)
        together = self._inverse @ (sums.T @ sums) @ self._inverse
        variance = np.maximum(np.diag(self.covariance), np.diag(together))
        quantile = student.ppf(0.5 + CONFIDENCE / 2, max(1, self._freedom))
        half_widths = np.hypot(quantile * np.sqrt(variance), self.floors)
        return np.where(self.slopes.any(axis=0), half_widths, inf)

    @property
    def _freedom(self) -> int:
        points, parameters = self.slopes.shape
        return int(points - parameters)

    @property
    def _weights(self) -> Array:
        """What the soft loss leaves of each point."""
        return np.asarray(1 / np.sqrt(1 + (self.residuals / SOFT) ** 2))

    @property
    def _variance(self) -> float:
        if self._freedom < 1:  # residuals of nothing: as many parameters as points
            return SOFT**2
        return max(NOISE**2, float((self._weights * self.residuals**2).sum() / self._freedom))

    @property
    def _inverse(self) -> Array:
        square = self.slopes.T @ (self._weights[:, np.newaxis] * self.slopes)
        values, vectors = np.linalg.eigh(square)
        # What has no slope, or the same as another, has a huge variance, not an infinite one.
        floored = np.maximum(values, TINY * values.max(initial=0) or 1)
        return np.asarray((vectors / floored) @ vectors.T)


@dataclass(frozen=True, slots=True)
class _Problem:
    """moved: the points whose time a parameter changes, by its name."""

    panel: Panel
    log_measured: Array
    curves: NDArray[np.intp]
    advance: Advance
    moved: dict[str, list[int]] = field(default_factory=dict)

    def residuals(self, parameters: Sequence[Parameter], at: Array) -> Array:
        """log(T_hat / T) of each point, parameters scaled by exp(at)."""
        seconds = self.panel.seconds([_variant(parameters, at)], None, self.advance)[0]
        return np.asarray(np.log(seconds)) - self.log_measured

    def slopes(self, parameters: Sequence[Parameter], at: Array, steps: Array) -> Array:
        """Central differences of the residuals, shape (points, parameters)."""
        each = np.diag(steps)
        everywhere = range(len(self.curves))
        seconds = self.panel.seconds(
            [_variant(parameters, one) for one in (*(at + each), *(at - each))],
            [self.moved.get(parameter.name, everywhere) for parameter in parameters] * 2,
            self.advance,
        )
        up, down = np.split(np.log(seconds), 2)
        return np.asarray(np.nan_to_num((up - down).T / (2 * steps)))

    def solved(self, parameters: Sequence[Parameter], start: Array, steps: Array) -> Array:
        from scipy.optimize import least_squares

        found = least_squares(
            lambda at: self.residuals(parameters, at),
            start,
            jac=lambda at: self.slopes(parameters, at, steps),
            bounds=(-log(FACTOR), log(FACTOR)),
            loss="soft_l1",
            f_scale=SOFT,
            xtol=1e-4,
            ftol=1e-5,
            max_nfev=ROUNDS,
        )
        return np.asarray(found.x)

    def told(self, parameters: Sequence[Parameter], at: Array, steps: Array) -> _Told:
        """What the data say around `at`, with differences over `steps` or, where flat, more."""
        slopes = self.slopes(parameters, at, steps)
        floors = np.full(len(parameters), RESOLUTION)
        # No slope between two clock edges: what lies between them cannot be told apart.
        while (flat := ~slopes.any(axis=0) & (steps < SCREEN)).any():
            steps = np.where(flat, np.minimum(2 * steps, SCREEN), steps)
            floors[flat] = steps[flat]
            slopes = self.slopes(parameters, at, steps)
        return _Told(slopes, self.residuals(parameters, at), self.curves, floors)


def _variant(parameters: Sequence[Parameter], at: Array) -> dict[str, float]:
    return {
        parameter.name: parameter.value * exp(one)
        for parameter, one in zip(parameters, at, strict=True)
    }
