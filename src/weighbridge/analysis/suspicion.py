# SPDX-License-Identifier: Apache-2.0
"""Mistakes of measuring that a table shows by itself: rows against their neighbours, never a model.

Each check compares rows that differ in one column, says what is wrong with which of them, and needs
columns that many tables lack: it finds what it can. Names and thresholds come from what published
data turned out to hold; tests hold the checks against the doubts that readers of them have noted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from weighbridge.analysis.statistics import UNSTABLE
from weighbridge.analysis.trust import Doubt
from weighbridge.dataset.schema import AXES, KEY, Value, parameters_in
from weighbridge.dataset.table import Row
from weighbridge.quantities import format_size, format_time

#: Times that agree to this fraction count as the same, however they were measured.
_SAME: Final = 0.002
#: Of accesses timed before they have come back, a size takes less than this share of the next.
_IN_FLIGHT: Final = 0.45
_ONE_ACCESS: Final = 8
#: Clocks, and sizes of two curves, that have to agree before it is no chance.
_CLOCKS, _SIZES = 3, 8
#: The fastest clock is so many times the slowest, at least.
_CLOCK_RANGE: Final = 2.0
#: A rate that was level and falls by more than this from one size to the next shows a fault.
_CLIFF, _LEVEL = 1.25, 0.06
#: A setting that changes no time by more does nothing.
_NOTHING: Final = 0.02
#: A rate so far below that of its like.
_STARVED: Final = 100.0
#: A size that takes so many times as long as the next smaller and the next larger one.
_SPIKE: Final = 8.0
#: A mean with a sample so far above it hides a tail.
_TAIL: Final = 3.0
#: The other direction of a path takes so many times as long where something else is timed.
_LOPSIDED: Final = 25.0
_MIXED_UNITS: Final = (2**20 / 1e6, 2**10 / 1e3, 2**30 / 1e9)
_DIGITS: Final = re.compile(r"(\d+)\D*$")

#: A row by its number.
Numbered = tuple[int, Row]


def suspicions(rows: Sequence[Row]) -> dict[int, Doubt]:
    """Doubts by the row's number; a row that earns several has the first in the order below."""
    numbered = [(number, row) for number, row in enumerate(rows) if row["seconds"]]
    found: dict[int, Doubt] = {}
    for check in _CHECKS:
        for number, doubt in check(numbered):
            found.setdefault(number, doubt)
    return found


def _seconds(row: Row) -> float:
    return float(row["seconds"] or 0)


def _size(row: Row) -> int:
    return int(row["size_bytes"] or 0)


def _groups(rows: Iterable[Numbered], *but: str) -> Iterator[list[Numbered]]:
    """Rows that are equal in every key column but some."""
    rows = list(rows)
    changed = parameters_in(row for _, row in rows)
    columns = [name for name in (*KEY, *AXES, *changed) if name not in but]
    groups: dict[tuple[Value, ...], list[Numbered]] = defaultdict(list)
    for number, row in rows:
        groups[tuple(row.get(name) for name in columns)].append((number, row))
    yield from groups.values()


def _alike(times: Sequence[float], within: float = _SAME) -> bool:
    return max(times) <= min(times) * (1 + within)


