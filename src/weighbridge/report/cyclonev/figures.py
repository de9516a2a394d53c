# SPDX-License-Identifier: Apache-2.0
"""The Cyclone V study's own figures and tables, a section each, in reading order."""

from __future__ import annotations

from collections.abc import Sequence

from weighbridge.dataset.table import Row
from weighbridge.dataset.values import DIRECTIONS
from weighbridge.quantities import format_rate, format_size, format_time
from weighbridge.report import charts, measures
from weighbridge.report.charts import Axis, Series, Values, rounded
from weighbridge.report.cyclonev import ways
from weighbridge.report.cyclonev.curves import PROGRAM, figure, labels, present, records, sized
from weighbridge.report.cyclonev.ways import (
    ACP,
    BARE,
    CPU,
    CPU_OFF,
    CPU_WAYS,
    DMA_WAYS,
    LEVELS,
    LINKS,
    LINUX,
    MAIN,
    RIVALS,
    SDRAM,
    TOP_LINK,
    TOP_MHZ,
    WAYS,
    Way,
)
from weighbridge.report.measures import TIE
from weighbridge.report.parts import BLANK, Cell, Evidence, Figure, Section, Table, beside, table

#: Sizes over which the cache study takes its means, bytes.
LEVEL_SIZES = range(32, (2 << 20) + 1)

AT_TOP = f"{TOP_LINK} at {TOP_MHZ:g} MHz"
_OS = Series("os", "System", (LINUX, BARE))

_WAY = Series("way", "Master and route", (CPU, CPU_OFF, ACP, SDRAM))
_LINK = Series("link", "Bridge", LINKS)


def study_sections(evidence: Evidence) -> list[Section]:
    """Every section in reading order; one without rows says which study to run for it."""
    built = (
        best_masters(evidence),
        every_way(evidence),
        bridges(evidence),
        clock(evidence),
        systems(evidence),
        caches(evidence),
        masters(evidence),
        preparation(evidence),
        cache_levels(evidence),
    )
    return [section if section.figures or section.tables else _absent(section) for section in built]


def _absent(section: Section) -> Section:
    study = LEVELS if section.id == "cache-levels" else MAIN
    missing = f"Not in these runs. To see it: weighbridge run {ways.PLATFORM}/{study}"
    return Section(section.id, section.title, section.lead, missing=missing)


def best_masters(evidence: Evidence) -> Section:
    """Which master is fastest by size, direction and system."""
    columns = [(os, direction) for os in (LINUX, BARE) for direction in DIRECTIONS]
    ours = [ways.best(evidence.run, *column) for column in columns]
    theirs = [ways.best(evidence.reference, *column) for column in columns]
    rows = [
        [
            Cell(format_size(size)),
            *(
                _best_cell(size, mine.get(size), other.get(size))
                for mine, other in zip(ours, theirs, strict=True)
            ),
        ]
        for size in sorted(set().union(*ours))
    ]
    lead = (
        "The fastest of CPU, PL330 via ACP and PL330 via SDRAM port (programs prepared; "
        "bare-metal SDRAM port with caches off) at each size, with its rate. The sign ≈ means "
        f"that the runner-up is within {100 * (TIE - 1):.0f} %."
    )
    if any(theirs):
        lead += " A cell marked † names another master than the reference does."
    header = ("Size", *(f"{os} {direction}" for os, direction in columns))
    tables = table("best-master-table", f"Fastest master, {AT_TOP}", header, rows)
    return Section("best-masters", "Best master by size", lead, tables=tables)


def _best_cell(size: int, ours: ways.Best | None, theirs: ways.Best | None) -> Cell:
    if ours is None:
        return BLANK
    style = {CPU: "first", ACP: "second", SDRAM: "third"}[ours.name]
    marks, note = "", format_time(measures.seconds(ours.row))
    if theirs is not None:
        marks += " †" if theirs.name != ours.name else ""
        note += f"; reference: {theirs.name}, {format_rate(size, measures.seconds(theirs.row))}"
    marks += " ≈" if ours.margin < TIE else ""
    rate = format_rate(size, measures.seconds(ours.row))
    return Cell(f"{ours.name.removeprefix('PL330 via ')}{marks} · {rate}", style, note)


