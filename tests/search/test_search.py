# SPDX-License-Identifier: Apache-2.0
"""The cheapest designs of three questions, beside the answers of trying all of each."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from weighbridge.cli import main
from weighbridge.search import Answer, search

QUESTIONS = sorted((Path(__file__).parent / "questions").glob("*.toml"))


@cache
def exhausted(file: Path) -> Answer:
    return search(file, count=5, exhaustive=True, with_front=False)


@cache
def found(file: Path) -> Answer:
    return search(file, count=5)


def by_trying(file: Path, scale: float | None = None) -> list[int]:
    """Designs that keep the goals, cheapest first, of the metrics of all of them.

    scale: 1 where the model's error counts against them, -1 where it counts for them.
    """
    answer = exhausted(file)
    limits = answer.question.limits
    off = (1 + np.nan_to_num(answer.designs.errors)) ** (scale or 0)
    kept = [
        design
        for design, metrics in answer.space.known.items()
        if metrics and all(metrics[one] * off[design] <= limits[one] for one in limits)
    ]
    return sorted(kept, key=lambda design: int(answer.space.rank[design]))


pytestmark = pytest.mark.parametrize("file", QUESTIONS, ids=lambda file: file.stem)


def test_the_best_is_found_with_a_tenth_of_the_evaluations(file: Path) -> None:
    whole, answer = exhausted(file), found(file)
    assert whole.count >= 2000
    assert len(whole.space.known) == whole.count
    assert answer.proved
    assert answer.to_best <= whole.count / 10
    assert [one.design for one in answer.best] == by_trying(file)[:5]
    assert [one.design for one in whole.best] == by_trying(file)[:5]
    for one in answer.best:
        assert one.metrics == whole.space.known[one.design]


def test_how_sure_it_is_by_the_stated_errors(file: Path) -> None:
    answer = found(file)
    assert answer.sure is not None
    assert answer.hopeful is not None
    assert answer.sure.design == by_trying(file, 1)[0]
    assert answer.hopeful.design == by_trying(file, -1)[0]
    assert answer.hopeful.cost <= answer.best[0].cost <= answer.sure.cost
    assert min(answer.sure.margins.values()) >= answer.sure.error


def test_what_stops_the_next_cheaper_one(file: Path) -> None:
    answer = found(file)
    space, best = answer.space, answer.best[0]
    assert len(answer.stops) >= 3
    for stop in answer.stops:
        assert stop.cost < best.cost
        assert stop.known is not None
        assert stop.known.margins[stop.metric] == min(stop.known.margins.values()) < 0
        assert stop.why == stop.known.bound_by
    following = space.costs[space.costs < best.cost].max()
    assert answer.stops[0].cost == following
    for stop in answer.stops[1:]:
        changed = [name for name in best.values if stop.known.values[name] != best.values[name]]
        assert [*changed] == [stop.change.split()[0]]


def test_none_is_cheaper_and_better_than_those_of_the_front(file: Path) -> None:
    whole, answer = exhausted(file), found(file)
    metric = answer.front_metric
    limits = {name: limit for name, limit in answer.question.limits.items() if name != metric}
    allowed = {
        design: metrics[metric]
        for design, metrics in whole.space.known.items()
        if metrics and all(metrics[one] <= limits[one] for one in limits)
    }
    assert answer.front_left == 0
    assert len(answer.front) > 6
    for one in answer.front:
        better = [
            design
            for design, value in allowed.items()
            if value <= one.metrics[metric] and whole.space.costs[design] < one.cost
        ]
        assert not better
    assert min(one.metrics[metric] for one in answer.front) <= min(allowed.values()) * 1.01


def test_a_floor_is_below_what_the_twin_says(file: Path) -> None:
    whole = exhausted(file)
    for design in range(0, whole.count, 7):
        metrics, floor = whole.space.known[design], whole.designs.floor(design)
        assert floor is not None
        assert metrics is not None
        for metric, value in floor.items():
            assert 0 < value <= metrics[metric] * (1 + 1e-9)


def test_the_same_bytes_twice(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for _ in range(2):
        assert main(["search", str(file), "--json", "--count", "1", "--evaluations", "30"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert json.loads(said[0])["evaluations"] == 30
