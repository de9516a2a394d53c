# SPDX-License-Identifier: Apache-2.0
"""The cheapest of many, on functions whose cheapest is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weighbridge.search.narrowing import SLACK, Space, cheapest, front

SHAPE = (6, 8, 5, 4)


def space(seed: int, noise: float = 0.0, wrong: int | None = None) -> tuple[Space, np.ndarray]:
    """Random weights of costs and of times that fall with every variable but the last, which adds.

    noise: how far times run against that. wrong: a variable whose direction is told wrongly.
    """
    random = np.random.default_rng(seed)
    steps = np.indices(SHAPE).reshape(len(SHAPE), -1).T
    speed = [np.sort(random.uniform(1, 10, size)) for size in SHAPE]
    dear = [np.sort(random.uniform(0, 10, size)) for size in SHAPE]
    # What is slowest decides, as on a path; something of the others stays.
    each = np.array([100 / speed[at][steps[:, at]] for at in range(3)])
    times = each.max(axis=0) + 0.1 * each.sum(axis=0) + speed[3][steps[:, 3]]
    times = times * (1 + random.uniform(0, noise, len(times)))
    costs = sum(dear[at][steps[:, at]] for at in range(4))
    directions = [1, 1, 1, -1]
    if wrong is not None:
        directions[wrong] *= -1
    made = Space(steps, costs, {"time": directions}, lambda design: {"time": float(times[design])})
    return made, times


def truth(made: Space, times: np.ndarray, limit: float) -> int | None:
    keeps = np.flatnonzero(times <= limit)
    return int(keeps[np.argmin(made.rank[keeps])]) if len(keeps) else None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.99), st.sampled_from([0.0, SLACK / 2]))
def test_it_is_the_cheapest_and_took_a_tenth(seed: int, share: float, noise: float) -> None:
    made, times = space(seed, noise)
    limit = float(np.quantile(times, share))
    found = cheapest(made, {"time": np.full(len(times), limit)})
    assert found.best == truth(made, times, limit)
    assert found.left == 0
    assert len(made.known) <= len(times) / 5


def test_many_functions_take_a_twentieth_in_the_median() -> None:
    taken = []
    for seed in range(20):
        made, times = space(seed)
        cheapest(made, {"time": np.full(len(times), float(np.quantile(times, 0.3)))})
        taken.append(len(made.known) / len(times))
    assert np.median(taken) < 0.05


def test_none_keeps_a_limit_that_is_too_low() -> None:
    made, times = space(1)
    found = cheapest(made, {"time": np.full(len(times), times.min() * 0.98)})
    assert found.best is None
    assert found.left == 0


def test_several_come_in_their_order() -> None:
    made, times = space(2)
    limit = float(np.quantile(times, 0.2))
    found = cheapest(made, {"time": np.full(len(times), limit)}, count=5)
    keeps = np.flatnonzero(times <= limit)
    assert list(found.designs) == list(keeps[np.argsort(made.rank[keeps])][:5])


def test_a_spent_budget_is_told() -> None:
    made, times = space(3)
    found = cheapest(made, {"time": np.full(len(times), float(np.median(times)))}, budget=3)
    assert len(made.known) == 3
    assert found.left > 0


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_a_wrong_direction_is_found_out(wrong: int) -> None:
    made, times = space(4, wrong=wrong)
    limit = float(np.quantile(times, 0.3))
    found = cheapest(made, {"time": np.full(len(times), limit)})
    assert made.contradictions
    assert made.slack > SLACK
    # So wide a slack bounds little any more, and the best is found all the same.
    assert found.best == truth(made, times, limit)


def test_a_floor_saves_the_evaluation() -> None:
    made, times = space(5)
    limit = float(np.quantile(times, 0.3))
    floored, _ = space(5)
    floored.floor = lambda design: {"time": 0.95 * float(times[design])}
    for one in (made, floored):
        found = cheapest(one, {"time": np.full(len(times), limit)})
        assert found.best == truth(made, times, limit)
    assert len(floored.known) < len(made.known)


def test_designs_without_an_answer_are_none() -> None:
    made, times = space(6)
    limit = float(np.quantile(times, 0.3))
    best = truth(made, times, limit)
    evaluate = made.evaluate
    made.evaluate = lambda design: None if design == best else evaluate(design)
    found = cheapest(made, {"time": np.full(len(times), limit)})
    keeps = np.flatnonzero(times <= limit)
    assert found.best == keeps[np.argsort(made.rank[keeps])][1]


@pytest.mark.parametrize("seed", range(5))
def test_the_front_is_what_trying_all_gives(seed: int) -> None:
    made, times = space(seed)
    members, left = front(made, "time", {}, 8)
    assert left == 0
    assert len(members) > 4
    for design in members:
        cheaper = times[made.rank < made.rank[design]]
        assert cheaper.size == 0 or cheaper.min() > times[design]
    assert times[members].min() == times.min()
    assert len(made.known) < len(times) / 4
    assert front(space(seed)[0], "time", {}, 8, budget=4)[1] > 0
