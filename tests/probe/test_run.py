# SPDX-License-Identifier: Apache-2.0
"""A run: its order, its timer, its end by whatever ends it."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from .conftest import Probe, answer

SMALL = "\n".join(f"id={number} kernel=load bytes={4 + number}KiB" for number in range(40))
#: The same count of blocks and samples whatever the machine does meanwhile.
FIXED = "budget=0ns blocks=3 samples=2 batch=10us group=8"


def order(probe: Probe, settings: str) -> list[tuple[int, int]]:
    done = probe(SMALL, settings)
    assert done.status == 0
    return [(line["id"], line["block"]) for line in done.of("sample")]


def test_the_seed_gives_the_order(probe: Probe) -> None:
    first = order(probe, f"{FIXED} seed=5")
    assert first == order(probe, f"{FIXED} seed=5")
    assert first != order(probe, f"{FIXED} seed=6")
    assert len(first) == 40 * 3 * 2
    # Blocks of a group of eight are interleaved: none of it is measured twice before all are once.
    blocks = [block for _, block in first[: 8 * 3 * 2]]
    assert blocks == sorted(blocks)
    assert len({number for number, _ in first[: 8 * 2]}) == 8
    assert [number for number, _ in first] != sorted(number for number, _ in first)


def test_order_is_the_same_everywhere(any_probe: Probe, probe: Probe) -> None:
    assert order(any_probe, f"{FIXED} seed=5") == order(probe, f"{FIXED} seed=5")


def test_timer(any_probe: Probe) -> None:
    done = any_probe("id=1 kernel=load bytes=4KiB")
    (timer,) = done.of("timer")
    assert timer["name"] in ("tsc", "pmccntr", "cntvct", "clock_gettime")
    assert timer["why"]
    assert timer["resolution_ns"] > 0
    assert timer["overhead_ns"] > 0
    assert timer["batch_ns"] >= 1000 * max(timer["resolution_ns"], timer["overhead_ns"]) - 1
    for sample in done.samples():
        assert sample["ns"] * sample["count"] >= 0.999 * timer["batch_ns"]
    (found,) = done.of("probe")
    assert found["libc"] == ("glibc" if any_probe.name == "host" else "musl")
    assert re.fullmatch("[0-9a-f]{16}", found["build"])


def test_samples_in_their_order(probe: Probe) -> None:
    done = probe("id=1 kernel=load bytes=4KiB", "budget=1s")
    assert {line["cpu"] for line in done.samples()} == {done.of("machine")[0]["cpu"]}
    assert [line["at_ns"] for line in done.samples()] == sorted(
        line["at_ns"] for line in done.samples()
    )


def test_further_is_slower(probe: Probe) -> None:
    """In an order that no prefetcher knows; each size's best half, for the machine is not alone."""
    done = probe(
        "id=1 kernel=load bytes=8KiB\nid=2 kernel=load bytes=64MiB", "budget=2s blocks=2 spread=0.2"
    )
    assert 0 < 4 * done.median(1) < done.median(2)


def test_huge_pages(probe: Probe) -> None:
    done = probe("id=1 kernel=read bytes=4MiB copy=vector", "pages=huge budget=300ms blocks=2")
    point = done.point()
    offered = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if offered.exists() and "[never]" not in offered.read_text():
        assert point["outcome"] == "ok", point
    else:
        assert point["outcome"] == "no_memory"


def test_too_much_memory(probe: Probe) -> None:
    done = probe("id=1 kernel=write bytes=1024GiB\nid=2 kernel=load bytes=4KiB")
    assert done.point(1)["outcome"] == "no_memory"
    assert done.point(2)["outcome"] == "ok"


def test_full_disk(probe: Probe) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            probe.command, input=SMALL.encode(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"probe: output: No space left on device\n"


def test_nobody_reads(probe: Probe) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        probe.command, input=SMALL.encode(), stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == b"probe: output: Broken pipe\n"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("traffic", ["", " traffic=copy threads=2 traffic_bytes=1MiB"])
def test_interrupted(probe: Probe, number: int, status: int, traffic: str) -> None:
    """A whole line, an outcome for each point, and the status that a shell expects."""
    plan = f"set budget=60s spread=0 group=2\nid=1 kernel=load bytes=64MiB{traffic}\n" + "".join(
        f"id={more} kernel=read bytes=1MiB\n" for more in (2, 3)
    )
    running = subprocess.Popen(
        probe.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Where this runs with the signals switched off, the probe would leave them so.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert running.stdin
    assert running.stdout
    running.stdin.write(plan)
    running.stdin.close()
    begun = "".join(running.stdout.readline() for _ in range(6))
    running.send_signal(number)
    done = answer(running.wait(20), begun + running.stdout.read(), "")
    running.stdout.close()
    assert done.status == status
    assert {line["outcome"] for line in done.of("point")} == {"interrupted"}
    assert {line["id"] for line in done.of("point")} == {1, 2, 3}
    assert len(done.of("end")) == 1
