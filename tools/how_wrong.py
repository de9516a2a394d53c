# SPDX-License-Identifier: Apache-2.0
"""Writes how wrong a prediction can be where nobody has measured: docs/how-wrong.md, and the
intervals of such predictions, platforms/accuracy/left-out.toml.

    python -m tools.how_wrong [--points N]

Points, clocks and combinations of a platform are left out in turn. Each time its fitted numbers
begin a factor off, by chance, and are learnt from the rest alone. A device is left out as a whole:
its fitted numbers are those of another one.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from tools import ROOT
from tools.measurements import Compared, digest, measured_rows
from tools.model_errors import FOLDER, interval_lines
from weighbridge.analysis.intervals import Array, bands
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.calibration.belief import (
    FACTOR,
    FARTHEST,
    belief,
    learnt,
    slopes,
    suggested,
    updated,
    variant,
)
from weighbridge.calibration.panel import panel
from weighbridge.calibration.parameters import turnable, turned
from weighbridge.dataset.files import write_text
from weighbridge.dataset.table import Row, point_of
from weighbridge.platforms import Parameter, Platform, load_platform
from weighbridge.platforms.evidence import Group, path_words

PAGE = ROOT / "docs/how-wrong.md"
#: Platforms whose numbers are learnt anew.
FITTED = ("cyclonev", "zynq7000")
#: Points of each platform, drawn by the seed, and the longest transfer among them in bytes.
POINTS, LONGEST, SEED = 140, 16384, 1
#: Steps towards the numbers that fit best, with the same slopes.
STEPS = 3
FOLDS = 5
#: How many points are measured of a new device, and how often by chance.
COUNTS, DRAWS = (1, 3, 10, 30), 3
#: Numbers of the Zynq-7000 -> those of the Cyclone V that stand for them; else those of the same
#: name. What has no counterpart keeps the value of its kind that is nearest.
STANDS_FOR = {
    "gp1": "hf",
    "cpu.loop_call": "cpu.ordered_call",
    "cpu.loop_access": "cpu.ordered_write",
    "cpu.ordered_read_line": "cpu.line_read",
}


@dataclass(frozen=True)
class Left:
    """What was left out: log(measured / predicted) of points that nothing was learnt from."""

    platform: str
    rows: Sequence[Row]
    residuals: Array

    @property
    def figures(self) -> str:
        """Median and nine of ten of the error, in per cent."""
        return figures(self.residuals)


def figures(residuals: Array) -> str:
    """Median and nine of ten of |predicted / measured - 1|, in per cent."""
    median, most = np.quantile(np.abs(np.exp(-residuals) - 1), (0.5, 0.9))
    return f"{100 * median:.1f} / {100 * most:.1f} %"


@dataclass(frozen=True)
class Case:
    """A platform, some of its measured rows and their times in seconds."""

    platform: Platform
    rows: Sequence[Row]
    measured: Array

    def residuals(self, platform: Platform) -> Array:
        """log(measured / predicted) with other numbers."""
        with panel(platform, [point_of(row) for row in self.rows], 1) as asked:
            return np.asarray(np.log(self.measured / asked.seconds([{}])[0]))


def case(name: str, points: int) -> Case:
    """Rows of a platform, drawn by the seed from those that are quick to answer."""
    platform = load_platform(name)
    twin = Twin(platform)

    def answered(row: Row) -> bool:
        try:
            twin.predict(point_of(row))
        except Unanswered:
            return False
        return True

    rows = [row for row in measured_rows(name) if int(row["size_bytes"] or 0) <= LONGEST]
    order = np.random.default_rng(SEED).permutation(len(rows))
    drawn = [rows[n] for n in sorted(order[: 2 * points]) if answered(rows[n])]
    drawn = [row for row in drawn if str(row["master"]) != "datra_dma"][
        :: max(1, len(drawn) // points)
    ]
    return Case(platform, drawn, np.array([float(row["seconds"] or 0) for row in drawn]))


def left_out(of: Case, level: Callable[[Row], Hashable], steep: Array) -> Left:
    """Each value of a level left out in turn; steep: slopes at the platform's own numbers."""
    parameters = _fitted(of.platform)
    before = belief(parameters)
    random = np.random.default_rng(SEED)
    off = random.multivariate_normal(np.zeros(len(parameters)), before.covariance)
    start = np.clip(off, -FARTHEST, FARTHEST)
    values = [level(row) for row in of.rows]
    found = np.full(len(of.rows), np.nan)
    for value in dict.fromkeys(values):
        out = np.array([one == value for one in values])
        at = start
        for _ in range(STEPS):
            wanted = of.residuals(turned(of.platform, variant(parameters, at)))
            # As if the slopes were straight, about where the numbers began.
            wanted += steep @ (at - start)
            at = start + updated(steep[~out], wanted[~out], before)
            at = np.clip(at, -FARTHEST, FARTHEST)
        found[out] = of.residuals(turned(of.platform, variant(parameters, at)))[out]
    return Left(of.platform.name, of.rows, found)


