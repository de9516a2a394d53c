# SPDX-License-Identifier: Apache-2.0
"""Numbers out of rows: curves over size, their means and ratios.

Sizes are bytes, times seconds, clocks MHz, rates MB/s (10^6 bytes per second). Nothing here
knows of charts or pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from weighbridge.analysis.trust import DISTURBANCES
from weighbridge.dataset.schema import Value
from weighbridge.dataset.table import Row, joining_key

#: Within this of the winner's time the runner-up is as good: about the model's own error.
TIE = 1.02
#: Qualities of true times, though a model need not match them all; other rows are not drawn.
DRAWN_QUALITIES = ("ok", "posted", "board-dependent", *DISTURBANCES, None)


class Track(NamedTuple):
    """The columns that tell the study's curves apart."""

    study: Value
    os: Value
    master: Value
    route: Value
    cache_level: Value
    prepared: Value
    link: Value
    fpga_mhz: Value
    direction: Value


#: Rows by size, ascending.
Curve = Mapping[int, Row]
Curves = Mapping[Track, Curve]


def drawn(row: Row) -> bool:
    """Whether the row is a believed time above 0.

    A model's row always is: its quality says how a measurement of it would look.
    """
    seconds = row["seconds"]
    trusted = row["quality"] in DRAWN_QUALITIES or row["backend"] == "twin"
    return trusted and isinstance(seconds, (int, float)) and seconds > 0


def left_out(rows: Iterable[Row]) -> dict[str, int]:
    """Rows that are not drawn, by quality, most frequent first."""
    found = (
        row["quality"] if row["quality"] != "ok" else "no time" for row in rows if not drawn(row)
    )
    return dict(Counter(map(str, found)).most_common())


def unique(rows: Sequence[Row]) -> list[Row]:
    """The rows in order without repeats of a point; the first one counts."""
    return list({joining_key(row): row for row in reversed(rows)}.values())[::-1]


def curves(rows: Iterable[Row]) -> Curves:
    """The rows by curve and size; of several at one place the first one counts."""
    found: dict[Track, dict[int, Row]] = {}
    for row in rows:
        track = Track(*(row[name] for name in Track._fields))
        found.setdefault(track, {}).setdefault(size(row), row)
    return {track: dict(sorted(curve.items())) for track, curve in found.items()}


def size(row: Row) -> int:
    """Bytes of a transfer."""
    assert isinstance(row["size_bytes"], int)
    return row["size_bytes"]


def seconds(row: Row) -> float:
    """Time of a row that is drawn."""
    assert isinstance(row["seconds"], (int, float))
    return float(row["seconds"])


def rate(row: Row) -> float:
    """MB/s."""
    return size(row) / seconds(row) / 1e6


def size_mean(curve: Curve, sizes: Iterable[int]) -> float:
    """Mean of the rates at the sizes, MB/s: how the study condenses a curve."""
    return fmean(rate(curve[size]) for size in sizes)


def shared_sizes(*chosen: Mapping[int, object]) -> list[int]:
    """Sizes that all the curves have, ascending."""
    return sorted(set.intersection(*(set(curve) for curve in chosen))) if chosen else []


def mean_ratio(above: Curve, below: Curve, sizes: Sequence[int]) -> float | None:
    """Ratio of size-means over the sizes; None where a curve lacks one of them."""
    if not sizes or not all(size in above and size in below for size in sizes):
        return None
    return size_mean(above, sizes) / size_mean(below, sizes)


def clocks(known: Curves, track: Track) -> list[float]:
    """FPGA clocks, MHz, at which the track is known, ascending; its own clock is ignored."""
    found = (
        other.fpga_mhz
        for other in known
        if other._replace(fpga_mhz=None) == track._replace(fpga_mhz=None)
    )
    return sorted(mhz for mhz in found if isinstance(mhz, float))
