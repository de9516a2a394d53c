# SPDX-License-Identifier: Apache-2.0
"""The Verilated DMA node behind the twin's port, against the twin's model of it."""

from __future__ import annotations

import pytest

from weighbridge.backends import Unanswered, open_backend
from weighbridge.backends.rtl import _LogicStreams
from weighbridge.backends.twin import Twin
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study

STUDY = load_study("zynq7000/datra-dma")
#: Our node stores and forwards; nothing else is told to the twin of it.
OURS = Twin(load_platform("zynq7000", {"datra_dma.gather_beats": "16"}))
RTL = open_backend("rtl", "zynq7000", {}, 8)


def test_the_twin_predicts_the_logic_over_the_whole_table() -> None:
    errors = []
    for point in STUDY.points([]):
        measured = RTL.predict(point)
        assert measured.backend == "rtl"
        errors.append(abs(OURS.predict(point).seconds / measured.seconds - 1))
    errors.sort()
    assert errors[len(errors) // 2] <= 0.03
    assert errors[-1] <= 0.10


def test_the_logic_stays_below_the_port() -> None:
    for point in STUDY.points(["link=HP", "size_bytes=1048576", "buffer=coherent"]):
        answer = RTL.predict(point)
        rate = point.size_bytes / answer.seconds / 1e6
        assert 594 < rate < 600.1  # a period is a whole number of picoseconds


def test_the_same_question_has_the_same_answer() -> None:
    (point,) = STUDY.points(
        ["link=ACP", "size_bytes=16384", "buffer=streaming", "direction=fpga_to_cpu"]
    )
    assert RTL.predict(point).seconds == RTL.predict(point).seconds


def test_idle_cycles_left_out_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    points = STUDY.points(["size_bytes=4096", "size_bytes=65536", "link=ACP"])
    skipped = [RTL.predict(point) for point in points]
    monkeypatch.setattr(_LogicStreams, "every_cycle", True)
    assert [open_backend("rtl", "zynq7000", {}, 8).predict(point) for point in points] == skipped


def test_masters_that_are_no_logic_here_are_not_answered() -> None:
    point = load_study("zynq7000/ps-to-pl").points([])[0]
    with pytest.raises(Unanswered, match="rtl"):
        RTL.predict(point)
