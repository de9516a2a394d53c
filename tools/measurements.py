# SPDX-License-Identifier: Apache-2.0
"""The measurements that the twin is judged by: those of the package, and the table of several
masters at one memory, which lies beside the checkout."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from tools import ROOT
from weighbridge.analysis.compare import CURVE, counts
from weighbridge.analysis.intervals import Array
from weighbridge.backends.walk import Question, answers
from weighbridge.dataset.published import published_platforms, published_rows
from weighbridge.dataset.schema import AXES, COLUMNS, KEY
from weighbridge.dataset.table import Row, joining_key, point_of, typed_row
from weighbridge.platforms import platform_names

#: Ports of a memory that several masters of the fabric use: rows of streams.
PORTS = ROOT / "../shared/data/zynqmp.csv"
#: A stream at its port's ceiling says nothing of the twin.
AT_THE_CEILING = 0.995
#: Columns of a stream that differ along a curve, or from one stream to the next of a test.
_OF_A_STREAM = ("stride_bytes", "block")
#: Bytes of the longest piece that ports make of a burst: multiples of it nearly repeat each other.
_PIECE = 256


@dataclass(frozen=True)
class Compared:
    """Sound rows of a platform and what the twin says of each.

    numbers: of the rows, their places in measured_rows(). all_rows: with those that say nothing of
    the twin. residuals: log(measured / predicted).
    """

    platform: str
    numbers: Sequence[int]
    rows: Sequence[Row]
    predicted: Sequence[Row]
    all_rows: Sequence[Row]
    unanswered: int

    @property
    def residuals(self) -> Array:
        measured, told = (
            np.array([float(row["seconds"] or 0) for row in rows])
            for rows in (self.rows, self.predicted)
        )
        return np.asarray(np.log(measured / told))

    @staticmethod
    def curve(row: Row) -> Hashable:
        """What a row errs together with; streams' bursts of whole pieces are all one."""
        if row["active_ports"] is not None and int(row["size_bytes"] or 0) % _PIECE == 0:
            return "whole pieces"
        return tuple(row[name] for name in CURVE if name not in _OF_A_STREAM)

    def told(self, every: int) -> str:
        """A digest of the predictions for one of so many measured rows."""
        both = zip(self.numbers, self.predicted, strict=True)
        text = " ".join(f"{row['seconds']:.6g}" for number, row in both if number % every == 0)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest(rows: Sequence[Row]) -> str:
    """A digest of measured points and their times, in their order."""
    text = "\n".join(f"{joining_key(row)} {row['seconds']}" for row in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def measured_platforms() -> list[str]:
    """Platforms that there are measurements of here."""
    return sorted({*published_platforms(), *(str(row["platform"]) for row in _port_rows())})


def measured_rows(platform: str) -> list[Row]:
    """The sound rows of a platform."""
    rows = [*published_rows([platform]), *_port_rows()]
    return [row for row in rows if row["platform"] == platform and counts(row, all_quality=False)]


def compared(platform: str, every: int = 1) -> Compared:
    """The twin against every sound row of a platform, or against one of so many."""
    all_rows = measured_rows(platform)
    rows = all_rows[::every]
    points = dict(enumerate(dict.fromkeys(map(point_of, rows))))
    told = {
        points[number]: outcome.row()
        for chunk in answers(points, Question("twin"), processes=2)
        for number, outcome in chunk
        if not isinstance(outcome, str)
    }
    answered = [n for n in range(0, len(all_rows), every) if point_of(all_rows[n]) in told]
    said = [n for n in answered if not _at_the_ceiling(all_rows[n], told[point_of(all_rows[n])])]
    return Compared(
        platform,
        said,
        [all_rows[n] for n in said],
        [told[point_of(all_rows[n])] for n in said],
        [all_rows[n] for n in answered],
        len(rows) - len(answered),
    )


def _at_the_ceiling(row: Row, told: Row) -> bool:
    at_best = float(told["ceiling_seconds"] or 0)
    streams = row["active_ports"] is not None
    return streams and float(row["seconds"] or 0) * AT_THE_CEILING <= at_best


@cache
def _port_rows() -> tuple[Row, ...]:
    """The table's rows; those of a board that has a platform of its own are that one's.

    Its `prepared` says how a buffer was used, which the twin is not asked.
    """
    if not PORTS.is_file():
        return ()
    known = {*KEY, *AXES, *COLUMNS} - {"prepared", "n"}
    rows = []
    with PORTS.open(newline="", encoding="utf-8") as file:
        for line, cells in enumerate(csv.DictReader(file), 2):
            row = typed_row(
                ((name, cell) for name, cell in cells.items() if name in known),
                f"{PORTS.name}, line {line}",
            )
            own = f"{str(row['platform']).partition('-')[0]}-{row['board']}"
            rows.append(row | ({"platform": own} if own in platform_names() else {}))
    return tuple(rows)