def _in_flight(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """Loads of one access that are timed before they have come back."""
    for curve in _groups(rows, "size_bytes"):
        times = {_size(row): _seconds(row) for _, row in curve}
        for number, row in curve:
            size = _size(row)
            larger = min((one for one in times if one > size), default=None)
            if row["direction"] != "fpga_to_cpu" or size > _ONE_ACCESS or larger is None:
                continue
            # Twice the bytes take twice the accesses at most.
            if larger <= 2 * size and times[size] < _IN_FLIGHT * times[larger]:
                seen = (
                    f"{format_size(size)} take {format_time(times[size])}, {format_size(larger)} "
                    f"take {format_time(times[larger])}: the load had not come back"
                )
                yield number, Doubt("load-in-flight", seen)


def _floor(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """Mistake 4: a time that no clock changes, on a path whose longer times clocks do change."""
    for path in _groups(rows, "fpga_mhz", "size_bytes"):
        by_size: dict[int, dict[float, Numbered]] = defaultdict(dict)
        for number, row in path:
            by_size[_size(row)][float(row["fpga_mhz"] or 0)] = (number, row)
        enough = {
            size: clocks
            for size, clocks in by_size.items()
            if len(clocks) >= _CLOCKS and max(clocks) >= _CLOCK_RANGE * min(clocks) > 0
        }
        ratios = {
            size: max(times) / min(times)
            for size, clocks in enough.items()
            if (times := [_seconds(row) for _, row in clocks.values()])
        }
        if not ratios or max(ratios.values()) < _CLOCK_RANGE / 1.5:
            continue
        for size, clocks in enough.items():
            if ratios[size] <= 1 + _SAME / 4:
                for number, row in clocks.values():
                    time = format_time(_seconds(row))
                    seen = f"{time} at each of {len(clocks)} clocks: the timer, or a buffer"
                    yield number, Doubt("timer-floor", seen)


def _copied(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """Mistake 6: both directions have one and the same times: a loop back, or one of them twice."""
    for path in _groups(rows, "direction", "size_bytes"):
        curves: dict[Value, dict[int, Numbered]] = defaultdict(dict)
        for number, row in path:
            curves[row["direction"]][_size(row)] = (number, row)
        if len(curves) != 2:
            continue
        here, there = curves.values()
        shared = sorted(here.keys() & there.keys())
        same = [
            size for size in shared if _alike([_seconds(here[size][1]), _seconds(there[size][1])])
        ]
        if len(same) < _SIZES or len(same) < 0.7 * len(shared):
            continue
        for size in same:
            for number, _ in (here[size], there[size]):
                seen = f"{len(same)} of {len(shared)} sizes take the same time in both directions"
                yield number, Doubt("same-both-ways", seen)


def _no_wider(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """A link that is as slow as a narrower one, which the fabric's clock holds back."""
    for path in _groups(rows, "link", "fpga_mhz", "size_bytes"):
        curves: dict[tuple[str, int], dict[float, dict[int, Numbered]]] = {}
        for number, row in path:
            if match := _DIGITS.search(str(row["link"] or "")):
                kind = (str(row["link"])[: match.start()], int(match[1]))
                mhz = float(row["fpga_mhz"] or 0)
                clock = curves.setdefault(kind, {}).setdefault(mhz, {})
                clock[_size(row)] = (number, row)
        for (family, width), by_clock in curves.items():
            narrower = max((w for f, w in curves if f == family and w < width), default=None)
            if narrower is None:
                continue
            held = _held_back(curves[family, narrower])
            for mhz, curve in by_clock.items():
                other = curves[family, narrower].get(mhz, {})
                shared = [size for size in held if size in curve and size in other]
                pairs = [(_seconds(curve[s][1]), _seconds(other[s][1])) for s in shared]
                if len(pairs) < _SIZES // 2 or not all(_alike(pair, 0.02) for pair in pairs):
                    continue
                seen = f"{family}{width} is as slow as {family}{narrower}, though that is its limit"
                for number, _ in curve.values():
                    yield number, Doubt("no-wider", seen)


def _held_back(by_clock: Mapping[float, Mapping[int, Numbered]]) -> list[int]:
    """The sizes whose times follow the clock."""
    clocks = sorted(clock for clock in by_clock if clock)
    if len(clocks) < 2:
        return []
    slow, fast = by_clock[clocks[0]], by_clock[clocks[-1]]
    follows = 1 + 0.5 * (clocks[-1] / clocks[0] - 1)
    return [
        size
        for size in sorted(slow.keys() & fast.keys())
        if _seconds(slow[size][1]) > follows * _seconds(fast[size][1])
    ]


def _cliffs(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """Mistake 12: what is level over four sizes falls at the next, and stays for three."""
    # A processor's copies, a kernel's among them, leave its caches at some size; what a master
    # without caches moves has no such end.
    moved = [one for one in rows if one[1]["route"] and one[1]["os"] != "linux"]
    for group in _groups(moved, "size_bytes"):
        curve = sorted(group, key=lambda one: _size(one[1]))
        rates = [_size(row) / _seconds(row) for _, row in curve]
        for place in range(4, len(curve) - 2):
            before = rates[place - 4 : place]
            falls = median(before) > _CLIFF * rates[place]
            level = max(before) <= min(before) * (1 + _LEVEL)
            stays = max(rates[place:]) * _CLIFF < median(before) * 1.02
            if not (falls and level and stays):
                continue
            at = format_size(_size(curve[place][1]))
            seen = f"from {at} on the rate is {median(before) / rates[place]:.2g} times less"
            for number, _ in curve[place:]:
                yield number, Doubt("rate-cliff", seen)
            break


def _no_effect(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """A lock that changes nothing, at the largest sizes either: was it set?"""
    locks = [axis for axis in AXES if axis.startswith("lock_")]
    ways = [axis for axis in locks if AXES[axis].kind == "integer"]
    for path in _groups(rows, *locks, "dummy_traffic", "size_bytes", "direction"):
        large = sorted({_size(row) for _, row in path})[-3:]
        for axis in ways:
            others = [one for one in ways if one != axis]
            alone = [one for one in path if not any(one[1][other] for other in others)]
            spans = [
                max(times) / min(times) - 1
                for group in _groups([one for one in alone if _size(one[1]) in large], axis)
                if len({row[axis] for _, row in group}) >= _CLOCKS
                and (times := [_seconds(row) for _, row in group])
            ]
            if len(spans) < len(large) or max(spans) > _NOTHING:
                continue
            for number, row in path:
                if row[axis]:
                    seen = f"{axis} changes no time at the {len(large)} largest sizes: was it set?"
                    yield number, Doubt("no-effect", seen)


def _spread(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """Repetitions that span too much, and means that hide a tail (mistake 7)."""
    for number, row in rows:
        low, high, seconds = row["min"], row["max"], _seconds(row)
        if not isinstance(high, float):
            continue
        if row["statistic"] == "mean" and high > _TAIL * seconds:
            seen = f"the mean is {format_time(seconds)}, one sample {format_time(high)}"
            yield number, Doubt("tail-in-mean", seen)
        elif isinstance(low, float) and row["blocks"] is None and (row["n"] or 99) != 1:
            span = (high - low) / seconds
            if row["statistic"] == "mean" and span > UNSTABLE:
                yield number, Doubt("unstable", f"its repetitions span {span:.0%}")


def _starved(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """A port that gets next to nothing of what others of its kind, or other sizes, get."""
    for group in _groups(rows, "link"):
        times = [_seconds(row) for _, row in group]
        if len(times) < _SIZES:
            continue
        usual = median(times)
        for number, row in group:
            if _seconds(row) > _STARVED * usual:
                times_more = _seconds(row) / usual
                yield number, Doubt("starved", f"{times_more:.0f} times as long as its like")
    # A burst's step grows with its size where bursts are strided.
    for group in _groups(rows, "size_bytes", "stride_bytes"):
        curve = sorted(group, key=lambda one: _size(one[1]))
        for before, (number, row), after in zip(curve, curve[1:], curve[2:], strict=False):
            times_more = _seconds(row) / max(_seconds(before[1]), _seconds(after[1]))
            if times_more > _SPIKE:
                seen = f"{times_more:.0f} times as long as the sizes next to it"
                yield number, Doubt("starved", seen)


def _lopsided(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """Mistake 5: one direction takes many times as long, and the row names no buffer or end."""
    for pair in _groups(rows, "direction"):
        if len({row["direction"] for _, row in pair}) != 2:
            continue
        slow = max(pair, key=lambda one: _seconds(one[1]))
        fast = min(_seconds(row) for _, row in pair)
        row = slow[1]
        if row["buffer"] or row["completion"] or row["memory_attribute"]:
            continue
        if (times := _seconds(row) / fast) > _LOPSIDED:
            seen = f"{times:.0f} times as long as the other direction: what else is timed?"
            yield slow[0], Doubt("something-else-timed", seen)


def _units(rows: Sequence[Numbered]) -> Iterator[tuple[int, Doubt]]:
    """Mistakes 3 and 11: bytes moved are not those asked for, or are of another unit."""
    for number, row in rows:
        moved, asked = row["bytes_moved"], _size(row)
        if not isinstance(moved, int) or not moved or moved == asked:
            continue
        ratio = max(moved / asked, asked / moved)
        if any(abs(ratio / one - 1) < 1e-3 for one in _MIXED_UNITS):
            seen = f"{moved} B moved for {asked} B: 10^6 and 2^20 are mixed up"
            yield number, Doubt("units-mixed", seen)
        elif ratio > 1.01 and row["completion"] != "posted":
            seen = f"{moved} B moved where {asked} B were asked for"
            yield number, Doubt("bytes-miscounted", seen)


_CHECKS: Final = (
    _units,
    _in_flight,
    _floor,
    _copied,
    _no_wider,
    _cliffs,
    _no_effect,
    _spread,
    _starved,
    _lopsided,
)