def every_way(evidence: Evidence) -> Section:
    """The study's main figure: seven ways in both directions at the top bridge and clock."""
    return Section(
        "curves",
        "Every way at its best bridge",
        f"The rate of each way over the transfer size, {AT_TOP}: the processor's own copy, and "
        "the PL330 DMA controller through the cache port (ACP) or the SDRAM port, its program "
        "prepared beforehand.",
        figure(
            "curves",
            f"Rate over size, {AT_TOP}",
            "A fixed cost per transfer rules on the left, bytes per cycle on the right. "
            "The bare-metal SDRAM port is taken with caches off, as it was measured. "
            + charts.CEILING,
            records(evidence, WAYS),
            _WAY,
            _OS,
        ),
    )


def bridges(evidence: Evidence) -> Section:
    """Rate by bridge for the processor and for the DMA under either system, and the ratios."""
    figures: list[Figure] = []
    for name, title, chosen in (
        ("cpu", "CPU", CPU_WAYS),
        ("dma-linux", "PL330, Linux", [way for way in DMA_WAYS if way.os == LINUX]),
        ("dma-bare-metal", "PL330, bare metal", [way for way in DMA_WAYS if way.os == BARE]),
    ):
        figures += figure(
            f"bridges-{name}",
            f"Bridges, {title}, {TOP_MHZ:g} MHz",
            "The bridge's width counts where the link is the bottleneck; where the curves lie "
            "together, something else is.",
            records(evidence, chosen, LINKS),
            _LINK,
            Series("label", "Way", tuple(way.label for way in chosen)),
        )
    columns = [(link, direction) for link in LINKS[1:] for direction in DIRECTIONS]
    rows = [
        [
            Cell(way.label),
            *(
                beside(
                    *evidence.ratios(way.track(link, direction), way.track(TOP_LINK, direction)), 2
                )
                for link, direction in columns
            ),
        ]
        for way in WAYS
    ]
    return Section(
        "bridges",
        "Bridges",
        f"The same ways over the bridges of different width, all at {TOP_MHZ:g} MHz.",
        figures,
        table(
            "bridge-ratios",
            f"Mean rate over sizes relative to {TOP_LINK} at {TOP_MHZ:g} MHz (1 = as fast)",
            ("Way", *(f"{link}/{TOP_LINK} {direction}" for link, direction in columns)),
            rows,
        ),
    )


def clock(evidence: Evidence) -> Section:
    """Mean rate over the FPGA clock, and what is lost below the top clock."""
    figures: list[Figure] = []
    tables: list[Table] = []
    for link in LINKS:
        values = [
            value
            for way in WAYS
            for direction in DIRECTIONS
            for value in _clock_records(evidence, way, link, direction)
        ]
        clocks = sorted({value["mhz"] for value in values})
        if not values:
            continue
        chart = charts.lines(
            values,
            x=charts.clock_x(clocks),
            y=Axis("rate", "Mean rate over sizes (MB/s)"),
            colour=present(_WAY, values),
            dash=present(_OS, values),
            tooltip={
                "label": "Path",
                "source": "From",
                "mhz": "Clock (MHz)",
                "rate": "Mean rate (MB/s)",
            },
            description=f"Mean rate over the FPGA clock on {link}",
        )
        caption = "A flat line is a path that the fabric does not hold back."
        figures.append(Figure(f"clock-{link.lower()}", f"Clock effect, {link}", caption, chart))
        tables += _reductions(evidence, link, [mhz for mhz in clocks if mhz < TOP_MHZ])
    return Section(
        "clock",
        "FPGA clock",
        "How much of each way follows the clock of the fabric: the mean rate over the sizes "
        "against the clock, and as a table what is lost below the top clock.",
        figures,
        tables,
    )


def _clock_records(evidence: Evidence, way: Way, link: str, direction: str) -> Values:
    """A record per clock and source, all over the sizes that the runs have at every clock."""
    clocks = measures.clocks(evidence.run, way.track(link, direction))
    if len(clocks) < 2:
        return []
    sizes = measures.shared_sizes(
        *(evidence.run[way.track(link, direction, mhz)] for mhz in clocks)
    )
    values: Values = []
    for source, known in evidence.sources():
        for mhz in clocks:
            curve = known.get(way.track(link, direction, mhz), {})
            if sizes and all(size in curve for size in sizes):
                mean = rounded(measures.size_mean(curve, sizes))
                values.append(labels(way, direction, source) | {"mhz": mhz, "rate": mean})
    return values


