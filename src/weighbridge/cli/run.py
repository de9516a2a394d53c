# SPDX-License-Identifier: Apache-2.0
"""weighbridge run: walk a study and keep the results as a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.backends import DEFAULT_SEED
from weighbridge.cli import options

if TYPE_CHECKING:
    from weighbridge.dataset.schema import Point
    from weighbridge.studies.schema import Study


EXAMPLES = (
    "weighbridge run cyclonev/cache-levels -o runs/cache-levels",
    "weighbridge run cyclonev/hps-to-fpga --where os=linux --where link=HF32 --where size=64KiB",
)


def command(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="A study ('weighbridge list') or its .toml file.")
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only such points; repeatable, same key: or."),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CSV of key columns: answer these points instead."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Run directory [default: runs/STUDY]."),
    ] = None,
    backend: Annotated[
        str, typer.Option(metavar="BACKEND", help="Who answers: twin, rtl or uml.")
    ] = "twin",
    set_: options.Set = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Of what is random in the platform.")
    ] = DEFAULT_SEED,
    processes: Annotated[int, typer.Option(metavar="N", min=1, help="How many at a time.")] = 2,
) -> None:
    """Answer every point of a study; interrupted, the same command takes it up again."""
    from weighbridge.backends.walk import Question, answers, backend_of
    from weighbridge.cli.terminal import assignments, progress
    from weighbridge.dataset.runs import Recording, new_manifest, this_command
    from weighbridge.errors import InputError
    from weighbridge.platforms import load_platform
    from weighbridge.studies import load_study

    overrides = assignments(set_ or [], "--set")
    chosen = load_study(study)
    asked = _points(chosen, points, where or [])
    platform = load_platform(chosen.platform_source, overrides)
    own = chosen.platform_source if chosen.platform_source != chosen.platform else ""
    question = Question(backend, tuple(sorted(overrides.items())), seed, own)
    # A wrong backend is told before anything is written.
    answering = backend_of(question, chosen.platform)
    facts: dict[str, Any] = {
        "study": {"name": chosen.key, "title": chosen.title},
        "platform": {"name": platform.name, "set": overrides},
        "backend": backend,
        "seed": seed,
        **answering.facts(),
    }
    identity = _identity(study, asked, platform, question)
    directory = out or Path("runs") / chosen.key.replace("/", "-")
    with Recording(directory, asked, new_manifest(identity, this_command(), **facts)) as recording:
        known = len(recording.outcomes)
        if recording.complete:
            print(f"{directory}: already complete, {len(asked)} points")
            return
        with progress(chosen.key, len(asked), known) as advance:
            for answered in answers(recording.remaining, question, processes):
                recording.add(answered)
                advance(len(answered))
        if not recording.answered:
            recording.discard()
            raise InputError(f"none of {len(asked)} points answered: {recording.why_not()}")
        recording.finish()
    _say_done(directory, recording, known)


def _points(study: Study, file: Path | None, where: list[str]) -> list[Point]:
    """The study's points, or those of the file, narrowed by the conditions."""
    if file is None:
        return study.points(where)
    from weighbridge.analysis.compare import matches
    from weighbridge.dataset.table import point_of, read_rows
    from weighbridge.dataset.values import parse_where
    from weighbridge.errors import InputError

    wanted = parse_where(where)
    points = []
    for number, row in enumerate(read_rows(file), 1):
        row["platform"] = row["platform"] or study.platform
        row["study"] = row["study"] or study.name
        if (row["platform"], row["study"]) != (study.platform, study.name):
            raise InputError(f"point {number} is not of {study.key}", str(file))
        if matches(row, wanted):
            points.append(point_of(row, f"{file}, point {number}"))
    if not points:
        raise InputError("no point to answer", str(file))
    return points


def _identity(study: str, points: list[Point], platform: Any, question: Any) -> dict[str, str]:
    """Everything that decides the results: a run is taken up again only if all of it is equal."""
    from weighbridge.backends import code_digest
    from weighbridge.dataset.runs import digest
    from weighbridge.studies import study_digest

    return {
        "study": study_digest(study),
        "points": digest([point.key() for point in points]),
        "platform": digest(platform.file.model_dump(mode="json")),
        "set": digest(question.overrides),
        "backend": question.backend,
        "seed": str(question.seed),
        "model": code_digest(question.backend),
    }


def _say_done(directory: Path, recording: Any, resumed: int) -> None:
    unanswered = len(recording.outcomes) - recording.answered
    print(f"{directory}: {recording.answered} points answered", end="")
    print(f" ({resumed} of them earlier)" if resumed else "")
    if recording.simulated_cycles is not None:
        print(f"{recording.simulated_cycles / 1e6:.1f} million cycles of the logic simulated")
    if unanswered:
        print(f"{unanswered} not answered: {recording.why_not()}")
    print(f"next: weighbridge report {directory} -o report.html")
