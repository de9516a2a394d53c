# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from weighbridge.calibration.parameters import chosen, turnable, turned
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

PLATFORM = load_platform("cyclonev")


def test_turning_is_what_set_does() -> None:
    for parameter in turnable(PLATFORM):
        value = parameter.value * 1.01
        one = turned(PLATFORM, {parameter.name: value})
        other = load_platform("cyclonev", {parameter.name: f"{value}"})
        assert {p.name: p.value for p in one.parameters()} == {
            p.name: p.value for p in other.parameters()
        }


def test_counts_and_nothing_are_not_turned() -> None:
    names = {parameter.name for parameter in turnable(PLATFORM)}
    assert names >= {"l3.latency", "cpu.second_half_short", "baremetal.uncached_slowdown"}
    assert not names & {"l2.ways", "l2.bytes", "cpu.call_fetches", "linux.prepare", "HF32.width"}
    fitted = chosen(PLATFORM, [])
    assert all(parameter.fitted for parameter in fitted)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("linux.system_cal", r"did you mean 'linux\.system_call'"),
        ("l2.ways", "counts in whole numbers"),
        ("linux.prepare", "is 0"),
        ("nothing", "known: "),
    ],
)
def test_what_cannot_be_freed(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        chosen(PLATFORM, ["l3.latency", name])
