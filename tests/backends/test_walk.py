# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from weighbridge.backends.walk import WORTH_A_PROCESS, Question, answers
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.studies import load_study

TWIN = Question("twin")


def test_processes_change_nothing_but_the_time() -> None:
    points = dict(enumerate(load_study("cyclonev/cache-levels").points()))
    assert len(points) > WORTH_A_PROCESS
    alone = [pair for chunk in answers(points, TWIN, 1) for pair in chunk]
    shared = [pair for chunk in answers(points, TWIN, 2) for pair in chunk]
    assert sorted(shared, key=lambda pair: pair[0]) == alone
    assert [number for number, _ in alone] == list(points)


def test_a_point_without_answer_has_a_reason() -> None:
    point = Point("cyclonev", "s", "cpu_to_fpga", 64, os="linux", master="cpu", link="HF999")
    ((answer,),) = answers({7: point}, TWIN, 1)
    assert answer[0] == 7
    assert isinstance(answer[1], str)
    assert answer[1]


def test_whom_to_ask_must_exist() -> None:
    point = Point("cyclonev", "s", "cpu_to_fpga", 64)
    with pytest.raises(InputError, match="unknown backend 'oracle'"):
        list(answers({0: point}, Question("oracle"), 1))
    with pytest.raises(InputError, match="unknown platform 'nowhere'"):
        list(answers({0: Point("nowhere", "s", "cpu_to_fpga", 64)}, TWIN, 1))
