# SPDX-License-Identifier: Apache-2.0
"""Chunks of points out to a cluster's workers, and answers back: each once, whatever fails."""

from __future__ import annotations

import uuid
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from weighbridge.backends.cluster.connection import Connection, Lost
from weighbridge.backends.cluster.costs import Chunks
from weighbridge.backends.cluster.worker import Answered, Asked, answer, differs, sent
from weighbridge.dataset.schema import Point
from weighbridge.dataset.values import shown
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from distributed import Future

#: Chunks that a worker has, the one in hand included: the next is there when it is done.
_AHEAD = 2
#: Seconds without an answer after which the cluster is looked at.
_LOOK = 1.0
#: Seconds that an answer which is there may take to come.
_FETCH = 60.0
#: How often a point may end a worker's life, by the scheduler's count, before it is given up.
_LIVES = 2
_ALIKE = "install there what is installed here; what is answered is kept"


@dataclass(slots=True)
class _Chunk:
    first: int
    points: list[Point]


@dataclass
class _Walk:
    connection: Connection
    chunks: Chunks
    asked: Asked
    done: SimpleQueue[Future[Answered]] = field(default_factory=SimpleQueue)
    #: What is under way, by its key; what is to be asked again.
    pending: dict[str, tuple[Future[Answered], _Chunk]] = field(default_factory=dict)
    again: deque[_Chunk] = field(default_factory=deque)
    deaths: Counter[int] = field(default_factory=Counter)

    def answers(self) -> Iterator[tuple[int, int, Answered]]:
        checked = False
        while True:
            try:
                workers = self.connection.workers()
                if workers and not checked:
                    check(self.connection, self.asked)
                    checked = True
                self._hand_out(workers)
                if not self.pending and workers:
                    return
                answered = self._next()
            except Lost:
                # What was under way is unknown to a scheduler that comes back.
                self.again.extend(chunk for _, chunk in self.pending.values())
                self.pending.clear()
                self.connection.connect()
                checked = False
                continue
            if answered is not None:
                yield answered

    def _hand_out(self, workers: int) -> None:
        while len(self.pending) < _AHEAD * workers:
            if self.again:
                chunk = self.again.popleft()
            elif taken := self.chunks.take(workers):
                chunk = _Chunk(*taken)
            else:
                return
            key = f"weighbridge-{chunk.first}-{uuid.uuid4().hex}"
            future = self.connection.client.submit(
                answer, [*map(sent, chunk.points)], self.asked, key=key, pure=False
            )
            self.pending[key] = future, chunk
            future.add_done_callback(self.done.put)  # type: ignore[no-untyped-call]

    def _next(self) -> tuple[int, int, Answered] | None:
        try:
            future = self.done.get(timeout=_LOOK)
        except Empty:
            return None
        if future.key not in self.pending:
            return None
        chunk = self.pending[str(future.key)][1]
        try:
            found: Answered = future.result(timeout=_FETCH)
        except InputError:
            raise
        except (Exception, CancelledError) as error:
            del self.pending[str(future.key)]
            self._failed(chunk, error)
            return None
        del self.pending[str(future.key)]
        return chunk.first, chunk.first + len(chunk.points), found

    def _failed(self, chunk: _Chunk, error: BaseException) -> None:
        """A chunk without answer is asked again, in halves where workers have died of it."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            half = len(chunk.points) // 2
            if half:
                self.again.append(_Chunk(chunk.first, chunk.points[:half]))
                self.again.append(_Chunk(chunk.first + half, chunk.points[half:]))
                return
            self.deaths[chunk.first] += 1
            if self.deaths[chunk.first] >= _LIVES:
                raise InputError(
                    f"workers die of point {chunk.first}: {_words(chunk.points[0])}",
                    mend="what is answered is kept; leave it out with --where",
                ) from error
            self.again.append(chunk)
        elif isinstance(error, OSError | TimeoutError | CancelledError):
            # The answer went with its worker or its scheduler.
            self.again.append(chunk)
        else:
            raise InputError(f"a worker cannot answer: {_said(error)}", mend=_ALIKE) from error


def walk(
    connection: Connection, chunks: Chunks, asked: Asked
) -> Iterator[tuple[int, int, Answered]]:
    """(first point, the one after the last, answers) of every chunk, in no fixed order.

    Each point's answer comes once, whatever becomes of workers and scheduler meanwhile. InputError
    where a worker is not what this process is, where no worker or scheduler comes within the
    connection's patience, and where a point ends every worker that is asked it.
    """
    return _Walk(connection, chunks, asked).answers()


def check(connection: Connection, asked: Asked) -> None:
    """InputError where a worker, or the scheduler, would not answer as this process does."""
    found: Any = connection.client.get_versions()
    wrong: dict[str, str] = {}
    here = found["client"]["packages"].get("distributed")
    for name, one in {"the scheduler": found["scheduler"], **found["workers"]}.items():
        there = one["packages"].get("distributed") if one else None
        if there != here:
            wrong[name] = f"distributed is {there} there and {here} here"
    if not wrong:
        said = connection.client.run(differs, asked, on_error="return")
        wrong = {
            name: _said(one) if isinstance(one, Exception) else one
            for name, one in said.items()
            if one and not isinstance(one, OSError | TimeoutError)
        }
    if wrong:
        name, text = next(iter(wrong.items()))
        more = f", and {len(wrong) - 1} more workers differ" if len(wrong) > 1 else ""
        place = name if name == "the scheduler" else f"worker {name}"
        raise InputError(f"{place} is not as this side: {text}{more}", mend=_ALIKE)


def _said(error: BaseException) -> str:
    lines = f"{type(error).__name__}: {error}".splitlines()
    return lines[0]


def _words(point: Point) -> str:
    return " ".join(
        f"{name}={shown(value)}" for name, value in point.key().items() if value is not None
    )
