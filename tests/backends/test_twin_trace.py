# SPDX-License-Identifier: Apache-2.0
"""A trace is the explanation seen access by access, and changes no answer."""

from __future__ import annotations

import math
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import pytest

from weighbridge.advice.paths import candidates
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Explanation, Twin
from weighbridge.platforms import load_platform, platform_names

SLICES = 50_000


@cache
def traced(platform: str) -> list[tuple[Explanation, Explanation]]:
    """(without, with a trace) for every path of a platform that answers 3000 B."""
    twin = Twin(load_platform(platform))
    answers = []
    for direction in ("cpu_to_fpga", "fpga_to_cpu"):
        for point in candidates(twin.platform, direction, 3000):
            try:
                answers.append((twin.explain(point), twin.explain(point, trace_slices=SLICES)))
            except Unanswered:
                continue
    return answers


@pytest.mark.parametrize("platform", platform_names())
def test_the_slices_add_up_to_what_is_explained(platform: str) -> None:
    answers = traced(platform)
    assert answers
    for silent, answer in answers:
        assert silent.trace is None
        assert answer.trace is not None
        trace = answer.trace
        # A program that is not prepared is timed with its preparation put beside it.
        assert math.isclose(answer.seconds, silent.seconds, rel_tol=1e-12)
        assert replace(answer, trace=None, seconds=silent.seconds) == silent
        assert trace.slices
        busy: defaultdict[str, float] = defaultdict(float)
        waiting: defaultdict[str, float] = defaultdict(float)
        accesses: defaultdict[str, int] = defaultdict(int)
        for one in trace.slices:
            busy[one.component] += one.busy
            waiting[one.component] += one.waiting
            accesses[one.component] += 1
        if trace.dropped:
            continue
        # An engine that starts accesses takes none.
        own = str(answer.point.master)
        hops = [hop for hop in answer.hops if hop.name != own]
        assert set(busy) == {hop.name for hop in hops}
        for hop in hops:
            where = f"{answer.point} at {hop.name}"
            assert math.isclose(busy[hop.name] / trace.transfers, hop.busy, rel_tol=1e-6), where
            assert math.isclose(waiting[hop.name] / trace.transfers, hop.waiting, rel_tol=1e-6)
            # A steady flow's counts are those of one transfer, rounded.
            assert abs(accesses[hop.name] / trace.transfers - hop.transactions) <= 1, where


@pytest.mark.parametrize("platform", platform_names())
def test_the_phases_follow_one_another_and_the_slices_lie_in_them(platform: str) -> None:
    for _, answer in traced(platform):
        trace = answer.trace
        assert trace is not None
        window = answer.seconds * trace.transfers
        end = 0.0
        for _, start, seconds in trace.phases:
            assert math.isclose(start, end, abs_tol=1e-12)
            end = start + seconds
        if trace.phases:
            assert math.isclose(end, answer.seconds, rel_tol=1e-9)
        # The program may see the end before the last accesses are over: posted writes, a controller
        # that tells of its end early, a look whose lead is taken off.
        late = [one for one in trace.slices if one.start > window * (1 + 1e-9)]
        assert all(one.start >= 0 for one in trace.slices)
        assert all(one.start <= 1.1 * window for one in late), answer.point


def test_a_trace_is_cut_at_its_limit_and_says_so() -> None:
    twin = Twin(load_platform("cyclonev"))
    point = candidates(twin.platform, "cpu_to_fpga", 65536, "linux", where={"master": ["cpu"]})[0]
    whole = twin.explain(point, trace_slices=SLICES).trace
    cut = twin.explain(point, trace_slices=1000).trace
    assert whole is not None
    assert cut is not None
    assert whole.dropped == 0
    assert len(cut.slices) == 1000
    assert len(cut.slices) + cut.dropped == len(whole.slices)
    assert cut.slices == whole.slices[:1000]
    assert cut.phases == whole.phases


def test_a_trace_is_of_the_thread_that_asks_for_it() -> None:
    """A ranking asks one twin from several threads; what one traces is traced there alone."""
    twin = Twin(load_platform("cyclonev"))
    paths = candidates(twin.platform, "cpu_to_fpga", 4096, "linux")
    # The trace of a program that is not prepared adds the same times up in another order.
    points = [path for path in paths if path.prepared is not False][:8]
    alone = [twin.explain(point) for point in points]
    with ThreadPoolExecutor(4) as threads:
        tried = [(point, number % 2 * SLICES) for number, point in enumerate(points * 12)]
        answers = list(threads.map(lambda one: twin.explain(one[0], trace_slices=one[1]), tried))
    for (point, slices), answer in zip(tried, answers, strict=True):
        assert (answer.trace is not None) == (slices > 0)
        assert answer.trace is None or answer.trace.slices
        assert replace(answer, trace=None) == alone[points.index(point)]
