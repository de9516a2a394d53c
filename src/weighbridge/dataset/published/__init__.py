# SPDX-License-Identifier: Apache-2.0
"""Published measurements: what others have measured, in a Parquet file for each platform.

The files hold facts in the result schema, each row with its quality as the readers of the
publication judged it, and beside the rows where each study's figures come from. `make published`
writes them. Nothing that predicts may read them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from weighbridge.dataset.schema import COLUMNS, Point, Value
from weighbridge.dataset.table import Row, joining_key, read_notes, read_rows

_FOLDER = Path(__file__).parent


def published_platforms() -> list[str]:
    """Names of the platforms that somebody has published measurements of."""
    return sorted(file.stem for file in _FOLDER.glob("*.parquet"))


def published_file(platform: str) -> Path:
    """The file of a platform's published measurements, whether it is there or not."""
    return _FOLDER / f"{platform}.parquet"


def published_rows(platforms: Iterable[str] | None = None) -> list[Row]:
    """The published measurements of platforms, of all if not said; none of one that has none."""
    wanted = published_platforms() if platforms is None else platforms
    return [row for platform in wanted for row in _rows(platform)]


@cache
def _rows(platform: str) -> tuple[Row, ...]:
    file = published_file(platform)
    return tuple(read_rows(file)) if file.is_file() else ()


def published_path(point: Point) -> list[Row]:
    """The sound measurements of a point's path, at its clock, by size; in whatever study."""
    asked = dict.fromkeys(COLUMNS) | point.key()

    def alike(row: Row) -> tuple[Value, ...]:
        return joining_key(row | {"study": None, "size_bytes": None})

    rows = [
        row
        for row in published_rows([point.platform])
        if row["seconds"] is not None and row["quality"] in (None, "ok", "posted")
    ]
    found = [row for row in rows if alike(row) == alike(asked)]
    return sorted(found, key=lambda row: int(row["size_bytes"] or 0))


def citations(platform: str) -> dict[str, str]:
    """Study -> where its figures were published."""
    file = published_file(platform)
    return read_notes(file) if file.is_file() else {}
