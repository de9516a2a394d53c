# SPDX-License-Identifier: Apache-2.0
"""weighbridge import: a user's own measurements into the schema."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from weighbridge.backends.twin import Twin
    from weighbridge.dataset.table import Row


def command(
    file: Annotated[Path, typer.Argument(help="CSV, Excel (.xlsx) or JSON lines (.jsonl).")],
    out: Annotated[Path, typer.Option("-o", "--output", help="Run directory to write.")],
    map_: Annotated[
        Path | None, typer.Option("--map", help="TOML file: what the columns mean.")
    ] = None,
) -> None:
    """Bring measurements into the schema; what cannot be true is marked, not counted."""
    from weighbridge.dataset.importer import Map, import_file, load_map
    from weighbridge.dataset.runs import digest, new_manifest, this_command, write_run

    mapping = load_map(map_) if map_ else Map()
    imported = import_file(file, mapping, TwinJudge())
    identity = {"source": digest(file.read_bytes().hex()), "map": digest(mapping.model_dump())}
    manifest = new_manifest(identity, this_command(), source=str(file), backend="import")
    write_run(out, imported.rows, manifest)
    found = ", ".join(f"{count} {name}" for name, count in imported.qualities().most_common())
    print(f"{out}: {len(imported.rows)} rows ({found})")
    for reason, count in imported.unjudged.most_common():
        print(f"{count} held against no ceiling: {reason}")


class TwinJudge:
    """What the twin of each row's platform, where there is one, says about the row."""

    @staticmethod
    @cache
    def _twin(platform: str) -> Twin:
        from weighbridge.backends.twin import Twin
        from weighbridge.platforms import load_platform

        return Twin(load_platform(platform))

    def ceiling(self, row: Row) -> float | str:
        from weighbridge.backends import Unanswered
        from weighbridge.dataset.table import point_of
        from weighbridge.platforms import platform_names

        point = point_of(row)
        if point.platform not in platform_names():
            return f"no twin of platform '{point.platform}'"
        try:
            return self._twin(point.platform).ceiling(point)
        except Unanswered as reason:
            return str(reason)

    def posted(self, row: Row) -> bool:
        from weighbridge.dataset.table import point_of

        point = point_of(row)
        twin = self._twin(point.platform)
        return twin.predict(point).seconds < twin.ceiling(point)
