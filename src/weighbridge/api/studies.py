# SPDX-License-Identifier: Apache-2.0
"""Every point of a study answered, in memory or as a run on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.api.answers import Answers
from weighbridge.backends import (
    MEASURING,
    Backend,
    Measuring,
    Outcome,
    Reach,
    code_digest,
    open_measuring,
)
from weighbridge.backends.walk import Question, answers, backend_of
from weighbridge.dataset.parts import stored_rows
from weighbridge.dataset.runs import (
    Recording,
    digest,
    digest_each,
    new_manifest,
    this_command,
)
from weighbridge.dataset.samples import Measured
from weighbridge.dataset.schema import Point
from weighbridge.dataset.table import Row
from weighbridge.errors import InputError
from weighbridge.platforms import Platform, load_platform
from weighbridge.platforms.changing import changeable
from weighbridge.studies import load_study, study_digest

if TYPE_CHECKING:
    from weighbridge.api import Progress
    from weighbridge.backends.probe import Plan
    from weighbridge.studies.schema import Study


#: Samples of a point are handed here before its answer is.
Keep = Callable[[int, Measured], None]
#: Answers to numbered points, as they come.
Walk = Callable[[Mapping[int, Point], Keep], Iterator[list[tuple[int, Outcome]]]]


def run(
    study: str,
    where: list[str],
    points: Path | None,
    out: Path | None,
    backend: str | None,
    overrides: dict[str, str],
    seed: int,
    exact: bool,
    processes: int,
    platform_file: str,
    reach: Reach,
    cluster: str,
    progress: Progress,
) -> Answers:
    """The answers to a study's points; see weighbridge.run()."""
    chosen = load_study(study)
    if platform_file:
        if len(chosen.platforms) > 1:
            raise InputError(f"{chosen.key} has several platforms", "--platform")
        chosen = chosen.on({chosen.platform: platform_file})
    platforms = [load_platform(chosen.described_by(one), overrides) for one in chosen.platforms]
    name = _answered_by(backend, platforms)
    files = tuple(sorted(chosen.files.items()))
    question = Question(name, tuple(sorted(overrides.items())), seed, exact, files)
    if cluster:
        from weighbridge.api.clustered import clustered

        if name in MEASURING:
            raise InputError(f"'{name}' measures one machine", "--cluster", "leave it out")
        facts = _facts(chosen, platforms, question, backend_of(question, chosen.platform))
        listed = None if points is None else _points(chosen, points, where)

        def each() -> Iterator[Point]:
            return chosen.walk(where) if listed is None else iter(listed)

        if chosen.designs:
            _check_designs(each(), overrides, platforms, name)
        count = sum(1 for _ in each())
        identity = _identity(study, each(), platforms, question)
        return clustered(chosen, each, count, question, identity, facts, out, cluster, progress)
    asked = _points(chosen, points, where)
    _check_designs(asked, overrides, platforms, name)
    # A wrong backend is told before anything is written.
    answering: Backend | Measuring
    if name in MEASURING:
        # Only statistics of samples need numpy, whose start takes as long as a small study.
        from weighbridge.api.measuring import measured_answers

        answering = measuring = open_measuring(
            name, seed, reach if reach.seconds else replace(reach, seconds=chosen.seconds)
        )
        decides = measuring.identity()

        def walk(points: Mapping[int, Point], keep: Keep) -> Iterator[list[tuple[int, Outcome]]]:
            return measured_answers(points, measuring, keep)
    else:
        answering, decides = backend_of(question, chosen.platform), {}

        def walk(points: Mapping[int, Point], keep: Keep) -> Iterator[list[tuple[int, Outcome]]]:
            return answers(points, question, processes)

    if out is None:
        return _in_memory(chosen, asked, walk, progress)
    facts = _facts(chosen, platforms, question, answering)
    identity = _identity(study, asked, platforms, question) | decides
    with Recording(out, asked, new_manifest(identity, this_command(), **facts)) as recording:
        known = len(recording.outcomes)
        if recording.complete:
            return Answers(chosen.key, stored_rows(out), {}, out, len(asked), known=True)
        try:
            with progress(chosen.key, len(asked), known) as advance:
                for answered in walk(recording.remaining, recording.samples.keep):
                    recording.add(answered)
                    advance(len(answered))
        except InputError:
            if not recording.answered:
                recording.discard()
            raise
        if not recording.answered:
            recording.discard()
            raise nothing(len(asked), recording.why_not())
        recording.finish(**answering.facts())
    outcomes = [recording.outcomes[number] for number in range(len(asked))]
    return _answers(chosen, outcomes, out, known, recording.simulated_cycles)