def folded(rows: Sequence[Row], key: Callable[[Row], Hashable]) -> Callable[[Row], Hashable]:
    """A level of a few folds; rows of one key are in one fold."""
    keys = list(dict.fromkeys(map(key, rows)))
    order = np.random.default_rng(SEED).permutation(len(keys)) % FOLDS
    fold = dict(zip(keys, order.tolist(), strict=True))
    return lambda row: fold[key(row)]


def _fitted(platform: Platform) -> list[Parameter]:
    return [one for one in turnable(platform) if one.fitted]


def from_another(platform: Platform, other: Platform) -> Platform:
    """A platform whose fitted numbers are those of another device."""
    values = {one.name: one for one in other.parameters()}
    names: dict[str, float] = {}
    for one in _fitted(platform):
        owner, _, field = one.name.rpartition(".")
        stands = STANDS_FOR.get(one.name, f"{STANDS_FOR.get(owner, owner)}.{field}")
        there = values.get(stands)
        if there is not None and there.unit == one.unit and there.value > 0:
            names[one.name] = there.value
    return turned(platform, names)


@dataclass(frozen=True)
class Learning:
    """Of a device that nobody measured: the error at first, after points, and of the full fit."""

    numbers: int
    taken: int
    full: Array
    first: Array
    after: Mapping[int, tuple[Array, list[Array]]]


def learning(of: Case, start: Platform) -> Learning:
    """The errors of the rest after points that are suggested, and after points drawn by chance."""
    names = {one.name for one in _fitted(of.platform)}
    parameters = [one for one in start.parameters() if one.name in names]
    own = {one.name: one.value for one in of.platform.parameters()}
    points = [point_of(row) for row in of.rows]
    before = belief(parameters)
    with panel(start, points, 1) as asked:
        steep = slopes(asked, parameters, np.zeros(len(parameters)))
    chosen, _ = suggested(steep, before, max(COUNTS))

    def rest(which: Sequence[int]) -> Array:
        with panel(start, [points[n] for n in which], 1) as asked:
            at = learnt(asked, of.measured[list(which)], before)
        return np.delete(of.residuals(turned(start, variant(parameters, at))), list(which))

    orders = [np.random.default_rng(n).permutation(len(points)) for n in range(DRAWS)]
    after = {
        count: (rest(chosen[:count]), [rest(order[:count].tolist()) for order in orders])
        for count in COUNTS
        if count < len(points)
    }
    return Learning(
        len(parameters),
        sum(one.value != own[one.name] for one in parameters),
        of.residuals(of.platform),
        of.residuals(start),
        after,
    )


