# SPDX-License-Identifier: Apache-2.0
"""The headline: which master to use, what it gives, and how far to believe it."""

from __future__ import annotations

from weighbridge.dataset.values import DIRECTIONS
from weighbridge.quantities import format_rate, format_size, format_time
from weighbridge.report import measures
from weighbridge.report.accuracy import belief
from weighbridge.report.cyclonev import ways
from weighbridge.report.cyclonev.ways import BARE, LINKS, LINUX, MAIN, TOP_LINK, TOP_MHZ
from weighbridge.report.measures import TIE, seconds
from weighbridge.report.parts import BLANK, Cell, Evidence, Section, numeric, percent, table

#: The size the main question is asked at, bytes.
HEADLINE_SIZE = 64 << 10


def summary(evidence: Evidence) -> Section:
    """Fastest master at the headline size by system and direction, and where it changes."""
    found = {
        (os, direction): winners
        for os in (LINUX, BARE)
        for direction in DIRECTIONS
        if (winners := ways.best(evidence.run, os, direction))
    }
    sizes = measures.shared_sizes(*found.values())
    size = HEADLINE_SIZE if HEADLINE_SIZE in sizes else max(sizes, default=HEADLINE_SIZE)
    rows = [
        [Cell(os), Cell(direction), *_winner(size, winners[size]), Cell(_spans(winners), "wide")]
        for (os, direction), winners in found.items()
        if size in winners
    ]
    header = ("System", "Direction", "Fastest", "Rate", "Time", "Of ceiling", "Bound by", "By size")
    caption = f"Moving {format_size(size)}, {TOP_LINK} at {TOP_MHZ:g} MHz, DMA programs prepared"
    tables = table("headline", caption, header, rows)
    return Section(
        "summary",
        "The answer",
        f"{_headline(evidence)} {belief(evidence)}".strip(),
        tables=tables,
        answer=True,
        missing="" if tables else "These runs do not hold rival masters to choose from.",
    )


def _winner(size: int, winner: ways.Best) -> list[Cell]:
    ceiling, bound = winner.row["ceiling_seconds"], winner.row["bound_by"]
    time = seconds(winner.row)
    return [
        Cell(winner.name),
        numeric(format_rate(size, time)),
        numeric(format_time(time)),
        numeric(f"{100 * ceiling / time:.0f} %") if isinstance(ceiling, float) else BLANK,
        Cell(str(bound)) if bound else BLANK,
    ]


def _headline(evidence: Evidence) -> str:
    """One sentence: the fastest way in each direction, over everything the runs hold."""
    parts = []
    for direction in DIRECTIONS:
        rows = [
            curve[HEADLINE_SIZE]
            for track, curve in evidence.run.items()
            if (track.study, track.direction) == (MAIN, direction)
            and track.link in LINKS
            and track.fpga_mhz is not None
            and HEADLINE_SIZE in curve
        ]
        if rows:
            fastest = min(map(seconds, rows))
            # Of equals, the plainest: the widest bridge at the lowest clock.
            equals = [row for row in rows if seconds(row) <= TIE * fastest]
            row = min(equals, key=lambda row: (LINKS.index(str(row["link"])), row["fpga_mhz"]))
            os = {"linux": "Linux", "baremetal": "bare metal"}.get(str(row["os"]), row["os"])
            master = {"cpu": "CPU", "pl330": "PL330"}.get(str(row["master"]), row["master"])
            route = {"acp": " via ACP", "sdramc": " via SDRAM port"}.get(str(row["route"]), "")
            parts.append(
                f"{direction} {format_rate(HEADLINE_SIZE, seconds(row))} "
                f"({master}{route}, {os}, {row['link']} at {row['fpga_mhz']:g} MHz)"
            )
    if not parts:
        return ""
    size, band = format_size(HEADLINE_SIZE), percent(TIE - 1)
    return f"The fastest {size} in these runs, to within {band}: {'; '.join(parts)}."


def _spans(winners: dict[int, ways.Best]) -> str:
    texts: list[str] = []
    for name, first, last in ways.spans(winners):
        place = f"from {format_size(first)}" if texts else f"to {format_size(last)}"
        texts.append(f"{name.removeprefix('PL330 via ')} {place}")
    return ", ".join(texts)
