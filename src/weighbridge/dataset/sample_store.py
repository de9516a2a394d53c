# SPDX-License-Identifier: Apache-2.0
"""Raw samples beside the results of a run: a journal while it is written, a Parquet file after.

Each point's samples are one line, written before its answer is: a point that has none when the run
is interrupted is measured again, and then its last line counts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any

from weighbridge.dataset import strict_json
from weighbridge.dataset.files import replacing, unwritable
from weighbridge.dataset.samples import SAMPLE, Measured
from weighbridge.dataset.table import connect, quoted

SAMPLES, SAMPLE_JOURNAL = "samples.parquet", "samples.jsonl"

_SQL = {"integer": "BIGINT", "number": "DOUBLE"}


class SampleStore:
    """The samples of a run that is being written."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._file: IO[str] | None = None

    def keep(self, number: int, measured: Measured) -> None:
        """Write a point's samples; InputError if the disk is full."""
        record = {"point": number, "samples": [sample.record() for sample in measured.samples]}
        try:
            if self._file is None:
                self._file = (self._run / SAMPLE_JOURNAL).open("a", encoding="utf-8")
                # A killed writer may have left a line without its end.
                self._file.write("\n")
            self._file.write(json.dumps(record) + "\n")
            self._file.flush()
        except OSError as error:
            raise unwritable(self._run / SAMPLE_JOURNAL, error) from error

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def finish(self, answered: Collection[int]) -> None:
        """Write those of the points that have an outcome as a table."""
        self.close()
        journal = self._run / SAMPLE_JOURNAL
        if not journal.is_file():
            return
        points = {one["point"]: one["samples"] for one in _records(journal)}
        rows = [
            {"point": point, **sample}
            for point in sorted(points)
            if point in answered
            for sample in points[point]
        ]
        _write(rows, self._run / SAMPLES)
        journal.unlink()

    def discard(self) -> None:
        """Leave nothing behind."""
        self.close()
        for name in (SAMPLES, SAMPLE_JOURNAL):
            (self._run / name).unlink(missing_ok=True)


def read_samples(run: Path) -> list[dict[str, Any]]:
    """The samples of a finished run by point and time; none where it has no samples."""
    file = run / SAMPLES
    if not file.is_file():
        return []
    with connect() as connection:
        found = connection.execute(f"FROM read_parquet({quoted(file)})")
        names = [column[0] for column in found.description or []]
        return [dict(zip(names, cells, strict=True)) for cells in found.fetchall()]


def _records(journal: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a journal."""
    with journal.open("rb") as file:
        for line in file:
            try:
                record = strict_json.read(line)
            except ValueError:
                continue
            if isinstance(record, dict) and {"point", "samples"} <= record.keys():
                yield record


def _write(rows: list[dict[str, Any]], file: Path) -> None:
    columns = {"point": "BIGINT"} | {name: _SQL[column.kind] for name, column in SAMPLE.items()}
    unnested = ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in columns.items())
    values = [[row.get(name) for row in rows] for name in columns]
    import duckdb

    with connect() as connection:
        connection.execute(f"CREATE TEMP TABLE samples AS SELECT {unnested}", values)
        try:
            with replacing(file) as temporary:
                connection.execute(f"COPY samples TO {quoted(temporary)} (FORMAT parquet)")
        except duckdb.Error as error:
            raise unwritable(file, error) from error
