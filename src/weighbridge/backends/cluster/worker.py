# SPDX-License-Identifier: Apache-2.0
"""What runs in a worker: a chunk of points is answered, timed, and given back as a table."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import Any

import weighbridge
from weighbridge.backends import Unanswered, code_digest
from weighbridge.backends.cluster.costs import Kind, kind
from weighbridge.backends.walk import Question, predicted
from weighbridge.dataset.parts import UNANSWERED
from weighbridge.dataset.runs import digest
from weighbridge.dataset.schema import Point
from weighbridge.dataset.table import write_parquet
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform


@dataclass(frozen=True, slots=True)
class Asked:
    """What a chunk is asked: a question, and everything of this side's that decides the answers.

    files: platform -> name and text of its own file and of those that it extends; a platform that
    comes with the product has none. identity: what identity_of() must say in a worker.
    """

    question: Question
    platforms: tuple[str, ...]
    files: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    identity: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """A chunk's outcomes.

    table: the bytes of a Parquet file of its rows, as PartsRecording.add() takes it.
    rows: how many rows. why_not: reason -> how many points have none. times: kind of point -> how
    many, and seconds of wall time for all of them. busy: seconds of processor time for the chunk.
    """

    table: bytes
    rows: int
    why_not: Mapping[str, int]
    times: Mapping[Kind, tuple[int, float]]
    busy: float


#: A point as a tuple, which is sent at a tenth of the cost.
Sent = tuple[Any, ...]
sent: Callable[[Point], Sent] = attrgetter(*(field.name for field in fields(Point)))

#: One at a time, however many threads a worker has: a backend is one simulated machine.
_ALONE = threading.Lock()


def identity_of(asked: Asked) -> dict[str, str]:
    """What decides the answers in this process, by its name in words."""
    question = local(asked)
    said = {
        "weighbridge": weighbridge.__version__,
        "Python": ".".join(map(str, sys.version_info[:2])),
        "the model's code": code_digest(question.backend),
    }
    for name in asked.platforms:
        file = dict(question.files).get(name, name)
        platform = load_platform(file, dict(question.overrides))
        said[f"platform {name}"] = digest(platform.file.model_dump(mode="json"))
    return said


@lru_cache(maxsize=8)
def local(asked: Asked) -> Question:
    """The question, its platforms' own files written where this process finds them."""
    found = []
    for platform, files in asked.files:
        folder = Path(tempfile.mkdtemp(prefix="weighbridge-"))
        for name, text in files:
            (folder / name).write_text(text, encoding="utf-8")
        found.append((platform, str(folder / files[0][0])))
    return replace(asked.question, files=tuple(found))


@lru_cache(maxsize=8)
def differs(asked: Asked) -> str:
    """In what this process is not what the client is, in words; empty where the answers are its."""
    try:
        here = identity_of(asked)
    except InputError as error:
        return str(error)
    for name, value in asked.identity:
        if here.get(name) != value:
            short = [text[:12] for text in (here.get(name, "none"), value)]
            return f"{name} is {short[0]} there and {short[1]} here"
    return ""


def alike(asked: Asked) -> None:
    """InputError where this process, a worker, is not what the client is."""
    if wrong := differs(asked):
        from distributed import get_worker

        place = f"worker {get_worker().address} is not as the client"
        raise InputError(f"{place}: {wrong}", mend="install there what is installed here")


def answer(points: Sequence[Sent], asked: Asked) -> Answered:
    """The answers to a chunk; InputError where this process is not what the client is."""
    alike(asked)
    question = local(asked)
    rows, times = [], dict[Kind, tuple[int, float]]()
    why_not: Counter[str] = Counter()
    with _ALONE:
        busy = time.thread_time()
        for point in starmap(Point, points):
            began = time.perf_counter()
            try:
                rows.append(predicted(question, point).row())
            except Unanswered as reason:
                why_not[str(reason)] += 1
            count, seconds = times.get(kind(point), (0, 0.0))
            times[kind(point)] = count + 1, seconds + time.perf_counter() - began
        with tempfile.TemporaryDirectory(prefix="weighbridge-") as folder:
            file = Path(folder) / "chunk.parquet"
            write_parquet(rows, file, {UNANSWERED: json.dumps(why_not)})
            table = file.read_bytes()
        return Answered(table, len(rows), why_not, times, time.thread_time() - busy)
