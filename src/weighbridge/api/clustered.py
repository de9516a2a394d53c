# SPDX-License-Identifier: Apache-2.0
"""A study's points answered by a cluster, into a run whose rows no memory holds at once."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.api.answers import Answers
from weighbridge.api.studies import nothing
from weighbridge.backends.cluster import walk
from weighbridge.backends.cluster.connection import PATIENCE, Connection
from weighbridge.backends.cluster.costs import Chunks, Costs, Kind, kind
from weighbridge.backends.cluster.worker import Asked, identity_of
from weighbridge.backends.walk import Question
from weighbridge.dataset.parts import PART, PartsRecording, stored_rows
from weighbridge.dataset.runs import new_manifest, this_command
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms.reading import own_files

if TYPE_CHECKING:
    from weighbridge.api import Progress
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
        try:
            with progress(study.key, count, known) as advance:
                left = Counter(kind(point) for _, point in recording.remaining(points()))
                costs, pace = Costs(left), _Pace()
                chunks = Chunks(recording.remaining(points()), costs, PART)
                if left:
                    with Connection(address, patience) as connection:
                        asked = _asked(study, question)
                        for first, end, answered in walk(connection, chunks, asked):
                            recording.add(first, end, answered.table)
                            costs.learn(answered.times)
                            pace.done(answered.times)
                            advance(end - first, pace.takes(costs.left()))
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


def _asked(study: Study, question: Question) -> Asked:
    """The question with everything of this process that its workers must share."""
    files = tuple((name, tuple(own_files(Path(file)).items())) for name, file in question.files)
    asked = Asked(question, study.platforms, files)
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
