# SPDX-License-Identifier: Apache-2.0
"""Mistakes made on purpose by the real program are named; small clean runs name none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sysroots import CARD, machine
from weighbridge.analysis.statistics import Statistics
from weighbridge.analysis.trust import DISTURBANCES, Evidence, judged
from weighbridge.api.measuring import answer
from weighbridge.backends import Reach
from weighbridge.backends.host import Host
from weighbridge.backends.probe import Facts
from weighbridge.backends.probe.plan import asking
from weighbridge.backends.probe.stream import measured
from weighbridge.dataset.samples import Surroundings
from weighbridge.dataset.schema import Point, Result

from .conftest import Answer, Probe

#: Eight samples in each of five blocks, the least that a run has, and batches as short as can be.
LEAST = "budget=0ns samples=8 batch=0ns"


def names(lines: Answer, points: dict[int, dict[str, str]]) -> dict[int, tuple[str, str]]:
    """What the lab says of each point: how it ended, or its quality; and why."""
    text = (json.dumps(line).encode() for line in lines.lines)
    found: dict[int, tuple[str, str]] = {}
    for number, one in measured(text, points, Facts()):
        if one.outcome != "ok":
            found[number] = one.outcome, one.message
            continue
        size = 1024 * int(points[number]["bytes"].removesuffix("KiB"))
        point = Point("host", "memory", "fpga_to_cpu", size)
        statistics = Statistics.of([[sample.ns for sample in block] for block in one.blocks()])
        found[number] = judged(Evidence(point, one, statistics, Surroundings()))
    return found


def name(probe: Probe, words: str, settings: str) -> tuple[str, str]:
    asked = dict(word.split("=", 1) for word in words.split())
    return names(probe(asking(1, asked), settings), {1: asked})[1]


@pytest.mark.parametrize(
    ("mistake", "words", "expected", "why"),
    [
        ("untouched", "kernel=read bytes=1024KiB", "unverified", "wrong bytes"),
        ("untouched", "kernel=copy bytes=1024KiB", "unverified", "wrong bytes"),
        ("untouched", "kernel=file_write file=FILE bytes=64KiB", "unverified", "wrong bytes"),
        (
            "short_batches",
            "kernel=load order=page bytes=16KiB",
            "timer-floor",
            "steps of the timer",
        ),
        ("short_batches", "kernel=copy bytes=1KiB copy=vector", "timer-floor", "steps of"),
        ("in_flight", "kernel=load order=page bytes=16KiB", "unverified", "not where it must be"),
        ("not_read_back", "kernel=written_back window=FILE bytes=4KiB", "unverified", "read back"),
        ("wrong_byte", "kernel=read bytes=64KiB", "unverified", "wrong bytes"),
        ("wrong_byte", "kernel=write bytes=64KiB copy=vector", "unverified", "wrong bytes"),
        ("wrong_byte", "kernel=update bytes=64KiB", "unverified", "wrong bytes"),
        ("wrong_byte", "kernel=copy bytes=64KiB", "unverified", "the copy differs"),
        ("wrong_byte", "kernel=posted window=FILE bytes=4KiB", "unverified", "does not hold"),
        ("wrong_byte", "kernel=file_read file=FILE bytes=4KiB", "unverified", "does not hold"),
        # LMbench counts every byte of what it reads a quarter of.
        ("none", "kernel=read bytes=64KiB stride=16 width=4", "bytes-miscounted", "16384 B moved"),
    ],
)
def test_a_mistake_is_named(
    probe: Probe, mistake: str, words: str, expected: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(bytes(64 << 10))
    words = words.replace("FILE", str(tmp_path / "file"))
    found = name(probe, words, f"{LEAST} mistake={mistake}")
    assert (found[0], why in found[1]) == (expected, True), found


@pytest.mark.parametrize(
    ("mistake", "words", "expected"),
    [
        ("cold", "kernel=load order=page bytes=256KiB", "warm-up"),
        ("cold", "kernel=read bytes=512KiB copy=vector", "warm-up"),
        ("untouched", "kernel=write bytes=1024KiB", "page-faults"),
    ],
)
def test_a_mistake_that_a_disturbance_may_hide_is_named(
    probe: Probe, mistake: str, words: str, expected: str
) -> None:
    """What the machine does meanwhile may have the first word; not every time."""
    seen = []
    while expected not in seen and len(seen) < 5:
        seen.append(name(probe, words, f"{LEAST} mistake={mistake}")[0])
    assert expected in seen


def test_a_loop_that_the_compiler_has_left_out(probe: Probe) -> None:
    """A sum of what nobody uses: no time passes, or the sum is wrong."""
    found = name(probe, "kernel=read bytes=64KiB", f"{LEAST} mistake=unused")
    assert found[0] in ("refused", "unverified"), found
    assert "time stands still" in found[1] or "sum" in found[1]


def test_traffic_that_waits_for_the_loops_own_processor(probe: Probe) -> None:
    words = "kernel=load order=page bytes=16KiB traffic=read threads=1 traffic_bytes=1MiB"
    found = name(probe, words, f"{LEAST} mistake=same_core")
    assert (found[0], "nothing ran beside it" in found[1]) == ("alone", True), found


def others() -> list[int]:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("one processor: nothing can be moved")
    return cpus


@contextmanager
def moved(running: subprocess.Popen[bytes], cpus: list[int]) -> Iterator[None]:
    """Somebody moves a process to and fro between processors, as a scheduler may."""
    over = threading.Event()

    def move() -> None:
        for turn in range(1_000_000):
            if over.wait(0.0005) or running.poll() is not None:
                return
            try:
                os.sched_setaffinity(running.pid, {cpus[turn % len(cpus)]})
            except ProcessLookupError:
                return

    thread = threading.Thread(target=move)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_thread_that_is_not_kept_where_it_is(probe: Probe) -> None:
    cpus = others()
    asked = {"kernel": "load", "order": "random", "bytes": "16KiB"}
    plan = f"set budget=500ms batch=2ms spread=0\n{asking(1, asked)}\n"
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(probe.command, stdin=pipe, stdout=pipe) as running,
        moved(running, cpus),
    ):
        said, _ = running.communicate(plan.encode())
    lines = [json.loads(line) for line in said.splitlines()]
    assert names(Answer(0, "", lines), {1: asked})[1][0] == "migrated"


def test_a_processor_that_is_shared(probe: Probe) -> None:
    """Long batches, of which the scheduler gives a part of the time to somebody else."""
    cpu = min(os.sched_getaffinity(0))
    rival = f"import os; os.sched_setaffinity(0, [{cpu}])\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", rival]) as other:
        try:
            words = "kernel=load order=page bytes=16KiB"
            found = name(probe, words, f"budget=0ns samples=8 batch=30ms cpu={cpu}")
        finally:
            other.kill()
    assert found[0] == "preempted", found


@pytest.mark.parametrize(
    ("completion", "expected"), [("read_back", "faster-than-ceiling"), ("posted", "posted")]
)
def test_a_window_that_is_faster_than_its_link(
    completion: str, expected: str, tmp_path: Path
) -> None:
    """A file stands for it, and the system says four lanes of 5 GT/s: 2 GB/s."""
    point = Point(
        "host", "pcie", "cpu_to_fpga", 4096, os="linux", master="cpu", link="BAR0",
        memory_attribute="uncached", completion=completion,
        axes=(("access", "wr"), ("device", CARD)),
    )  # fmt: skip
    host = Host(1, Reach(str(machine(tmp_path)), seconds=0.1))
    ((_, found),) = host.measure({0: point})
    assert not isinstance(found, str)
    result = answer(point, found, host)
    assert isinstance(result, Result)
    assert result.quality == expected


CLEAN = [
    "kernel=load order=page bytes=16KiB",
    "kernel=load order=page bytes=2048KiB",
    "kernel=read bytes=64KiB copy=vector",
    "kernel=write bytes=64KiB",
    "kernel=copy bytes=256KiB",
    "kernel=update bytes=4KiB",
    "kernel=written_back window=FILE bytes=4KiB",
    "kernel=load order=page bytes=16KiB traffic=read threads=1 traffic_bytes=1MiB",
]


def test_clean_runs_name_no_mistake(probe: Probe, tmp_path: Path) -> None:
    """Twenty of them; what befalls the machine may be named."""
    (tmp_path / "file").write_bytes(bytes(4096))
    many = len(os.sched_getaffinity(0)) > 1
    lines = [words.replace("FILE", str(tmp_path / "file")) for words in CLEAN[: 8 if many else 7]]
    points = {
        number: dict(word.split("=", 1) for word in words.split())
        for number, words in enumerate(lines)
    }
    plan = "\n".join(asking(number, words) for number, words in points.items())
    for seed in range(20):
        found = names(probe(plan, f"{LEAST} seed={seed}"), points)
        assert len(found) == len(points)
        assert {quality for quality, _ in found.values()} <= {"ok", *DISTURBANCES}, found
