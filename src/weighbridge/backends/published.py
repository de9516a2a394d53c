# SPDX-License-Identifier: Apache-2.0
"""The published measurements as a backend: a point is answered by whoever has measured it."""

from __future__ import annotations

from pathlib import Path

from weighbridge.backends import Asked, Unanswered
from weighbridge.dataset import published as data
from weighbridge.dataset.published import citations, published_rows
from weighbridge.dataset.schema import COLUMNS, Point, Result, Value
from weighbridge.dataset.table import Row, joining_key
from weighbridge.errors import InputError
from weighbridge.platforms import Platform, load_platform

_SPREAD = ("min", "p25", "p75", "p95", "p99", "max")


class Published:
    """Answers points of one platform from what was published of it, by their key columns."""

    name = "published"

    def __init__(self, platform: Platform) -> None:
        self._platform = platform.name
        rows = published_rows([platform.name])
        if not rows:
            raise InputError(f"nothing is published of platform '{platform.name}'")
        # Of several measurements of one point the first sound one counts.
        self._rows: dict[tuple[Value, ...], Row] = {}
        for row in sorted(rows, key=lambda row: row["quality"] not in (None, "ok")):
            self._rows.setdefault(joining_key(row), row)

    def facts(self) -> dict[str, object]:
        """Where the figures come from, study by study."""
        return {"citations": citations(self._platform)}

    def predict(self, point: Point) -> Result:
        """What was published for a point, with its quality; Unanswered if nobody measured it."""
        row = self._rows.get(joining_key(dict.fromkeys(COLUMNS) | point.key()))
        if row is None or row["seconds"] is None:
            raise Unanswered("no measurement of it is published")
        n = row["n"]
        return Result(
            point=point,
            seconds=float(row["seconds"]),
            backend=self.name,
            board=_text(row["board"]),
            statistic=str(row["statistic"]),
            n=None if n is None else int(n),
            bytes_moved=point.size_bytes,
            quality=_text(row["quality"]) or "ok",
            spread={name: float(value) for name in _SPREAD if (value := row[name]) is not None},
        )


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def opened(asked: Asked) -> Published:
    if asked.overrides:
        raise InputError("measurements have no parameters to set", "--set")
    return Published(load_platform(asked.platform))


def made_of() -> list[Path]:
    return sorted(Path(data.__file__).parent.glob("*.parquet"))
