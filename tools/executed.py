# SPDX-License-Identifier: Apache-2.0
"""How far the executed programs are from the twin and from what was published: `make executed`.

    python -m tools.executed                 the sizes of SIZES, into docs/executed.md
    python -m tools.executed --all           every size; some hours
    python -m tools.executed --study cache-levels --print

Bare metal's rows of the two studies whose programs the processor or its PL330 copies with. A group
is who copies, under which caches, and in which direction.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tools import ROOT
from tools.generated import replaced
from weighbridge.analysis.compare import counts
from weighbridge.backends.walk import Question, answers
from weighbridge.dataset.files import write_text
from weighbridge.dataset.published import published_rows
from weighbridge.dataset.schema import Point
from weighbridge.dataset.table import point_of
from weighbridge.quantities import format_size

PAGE = ROOT / "docs/executed.md"
STUDIES = ("cache-levels", "hps-to-fpga")
SIZES = frozenset((64, 512, 4096, 65536))
#: From which size on a master's rows have a bar; before, the program's own code decides.
BARRED = {"cpu": 64, "pl330": 4096}
LEVELS = {
    "0": range(1),
    "1 to 3": range(1, 4),
    "4 and 5": range(4, 6),
    "6 and 7": range(6, 8),
    "8 and up": range(8, 14),
}


@dataclass(frozen=True)
class Compared:
    """A point with the time executed, by the twin and published; seconds, None: nobody said."""

    point: Point
    executed: float
    twin: float
    published: float


def published_points(studies: Iterable[str], sizes: frozenset[int]) -> dict[Point, float]:
    """Sound rows of bare metal, with their mean over the boards."""
    found: dict[Point, list[float]] = defaultdict(list)
    for row in published_rows(["cyclonev"]):
        if not counts(row, all_quality=False) or row["os"] != "baremetal":
            continue
        point, seconds = point_of(row), row["seconds"]
        assert isinstance(seconds, float)
        if point.study in studies and (not sizes or point.size_bytes in sizes):
            found[point].append(seconds)
    return {point: float(np.mean(seconds)) for point, seconds in found.items()}


def compared(points: dict[Point, float]) -> list[Compared]:
    """Every point that both answer."""
    numbered = dict(enumerate(points))
    times: dict[str, dict[Point, float]] = {}
    for backend in ("elf", "twin"):
        times[backend] = {
            outcome.point: outcome.seconds
            for chunk in answers(numbered, Question(backend), processes=2)
            for _, outcome in chunk
            if not isinstance(outcome, str)
        }
    both = [point for point in points if all(point in found for found in times.values())]
    return [Compared(p, times["elf"][p], times["twin"][p], points[p]) for p in both]


def group_of(point: Point) -> tuple[str, ...]:
    """Study, master, caches and direction."""
    level = point.cache_level or 0
    caches = next(name for name, levels in LEVELS.items() if level in levels)
    how = {None: "memcpy", True: "prepared", False: "unprepared"}[point.prepared]
    route = f" {point.route}" if point.route else ""
    return (point.study, f"{point.master}{route}, {how}", caches, point.direction)


def barred(point: Point) -> bool:
    """Whether a point is among those that the bars are for."""
    return point.prepared is not False and point.size_bytes >= BARRED[str(point.master)]


def table(all_points: list[Compared]) -> str:
    """The figures by group, as Markdown."""
    lines = [
        "| study | who | levels | direction | points | twin: median | p90 | data: median | p90 "
        "| worst against the data |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, ...], list[Compared]] = defaultdict(list)
    for one in all_points:
        if barred(one.point):
            groups[("all with a bar", "", "", "")].append(one)
            groups[group_of(one.point)].append(one)
        else:
            study, who, levels, direction = group_of(one.point)
            groups[(study, f"{who}, no bar", levels, direction)].append(one)
    for key in sorted(groups):
        members = groups[key]
        twin = [abs(one.executed / one.twin - 1) for one in members]
        data = [abs(one.executed / one.published - 1) for one in members]
        worst = members[int(np.argmax(data))]
        where = f"{worst.point.link} {worst.point.fpga_mhz:g} MHz"
        said = f"{100 * (worst.executed / worst.published - 1):+.0f} %: {where}, level "
        said += f"{worst.point.cache_level}, {format_size(worst.point.size_bytes)}"
        figures = [f"{100 * np.quantile(of, q):.1f} %" for of in (twin, data) for q in (0.5, 0.9)]
        lines.append(f"| {' | '.join((*key, str(len(members)), *figures, said))} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m tools.executed", description=__doc__)
    words.add_argument("--all", action="store_true")
    words.add_argument("--study", action="append")
    words.add_argument("--print", action="store_true", dest="shown")
    words.add_argument("--points", action="store_true")
    asked = words.parse_args()
    points = published_points(asked.study or STUDIES, frozenset() if asked.all else SIZES)
    found = compared(points)
    text = table(found)
    if asked.points:
        for one in sorted(found, key=lambda one: -abs(one.executed / one.published - 1)):
            point = one.point
            print(
                f"{point.study} {point.master} {point.link} {point.fpga_mhz:g} "
                f"{point.route or '-'} {point.prepared} L{point.cache_level} {point.direction} "
                f"{point.size_bytes} "
                f"elf {one.executed * 1e9:.0f} twin {one.twin * 1e9:.0f} "
                f"data {one.published * 1e9:.0f}"
            )
    if asked.shown:
        print(text, end="")
        return
    write_text(replaced(PAGE.read_text("utf-8"), "executed", f"\n{text}\n"), PAGE)


if __name__ == "__main__":
    main()
