# SPDX-License-Identifier: Apache-2.0
"""Transfers that are longer than what is simulated of them, against the whole simulation."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Explanation, Twin
from weighbridge.backends.twin.extrapolation import Reach
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform, platform_names

MIB = 1 << 20
#: Of the whole run, at the largest; half of the answers are the same to the last digit.
OFF = 5e-3


@cache
def twin(name: str, exact: bool = False) -> Twin:
    return Twin(load_platform(name), exact=exact)


@st.composite
def points(draw: st.DrawFn) -> Point:
    name = draw(st.sampled_from(platform_names()))
    path = draw(st.sampled_from(twin(name).platform.paths()))
    path = replace(path, direction=draw(st.sampled_from(("cpu_to_fpga", "fpga_to_cpu"))))
    try:
        flows = twin(name).flows(path)
    except Unanswered:  # a path of the other direction
        assume(False)
    axes = dict(path.axes) | {"flow": draw(st.sampled_from(flows))}
    return replace(path, axes=tuple(sorted(axes.items())))


@settings(max_examples=25, derandomize=True)
@given(points(), st.integers(4 * MIB, 9 * MIB))
def test_a_long_transfer_is_what_all_of_it_takes(point: Point, size: int) -> None:
    asked = replace(point, size_bytes=size)
    try:
        short = twin(point.platform).explain(asked)
    except (Unanswered, InputError):
        assume(False)
    whole = twin(point.platform, exact=True).explain(asked)
    assert short.seconds == pytest.approx(whole.seconds, rel=OFF)
    assert sum(phase.seconds for phase in short.phases) == pytest.approx(short.seconds, rel=1e-9)
    if short.simulated_bytes is None:
        assert short == whole
    else:
        assert short.simulated_bytes < size
        assert short.quality == "extrapolated"


@settings(max_examples=20, derandomize=True)
@given(points(), st.integers(2 * MIB, 200 * MIB), st.integers(0, 2 * MIB))
def test_more_bytes_take_no_less_time(point: Point, size: int, more: int) -> None:
    def asked(size_bytes: int) -> Explanation:
        return twin(point.platform).explain(replace(point, size_bytes=size_bytes))

    try:
        less, longer = asked(size), asked(size + more)
    except (Unanswered, InputError):
        assume(False)
    # The phase of a refresh, of a poll and of a random choice of victims.
    assert longer.seconds >= less.seconds * (1 - 2e-3)


@given(st.integers(1, 1 << 30), st.integers(1, 1 << 22), st.integers(1, 1 << 22))
def test_a_transfer_is_its_prefix_and_whole_steps(size: int, prefix: int, step: int) -> None:
    reach = Reach(prefix, step)
    head, steps = reach.split(size)
    assert head + steps * step == size
    assert steps >= 0
    assert head <= max(prefix + step, 1)
    assert (steps == 0) == (size <= prefix + step)


def test_a_transfer_that_no_memory_holds_is_refused() -> None:
    path = next(p for p in twin("zynq7000").platform.paths() if p.master == "cpu")
    with pytest.raises(InputError, match="512 MiB"):
        twin("zynq7000").explain(replace(path, size_bytes=513 * MIB))


def test_what_would_not_end_is_refused_with_its_number() -> None:
    path = next(p for p in twin("cyclonev").platform.paths() if p.link == "LW32")
    with pytest.raises(InputError, match="268435456 transactions, more than 100000000"):
        twin("cyclonev", exact=True).explain(replace(path, size_bytes=1 << 30))


def test_what_a_step_leaves_out_beats_no_ceiling() -> None:
    """A refresh every 39 us falls unevenly into the steps: 256 MiB were 1.00006 of the ceiling."""
    often = Twin(load_platform("cyclonev", {"sdram.refresh_interval": "38.98560290502018 us"}))
    path = next(
        path
        for path in often.platform.paths()
        if (path.os, path.master, path.link) == ("baremetal", "fpga_dmac", "FS64")
        and path.cache_level == 9
        and path.route == "sdramc"
    )
    answer = often.explain(replace(path, size_bytes=1 << 28, fpga_mhz=33.3))
    assert answer.seconds >= answer.ceiling_seconds
    assert sum(phase.seconds for phase in answer.phases) == pytest.approx(answer.seconds)
