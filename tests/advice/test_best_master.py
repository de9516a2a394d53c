# SPDX-License-Identifier: Apache-2.0
"""The advice against the study's best-master table: HF128, 150 MHz, programs prepared."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from weighbridge.advice.ranking import Ranked, rank
from weighbridge.dataset.table import Row, read_rows
from weighbridge.platforms import load_platform

DATA = Path(__file__).parents[2] / "../shared/data"
TABLE = DATA / "cyclonev_published_tables.csv"
ROWS = DATA / "cyclonev.csv"
#: Largest part of the best rate that advice may cost.
LOST_RATE = 0.05

OS = {"angstrom": "linux", "baremetal": "baremetal"}
DIRECTION = {"WR": "cpu_to_fpga", "RD": "fpga_to_cpu"}
MASTER = {None: "CPU", "acp": "DMA ACP", "sdramc": "DMA SDRAMC"}
SIZES = [2**power for power in range(1, 22)]

needs_data = pytest.mark.skipif(not TABLE.exists(), reason=f"{TABLE} is not there")
Question = tuple[str, str, int]


@cache
def best_masters() -> dict[Question, str]:
    """The published winner for each OS, direction and size."""
    found: dict[Question, str] = {}
    with TABLE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["table"].startswith("Best-AXI-Master-table"):
                os, direction = row["row"].split()
                first, last = (_size(text) for text in row["col"].split("-"))
                for size in SIZES:
                    if first <= size <= last:
                        found[OS[os], DIRECTION[direction], size] = row["published"]
    return found


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+)(B|kB|MB)", text)
    assert match
    return int(match[1]) * {"B": 1, "kB": 2**10, "MB": 2**20}[match[2]]


@cache
def published_seconds() -> dict[tuple[Question, str], float]:
    """The published time for each OS, direction, size and master."""
    return {
        ((str(row["os"]), str(row["direction"]), int(row["size_bytes"] or 0)), _master(row)): float(
            row["seconds"] or 0
        )
        for row in _table_rows()
    }


def _table_rows() -> Iterator[Row]:
    for row in read_rows(ROWS):
        level = 0 if (row["os"], row["route"]) == ("baremetal", "sdramc") else 9
        if (
            (row["study"], row["link"], row["fpga_mhz"]) == ("hps-to-fpga", "HF128", 150)
            and row["prepared"] is not False
            and row["cache_level"] == level
        ):
            yield row


def _master(row: Row) -> str:
    route = row["route"]
    assert route is None or isinstance(route, str)
    return MASTER[route]


@cache
def advice(question: Question) -> list[Ranked]:
    os, direction, size = question
    where = {"link": ["HF128"], "prepared": [True, None]}
    ranked = rank(load_platform("cyclonev"), size, direction, os, 150, where)
    return [one for one in ranked if (one.point.master, one.point.cache_level) != ("cpu", 0)]


def each_question(test: object) -> object:
    for name, values in (
        ("size", SIZES),
        ("direction", list(DIRECTION.values())),
        ("os", list(OS.values())),
    ):
        test = pytest.mark.parametrize(name, values)(test)  # type: ignore[arg-type]
    return needs_data(test)  # type: ignore[arg-type]


@needs_data
def test_the_table_is_complete() -> None:
    assert len(best_masters()) == 84
    assert len(published_seconds()) == 84 * 3


@each_question
def test_the_winner_is_the_published_one_or_a_tie(os: str, direction: str, size: int) -> None:
    question = (os, direction, size)
    tied = {MASTER[one.point.route] for one in advice(question) if one.rank == 1}
    assert best_masters()[question] in tied


@each_question
def test_advice_costs_little(os: str, direction: str, size: int) -> None:
    question = (os, direction, size)
    fastest = min(advice(question), key=lambda one: one.seconds)
    ours = published_seconds()[question, MASTER[fastest.point.route]]
    best = min(published_seconds()[question, master] for master in MASTER.values())
    assert 1 - best / ours <= LOST_RATE
