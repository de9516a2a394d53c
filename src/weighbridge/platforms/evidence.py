# SPDX-License-Identifier: Apache-2.0
"""What is known of a prediction: which measurements it rests on, and the interval they earned.

Beside the platform files, in accuracy/, stand the intervals that `make errors` and `make how-wrong`
found. Each is of one kind of evidence, and of a group of paths or of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from weighbridge.dataset.schema import AXES, KEY, Value
from weighbridge.dataset.values import shown
from weighbridge.tomlsource import read_toml

if TYPE_CHECKING:
    from weighbridge.dataset.schema import Point
    from weighbridge.platforms.model import Platform

#: Kinds of evidence from the nearest to the farthest -> what was measured, in words.
KINDS = {
    "fitted": "measured at this clock",
    "clock": "measured at other clocks",
    "combination": "other paths measured",
    "board": "measured on another board or set otherwise",
    "device": "not measured, only other devices",
}
#: What a group may say, the widest first: each group has all before its own, too.
GROUPS = ("os", "master", "route", "setting")
#: A point's values of the first so many.
Group = tuple[str | None, ...]
#: Columns that do not tell one path from another.
_NO_PATH = ("platform", "study", "backend", "board", "size_bytes", "fpga_mhz")
_OF_A_BURST = ("stride_bytes", "block")
_PATH = tuple(name for name in (*KEY, *AXES) if name not in _NO_PATH and name not in _OF_A_BURST)
#: Axes by which a group of paths is split further.
_SETTING = ("dummy_traffic", "lock_cpu_ways", "lock_acp_ways", "mix")
#: Intervals that belong to no platform.
LEFT_OUT = Path(__file__).parent / "accuracy" / "left-out.toml"


class Earned(BaseModel):
    """An interval of a file: of the time measured over the time predicted.

    platform, os, master, route, setting: what it is of; absent: any. covered: share of the points
    that it held when they took no part in it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    evidence: str
    platform: str | None = None
    os: str | None = None
    master: str | None = None
    route: str | None = None
    setting: str | None = None
    low: float
    high: float
    points: int
    curves: int
    covered: float | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """Nine of ten measurements lie between low and high times the predicted time.

    evidence: one of KINDS. points, curves: how many the interval was earned on.
    """

    low: float
    high: float
    evidence: str
    points: int
    curves: int

    def plain(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "expected_low": self.low,
            "expected_high": self.high,
            "evidence": self.evidence,
        }

    def rates(self, rate: float) -> str:
        """The rates of the interval about a predicted one, bytes per second: '702-830'."""
        return f"{_three(rate / self.high / 1e6)}-{_three(rate / self.low / 1e6)}"

    @property
    def words(self) -> str:
        """What was measured."""
        return KINDS[self.evidence]


def setting(columns: Mapping[str, Value]) -> str:
    """What else goes on at a point, in a word for each: 'dummy_traffic', 'mix=read_only', ..."""
    said = [(name, columns.get(name)) for name in _SETTING]
    several = ["ports"] if "+" in str(columns.get("active_ports")) else []
    words = [f"{n}={v}" if isinstance(v, str) else n for n, v in said if v not in (None, 0)]
    return " ".join(words + several)


def groups(columns: Mapping[str, Value]) -> list[Group]:
    """A point's groups, the widest first: what it says of the first so many of GROUPS."""
    own = [*(columns.get(name) for name in GROUPS[:-1]), setting(columns)]
    cells = tuple(None if cell is None else str(cell) for cell in own)
    return [cells[:count] for count in (0, *range(2, len(GROUPS) + 1))]


def path_words(columns: Mapping[str, Value]) -> str:
    """What identifies a point's path, without size and clock, as words."""
    said = ((name, columns.get(name)) for name in _PATH)
    return " ".join(f"{name}={shown(v)}" for name, v in said if v not in (None, False))


