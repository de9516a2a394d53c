# SPDX-License-Identifier: Apache-2.0
"""What is believed of a platform's numbers before anything is measured, and after a few points.

All is in logarithms: of a number over its start, and of times. Before, each number is known within
a factor; the numbers of one component err together in part, for one clock and one maker stand
behind them. A measured point tells of all numbers that move it, so few points go far; and a point
that is not measured yet is worth what it would take from the doubt about all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from weighbridge.calibration.fit import COARSE
from weighbridge.calibration.panel import Advance, Array, Panel, Variant
from weighbridge.platforms import Parameter

#: A number that nobody fitted is off by about this factor, the same way or the other.
FACTOR = 2.0
#: Share of that which the numbers of one component have in common.
TOGETHER = 0.5
#: A model that had all its numbers right would still miss a point by this.
MISFIT = 0.02
#: Misses above this count less than by their square.
SOFT = 2 * MISFIT
#: Half the width of the differences that slopes are taken over; while numbers are learnt they are
#: wider, or the next clock edge is what a few points tell of.
STEP, WIDE = 0.04, COARSE
#: Rounds of a fit: slopes are taken anew in each, and a step that gains nothing is halved so often.
ROUNDS, HALVED = 12, 5
#: A round that makes it less improbable than this is the last.
ENOUGH = 0.1
#: Steps of one round within which points that do not fit lose weight.
REWEIGHTED = 8
#: No number goes farther from its start.
FARTHEST = log(6)


@dataclass(frozen=True)
class Belief:
    """Numbers and how far each may be off: the covariance of their logarithms."""

    parameters: Sequence[Parameter]
    covariance: Array


def belief(parameters: Sequence[Parameter], factor: float = FACTOR) -> Belief:
    """Each number within a factor of its start."""
    owners = [one.name.rpartition(".")[0] for one in parameters]
    same = np.array([[a == b for b in owners] for a in owners], dtype=float)
    shape = TOGETHER * same + (1 - TOGETHER) * np.eye(len(owners))
    return Belief(parameters, log(factor) ** 2 * shape)


def variant(parameters: Sequence[Parameter], at: Array) -> Variant:
    """The numbers at logarithms of factors over their starts."""
    return {p.name: p.value * exp(x) for p, x in zip(parameters, at, strict=True)}


def slopes(
    panel: Panel,
    parameters: Sequence[Parameter],
    at: Array,
    advance: Advance = lambda count: None,
    width: float = STEP,
) -> Array:
    """How the logarithm of each point's time follows that of each number: (points, parameters)."""
    steps = [*(width * np.eye(len(parameters))), *(-width * np.eye(len(parameters)))]
    seconds = panel.seconds([variant(parameters, at + step) for step in steps], None, advance)
    up, down = np.split(np.log(seconds), 2)
    return np.asarray(np.nan_to_num((up - down).T / (2 * width)))


def suggested(slopes: Array, before: Belief, count: int) -> tuple[list[int], list[float]]:
    """The points to measure next, and what is then to be expected of the rest.

    One after the other, each the point that leaves the least doubt about all. Returns their
    indices, and the mean standard deviation of the points' logarithms: before, and after each.
    """
    doubt = slopes @ before.covariance @ slopes.T
    chosen: list[int] = []
    left = [_mean(np.diag(doubt))]
    for _ in range(min(count, len(doubt))):
        variance = np.diag(doubt)
        after = variance[:, None] - doubt**2 / (variance + MISFIT**2)
        gain = np.sqrt(np.maximum(after, 0)).mean(axis=0)
        gain[chosen] = np.inf
        best = int(np.argmin(gain))
        chosen.append(best)
        doubt = doubt - np.outer(doubt[:, best], doubt[best]) / (doubt[best, best] + MISFIT**2)
        left.append(_mean(np.diag(doubt)))
    return chosen, left


def _mean(variance: Array) -> float:
    return float(np.sqrt(np.maximum(variance, 0)).mean())


def learnt(panel: Panel, measured: Array, before: Belief) -> Array:
    """Where the numbers lie after the panel's points were measured: logarithms over their starts.

    measured: seconds of each point. The most probable numbers, by steps of Gauss and Newton
    that are halved until they gain; a point that does not fit counts less, for no model is right
    everywhere.
    """
    parameters = before.parameters
    wanted = np.log(measured)
    precision = np.linalg.inv(before.covariance)

    def off(at: Array) -> Array:
        return np.asarray(wanted - np.log(panel.seconds([variant(parameters, at)])[0]))

    def improbable(at: Array, off: Array) -> float:
        share = off[np.isfinite(off)] / SOFT
        missed = 2 * (SOFT / MISFIT) ** 2 * (np.hypot(1, share) - 1).sum()
        return float(missed + at @ precision @ at)

    at = np.zeros(len(parameters))
    here = off(at)
    now = improbable(at, here)
    for _ in range(ROUNDS):
        steep = slopes(panel, parameters, at, width=WIDE)
        known = np.isfinite(here)
        # What the numbers would have to explain, were the slopes straight.
        best = updated(steep[known], (here + steep @ at)[known], before)
        step = np.clip(best, -FARTHEST, FARTHEST) - at
        for halved in range(HALVED + 1):
            there = at + step / 2**halved
            left = off(there)
            if (then := improbable(there, left)) < now:
                break
        else:
            break
        gained = now - then
        at, here, now = there, left, then
        if gained < ENOUGH:
            break
    return at


def updated(slopes: Array, wanted: Array, before: Belief) -> Array:
    """The most probable numbers where slopes @ numbers ought to be `wanted`."""
    weight = np.ones(len(wanted))
    at = np.zeros(slopes.shape[1])
    for _ in range(REWEIGHTED):
        noise = np.diag(MISFIT**2 / weight)
        gain = before.covariance @ slopes.T
        at = gain @ np.linalg.solve(slopes @ gain + noise, wanted)
        weight = 1 / np.hypot(1, (slopes @ at - wanted) / SOFT)
    return at


def numbers(parameters: Sequence[Parameter], at: Array) -> Mapping[str, float]:
    """Name -> value, as a file has it."""
    return {name: float(f"{value:.4g}") for name, value in variant(parameters, at).items()}