def _reductions(evidence: Evidence, link: str, clocks: Sequence[float]) -> tuple[Table, ...]:
    columns = [(mhz, direction) for mhz in reversed(clocks) for direction in DIRECTIONS]
    rows = []
    for way in WAYS:
        cells = [Cell(way.label)]
        for mhz, direction in columns:
            ratios = evidence.ratios(
                way.track(link, direction, mhz), way.track(link, direction, TOP_MHZ)
            )
            lost = [None if ratio is None else 100 * (1 - ratio) for ratio in ratios]
            cells.append(beside(lost[0], lost[1], 1))
        rows.append(cells)
    return table(
        f"clock-reduction-{link.lower()}",
        f"Rate lost with the clock, {link}: 100 * (1 - mean(f) / mean({TOP_MHZ:g} MHz)), %",
        ("Way", *(f"{TOP_MHZ:g} to {mhz:g} MHz {direction}" for mhz, direction in columns)),
        rows,
    )


def systems(evidence: Evidence) -> Section:
    """Bare metal over Linux, as ratios of mean rates by master and bridge."""
    ways = {(way.os, way.name): way for way in WAYS}
    values: Values = []
    for name in (CPU, ACP, SDRAM):
        for link in LINKS:
            for direction in DIRECTIONS:
                bare, linux = (ways[os, name].track(link, direction) for os in (BARE, LINUX))
                for source, ratio in zip(
                    ("run", "reference"), evidence.ratios(bare, linux), strict=True
                ):
                    if ratio is not None:
                        values.append(
                            {
                                "direction": direction,
                                "source": source,
                                "way": name,
                                "link": link,
                                "ratio": rounded(ratio),
                            }
                        )
    figures = []
    if values:
        chart = charts.dots(
            values,
            x=Axis("ratio", "Bare-metal rate over Linux rate (times)"),
            y="link",
            colour=present(_WAY, values),
            tooltip={
                "way": "Master and route",
                "link": "Bridge",
                "source": "From",
                "ratio": "Bare metal / Linux",
            },
            description="Ratio of the mean rates, bare metal over Linux, by bridge",
        )
        caption = (
            "1 means that the operating system costs nothing. Linux maps the bridge uncached, so "
            "the processor's copy moves one small access at a time; the DMA pays for the copy "
            "between user and kernel."
        )
        title = f"Bare metal over Linux, {TOP_MHZ:g} MHz"
        figures = [Figure("systems", title, caption, chart)]
    return Section(
        "systems",
        "Operating system against bare metal",
        "What the same transfer gains without an operating system, as the ratio of the mean "
        "rates over the sizes.",
        figures,
    )


def caches(evidence: Evidence) -> Section:
    """The processor's copy on bare metal with caches on and off."""
    on, off = (way for way in CPU_WAYS if way.os == BARE)
    rows = [
        [
            Cell(direction),
            beside(
                *evidence.ratios(on.track(TOP_LINK, direction), off.track(TOP_LINK, direction)), 2
            ),
        ]
        for direction in DIRECTIONS
    ]
    return Section(
        "caches",
        "Caches",
        "The processor's copy on bare metal, caches on (level 9) against off (level 0).",
        figure(
            "caches",
            f"CPU with caches on and off, {AT_TOP}",
            "With caches off every access is strongly ordered and waits for its answer.",
            records(evidence, (on, off)),
            _WAY,
            None,
        ),
        table(
            "cache-ratios",
            "Mean rate over sizes, caches on over caches off (times)",
            ("Direction", "On / off"),
            rows,
        ),
    )


