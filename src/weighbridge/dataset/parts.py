# SPDX-License-Identifier: Apache-2.0
"""Runs of more points than memory need hold: their rows in several Parquet files, in their order.

Until the run is finished, its folder of results is also its journal. A file holds the answers to
the points FIRST to END - 1 and is called FIRST-END.parquet; it appears whole, under its name, or
not at all. Files that fill a part together are merged into one, so that the finished files are the
same whoever answered in whatever chunks.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

from weighbridge.dataset.files import replacing, unwritable
from weighbridge.dataset.runs import (
    JOURNAL,
    MANIFEST,
    PARTS,
    RESULTS,
    Run,
    now,
    taken_up,
    write_manifest,
)
from weighbridge.dataset.schema import Point, columns_in
from weighbridge.dataset.table import (
    Row,
    batches,
    connect,
    quoted,
    read_from,
    read_notes,
    read_rows,
)
from weighbridge.errors import InputError

#: Points of a finished file; a chunk lies within one.
PART = 1 << 19

#: What a file says of the points that have no row in it: reason -> how many.
UNANSWERED = "unanswered"
#: What a file of a whole part says of itself.
MERGED = "merged"

_NAME = re.compile(r"(\d{12})-(\d{12})\.parquet")


class PartsRecording:
    """A run being written in parts, new or resumed. Use as a context manager.

    points: how many there are. complete: the directory already holds this very run, finished.
    Raises InputError if the directory holds something else, is written by another command, or
    cannot be written.
    """

    def __init__(self, path: Path, points: int, manifest: dict[str, Any]) -> None:
        self.path, self.points, self._manifest = path, points, manifest
        self._folder = path / PARTS
        #: First point -> the one after the last, of every file.
        self._files: dict[int, int] = {}
        self._lock: int | None = None
        manifest["points"] = points
        before = taken_up(path, manifest["identity"])
        self._anew = before is None
        self.complete = bool(before and before["finished"])
        if before is None or before["finished"]:
            return
        if (path / JOURNAL).is_file() and not self._folder.is_dir():
            raise InputError(
                f"{path} was begun without --cluster",
                mend="go on without, or choose another directory with -o",
            )
        manifest["started"] = before.get("started")

    def __enter__(self) -> PartsRecording:
        if self.complete:
            return self
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._anew:
                if self._folder.is_dir():
                    shutil.rmtree(self._folder)
                for name in (RESULTS, JOURNAL):
                    (self.path / name).unlink(missing_ok=True)
            self._folder.mkdir(exist_ok=True)
            write_manifest(self._manifest, self.path)
            self._files = self._found()
            for part in range(-(-self.points // PART)):
                self._merge(part)
        except BlockingIOError:
            self._unlock()
            raise InputError(f"another command is writing {self.path}") from None
        except OSError as error:
            self._unlock()
            raise unwritable(self.path, error) from error
        except InputError:
            self._unlock()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _found(self) -> dict[int, int]:
        """The whole files that are there; what a killed writer left beside them is removed.

        A writer that is killed after it has merged files leaves them beside the merged one.
        """
        spans = []
        for file in sorted(self._folder.iterdir()):
            name = _NAME.fullmatch(file.name)
            first, end = map(int, name.groups()) if name else (0, 0)
            if first < end <= self.points and _counts(file, end - first):
                spans.append((first, end))
            else:
                file.unlink()
        files: dict[int, int] = {}
        reached = 0
        for first, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            if first < reached:
                self._file(first, end).unlink()
            else:
                files[first] = reached = end
        return files

    def _file(self, first: int, end: int) -> Path:
        return self._folder / f"{first:012}-{end:012}.parquet"

    @property
    def known(self) -> int:
        """How many points have an outcome."""
        return sum(end - first for first, end in self._files.items())

    def remaining(self, points: Iterable[Point]) -> Iterator[tuple[int, Point]]:
        """Of all the study's points those that have no outcome yet when this begins, by number."""
        spans = sorted(self._files.items())
        firsts = [first for first, _ in spans]
        for number, point in enumerate(points):
            at = bisect(firsts, number) - 1
            if at < 0 or number >= spans[at][1]:
                yield number, point

    def add(self, first: int, end: int, table: bytes) -> None:
        """Record the outcomes of points first to end - 1: a file as write_parquet() makes it."""
        file = self._file(first, end)
        with replacing(file) as temporary, temporary.open("wb") as stream:
            stream.write(table)
            stream.flush()
            os.fsync(stream.fileno())
        self._files[first] = end
        self._merge(first // PART)

    def _merge(self, part: int) -> None:
        """Make one file of those of a part, where they fill it."""
        first, end = part * PART, min((part + 1) * PART, self.points)
        spans, reached = [], first
        while reached < end and reached in self._files:
            spans.append((reached, self._files[reached]))
            reached = self._files[reached]
        whole = self._file(first, end)
        if reached < end or (len(spans) == 1 and MERGED in read_notes(whole)):
            return
        files = [self._file(*span) for span in spans]
        _merged(files, whole)
        for span, file in zip(spans, files, strict=True):
            del self._files[span[0]]
            if file != whole:
                file.unlink()
        self._files[first] = end

    def discard(self) -> None:
        """Leave nothing of the run behind."""
        shutil.rmtree(self._folder, ignore_errors=True)
        (self.path / MANIFEST).unlink(missing_ok=True)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def finish(self, **facts: Any) -> None:
        """Write the manifest that declares the run whole."""
        assert self.known == self.points, "a point has no outcome"
        files = [self._file(*span) for span in sorted(self._files.items())]
        reasons = self.unanswered()
        self._manifest |= {
            **facts,
            "parts": {file.name: _rows(file) for file in files},
            "answered": self.points - reasons.total(),
            "unanswered": dict(sorted(reasons.items())),
            "finished": now(),
        }
        write_manifest(self._manifest, self.path)
        self.complete = True

    def unanswered(self) -> Counter[str]:
        """Why points have no answer: how often each reason was given."""
        reasons: Counter[str] = Counter()
        for span in self._files.items():
            reasons.update(_unanswered(self._file(*span)))
        return reasons


class _StoredRows(Sequence[Row]):
    """The rows of a run in parts, read where they are as often as they are asked for."""

    def __init__(self, run: Path) -> None:
        self._run = Run.open(run)
        self._counts = list((self._run.manifest["parts"] or {}).values())

    def __len__(self) -> int:
        return sum(self._counts)

    def __iter__(self) -> Iterator[Row]:
        for batch in batches(self._run.results):
            yield from batch

    @overload
    def __getitem__(self, number: int) -> Row: ...
    @overload
    def __getitem__(self, number: slice) -> list[Row]: ...
    def __getitem__(self, number: int | slice) -> Row | list[Row]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        left = range(len(self))[number]
        for file, count in zip(self._run.results, self._counts, strict=True):
            if left < count:
                (row,) = next(batches([file], f"LIMIT 1 OFFSET {left}"))
                return row
            left -= count
        raise IndexError(number)


def stored_rows(run: Path) -> Sequence[Row]:
    """The rows of a finished run: in memory, but where they are in parts."""
    return _StoredRows(run) if Run.open(run).in_parts else tuple(read_rows(run))


def _rows(file: Path) -> int:
    with connect() as connection:
        found = connection.execute(
            f"SELECT num_rows FROM parquet_file_metadata({quoted(file)})"
        ).fetchone()
    return int(found[0]) if found else 0


def _unanswered(file: Path) -> dict[str, int]:
    return dict(json.loads(read_notes(file).get(UNANSWERED, "{}")))


def _counts(file: Path, points: int) -> bool:
    """Whether a file is whole, and has an outcome for so many points."""
    import duckdb

    try:
        return _rows(file) + sum(_unanswered(file).values()) == points
    except (duckdb.Error, ValueError):
        return False


def _merged(files: Sequence[Path], into: Path) -> None:
    """One file with the rows and the notes of several; the bytes depend on the rows alone."""
    import duckdb

    reasons: Counter[str] = Counter()
    for file in files:
        reasons.update(_unanswered(file))
    rows = read_from(files)
    notes = quoted(json.dumps(dict(sorted(reasons.items()))))
    with connect() as connection:
        try:
            found = connection.execute(f"DESCRIBE FROM {rows}").fetchall()
            columns = ", ".join(
                f'"{name}"' for name in columns_in([{one[0]: None for one in found}])
            )
            # By way of a table: else where the rows' groups end would depend on the files.
            connection.execute(f"CREATE TEMP TABLE part AS SELECT {columns} FROM {rows}")
            with replacing(into) as temporary:
                connection.execute(
                    f"COPY part TO {quoted(temporary)} (FORMAT parquet, COMPRESSION zstd, "
                    f"KV_METADATA {{{UNANSWERED}: {notes}, {MERGED}: 'true'}})"
                )
                with temporary.open("rb") as stream:
                    os.fsync(stream.fileno())
        except duckdb.Error as error:
            raise unwritable(into, error) from error
