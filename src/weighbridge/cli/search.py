# SPDX-License-Identifier: Apache-2.0
"""weighbridge search: the cheapest designs that keep goals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weighbridge.backends import DEFAULT_SEED
from weighbridge.cli import options

if TYPE_CHECKING:
    from weighbridge.cli.terminal import Screen
    from weighbridge.search import Answer, Known

#: Headings of the columns of goals.
_GOALS = {"period": "rate", "latency": "latency", "processor": "processor"}

EXAMPLES = (
    "weighbridge search camera.toml --front front.svg",
    "weighbridge search camera.toml --evaluations 50 --json",
)


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A search file (docs/search.md).")],
    count: Annotated[
        int, typer.Option(metavar="N", min=1, max=100, help="How many of the cheapest.")
    ] = 3,
    evaluations: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Simulations at most [default: until it is proved]."),
    ] = None,
    exhaustive: Annotated[
        bool, typer.Option("--exhaustive", help="Simulate every design, and trust no bound.")
    ] = False,
    front: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw cost against the first goal: .svg or .png."),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Of what is random in the platform.")
    ] = DEFAULT_SEED,
    json_: options.Json = False,
) -> None:
    """The cheapest designs that keep goals, what stops cheaper ones, and how sure that is."""
    from weighbridge.api.drawing import check_suffix
    from weighbridge.cli.terminal import ending, progress
    from weighbridge.dataset.files import check_writable
    from weighbridge.search import search

    if front is not None:
        check_suffix(front)
        check_writable(front)
    answer = search(
        file,
        count=count,
        evaluations=evaluations,
        exhaustive=exhaustive,
        seed=seed,
        progress=progress,
    )
    if front is not None:
        from weighbridge.search.drawing import draw

        draw(answer, front)
    with ending(0 if answer.best else 1):
        if json_:
            print(json.dumps(_plain(answer), indent=2))
            return
        _print(answer)
        if front is not None:
            print(f"front: {front}")


def _print(answer: Answer) -> None:
    from weighbridge.cli.terminal import Screen

    out = Screen()
    out.line(f"{answer.question.title}: {_goals(answer)}", "bold")
    absent = answer.designs.nowhere
    out.line(
        f"{answer.count} designs of {answer.question.platform.title}"
        + (f"; {absent} more combinations are no path" if absent else ""),
        "dim",
    )
    if answer.best:
        _print_best(out, answer)
    else:
        _print_none(out, answer)
    _print_sureness(out, answer)
    _print_stops(out, answer)
    _print_front(out, answer)
    _print_proof(out, answer)
    if answer.best:
        out.line(f"why: {answer.best[0].command}", hang="    ")


def _goals(answer: Answer) -> str:
    from weighbridge.quantities import format_rate, format_size, format_time

    question, limits = answer.question, answer.question.limits
    said = []
    if question.rate is not None:
        said.append(f"at least {format_rate(question.rate, 1)}")
    if "processor" in limits:
        said.append(f"at most {100 * limits['processor']:g} % of a core")
    if "latency" in limits:
        said.append(f"at most {format_time(limits['latency'])}")
    return f"{', '.join(said)}, in blocks of {format_size(question.size)}"


def _print_best(out: Screen, answer: Answer) -> None:
    from weighbridge.cli.table import Column, Table

    unit = answer.question.unit
    out.line(f"Cheapest{f', cost in {unit}' if unit else ''}:")
    names = [variable.name for variable in answer.question.variables]
    table = Table(
        [
            Column("cost", right=True, lead=True),
            *(Column(name, right=True) for name in names),
            *_metric_columns(answer),
            Column("bound by", words=True, spare=1),
        ]
    )
    for one in answer.best:
        table.add(_cost(one.cost), *one.values.values(), *_metric_cells(answer, one), one.bound_by)
    table.print(out)


def _metric_columns(answer: Answer) -> list[Any]:
    from weighbridge.cli.table import Column

    return [Column(_GOALS[metric], right=True) for metric in answer.question.limits]


def _metric_cells(answer: Answer, one: Known) -> list[str]:
    return [_metric(answer, metric, one.metrics[metric]) for metric in answer.question.limits]


def _metric(answer: Answer, metric: str, value: float) -> str:
    from weighbridge.quantities import format_rate, format_time

    if metric == "period":
        return format_rate(answer.question.size, value)
    return format_time(value) if metric == "latency" else f"{100 * value:.3g} %"


def _cost(cost: float) -> str:
    return f"{cost:.6g}"


def _print_none(out: Screen, answer: Answer) -> None:
    nearest = answer.nearest
    if not answer.proved:
        out.line("No design that was tried keeps the goals.")
    else:
        out.line("No design keeps the goals.")
    if nearest is None:
        return
    missed = [metric for metric, margin in nearest.margins.items() if margin < 0]
    if "period" in missed and "processor" in missed:
        missed.remove("processor")  # it is the share at a rate that is not reached
    told = " and ".join(
        f"its {_GOALS[metric]} is {_metric(answer, metric, nearest.metrics[metric])}"
        for metric in missed
    )
    out.line(f"Nearest of those tried: {_said(nearest)}; {told}, bound by {nearest.bound_by}.")


def _print_sureness(out: Screen, answer: Answer) -> None:
    if not answer.best:
        return
    best = answer.best[0]
    worst = min(best.margins, key=lambda metric: best.margins[metric])
    margin = f"Its {_GOALS[worst]} has a margin of {100 * best.margins[worst]:.3g} %"
    if best.error is None:
        out.line(f"{margin}. Nobody has measured such a path: how far the model is off is unknown.")
        return
    off = f"nine of ten predictions for such paths were within {100 * best.error:.2g} %"
    verdict = "that is more than the model's error" if best.sure else "the model may be off by more"
    out.line(f"{margin}; {verdict}: {off}.")
    if answer.sure is not None and answer.sure.design != best.design:
        out.line(
            f"Sure within that error, from cost {_cost(answer.sure.cost)}: {_said(answer.sure)}."
        )
    elif answer.sure is None:
        out.line("No design keeps the goals with a margin of that error.")
    if answer.hopeful is not None and answer.hopeful.cost < best.cost:
        out.line(
            f"If the model is too slow by that error, cost {_cost(answer.hopeful.cost)} may do: "
            f"{_said(answer.hopeful)}."
        )
    out.line(
        "The errors were found on the platform as it is: a design far from it may be further off.",
        "dim",
    )


def _said(one: Known) -> str:
    return ", ".join(f"{name} {value}" for name, value in one.values.items())


def _print_stops(out: Screen, answer: Answer) -> None:
    from weighbridge.cli.table import Column, Table

    if not answer.stops:
        return
    out.line()
    out.line("What stops a cheaper one:")
    table = Table(
        [
            Column("instead", lead=True),
            Column("cost", right=True),
            *_metric_columns(answer),
            Column("misses", lead=True),
            Column("bound by", words=True, spare=1),
        ]
    )
    blank = ["-"] * len(answer.question.limits)
    for stop in answer.stops:
        if stop.known is None:
            table.add(stop.change, _cost(stop.cost), *blank, "no answer", stop.why)
        else:
            cells = _metric_cells(answer, stop.known)
            table.add(stop.change, _cost(stop.cost), *cells, _GOALS[stop.metric], stop.why)
    table.print(out)


def _print_front(out: Screen, answer: Answer) -> None:
    from weighbridge.cli.table import Column, Table

    if not answer.front:
        return
    out.line()
    goal = _GOALS[answer.front_metric]
    kept = "; the other goals are kept" if len(answer.question.limits) > 1 else ""
    out.line(f"The cheapest for more and for less {goal}: none is cheaper and better{kept}.")
    names = [variable.name for variable in answer.question.variables]
    table = Table(
        [
            Column("cost", right=True, lead=True),
            Column(goal, right=True),
            *(Column(name, right=True, spare=2) for name in names),
        ]
    )
    for one in answer.front:
        value = _metric(answer, answer.front_metric, one.metrics[answer.front_metric])
        table.add(_cost(one.cost), value, *one.values.values())
    table.print(out)
    if answer.front_left:
        out.line(
            f"{answer.front_left} more levels were not proved; leave out --evaluations.",
            "dim",
        )


def _print_proof(out: Screen, answer: Answer) -> None:
    out.line()
    simulated = f"{answer.evaluations} of {answer.count} designs simulated"
    if answer.exhausted:
        out.line(f"{simulated}: the best is proved by trying all.")
        return
    if not answer.proved:
        out.line(
            f"{simulated}. Not proved: {answer.left} cheaper designs were neither tried nor "
            "excluded; leave out --evaluations."
        )
        return
    until = f", {answer.to_best} until the best was found and the audit done" if answer.best else ""
    out.line(
        f"{simulated}{until}. No {'cheaper one' if answer.best else 'other'} is left, "
        f"{_provided(answer)}. "
        f"{answer.space.compared} pairs of evaluations were compared, "
        f"{len(answer.contradictions)} run against that"
        + (
            f", by at most {100 * max(c.by for c in answer.contradictions):.2g} %"
            if answer.contradictions
            else ""
        )
        + ". --exhaustive tries all."
    )


def _provided(answer: Answer) -> str:
    """What the proof relies on."""
    if not answer.assumptions:
        return "whatever the variables do: none of them has a direction"
    slack = f"exceptions of up to {100 * answer.space.slack:.2g} % are allowed for"
    return f"provided that {'; '.join(answer.assumptions)} ({slack})"


def _plain(answer: Answer) -> dict[str, Any]:
    question = answer.question
    return {
        "name": question.name,
        "platform": question.platform.name,
        "limits": dict(question.limits),
        "unit": question.unit,
        "designs": answer.count,
        "no_path": answer.designs.nowhere,
        "best": [_known(one) for one in answer.best],
        "sure": None if answer.sure is None else _known(answer.sure),
        "hopeful": None if answer.hopeful is None else _known(answer.hopeful),
        "stops": [
            {
                "instead": stop.change,
                "cost": stop.cost,
                "misses": stop.metric or None,
                "design": None if stop.known is None else _known(stop.known),
                "why": stop.why,
            }
            for stop in answer.stops
        ],
        "front": [_known(one) for one in answer.front],
        "front_metric": answer.front_metric,
        "front_left": answer.front_left,
        "evaluations": answer.evaluations,
        "evaluations_to_best": answer.to_best,
        "left": answer.left,
        "proved": answer.proved,
        "exhausted": answer.exhausted,
        "assumed": answer.assumptions,
        "slack": answer.space.slack,
        "compared": answer.space.compared,
        "contradictions": len(answer.contradictions),
    }


def _known(one: Known) -> dict[str, Any]:
    return {
        "values": one.values,
        "cost": one.cost,
        "path": one.path,
        "metrics": one.metrics,
        "margins": one.margins,
        "bound_by": one.bound_by,
        "error": one.error,
        "keeps": one.keeps,
        "sure": one.sure,
        "why": one.command,
    }
