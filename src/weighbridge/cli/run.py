# SPDX-License-Identifier: Apache-2.0
"""weighbridge run: walk a study and keep the results as a run."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weighbridge.backends import DEFAULT_SEED, MEASURING
from weighbridge.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weighbridge.api import Answers
    from weighbridge.studies.schema import Study


EXAMPLES = (
    "weighbridge run cyclonev/cache-levels -o runs/cache-levels",
    "weighbridge run host/memory --plan plan.txt",
    "weighbridge run cyclonev/sizes-drawn --cluster local:2",
    "weighbridge run cyclonev/hps-to-fpga --where os=linux --where link=HF32 --where size=64KiB",
)


def command(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="A study ('weighbridge list') or its .toml file.")
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Only such points; repeatable, same key: or; sizes and clocks of your own, too.",
        ),
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
        str | None,
        typer.Option(
            metavar="BACKEND",
            help="Who answers: twin, rtl, uml, elf, published, host, board or bridge "
            "[default: as the platform says].",
        ),
    ] = None,
    set_: options.Set = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Of what is random in the platform.")
    ] = DEFAULT_SEED,
    exact: options.Exact = False,
    processes: Annotated[int, typer.Option(metavar="N", min=1, help="How many at a time.")] = 2,
    cluster: options.Cluster = "",
    platform: Annotated[
        str, typer.Option(metavar="FILE", help="Platform file in place of the study's platform.")
    ] = "",
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=1,
            help="Budget that the points' blocks share [default: the study's]; preparing a point,"
            " and the least samples of each, come on top.",
        ),
    ] = None,
    sysroot: options.Sysroot = "/",
    at: options.At = "",
    ssh: options.Ssh = "ssh",
    before: Annotated[
        str, typer.Option(metavar="WORDS", help="What the board's shell puts before the probe.")
    ] = "",
    probe: Annotated[
        str, typer.Option(metavar="FILE", help="The board's probe, if it is not to be compiled.")
    ] = "",
    cpus: Annotated[int, typer.Option(metavar="N", min=1, help="Processors of the board.")] = 1,
    serial: Annotated[
        str, typer.Option(metavar="DEVICE", help="Serial line with a probe at its other end.")
    ] = "",
    baud: Annotated[
        int | None,
        typer.Option(
            metavar="RATE",
            min=50,
            help="Of the serial line [default: 115200, of a bridge 1000000].",
        ),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What a probe has said earlier.")
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the plan for a board's probe, and stop."),
    ] = None,
) -> None:
    """Answer every point of a study; interrupted, the same command takes it up again."""
    from weighbridge import api
    from weighbridge.backends import Reach
    from weighbridge.cli.terminal import assignments, progress
    from weighbridge.dataset.files import write_text
    from weighbridge.studies import load_study

    chosen = load_study(study)
    reach = Reach(
        sysroot=sysroot,
        seconds=seconds,
        at=at,
        client=tuple(shlex.split(ssh)),
        before=tuple(shlex.split(before)),
        cpus=cpus,
        program=probe,
        serial=serial,
        baud=baud,
        log=str(log or ""),
    )
    if plan is not None:
        from weighbridge.api.studies import plan as planned

        found = planned(study, where or [], points, seed, reach)
        write_text(found.text, plan)
        program = "weighbridge-study" if found.transfers else "probe"
        print(f"{plan}: {len(found.asked)} points; on the board: {program} {plan.name} >log")
        if left_out := Counter(found.refused.values()):
            count = len(found.asked) + len(found.refused)
            why = left_out.most_common(1)[0][0]
            print(f"{len(found.refused)} of {count} points are left out: {why}")
        # The log is of these points alone, by their numbers.
        chosen_by = [("--where", one) for one in where or []]
        chosen_by += [("--points", str(points))] if points else []
        chosen_by += [("--cpus", str(cpus))] if cpus != 1 else []
        chosen_by += [("--seed", str(seed))] if seed != DEFAULT_SEED else []
        again = ["weighbridge", "run", study, *(word for pair in chosen_by for word in pair)]
        print(f"next: {shlex.join(again)} --backend board --log log")
        return
    directory = out or Path("runs") / chosen.key.replace("/", "-")
    answers = api.run(
        study,
        where=where,
        points=points,
        out=directory,
        backend=backend,
        set=assignments(set_ or [], "--set"),
        seed=seed,
        exact=exact,
        processes=processes,
        platform=platform,
        reach=reach,
        cluster=cluster,
        progress=progress,
    )
    for note in [] if points else _beside(chosen, where or []):
        print(f"weighbridge: note: {note}", file=sys.stderr)
    if answers.known:
        print(f"{directory}: already complete, {answers.earlier} points")
    else:
        _say_done(directory, answers)
    # One backend answers all of a run.
    if answers.rows and answers.rows[0]["backend"] in MEASURING:
        from weighbridge.cli.measured import print_measured
        from weighbridge.dataset.runs import read_manifest

        print_measured(answers.rows, read_manifest(directory).get("survey", {}))
    if not answers.known:
        print(f"next: weighbridge report {directory} -o report.html")


def _beside(study: Study, where: list[str]) -> Iterator[str]:
    """What was answered beside the points of the study, and what it has itself."""
    from weighbridge.dataset.values import shown

    for column, values in study.added(where).items():
        asked = ", ".join(map(shown, values))
        there = ", ".join(map(shown, study.allowed()[column]))
        yield f"{study.key} has no {column} {asked}: answered beside it; there: {there}"


def _say_done(directory: Path, answers: Answers) -> None:
    unanswered = sum(answers.unanswered.values())
    print(f"{directory}: {len(answers)} points answered", end="")
    print(f" ({answers.earlier} of them earlier)" if answers.earlier else "")
    if answers.simulated_cycles is not None:
        print(f"{answers.simulated_cycles / 1e6:.1f} million cycles of the logic simulated")
    if unanswered:
        print(f"{unanswered} not answered: {answers.why_not}")