def _answered_by(backend: str | None, platforms: Sequence[Platform]) -> str:
    """Who answers: who is asked for, or who the platforms say."""
    said = sorted({platform.file.backend for platform in platforms})
    if backend is None and len(said) > 1:
        raise InputError(
            f"the platforms are answered by {' and '.join(said)}", mend="use --backend"
        )
    return backend or said[0]


def _check_designs(
    points: Iterable[Point], overrides: dict[str, str], platforms: Sequence[Platform], backend: str
) -> None:
    """InputError for designs of what is measured, and where --set changes what a design does."""
    changed = {(point.platform, name) for point in points for name, _ in point.design}
    if changed and backend in MEASURING:
        raise InputError(f"'{backend}' measures what is there", mend="a model answers for designs")
    for platform in platforms:
        own = {changeable(platform, one, "--set").name: one for one in overrides}
        for name in sorted(name for of, name in changed if of == platform.name):
            if said := own.get(changeable(platform, name, "the study").name):
                raise InputError(f"the study's designs change '{said}' themselves", "--set")


def plan(study: str, where: list[str], points: Path | None, seed: int, reach: Reach) -> Plan:
    """The plan of a study's points for a program that cannot be reached; see weighbridge.plan()."""
    from weighbridge.backends.board import planned

    chosen = load_study(study)
    asked = dict(enumerate(_points(chosen, points, where)))
    found = planned(asked, seed, reach if reach.seconds else replace(reach, seconds=chosen.seconds))
    if not found.asked:
        raise nothing(len(asked), next(iter(found.refused.values())))
    return found


def _in_memory(study: Study, points: list[Point], walk: Walk, progress: Progress) -> Answers:
    found: dict[int, Outcome] = {}
    with progress(study.key, len(points), 0) as advance:
        for answered in walk(dict(enumerate(points)), lambda number, measured: None):
            found.update(answered)
            advance(len(answered))
    outcomes = [found[number] for number in range(len(points))]
    rows = [outcome if isinstance(outcome, str) else outcome.row() for outcome in outcomes]
    whole = _answers(study, rows, None, 0, None)
    if not whole.rows:
        raise nothing(len(points), whole.why_not)
    return whole


def nothing(asked: int, why_not: str) -> InputError:
    return InputError(f"none of {asked} points answered: {why_not}")


def _answers(
    study: Study,
    outcomes: list[Row | str],
    out: Path | None,
    earlier: int,
    cycles: int | None,
) -> Answers:
    unanswered = Counter(outcome for outcome in outcomes if isinstance(outcome, str))
    rows = tuple(outcome for outcome in outcomes if not isinstance(outcome, str))
    return Answers(study.key, rows, dict(unanswered), out, earlier, cycles)


def _facts(
    study: Study,
    platforms: Sequence[Platform],
    question: Question,
    answering: Backend | Measuring,
) -> dict[str, Any]:
    """What the manifest says of the run beside its identity."""
    return {
        "study": {"name": study.key, "title": study.title},
        "platform": {
            "name": "+".join(one.name for one in platforms),
            "set": dict(question.overrides),
        },
        "backend": question.backend,
        "seed": question.seed,
        **answering.facts(),
    }


def _points(study: Study, file: Path | None, where: list[str]) -> list[Point]:
    """The study's points, or those of the file, narrowed by the conditions."""
    if file is None:
        return study.points(where)
    from weighbridge.analysis.compare import matches
    from weighbridge.dataset.table import point_of, read_rows
    from weighbridge.dataset.values import parse_where

    wanted = parse_where(where)
    points = []
    for number, row in enumerate(read_rows(file), 1):
        row["platform"] = row["platform"] or study.platform
        row["study"] = row["study"] or study.name
        if row["platform"] not in study.platforms or row["study"] != study.name:
            raise InputError(f"point {number} is not of {study.key}", str(file))
        if matches(row, wanted):
            points.append(point_of(row, f"{file}, point {number}"))
    if not points:
        raise InputError("no point to answer", str(file))
    return points


def _identity(
    study: str, points: Iterable[Point], platforms: Sequence[Platform], question: Question
) -> dict[str, str]:
    """Everything that decides the results: a run is taken up again only if all of it is equal."""
    described = [one.file.model_dump(mode="json") for one in platforms]
    return {
        "study": study_digest(study),
        "points": digest_each(point.key() for point in points),
        "platform": digest(described[0] if len(described) == 1 else described),
        "set": digest(question.overrides),
        "backend": question.backend,
        "seed": str(question.seed),
        "exact": str(question.exact),
        "model": code_digest(question.backend),
    }
