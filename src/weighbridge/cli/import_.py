# SPDX-License-Identifier: Apache-2.0
"""weighbridge import: a user's own measurements into the schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from weighbridge.backends.twin import Twin
    from weighbridge.dataset.table import Row

#: Rows named one by one in what the command prints.
_MOST_NAMED = 10
#: Bytes that posted writes may have under way.
_MOST_POSTED = 64 << 10


EXAMPLES = ("weighbridge import mine.csv --map map.toml -o runs/mine",)


def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, Excel (.xlsx) or JSON lines (.jsonl).")
    ],
    out: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Run directory to write.")
    ],
    map_: Annotated[
        Path | None,
        typer.Option(
            "--map", metavar="FILE", help="TOML file: what the columns mean (docs/import.md)."
        ),
    ] = None,
    platform: Annotated[
        str, typer.Option(metavar="FILE", help="Platform file whose ceilings hold for its rows.")
    ] = "",
) -> None:
    """Bring measurements into the schema; what cannot be true is marked, not counted."""
    from weighbridge.dataset.importer import SLOW, Map, import_file, load_map
    from weighbridge.dataset.runs import check_new, digest, new_manifest, this_command, write_run

    check_new(out)
    mapping = load_map(map_) if map_ else Map()
    imported = import_file(file, mapping, TwinJudge(platform))
    identity = {"source": digest(file.read_bytes().hex()), "map": digest(mapping.model_dump())}
    manifest = new_manifest(identity, this_command(), source=str(file), backend="import")
    suspected = _suspected(imported.rows)
    write_run(out, imported.rows, manifest)
    qualities = imported.qualities()
    qualities["ok"] -= imported.unheld
    qualities["ok as far as can be told"] = imported.unheld
    found = ", ".join(f"{count} {name}" for name, count in qualities.most_common() if count)
    print(f"{out}: {len(imported.rows)} rows ({found})")
    for reason, count in imported.unjudged.most_common():
        print(f"{count} held against no ceiling: {reason}")
    for quality, places in imported.doubted.items():
        doubt = "; is the unit right?" if quality == SLOW else ""
        print(f"{quality}: {_some(places)}{doubt}")
    for quality, (count, seen) in suspected.items():
        print(f"{quality}: {count} rows, by their neighbours; one of them: {seen}")
    if imported.repeated:
        repeats = [f"{place} (as {first})" for place, first in imported.repeated]
        print(f"the same point and board again: {_some(repeats)}")


def _suspected(rows: list[Row]) -> dict[str, tuple[int, str]]:
    """Marks rows that look sound by themselves but not beside their neighbours.

    Returns how many earned a quality, and what was seen of the first.
    """
    from weighbridge.analysis.suspicion import suspicions

    found: dict[str, tuple[int, str]] = {}
    for number, doubt in suspicions(rows).items():
        if rows[number]["quality"] == "ok":
            rows[number] |= {"quality": doubt.quality, "doubt": doubt.seen}
            count, seen = found.get(doubt.quality, (0, doubt.seen))
            found[doubt.quality] = (count + 1, seen)
    return found


def _some(places: list[str]) -> str:
    """Some of the places, and how many there are more."""
    more = len(places) - _MOST_NAMED
    return ", ".join(places[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


class TwinJudge:
    """What the twin of each row's platform, where there is one, says about the row.

    file: a platform file that is asked for rows of its name.
    """

    def __init__(self, file: str = "") -> None:
        from weighbridge.backends.twin import Twin
        from weighbridge.platforms import load_platform

        own = Twin(load_platform(file)) if file else None
        self._twins = {own.platform.name: own} if own else {}

    def _twin(self, platform: str) -> Twin | None:
        """The twin of a platform; None where there is none."""
        from weighbridge.backends.twin import Twin
        from weighbridge.platforms import load_platform, platform_names

        if platform not in self._twins and platform in platform_names():
            self._twins[platform] = Twin(load_platform(platform))
        return self._twins.get(platform)

    def ceiling(self, row: Row) -> float | str:
        from weighbridge.backends import Unanswered
        from weighbridge.dataset.table import point_of

        point = point_of(row)
        twin = self._twin(point.platform)
        if twin is None:
            from weighbridge.platforms import platform_names
            from weighbridge.tomlsource import alike

            meant = alike(point.platform, platform_names()) or "a file of yours: --platform FILE"
            return f"no twin of platform '{point.platform}'; {meant}"
        try:
            return twin.ceiling(point)
        except Unanswered as reason:
            return str(reason)

    def posted(self, row: Row) -> bool:
        from weighbridge.dataset.table import point_of

        point = point_of(row)
        twin = self._twin(point.platform)
        # No buffer between processor and fabric holds more; a long answer would only take long.
        if twin is None or point.size_bytes > _MOST_POSTED:
            return False
        return twin.predict(point).seconds < twin.ceiling(point)