def expected(platform: Platform, point: Point) -> Expected:
    """The interval of a prediction: of the nearest evidence that there is, never too narrow.

    Evidence that is farther away earns an interval that holds that of any nearer.
    """
    columns = point.key()
    known = _of(platform.path)
    kind = _kind(platform, known, columns)
    farthest = list(KINDS).index(kind)
    low, high, points, curves = 1.0, 1.0, 0, 0
    for number, name in enumerate(KINDS):
        one = _nearest([*known.intervals, *_left_out()], name, platform.name, columns)
        if one is None or (number > farthest and points):
            continue
        if number <= farthest or not points:
            low, high = min(low, one.low), max(high, one.high)
            points, curves = one.points, one.curves
    return Expected(low, high, kind, points, curves)


def _three(value: float) -> str:
    """Three digits, all those before the point."""
    digits = max(0, 2 - (floor(log10(value)) if value > 0 else 0))
    return f"{value:.{digits}f}"


def rounded_factor(log: float) -> float:
    """A logarithm as the factor that a file has."""
    return float(f"{exp(log):.4g}")


@dataclass(frozen=True, slots=True)
class _Known:
    """What the file of a platform's accuracy has; measured: path's words and clocks in MHz."""

    intervals: tuple[Earned, ...] = ()
    measured: tuple[tuple[frozenset[str], frozenset[float]], ...] = ()
    sizes: tuple[int, int] = (0, 0)


def _of(path: Path) -> _Known:
    return _read(path.parent / "accuracy" / path.name)


@cache
def _read(file: Path) -> _Known:
    if not file.is_file():
        return _Known()
    raw, _ = read_toml(file)
    measured = tuple(
        (frozenset(words.split()), frozenset(clocks))
        for words, clocks in raw.get("measured", {}).items()
    )
    smallest, largest = raw.get("sizes", (0, 0))
    intervals = tuple(map(Earned.model_validate, raw.get("interval", ())))
    return _Known(intervals, measured, (smallest, largest))


def _left_out() -> tuple[Earned, ...]:
    return _read(LEFT_OUT).intervals


def _kind(platform: Platform, known: _Known, columns: Mapping[str, Value]) -> str:
    """The kind of evidence there is for a point."""
    if known.measured and not platform.changed:
        asked = set(path_words(columns).split())
        clocks: set[float] = set()
        for words, at in known.measured:
            # What a point leaves open is as somebody measured it.
            if asked <= words and all(w.partition("=")[0] in AXES for w in words - asked):
                clocks |= at
        smallest, largest = known.sizes
        if clocks and smallest <= int(columns["size_bytes"] or 0) <= largest:
            at_clock = columns.get("fpga_mhz") in clocks or not any(clocks)
            return "fitted" if at_clock else "clock"
        group = {f"{name}={columns[name]}" for name in GROUPS[:-1] if columns[name] is not None}
        if any(group <= words for words, _ in known.measured):
            return "combination"
    same_device = (platform.path, *_extended(platform.path))
    return "board" if any(_of(file).measured for file in same_device) else "device"


@cache
def _extended(path: Path) -> tuple[Path, ...]:
    """The platform files that a file extends, the nearest first."""
    name = read_toml(path)[0].get("extends")
    if not isinstance(name, str):
        return ()
    beside, shipped = path.parent / f"{name}.toml", Path(__file__).parent / f"{name}.toml"
    base = beside if beside.is_file() else shipped
    return (base, *_extended(base)) if base.is_file() else ()


def _nearest(
    intervals: Iterable[Earned],
    kind: str,
    platform: str,
    columns: Mapping[str, Value],
) -> Earned | None:
    """The interval of a kind that says most of what the point says; a platform's own first."""
    own = dict(zip(GROUPS, groups(columns)[-1], strict=True))
    fitting = [
        one
        for one in intervals
        if one.evidence == kind
        and one.platform in (None, platform)
        and all(getattr(one, name) in (None, own[name]) for name in GROUPS)
    ]
    return max(
        fitting,
        key=lambda one: (
            one.platform is not None,
            sum(getattr(one, name) is not None for name in GROUPS),
        ),
        default=None,
    )
