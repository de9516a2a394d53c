# SPDX-License-Identifier: Apache-2.0
"""Many points at once: the answers of a backend, worked out in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from weighbridge.backends import DEFAULT_SEED, Backend, Outcome, Unanswered, open_backend
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputErrors
from weighbridge.studies.designs import Design

#: Points handed to a process at a time: two curves, so that large sizes are spread evenly.
CHUNK = 42

#: Backends that stay open: points of one design follow each other.
_OPEN = 64

#: Below this a second process costs more to start than it saves.
WORTH_A_PROCESS = 400


@dataclass(frozen=True, slots=True)
class Question:
    """Who is asked: a backend and what is changed in the platform ('sdram.clock' -> '533MHz').

    files: platform -> the path of the file that describes it, of those that have one of their own.
    exact: all of a long transfer is simulated.
    """

    backend: str
    overrides: tuple[tuple[str, str], ...] = ()
    seed: int = DEFAULT_SEED
    exact: bool = False
    files: tuple[tuple[str, str], ...] = ()


@lru_cache(_OPEN)
def backend_of(question: Question, platform: str, design: Design = ()) -> Backend:
    """The backend that answers a question about a design of a platform; kept for a while."""
    asked = dict(question.files).get(platform, platform)
    overrides = dict(question.overrides) | {name: repr(value) for name, value in design}
    return open_backend(question.backend, asked, overrides, question.seed, question.exact)


def predicted(question: Question, point: Point) -> Result:
    """A backend's answer for a point in its design; Unanswered where there is none."""
    if not point.design:
        return backend_of(question, point.platform).predict(point)
    try:
        backend = backend_of(question, point.platform, point.design)
    except InputErrors as errors:
        # Each value by itself is possible, else the study's file were refused.
        raise Unanswered(f"no such design: {errors.errors[0]}") from errors
    # A program of the backend knows nothing of designs.
    return replace(backend.predict(replace(point, design=())), point=point)


def answers(
    points: Mapping[int, Point], question: Question, processes: int
) -> Iterator[list[tuple[int, Outcome]]]:
    """Answers to numbered points in chunks, in no fixed order.

    Each answer depends on its point alone, so the processes change nothing but the time taken.
    Raises InputError before the first answer if a platform or an override is wrong.
    """
    for platform in sorted({point.platform for point in points.values()}):
        backend_of(question, platform)
    numbered = list(points.items())
    chunks = [numbered[start : start + CHUNK] for start in range(0, len(numbered), CHUNK)]
    if processes > 1 and len(numbered) >= WORTH_A_PROCESS:
        yield from _in_processes(chunks, question, processes)
    else:
        for chunk in chunks:
            yield _answer(chunk, question)


def _answer(chunk: Sequence[tuple[int, Point]], question: Question) -> list[tuple[int, Outcome]]:
    answered: list[tuple[int, Outcome]] = []
    for number, point in chunk:
        try:
            answered.append((number, predicted(question, point)))
        except Unanswered as reason:
            answered.append((number, str(reason)))
    return answered


def _in_processes(
    chunks: list[list[tuple[int, Point]]], question: Question, processes: int
) -> Iterator[list[tuple[int, Outcome]]]:
    with workers(processes) as submit:
        for done in as_completed([submit(_answer, chunk, question) for chunk in chunks]):
            yield done.result()


@contextmanager
def workers(
    processes: int, prepare: Callable[..., None] | None = None, *arguments: object
) -> Iterator[Callable[..., Future[Any]]]:
    """Yields submit(function, *arguments), which runs a function in one of several processes.

    prepare(*arguments) runs first in each of them. Ctrl-C and leaving the block end them all.
    """
    # Spawned, not forked: the caller may hold DuckDB's or rich's threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, _begin, (prepare, arguments))

    def submit(function: Callable[..., object], *given: object) -> Future[Any]:
        with uninterrupted():
            return pool.submit(function, *given)

    try:
        yield submit
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C comes at the end of the block, and never to children that are started in it.

    An interrupt while a pool starts a process leaves a process that the pool does not know. That
    one then takes the word to stop that was meant for another, and neither ends. Blocking the
    signal does not help: any other thread may take it, and Python hands it to this one.
    """
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    mine = threading.current_thread() is threading.main_thread() and callable(before)
    if mine:
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # children inherit it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        if mine:
            signal.signal(signal.SIGINT, before)
    if came and callable(before):
        before(signal.SIGINT, None)


def _begin(prepare: Callable[..., None] | None, arguments: tuple[object, ...]) -> None:
    _leave_with_parent()
    if prepare is not None:
        prepare(*arguments)


def _leave_with_parent() -> None:
    """Do not linger if the parent is killed outright."""

    def watch() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