def masters(evidence: Evidence) -> Section:
    """CPU against DMA, with and without the preparation of its program, per system."""
    figures: list[Figure] = []
    for os in (BARE, LINUX):
        unprepared = [way for way in DMA_WAYS if way.os == os]
        figures += figure(
            f"masters-{os.replace(' ', '-').lower()}",
            f"CPU against DMA, {os}, {AT_TOP}",
            "Where a DMA curve crosses the processor's, handing the work over begins to pay.",
            records(evidence, RIVALS[os]) + records(evidence, unprepared, prepared=False),
            _WAY,
            PROGRAM,
        )
    return Section(
        "masters",
        "CPU against DMA",
        "The processor's copy beside the PL330, whose program is either prepared beforehand "
        "or built inside the timed transfer.",
        figures,
    )


def preparation(evidence: Evidence) -> Section:
    """What building the PL330's program costs: time and share of the transfer."""
    values: Values = []
    for source, known in evidence.sources():
        for way in DMA_WAYS:
            for direction in DIRECTIONS:
                whole, prepared = (
                    known.get(way.track(TOP_LINK, direction, prepared=ready), {})
                    for ready in (False, True)
                )
                for size, (seconds, share) in ways.preparation(whole, prepared).items():
                    # Noise may put the whole below its part; a log axis cannot show that.
                    if seconds > 0:
                        record = labels(way, direction, source) | sized(size)
                        record |= {"ns": rounded(seconds * 1e9), "percent": rounded(100 * share)}
                        values.append(record)
    tooltip = {
        "label": "Path",
        "source": "From",
        "size_text": "Size",
        "ns": "Preparation (ns)",
        "percent": "Preparation (%)",
    }
    caption = (
        "The whole transfer less the transfer with a prepared program. The time follows the "
        "program's length: constant up to 32 KiB, then a step for each 32 KiB more."
    )
    figures: list[Figure] = []
    for name, axis in (
        ("time", Axis("ns", "Preparation (ns)", log=True)),
        ("share", Axis("percent", "Preparation (% of whole)")),
    ):
        title = f"Preparation {name}, {AT_TOP}"
        figures += figure(f"preparation-{name}", title, caption, values, _WAY, _OS, axis, tooltip)
    return Section(
        "preparation",
        "Preparing the DMA program",
        "The PL330 runs a program that the processor must write first. On bare metal ACP was "
        "measured with caches on and the SDRAM port with caches off.",
        figures,
    )


def cache_levels(evidence: Evidence) -> Section:
    """Mean rate from 32 B to 2 MiB at each of the cache study's levels."""
    values: Values = []
    for track, ours in evidence.run.items():
        sizes = [size for size in ours if size in LEVEL_SIZES]
        if track.study != LEVELS or not sizes:
            continue
        for source, known in evidence.sources():
            curve = known.get(track, {})
            if all(size in curve for size in sizes):
                values.append(
                    {
                        "direction": track.direction,
                        "source": source,
                        "level": "Linux" if track.os == "linux" else str(track.cache_level),
                        "rate": rounded(measures.size_mean(curve, sizes)),
                    }
                )
    figures = []
    if values:
        order = [*(str(level) for level in range(14)), "Linux"]
        chart = charts.bars(
            values,
            x=charts.category_x("level", "Cache level", order),
            y=Axis("rate", "Mean rate, 32 B to 2 MiB (MB/s)"),
            tooltip={"level": "Cache level", "source": "From", "rate": "Mean rate (MB/s)"},
            description="Mean rate over sizes at each cache level",
        )
        caption = (
            "Level 0 has everything off; 1 adds the MMU, 6 the L1 data cache, 8 the L2 cache, "
            "which makes device writes posted; 9 is the level of all other figures."
        )
        if any(_above_ceiling(row) for row in evidence.rows if row["study"] == LEVELS):
            caption += (
                " From level 8 on, a mean lies above what the link carries: a call returns while "
                "its writes are under way."
            )
        figures = [Figure("cache-levels", "Mean rate by cache level", caption, chart)]
    return Section(
        "cache-levels",
        "Cache levels",
        "The processor's copy on bare metal, HF32 at 100 MHz while the caches and their "
        "options are turned on one after the other.",
        figures,
    )


def _above_ceiling(row: Row) -> bool:
    """Whether a row is faster than its link carries, as a posted write may be."""
    ceiling = row["ceiling_seconds"]
    return isinstance(ceiling, float) and measures.seconds(row) < ceiling
