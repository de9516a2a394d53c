# SPDX-License-Identifier: Apache-2.0
"""The ways of moving bytes that the Cyclone V study compares: their curves, and which is best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weighbridge.dataset.table import Row
from weighbridge.report.measures import Curve, Curves, Track, seconds, shared_sizes

LINKS = ("HF128", "HF64", "HF32", "LW32")
#: The clock and bridge at which the study compares masters, in MHz.
TOP_MHZ = 150.0
TOP_LINK = "HF128"
PLATFORM = "cyclonev"
MAIN = "hps-to-fpga"
LEVELS = "cache-levels"


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
