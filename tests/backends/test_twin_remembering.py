# SPDX-License-Identifier: Apache-2.0
"""What the twin and its engine keep from one question to the next changes no answer."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from weighbridge.backends.twin import Explanation, Twin
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform, platform_names
from weighbridge.platforms.changing import overridden

SIZES = (1, 4096, 20_000, 64 << 10, 300_000, 600_000)
CLOCKS = (50.0, 150.0)


@cache
def twin(name: str, changed: str = "", factor: float = 1) -> Twin:
    """A platform with one number changed; of any number, what is a power of two stays one."""
    platform = load_platform(name)
    if not changed:
        return Twin(platform)
    number = next(one for one in platform.parameters() if one.name == changed)
    return Twin(overridden(platform, {changed: repr(number.value * factor)}))


@st.composite
def questions(draw: st.DrawFn) -> tuple[Twin, Point]:
    name = draw(st.sampled_from(platform_names()))
    changed = ""
    if draw(st.booleans()):
        changed = draw(st.sampled_from([one.name for one in twin(name).platform.parameters()]))
    try:
        asked = twin(name, changed, draw(st.sampled_from((0.5, 2.0))))
    except InputError:  # no such number is possible
        assume(False)
    path = draw(st.sampled_from(asked.platform.paths()))
    directions = st.sampled_from(("cpu_to_fpga", "fpga_to_cpu"))
    path = replace(path, direction=draw(directions), size_bytes=draw(st.sampled_from(SIZES)))
    if path.fpga_mhz is not None:
        path = replace(path, fpga_mhz=draw(st.sampled_from(CLOCKS)))
    if path.prepared is False:  # its trace adds the same times up in another order
        path = replace(path, prepared=True)
    return asked, path


@settings(max_examples=250, derandomize=True)
@given(questions())
def test_an_answer_is_the_same_whatever_was_asked_before(question: tuple[Twin, Point]) -> None:
    asked, point = question
    assert told(asked, point) == told(Twin(asked.platform), point, trace_slices=1)


def told(asked: Twin, point: Point, trace_slices: int = 0) -> Explanation | str:
    """The answer; a traced one owes nothing to phases of the past."""
    try:
        return replace(asked.explain(point, trace_slices=trace_slices), trace=None)
    except InputError as errors:
        return str(errors)
