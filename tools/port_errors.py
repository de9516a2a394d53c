# SPDX-License-Identifier: Apache-2.0
"""How far the twin is from what was measured of several masters at the ports of one memory.

    tools/port_errors.py TABLE.csv [--beats N ...]

The rows of a test are its streams. A test's sum is judged first, then each stream by itself and in
points of its port's ceiling. Tests whose streams all run at 99.5 % of the ceiling or more say
nothing and are left out, and so are those with a row whose quality is not ok. A stream is starved
that gets less than a fifth of an equal share of its test.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import AXES, KEY
from weighbridge.dataset.table import point_of, typed_row
from weighbridge.platforms import load_platform

#: Columns of a row that say what was asked.
_ASKED = frozenset((*KEY, *AXES))
#: Columns that tell the streams of a test apart, or say what was measured of them.
_OF_A_STREAM = frozenset(
    ("block", "link", "direction", "seconds", "statistic", "min", "max", "n")
) | {"latency_cycles", "reads_in_flight", "quality"}
#: Of one test; the others tell tests of a group apart.
_OF_A_GROUP = ("platform", "study", "fpga_mhz", "mix", "access", "ddr_map", "hp0_qos")
_AT_THE_CEILING = 0.995
_STARVED = 0.2

Cells = dict[str, str]


@dataclass(slots=True)
class Errors:
    """Relative errors of tests' sums and of streams, and the streams' in points of the ceiling."""

    sums: list[float] = field(default_factory=list)
    streams: list[float] = field(default_factory=list)
    points: list[float] = field(default_factory=list)
    #: Streams starved in the measurement, in both, and in the twin alone.
    starved: int = 0
    found: int = 0
    named_wrong: int = 0

    def line(self) -> str:
        """The figures in one line; errors are median and nine of ten, in percent."""

        def both(errors: list[float]) -> str:
            if not errors:
                return "-"
            return " / ".join(f"{100 * float(np.quantile(errors, q)):.1f}" for q in (0.5, 0.9))

        return (
            f"{len(self.sums)} tests, sums {both(self.sums)} %, streams {both(self.streams)} %,"
            f" {both(self.points)} points; starved: {self.found} of {self.starved} found,"
            f" {self.named_wrong} named wrong"
        )


def measured_tests(table: Path, beats: frozenset[int]) -> Iterator[list[Cells]]:
    """The rows of each test of ports in a table; `beats`: of these burst lengths, or of all."""
    tests: dict[tuple[str, ...], list[Cells]] = defaultdict(list)
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            if not row["study"].startswith("hp-"):
                continue
            if beats and int(row["size_bytes"]) // 16 not in beats:
                continue
            key = tuple(cell for name, cell in row.items() if name not in _OF_A_STREAM)
            tests[key].append(row)
    yield from tests.values()


def errors(tests: Iterable[list[Cells]]) -> dict[tuple[str, ...], Errors]:
    """The errors of the twin by group of tests, in the order of the first of each."""
    twins: dict[str, Twin] = {}
    found: dict[tuple[str, ...], Errors] = defaultdict(Errors)
    for rows in tests:
        first = rows[0]
        if first["platform"] not in twins:
            twins[first["platform"]] = Twin(load_platform(first["platform"]))
        twin = twins[first["platform"]]
        size = int(first["size_bytes"])
        measured = np.array([size / float(row["seconds"]) for row in rows])
        points = [
            point_of(typed_row(((name, row[name]) for name in row if name in _ASKED), "the table"))
            for row in rows
        ]
        told = np.array([size / twin.predict(point).seconds for point in points])
        ceiling = size / twin.ceiling(points[0])
        group = found[tuple(first[name] for name in _OF_A_GROUP)]
        starved = measured < _STARVED * measured.mean()
        named = told < _STARVED * told.mean()
        group.starved += int(starved.sum())
        group.found += int((starved & named).sum())
        group.named_wrong += int((named & ~starved).sum())
        free = measured <= _AT_THE_CEILING * ceiling
        if not free.any() or any(row["quality"] != "ok" for row in rows):
            continue
        group.sums.append(abs(told.sum() / measured.sum() - 1))
        group.streams += list(abs(told / measured - 1)[free])
        group.points += list((abs(told - measured) / ceiling)[free])
    return found


def together(groups: Iterable[Errors]) -> Errors:
    """The errors of several groups as one."""
    total = Errors()
    for group in groups:
        total.sums += group.sums
        total.streams += group.streams
        total.points += group.points
        total.starved += group.starved
        total.found += group.found
        total.named_wrong += group.named_wrong
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("table", type=Path, help="a CSV file of such tests")
    parser.add_argument("--beats", type=int, nargs="*", default=[], help="burst lengths, of 16 B")
    chosen = parser.parse_args()
    groups = errors(measured_tests(chosen.table, frozenset(chosen.beats)))
    for key, group in groups.items():
        print(" ".join(key), "-", group.line())
    for platform in dict.fromkeys(key[0] for key in groups):
        own = together(group for key, group in groups.items() if key[0] == platform)
        print(f"{platform} in all -", own.line())


if __name__ == "__main__":
    main()
