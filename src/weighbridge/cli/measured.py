# SPDX-License-Identifier: Apache-2.0
"""What a measured run says on the screen: how much of it can be trusted, and what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weighbridge.analysis.hierarchy import Level
    from weighbridge.cli.terminal import Screen
    from weighbridge.dataset.table import Row

#: What passes do, by the words of their access, and what runs beside them.
_PASSES = {"rd": "read", "wr": "write", "cp": "copy"}


def print_measured(rows: Sequence[Row], survey: dict[str, Any]) -> None:
    """The levels that rows show, where they show any, then how many of the rows are ok."""
    from weighbridge.analysis.hierarchy import levels
    from weighbridge.cli.terminal import Screen

    out = Screen()
    found = levels(rows)
    if len(found) > 1:
        out.line()
        _print_levels(out, found, _told(survey))
    out.line()
    _print_trust(out, rows)


def _told(survey: dict[str, Any]) -> list[int]:
    """Bytes of the caches that hold data, the nearest first, as the system says."""
    caches = survey.get("processor", {}).get("caches", [])
    return [one["bytes"] for one in caches if one.get("kind") != "instruction"]


def _print_levels(out: Screen, found: Sequence[Level], told: Sequence[int]) -> None:
    from weighbridge.analysis.hierarchy import IDLE
    from weighbridge.cli.table import Column, Table
    from weighbridge.quantities import format_size, format_time

    loads = sorted({load for level in found for _, load in level.rows}, key=lambda one: one != IDLE)
    asked = [(access, load) for load in loads for access in _PASSES]
    asked = [one for one in asked if any(one in level.rows for level in found)]
    columns = [
        Column("", lead=True),
        Column("holds", right=True),
        Column("system", right=True, spare=9),
        Column("latency", right=True),
        Column("walks", right=True, spare=7, label="latency with page walks"),
        Column("beside", right=True, spare=8, label="latency beside traffic"),
    ]
    spare = {IDLE: 0}
    columns += [
        Column(
            _PASSES[access] if load == IDLE else f"{_PASSES[access]}+",
            right=True,
            spare=spare.get(load, 5),
            label=f"{_PASSES[access]} beside traffic" if load != IDLE else "",
        )
        for access, load in asked
    ]
    table = Table(columns)
    for number, level in enumerate(found, 1):
        memory = level.bytes is None
        says = told[number - 1] if number <= len(told) and not memory else None
        table.add(
            "memory" if memory else f"L{number}",
            "" if level.bytes is None else format_size(level.bytes),
            format_size(says) if says else "",
            format_time(level.seconds),
            format_time(level.walked) if level.walked else "-",
            format_time(level.loaded) if level.loaded else "-",
            *(_rate(level.rows.get(one)) for one in asked),
        )
    table.print(out)
    out.line(
        "holds: the largest working set measured whose loads are as fast as the level's; system: "
        "what it says. Latencies are the least, as in LMbench; walks: in any order, with page "
        "walks. read, write, copy: MB/s of one core, medians, a copied byte counts once; "
        "beside, +: beside traffic of the other cores.",
        "dim",
    )


def _rate(row: Row | None) -> str:
    if row is None:
        return "-"
    rate = float(row["size_bytes"] or 0) / float(row["seconds"] or 1) / 1e6
    return f"{rate:.3g}" if rate < 100 else f"{rate:.0f}"


def _print_trust(out: Screen, rows: Iterable[Row]) -> None:
    qualities = Counter(str(row["quality"]) for row in rows)
    total, sound = qualities.total(), qualities["ok"]
    out.line(f"{sound} of {total} rows are ok.")
    for quality, n in qualities.most_common():
        if quality == "ok":
            continue
        example = next((row for row in rows if row["quality"] == quality and row["doubt"]), None)
        told = f"; one of them: {example['doubt']}" if example else ""
        out.line(f"  {quality}: {n}{told}", hang="    ")
