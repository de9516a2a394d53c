# SPDX-License-Identifier: Apache-2.0
"""Points to the lines of a plan, and a probe's lines to samples, however the probe is reached."""

from __future__ import annotations

import json
import os
import random
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from weighbridge.backends.probe import Facts, Plan, Settings, Unfinished, Window, measure
from weighbridge.backends.probe.lines import LONGEST, Silence, lines_of
from weighbridge.backends.probe.plan import asking
from weighbridge.backends.probe.stream import measured
from weighbridge.dataset.samples import Measured
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError

CHAIN = Point(
    "m", "s", "fpga_to_cpu", 8, os="linux", master="cpu", buffer="user",
    axes=(("access", "latency"), ("load", "idle"), ("stride_bytes", 64),
          ("working_set_bytes", 32768)),
)  # fmt: skip
COPY = Point("m", "s", "cpu_to_fpga", 4096, copy="vector", axes=(("access", "cp"), ("load", "rd")))
STORE = Point("m", "s", "cpu_to_fpga", 64, completion="read_back", axes=(("access", "wr"),))
SETTINGS = Settings(seed=3, seconds=20, cpus=4)


def _plan(points: dict[int, Point], settings: Settings = SETTINGS) -> Plan:
    def window(point: Point) -> Window | None:
        return Window("/dev/w", 16, point.size_bytes, 8) if point == STORE else None

    return Plan.of(points, settings, window)


def test_points_are_lines() -> None:
    plan = _plan({7: CHAIN, 8: COPY, 9: STORE})
    assert plan.text.splitlines() == [
        "set seed=3 blocks=5 spread=0.03 budget=20000ms",
        "id=7 kernel=load bytes=32768 stride=64 order=page",
        "id=8 kernel=copy bytes=4096 copy=vector threads=3 traffic=read",
        "id=9 kernel=written_back window=/dev/w offset=16 bytes=64 width=8",
    ]
    assert plan.asked[9]["kernel"] == "written_back"
    assert not plan.refused


@pytest.mark.parametrize(
    ("point", "why"),
    [
        (replace(COPY, axes=(("access", "jump"),)), "knows no access 'jump'; it knows latency"),
        (replace(COPY, copy="magic"), "knows no copy 'magic'"),
        (replace(COPY, route="acp"), "knows no route (acp)"),
        (COPY, "one processor"),
    ],
)
def test_what_cannot_be_asked_says_why(point: Point, why: str) -> None:
    plan = _plan({1: point}, replace(SETTINGS, cpus=1))
    assert why in plan.refused[1]
    assert plan.text.count("\n") == 1


def sample(number: int, block: int, ns: float, **more: object) -> dict[str, object]:
    at = 1000 * block + random.randrange(1000)
    return {
        "type": "sample", "id": number, "block": block, "at_ns": at, "ns": ns, "count": 10,
        "bytes": 80, "gap_ns": None, **more,
    }  # fmt: skip


def ended(number: int, outcome: str = "ok", message: str = "") -> dict[str, object]:
    return {"type": "point", "id": number, "outcome": outcome, "message": message}


def _lines(*records: dict[str, object]) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


STREAM = _lines(
    {"type": "probe", "version": "1", "arch": "x"},
    {"type": "timer", "name": "tsc", "resolution_ns": 0.4, "overhead_ns": 11.2, "why": "w"},
    {"type": "machine", "cpus": 4},
    sample(7, 0, 1.5, cpu=1, cpu_after=2, mhz=3000.5),
    sample(8, 0, 99.0),
    sample(7, 1, 1.6),
    ended(7),
    ended(8, "bus_error", "at 0x10"),
    {"type": "end", "points": 2, "samples": 3},
)
ASKED = {7: {"kernel": "load"}, 8: {"kernel": "copy"}}


def test_a_stream_becomes_points() -> None:
    facts = Facts()
    (seven, first), (eight, second) = measured(STREAM, ASKED, facts)
    assert (seven, eight) == (7, 8)
    assert (first.outcome, [one.ns for one in first.samples]) == ("ok", [1.5, 1.6])
    assert (first.samples[0].cpu_after, first.samples[0].mhz) == (2, 3000.5)
    assert (second.outcome, second.message) == ("bus_error", "at 0x10")
    assert first.timer is not None
    assert first.timer.resolution_ns == 0.4
    assert (facts.ended, facts.garbage) == (True, 0)
    assert facts.plain()["machine"] == {"cpus": 4}


