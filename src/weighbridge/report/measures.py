# SPDX-License-Identifier: Apache-2.0
"""Numbers of the Cyclone V study out of its rows: curves, size-means, preparation, best masters.

Sizes are bytes, times seconds, clocks MHz, rates MB/s (10^6 bytes per second). Nothing here
knows of charts or pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from weighbridge.dataset.schema import Value
from weighbridge.dataset.table import Row, joining_key

DIRECTIONS = ("cpu_to_fpga", "fpga_to_cpu")
LINKS = ("HF128", "HF64", "HF32", "LW32")
#: The clock and bridge at which the study compares masters, in MHz.
TOP_MHZ = 150.0
TOP_LINK = "HF128"
MAIN = "hps-to-fpga"
LEVELS = "cache-levels"
#: Within this of the winner's time the runner-up is as good: about the model's own error.
TIE = 1.02
#: Qualities of times that are true, if not all to be matched; rows of others are not drawn.
DRAWN_QUALITIES = ("ok", "posted", "board-dependent", None)


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


@dataclass(frozen=True, slots=True)
class Way:
    """One way of moving bytes, as the study names it: who moves, under what, by which route."""

    os: str
    name: str
    master: str
    route: str | None
    cache_level: int

    @property
    def label(self) -> str:
        return f"{self.os}, {self.name}"

    def track(
        self, link: str, direction: str, mhz: float = TOP_MHZ, *, prepared: bool = True
    ) -> Track:
        """The curve of this way; `prepared` counts for the DMA only."""
        return Track(
            MAIN,
            {LINUX: "linux", BARE: "baremetal"}[self.os],
            self.master,
            self.route,
            self.cache_level,
            prepared if self.route else None,
            link,
            mhz,
            direction,
        )


CPU, CPU_OFF = "CPU", "CPU, caches off"
ACP, SDRAM = "PL330 via ACP", "PL330 via SDRAM port"
LINUX, BARE = "Linux", "bare metal"

#: The study's seven ways. The bare-metal SDRAM port stands at cache level 0 because that is
#: how it was measured.
WAYS = (
    Way(LINUX, CPU, "cpu", None, 9),
    Way(LINUX, ACP, "pl330", "acp", 9),
    Way(LINUX, SDRAM, "pl330", "sdramc", 9),
    Way(BARE, CPU, "cpu", None, 9),
    Way(BARE, CPU_OFF, "cpu", None, 0),
    Way(BARE, ACP, "pl330", "acp", 9),
    Way(BARE, SDRAM, "pl330", "sdramc", 0),
)
CPU_WAYS = tuple(way for way in WAYS if way.master == "cpu")
DMA_WAYS = tuple(way for way in WAYS if way.master == "pl330")
#: The three masters that the best-master table chooses from, per system.
RIVALS = {
    os: tuple(way for way in WAYS if way.os == os and way.name != CPU_OFF) for os in (LINUX, BARE)
}


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


def preparation(whole: Curve, prepared: Curve) -> dict[int, tuple[float, float]]:
    """By size: seconds spent on building the DMA program, and their share of the whole."""
    return {
        size: (
            seconds(whole[size]) - seconds(prepared[size]),
            1 - seconds(prepared[size]) / seconds(whole[size]),
        )
        for size in shared_sizes(whole, prepared)
    }


@dataclass(frozen=True, slots=True)
class Best:
    """The fastest of the rival masters at one size."""

    name: str
    row: Row
    #: Time of the runner-up over the winner's, at least 1.
    margin: float


def best(known: Curves, os: str, direction: str) -> dict[int, Best]:
    """Fastest master by size at the top bridge and clock.

    Only sizes answered for every rival that is known at all: a table in which a master is
    missing at one size would name a winner by default.
    """
    rivals = {way.name: known.get(way.track(TOP_LINK, direction)) for way in RIVALS[os]}
    present = {name: curve for name, curve in rivals.items() if curve}
    if len(present) < 2:
        return {}
    winners = {}
    for size in shared_sizes(*present.values()):
        ranked = sorted((seconds(curve[size]), name) for name, curve in present.items())
        (fastest, name), (runner_up, _) = ranked[:2]
        winners[size] = Best(name, present[name][size], runner_up / fastest)
    return winners


def spans(winners: Mapping[int, Best]) -> list[tuple[str, int, int]]:
    """Stretches of sizes with one winner: (name, first size, last size), by size."""
    found: list[tuple[str, int, int]] = []
    for size, winner in winners.items():
        if found and found[-1][0] == winner.name:
            found[-1] = (winner.name, found[-1][1], size)
        else:
            found.append((winner.name, size, size))
    return found
