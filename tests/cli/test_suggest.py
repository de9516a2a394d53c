# SPDX-License-Identifier: Apache-2.0
"""Which points to measure next: the command, the call, and what cannot be asked."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import weighbridge as wb

Run = Callable[..., tuple[int, str, str]]
STUDY = "zynq7000/ps-to-pl"


def test_the_command_and_the_call_say_the_same(weighbridge: Run) -> None:
    asked = ("calibrate", STUDY, "--suggest", "2", "--points", "10", "--processes", "1")
    free = ("gp1.latency", "cpu.loop_call")
    options = [word for name in free for word in ("--free", name)]
    status, out, err = weighbridge(*asked, *options)
    assert (status, err) == (0, "")
    assert "2 of 10 points to measure next, 2 numbers in doubt" in out
    plain = json.loads(weighbridge(*asked, *options, "--json")[1])
    found = wb.suggest(STUDY, 2, free=free, points=10)
    assert json.loads(json.dumps(found.to_dict())) == plain
    first, second = plain["suggestions"]
    assert first["point"] != second["point"]
    assert plain["error"] >= first["expected_error"] >= second["expected_error"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("calibrate", "cyclonev"), "nothing to fit to"),
        (("calibrate", STUDY, "--suggest", "2", "--data", "x.csv"), "--suggest takes no --data"),
        (("calibrate", "zynq7000", "--suggest", "2"), "unknown study 'zynq7000'"),
        (("calibrate", STUDY, "--suggest", "1000"), "at most 100"),
        (("calibrate", STUDY, "--suggest", "2", "--free", "gp1.latncy"), "unknown parameter"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_line(
    weighbridge: Run, words: tuple[str, ...], said: str
) -> None:
    status, out, err = weighbridge(*words)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
