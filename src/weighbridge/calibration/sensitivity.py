# SPDX-License-Identifier: Apache-2.0
"""Which parameters matter for a point: single changes, and Sobol indices of all together.

What goes in steps (lanes, widths) is only changed singly, to the values next to its own.

First-order index S1: the share of the variance of the time that a parameter causes by itself. Total
index ST: with everything it causes together with others. Both are estimates from samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp, log

import numpy as np

from weighbridge.calibration.panel import Advance, Array, Panel
from weighbridge.calibration.parameters import turnable, turned
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import Parameter, Platform
from weighbridge.platforms.changing import overridden
from weighbridge.platforms.kinds import UNITS

#: The change by which parameters without effect are found, and that the table shows.
SCREEN = 0.1
#: Relative changes of the time below this are none.
NOISE = 1e-5
#: Samples of each of the two base matrices; a power of two, as Sobol's sequence wants.
SAMPLES = 256


@dataclass(frozen=True, slots=True)
class Influence:
    """What a parameter does to the time of a point.

    effect: relative change of the time when the parameter is 10 % larger.
    first, total: Sobol indices; None for a parameter that was only screened.
    """

    parameter: Parameter
    effect: float
    first: float | None = None
    total: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What a parameter that goes in steps does to the time of a point.

    value: next to the parameter's own, in its unit. effect: relative change of the time; None
    where there is no answer at that value.
    """

    parameter: Parameter
    value: float
    effect: float | None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """seconds: of the point as it is; influences: by total index to two digits, then by effect.

    low, high: range of the time over the samples. steps: the largest effect of a parameter first.
    """

    point: Point
    seconds: float
    low: float
    high: float
    influences: tuple[Influence, ...]
    steps: tuple[Step, ...] = ()


def evaluations(platform: Platform, count: int) -> int:
    """How many variants sensitivity() asks for, at most."""
    return 2 * len(turnable(platform)) + 1 + len(_stepped(platform)) + SAMPLES * (count + 2)


def at_own_clock(platform: Platform, point: Point) -> tuple[Platform, Point]:
    """The same question with the point's fabric clock as the platform's: one more parameter."""
    axes = [name for name, clock in platform.file.clock.items() if clock.axis == "fpga_mhz"]
    if point.fpga_mhz is None or len(axes) != 1:
        return platform, point
    unit = UNITS["frequency"][platform.file.clock[axes[0]].unit]
    clocked = turned(platform, {f"clock.{axes[0]}": point.fpga_mhz / unit})
    return clocked, replace(point, fpga_mhz=None)


def sensitivity(
    panel: Panel, spread: float, count: int, seed: int, advance: Advance = lambda count: None
) -> Sensitivity:
    """The influence of a platform's parameters on the panel's one point.

    spread: each parameter lies between its value / (1 + spread) and value * (1 + spread), all
    logarithms as likely. count: the parameters with the largest effect get indices; with 0 there
    are only effects.
    Raises InputError if no parameter changes the time.
    """
    (point,) = panel.points
    base, effects, steps = _screened(panel, advance)
    ranked = sorted(effects, key=lambda one: -abs(one.effect))
    varied, others = ranked[:count], ranked[count:]
    if not ranked and not steps:
        raise InputError("no parameter changes the time of this point")
    if not varied:
        return Sensitivity(point, base, base, base, tuple(others), steps)
    parameters = [one.parameter for one in varied]
    times: list[float] = []

    def relative(samples: Array) -> Array:
        """The relative change of the time; samples (parameters, n) in units of the spread."""
        variants = [
            {
                parameter.name: parameter.value * exp(log(1 + spread) * one)
                for parameter, one in zip(parameters, column, strict=True)
            }
            for column in samples.T
        ]
        seconds = panel.seconds(variants, None, advance)[:, 0]
        times.extend(map(float, seconds))
        return np.asarray(seconds / base - 1)

    first, total = _indices(relative, len(varied), seed)
    indexed = [
        replace(one, first=float(s1), total=float(st))
        for one, s1, st in zip(varied, first, total, strict=True)
    ]
    indexed.sort(key=lambda one: (-round(one.total or 0.0, 2), -abs(one.effect)))
    return Sensitivity(point, base, min(times), max(times), (*indexed, *others), steps)


def _stepped(platform: Platform) -> list[tuple[Parameter, float]]:
    """Parameters that go in steps, with the values next to theirs that the platform can have."""
    found = []
    for parameter in platform.parameters():
        field = platform.field(parameter.name)
        scale = UNITS[field.dimension][parameter.unit]
        for value in field.neighbours(parameter.value * scale):
            try:
                overridden(platform, {parameter.name: f"{value / scale!r}"})
            except InputError:
                continue  # with its other numbers it cannot, or nothing comes of it
            found.append((parameter, value / scale))
    return found


def _screened(panel: Panel, advance: Advance) -> tuple[float, list[Influence], tuple[Step, ...]]:
    """The point's seconds, and the parameters that change them, one at a time."""
    parameters = turnable(panel.platform)
    stepped = _stepped(panel.platform)
    up = [{one.name: one.value * (1 + SCREEN)} for one in parameters]
    down = [{one.name: one.value / (1 + SCREEN)} for one in parameters]
    aside = [{one.name: value} for one, value in stepped]
    seconds = panel.seconds([{}, *up, *down, *aside], None, advance)[:, 0]
    base = float(seconds[0])
    changes = seconds[1:] / base - 1
    larger, smaller, beside = np.split(changes, (len(up), len(up) + len(down)))
    influences = [
        Influence(parameter, float(effect))
        for parameter, effect, other in zip(parameters, larger, smaller, strict=True)
        if max(abs(effect), abs(other)) > NOISE
    ]
    steps = [
        Step(parameter, value, None if np.isnan(effect) else float(effect))
        for (parameter, value), effect in zip(stepped, beside, strict=True)
    ]
    largest: dict[str, float] = {}
    for step in steps:
        name = step.parameter.name
        largest[name] = max(largest.get(name, 0.0), abs(step.effect or 0.0))
    steps = [step for step in steps if largest[step.parameter.name] > NOISE]
    steps.sort(key=lambda step: -largest[step.parameter.name])
    return base, influences, tuple(steps)


def _indices(relative: Callable[[Array], Array], count: int, seed: int) -> tuple[Array, Array]:
    """First-order and total indices, each of shape (count,)."""
    from scipy.stats import sobol_indices, uniform

    if count == 1:  # It causes all there is; scipy fails on a single one.
        relative(np.random.default_rng(seed).uniform(-1, 1, (1, SAMPLES)))
        return np.ones(1), np.ones(1)
    found = sobol_indices(
        func=relative,
        n=SAMPLES,
        dists=[uniform(loc=-1, scale=2)] * count,
        rng=np.random.default_rng(seed),
    )
    return np.ravel(found.first_order), np.ravel(found.total_order)