def test_garbage_is_counted_and_changes_nothing() -> None:
    """Noise between the lines, halves of lines, and lines that lie."""
    rng = random.Random(1)
    lies = _lines(
        sample(7, 0, -1.0), sample(7, 0, float("nan")), sample(99, 0, 1.0),
        sample(7, 0, 1.0, cpu=0.5),
        ended(99), ended(7, "splendid"), {"type": "sample", "id": True}, {"type": "timer"},
        {"type": "sample", "id": 7, "block": 1e300}, ["sample"],  # type: ignore[arg-type]
    )  # fmt: skip
    clean = list(measured(STREAM, ASKED, Facts()))
    for _ in range(50):
        noisy = list(STREAM)
        for _ in range(rng.randrange(1, 20)):
            noise = rng.choice([
                rng.choice(lies), bytes(rng.randrange(256) for _ in range(rng.randrange(1, 60))),
                rng.choice(STREAM)[: rng.randrange(1, 20)], b"[" * 10_000, b"x" * 70_000,
            ]).replace(b"\n", b"?")  # fmt: skip
            noisy.insert(rng.randrange(len(noisy)), noise)
        facts = Facts()
        assert list(measured(noisy, ASKED, facts)) == clean
        assert facts.garbage > 0


def test_a_point_is_told_once_and_never_without_samples() -> None:
    twice = [*STREAM, *STREAM]
    assert len(list(measured(twice, ASKED, Facts()))) == 2
    assert not list(measured(_lines(ended(7)), ASKED, Facts()))


def test_a_point_that_was_interrupted_is_left() -> None:
    facts = Facts()
    spoken = _lines(sample(7, 0, 3.0), ended(7, "interrupted"))
    assert not list(measured(spoken, ASKED, facts))
    assert facts.complaint == "the probe was interrupted"


def test_a_point_says_how_many_samples_it_has_and_what_it_was_asked() -> None:
    def told(**more: object) -> list[tuple[int, Measured]]:
        end = ended(7) | more
        return list(measured(_lines(sample(7, 0, 3.0), end), ASKED, Facts()))

    sum_ = f"{zlib.crc32(asking(7, ASKED[7]).encode()):08x}"
    assert len(told(samples=1, asked=sum_)) == 1
    assert not told(samples=2, asked=sum_)
    with pytest.raises(InputError, match="its point 7 was asked otherwise"):
        told(samples=1, asked="00000000")


def test_a_cut_connection_keeps_what_was_finished() -> None:
    @contextmanager
    def way(text: str) -> Iterator[Iterator[bytes]]:
        assert text.startswith("set ")
        yield iter(STREAM[:7])
        facts.complaint = "the line is cut"

    facts = Facts()
    plan = _plan({7: CHAIN, 8: COPY, 9: replace(COPY, route="acp")})
    found = {}
    stream = measure(plan, way, facts)
    with pytest.raises(Unfinished, match="the line is cut; 1 of 2 points are not measured"):
        found.update(stream)
    assert isinstance(found[7], Measured)
    assert "route" in str(found[9])
    assert 8 not in found


def test_noise_without_an_end_is_not_gathered() -> None:
    reading, writing = os.pipe()

    def pour() -> None:
        for _ in range(64):
            os.write(writing, b"\xff" * 8192)
        os.write(writing, b"\nwhole\n")
        os.close(writing)

    thread = threading.Thread(target=pour)
    thread.start()
    lines = list(lines_of(reading, 5))
    thread.join()
    assert lines[-1] == b"whole"
    assert sum(map(len, lines[:-1])) == 64 * 8192
    assert max(map(len, lines)) <= LONGEST + (1 << 16)


def test_lines_of_a_descriptor_that_falls_silent() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"one\r\ntw")
    lines = lines_of(reading, 0.05)
    assert next(lines) == b"one"
    with pytest.raises(Silence):
        next(lines)
    lines = lines_of(reading, 5)
    os.write(writing, b"o\nhalf")
    os.close(writing)
    assert list(lines) == [b"o", b"half"]
    os.close(reading)
