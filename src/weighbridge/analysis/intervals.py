# SPDX-License-Identifier: Apache-2.0
"""Intervals that are earned: how far measurements lay from predictions, by group, and how often
what was held out lies inside.

A residual is log(measured / predicted). Points of a curve err together, so whole curves are held
out, never single points.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
G = TypeVar("G", bound=Hashable)

#: Share of measurements that an interval is to hold.
NOMINAL = 0.9
#: A group with fewer points, or of fewer curves, takes the interval of the group above it.
LEAST_POINTS, LEAST_CURVES = 40, 3
#: Folds that coverage is measured by, and those inside that an interval is widened by.
FOLDS, INNER = 10, 5
#: Share of the points that stays beyond each end.
TAIL = 0.02
#: Narrowest half of an interval: a model that met every point would not be right for ever.
LEAST = 1e-3


@dataclass(frozen=True, slots=True)
class Band:
    """low, high: of log(measured / predicted), from n points of so many curves.

    covered: share of the group's points inside the interval of the folds without them; None where
    there was nothing to hold out.
    """

    low: float
    high: float
    points: int
    curves: int
    covered: float | None = None


def band(residuals: Array, curves: Index) -> tuple[float, float]:
    """The interval that holds NOMINAL of new curves like these.

    The quantiles of the residuals, widened about their median until NOMINAL of curves that were
    left out of them lie inside, each curve of the same weight; but TAIL of all points stays beyond
    each end, or a single odd curve would say how wide the interval of all others is.
    """
    low, middle, high = _quantiles(residuals)
    numbers = np.unique(curves)
    reaches, of_curve = [], []
    for fold in range(INNER):
        out = np.isin(curves, numbers[fold::INNER])
        if out.any() and not out.all():
            a, m, b = _quantiles(residuals[~out])
            off = residuals[out] - m
            reaches.append(np.where(off > 0, off / max(b - m, LEAST), -off / max(m - a, LEAST)))
            of_curve.append(curves[out])
    widened = 1.0
    if reaches:
        reach, of = np.concatenate(reaches), np.concatenate(of_curve)
        weight = 1 / np.bincount(of)[of]
        order = np.argsort(reach)
        share = np.cumsum(weight[order]) / weight.sum()
        widened = float(reach[order][np.searchsorted(share, NOMINAL)])
    least, most = np.quantile(residuals, (TAIL, 1 - TAIL))
    return (
        middle - max(min(widened * (middle - low), middle - least), LEAST),
        middle + max(min(widened * (high - middle), most - middle), LEAST),
    )


def _quantiles(residuals: Array) -> tuple[float, float, float]:
    low, middle, high = np.quantile(residuals, ((1 - NOMINAL) / 2, 0.5, (1 + NOMINAL) / 2))
    return float(low), float(middle), float(high)


def bands(
    residuals: Array, curves: Sequence[Hashable], groups: Sequence[Sequence[G]]
) -> dict[G, Band]:
    """Group -> its interval, for the groups that have enough points, and for the widest.

    groups: of each point its groups, the widest first, as many for every point. A group that is
    all of a wider one has none of its own.
    """
    numbers = numbered(curves)
    found: dict[G, Band] = {}
    covered = coverage(residuals, curves, groups)
    seen: set[bytes] = set()
    for level in range(len(groups[0]) if groups else 0):
        for group, members in _members([one[level] for one in groups]).items():
            if (level and not _enough(members, numbers)) or members.tobytes() in seen:
                continue
            seen.add(members.tobytes())
            low, high = band(residuals[members], numbers[members])
            inside = covered[members]
            share = float(np.nanmean(inside)) if not np.isnan(inside).all() else None
            of = len(np.unique(numbers[members]))
            found[group] = Band(low, high, len(members), of, share)
    return found


def coverage(
    residuals: Array, curves: Sequence[Hashable], groups: Sequence[Sequence[Hashable]]
) -> Array:
    """1 for a point inside the interval that the folds without its curve give it, else 0.

    NaN where all is one curve.
    """
    numbers = numbered(curves)
    fold = np.random.default_rng(1).permutation(numbers.max() + 1)[numbers] % FOLDS
    inside = np.full(len(residuals), np.nan)
    levels = [_members([one[level] for one in groups]) for level in range(len(groups[0]))]
    for out in range(FOLDS):
        for level, of_level in enumerate(levels):
            for members in of_level.values():
                left, held = members[fold[members] != out], members[fold[members] == out]
                if not len(held) or not len(left) or (level and not _enough(left, numbers)):
                    continue
                low, high = band(residuals[left], numbers[left])
                inside[held] = (residuals[held] >= low) & (residuals[held] <= high)
    return inside


def numbered(curves: Sequence[Hashable]) -> Index:
    """The curves as numbers from 0, in the order of their first points."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(curve, len(numbers)) for curve in curves], dtype=np.intp)


def _members(groups: Sequence[G]) -> dict[G, Index]:
    members: dict[G, list[int]] = defaultdict(list)
    for index, group in enumerate(groups):
        members[group].append(index)
    return {group: np.array(indices, dtype=np.intp) for group, indices in members.items()}


def _enough(members: Index, numbers: Index) -> bool:
    return len(members) >= LEAST_POINTS and len(np.unique(numbers[members])) >= LEAST_CURVES
