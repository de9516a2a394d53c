# SPDX-License-Identifier: Apache-2.0
"""weighbridge import: a user's own measurements into the schema."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from weighbridge.dataset.importer import Judge, Limit
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
    imported = import_file(file, mapping, twin_judge())
    identity = {"source": digest(file.read_bytes().hex()), "map": digest(mapping.model_dump())}
    manifest = new_manifest(identity, this_command(), source=str(file), backend="import")
    write_run(out, imported.rows, manifest)
    found = ", ".join(f"{count} {name}" for name, count in imported.qualities().most_common())
    print(f"{out}: {len(imported.rows)} rows ({found})")
    for reason, count in imported.unjudged.most_common():
        print(f"{count} held against no ceiling: {reason}")


def twin_judge() -> Judge:
    """Limits from the twin of each row's platform, where there is one."""
    from functools import cache

    from weighbridge.backends import Unanswered
    from weighbridge.backends.twin import Twin
    from weighbridge.dataset.importer import Limit
    from weighbridge.dataset.table import point_of
    from weighbridge.platforms import load_platform, platform_names

    twins: Callable[[str], Twin] = cache(lambda name: Twin(load_platform(name)))

    def judge(row: Row) -> Limit | str:
        point = point_of(row)
        if point.platform not in platform_names():
            return f"no twin of platform '{point.platform}'"
        try:
            ceiling = twins(point.platform).ceiling(point)
            # A write that the twin, too, sees accepted sooner than the link can carry it.
            posted = twins(point.platform).predict(point).seconds < ceiling
        except Unanswered as reason:
            return str(reason)
        return Limit(ceiling, posted)

    return judge