def main() -> None:
    """Writes the page and the intervals."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=POINTS, help="of each platform")
    count = parser.parse_args().points
    cases = {name: case(name, count) for name in FITTED}
    levels: dict[str, list[Left]] = {"point": [], "clock": [], "combination": []}
    for name, of in cases.items():
        parameters = _fitted(of.platform)
        with panel(of.platform, [point_of(row) for row in of.rows], 1) as asked:
            steep = slopes(asked, parameters, np.zeros(len(parameters)))
        keys: dict[str, Callable[[Row], Hashable]] = {
            "point": folded(of.rows, id),
            "clock": lambda row: row["fpga_mhz"],
            "combination": folded(of.rows, path_words),
        }
        for level, key in keys.items():
            levels[level].append(left_out(of, key, steep))
            print(f"{name}, {level}: {levels[level][-1].figures}", flush=True)
    zynq = cases["zynq7000"]
    learnt_zynq = learning(zynq, from_another(zynq.platform, cases["cyclonev"].platform))
    boards = _ports("zynqmp-ultra96v2", None, count)
    zcu102 = _ports("zynqmp-zcu102", "zynqmp-ultra96", count)
    device = [Left("zynq7000", zynq.rows, learnt_zynq.first), zcu102]
    write_text(_intervals(levels, [boards], device, cases), FOLDER / "left-out.toml")
    write_text(_page(cases, levels, boards, zcu102, learnt_zynq), PAGE)
    print(f"{PAGE.relative_to(ROOT)} and left-out.toml: written")


def _ports(name: str, other: str | None, count: int) -> Left:
    """Ports of a memory, with the fitted numbers of another board where that is said."""
    of = case(name, count)
    platform = of.platform if other is None else from_another(of.platform, load_platform(other))
    return Left(name, of.rows, of.residuals(platform))


def made_of(cases: Iterable[Case]) -> tuple[str, str]:
    """Digests of the measured rows, and of what the twin says of them with its own numbers."""
    cases = list(cases)
    told = [round(float(one), 6) for of in cases for one in of.residuals(of.platform)]
    rows = [row for of in cases for row in of.rows]
    return digest(rows), hashlib.sha256(str(told).encode()).hexdigest()[:16]


def _intervals(
    levels: Mapping[str, Sequence[Left]],
    boards: Sequence[Left],
    devices: Sequence[Left],
    cases: Mapping[str, Case],
) -> str:
    data, told = made_of(cases.values())
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by `make how-wrong`: nine of ten measured times lie from low to high times the",
        "# predicted one where the evidence is no nearer than this; of a platform, or of any.",
        f"date = {date.today()}",
        f'data = "{data}"',
        f'told = "{told}"',
    ]
    kinds = {"clock": levels["clock"], "combination": levels["combination"]}
    for evidence, lefts in {**kinds, "board": boards, "device": devices}.items():
        for platform in (None, *(left.platform for left in lefts if evidence in kinds)):
            chosen = [left for left in lefts if platform in (None, left.platform)]
            rows = [row for left in chosen for row in left.rows]
            residuals = np.concatenate([left.residuals for left in chosen])
            everything: list[list[Group]] = [[()]] * len(rows)
            found = bands(residuals, list(map(Compared.curve, rows)), everything)
            lines += interval_lines(evidence, found, platform)
    return "\n".join(lines) + "\n"


def _page(
    cases: Mapping[str, Case],
    levels: Mapping[str, Sequence[Left]],
    boards: Left,
    zcu102: Left,
    zynq: Learning,
) -> str:
    sizes = " and ".join(f"{len(of.rows)} of the {name}" for name, of in cases.items())
    rows = []
    words = {"point": "points", "clock": "clocks", "combination": "combinations"}
    for level, title in words.items():
        cells = " | ".join(left.figures for left in levels[level])
        rows.append(f"| {title} | {cells} |")
    full = float(np.median(np.abs(zynq.full)))
    steps = []
    for count, (chosen, drawn) in zynq.after.items():
        chance = figures(np.concatenate(drawn))
        steps.append(f"| {count} | {figures(chosen)} | {chance} |")
    ten, by_chance = zynq.after.get(10, next(iter(zynq.after.values())))
    ratio = float(np.median(np.abs(ten))) / full
    chance_ratio = float(np.median(np.abs(np.concatenate(by_chance)))) / full
    holds = "holds" if ratio <= 2 and ratio < chance_ratio else "does not hold"
    return f"""# How wrong a prediction can be

`make how-wrong` writes this page and the intervals of predictions that nobody has measured. All
figures are errors of the time, median / nine of ten, on {sizes},
drawn by the seed from the published points of at most {LONGEST // 1024} KiB.

**What `advise`, `explain`, `curve` and `report` print** is an interval in which nine of ten
measurements lie. It is earned on curves that were held out (`make errors`), and it says what it
rests on: this path measured at this clock, at other clocks, other paths of the platform, another
board with this device, or other devices only. A platform file that nobody measured has the last.

## Left out of a platform that was measured

Each number that is fitted begins off by a factor of about {FACTOR:g}, by chance, and is learnt from
the rest alone: five folds of points, each clock by itself, five folds of whole paths.

| left out | Cyclone V | Zynq-7000 |
|---|---|---|
{chr(10).join(rows)}

## Another board, another device

| predicted | from | error |
|---|---|---|
| Ultra96-V2, bursts of 64 B | the Ultra96's numbers, its own registers | {boards.figures} |
| ZCU102, one port | the Ultra96's fitted numbers and the part's values | {zcu102.figures} |
| Zynq-7000 | the Cyclone V's fitted numbers and the Zynq's datasheet | {figures(zynq.first)} |
| Zynq-7000 | its own measurements, all of them | {figures(zynq.full)} |

Of the {zynq.numbers} fitted numbers of the Zynq-7000 that can be turned, {zynq.taken} are taken
from the Cyclone V; the others have no counterpart there, or the same value, and keep their own. The
start is therefore a little better than a datasheet alone would make it. The one number of the
Ultra96-V2 that is fitted, cycles before a burst, is fitted on its single bursts. Of the ZCU102's
numbers all that are fitted are the Ultra96's where that has them; its memory's are the part's.

## A few measurements of your own

The Zynq-7000 again, from the Cyclone V's numbers, after points that `calibrate --suggest` names and
after as many drawn by chance ({DRAWS} draws together). The error is that of the rest.

| points measured | suggested | by chance |
|---|---|---|
{chr(10).join(steps)}

The bar is that ten suggested points bring the median of the rest to at most twice the full fit's,
and below that of points drawn by chance. It {holds}: {ratio:.1f} times the full fit's, by chance
{chance_ratio:.1f} times. The full fit is the platform's own file, which has seen all points,
those of the rest too. What limits ten points: {zynq.numbers} numbers are in doubt, each by a factor
of about {FACTOR:g}, which ten points cannot all tell. The first table is of a rougher way of
learning, with slopes that are taken once, for what it costs to leave much out.
"""


if __name__ == "__main__":
    main()
