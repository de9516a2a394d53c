# SPDX-License-Identifier: Apache-2.0
"""A short campaign of tools/fuzz.py, and that it sees what it looks for."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tools import ROOT, fuzz
from tools.fuzz_inputs import Input, generated

EXPLAIN = Input("set", ["explain", "pcie", "--json"])


def campaign(*words: str) -> str:
    """What the program prints; its findings where it has some."""
    ended = subprocess.run(
        [sys.executable, "-m", "tools.fuzz", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_a_thousand_mutated_inputs_are_answered_or_refused() -> None:
    said = campaign("--seed", "1", "--count", "1000")
    assert "1000 inputs of seed 1: 0 findings" in said
    for kind in ("set", "platform", "study", "map", "csv", "jsonl", "run", "sql"):
        # Both happen, or the mutations are too weak or too strong to find anything.
        assert re.search(rf"^{kind}: \d+ with status 0, .*\d+ with status 2$", said, re.MULTILINE)


def test_the_command_itself_says_no_less() -> None:
    assert "16 inputs of seed 3: 0 findings" in campaign(
        "--seed", "3", "--count", "16", "--command"
    )


def test_a_number_and_a_seed_are_an_input() -> None:
    assert [generated(1, n) for n in range(16)] == [generated(1, n) for n in range(16)]
    assert generated(1, 0) != generated(2, 0)


def answer(**other: Any) -> str:
    said = {
        "point": {"master": "pcie_dma", "direction": "cpu_to_fpga"},
        "seconds": 2.0,
        "rate_mb_per_s": 1.0,
        "ceiling_share": 0.5,
        "quality": "ok",
        "phases": [{"seconds": 1.5}, {"seconds": 0.5}],
        "hops": [{"component": "link", "busy_seconds": 1.0, "waiting_seconds": 0.0}],
        "seconds_without_bound": 1.0,
    }
    return json.dumps(said | other)


@pytest.mark.parametrize(
    ("status", "out", "err", "found"),
    [
        (0, answer(), "", []),
        (2, "", "weighbridge: error: no size\n", []),
        (1, answer(), "", ["status 1"]),
        (-11, "", "", ["ended by SIGSEGV"]),
        (2, "", "", ["nothing said"]),
        (2, "", "weighbridge: error: a\n  b\n", ["more than a line for a fault"]),
        (2, "", "weighbridge: error: a\n" * 2, ["the same fault twice"]),
        (2, "", "weighbridge: error: Traceback\n", ["a traceback"]),
        (2, "", "weighbridge: error: \x1b[31m\n", ["an escape for the terminal"]),
        (0, answer(seconds=math.nan), "", ["NaN is no JSON"]),
        (0, answer(ceiling_share=1.1), "", ["1.1 of the ceiling"]),
        (0, answer(ceiling_share=1.1, quality="posted"), "", []),
        (0, answer(phases=[{"seconds": 1.0}]), "", ["phases of 1.0 s in 2.0 s"]),
        (0, answer(phases=[{"seconds": 3.0}, {"seconds": -1.0}]), "", ["a phase of -1.0 s"]),
        (0, answer(seconds_without_bound=3.0), "", ["3.0 s without what bounds 2.0 s"]),
    ],
)
def test_what_is_wrong_is_seen(status: int, out: str, err: str, found: list[str]) -> None:
    assert fuzz.faults(EXPLAIN, fuzz.Outcome(status, out, err, 0.1)) == found


def end() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def loop() -> int:
    while True:
        pass


def raising() -> int:
    raise KeyError("no such thing")


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        (end, ["ended by SIGKILL"]),
        (loop, ["ended by SIGPROF"]),
        (raising, ["status 1", "a traceback"]),
    ],
)
def test_one_that_ends_a_server_does_not_end_the_next(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[], int], found: list[str]
) -> None:
    def main(words: list[str]) -> int:
        return wrong() if words == ["wrong"] else 0

    # This process is larger than a server.
    monkeypatch.setattr(fuzz, "MEMORY_LIMIT", 1 << 40)
    monkeypatch.setattr(fuzz, "SECONDS", 1)
    monkeypatch.setattr("weighbridge.cli.main", main)
    inputs = [(n, Input("set", [word])) for n, word in enumerate(("good", "wrong", "good"))]
    outcomes = list(fuzz.served(inputs))
    assert [number for number, _, _ in outcomes] == [0, 1, 2]
    assert [fuzz.faults(one, outcome) for _, one, outcome in outcomes] == [[], found, []]
