# SPDX-License-Identifier: Apache-2.0
"""Points answered by a cluster: a study's into a run whose rows no memory holds at once, others as
rows."""

from __future__ import annotations

import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.api.answers import Answers
from weighbridge.api.studies import nothing
from weighbridge.backends.cluster import walk
from weighbridge.backends.cluster.connection import PATIENCE, Connection
from weighbridge.backends.cluster.costs import Chunks, Costs, Kind, kind
from weighbridge.backends.cluster.worker import Answered, Asked, identity_of
from weighbridge.backends.walk import Question
from weighbridge.dataset.parts import PART, PartsRecording, stored_rows
from weighbridge.dataset.runs import new_manifest, this_command
from weighbridge.dataset.schema import Point
from weighbridge.dataset.table import Row, read_rows
from weighbridge.errors import InputError
from weighbridge.platforms.reading import own_files

if TYPE_CHECKING:
    from weighbridge.api import Advance, Progress
    from weighbridge.studies.schema import Study

#: Seconds over which the pace of the workers is taken.
_RECENT = 60.0


def clustered(
    study: Study,
    points: Callable[[], Iterator[Point]],
    count: int,
    question: Question,
    identity: dict[str, str],
    facts: dict[str, Any],
    out: Path | None,
    address: str,
    progress: Progress,
    patience: float = PATIENCE,
) -> Answers:
    """The answers of a cluster to so many points, which are gone through several times."""
    if out is None:
        raise InputError("a cluster's answers need a run directory", mend="give one as out")
    with PartsRecording(out, count, new_manifest(identity, this_command(), **facts)) as recording:
        known = count if recording.complete else recording.known
        if recording.complete:
            return Answers(study.key, stored_rows(out), {}, out, count, known=True)

        def remaining() -> Iterator[tuple[int, Point]]:
            return recording.remaining(points())

        try:
            with progress(study.key, count, known) as advance:
                asked = _asked(study.platforms, question)
                for first, end, answered in _walked(remaining, asked, address, patience, advance):
                    recording.add(first, end, answered.table)
        except InputError:
            if not recording.known:
                recording.discard()
            raise
        reasons = recording.unanswered()
        if reasons.total() == count:
            recording.discard()
            raise nothing(count, reasons.most_common(1)[0][0])
        recording.finish()
    return Answers(study.key, stored_rows(out), dict(reasons), out, known)


def clustered_rows(
    points: Sequence[Point], question: Question, address: str, progress: Progress
) -> tuple[list[Row], Counter[str]]:
    """The rows of a cluster's answers, in the order of their points, and why others have none."""
    found: dict[int, list[Row]] = {}
    reasons: Counter[str] = Counter()
    asked = _asked(tuple(sorted({point.platform for point in points})), question)

    def numbered() -> Iterator[tuple[int, Point]]:
        return enumerate(points)

    with (
        tempfile.TemporaryDirectory(prefix="weighbridge-") as folder,
        progress(question.backend, len(points), 0) as advance,
    ):
        file = Path(folder) / "chunk.parquet"
        for first, _, answered in _walked(numbered, asked, address, PATIENCE, advance):
            file.write_bytes(answered.table)
            found[first] = read_rows(file)
            reasons.update(answered.why_not)
    return [row for first in sorted(found) for row in found[first]], reasons


def _walked(
    numbered: Callable[[], Iterator[tuple[int, Point]]],
    asked: Asked,
    address: str,
    patience: float,
    advance: Advance,
) -> Iterator[tuple[int, int, Answered]]:
    """(first point, the one after the last, answers) of every chunk; progress is told."""
    left = Counter(kind(point) for _, point in numbered())
    if not left:
        return
    costs, pace = Costs(left), _Pace()
    with Connection(address, patience) as connection:
        chunks = Chunks(numbered(), costs, PART)
        for first, end, answered in walk(connection, chunks, asked):
            yield first, end, answered
            costs.learn(answered.times)
            pace.done(answered.times)
            advance(end - first, pace.takes(costs.left()))


def _asked(platforms: tuple[str, ...], question: Question) -> Asked:
    """The question with everything of this process that its workers must share."""
    files = tuple((name, tuple(own_files(Path(file)).items())) for name, file in question.files)
    asked = Asked(question, platforms, files)
    return replace(asked, identity=tuple(identity_of(asked).items()))


class _Pace:
    """Seconds of work that all workers do in a second, over what they did of late."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._recent: deque[tuple[float, float]] = deque()

    def done(self, times: Mapping[Kind, tuple[int, float]]) -> None:
        now = time.monotonic()
        self._recent.append((now, sum(seconds for _, seconds in times.values())))
        while self._recent[0][0] < now - _RECENT:
            self._began = self._recent.popleft()[0]

    def takes(self, work: float) -> float | None:
        """Seconds that so much work takes; None before anything was done."""
        spent = time.monotonic() - self._began
        done = sum(seconds for _, seconds in self._recent)
        return work * spent / done if done > 0 else None
