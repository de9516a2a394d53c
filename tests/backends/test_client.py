# SPDX-License-Identifier: Apache-2.0
"""Debian's own iperf3 in a Linux guest, opposite the executed firmware, in simulated time."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.backends.test_microcontroller import FITTED, PUBLISHED, point
from weighbridge.backends import Unanswered
from weighbridge.backends.elf import microcontroller
from weighbridge.backends.elf.datagrams import fault
from weighbridge.backends.elf.microcontroller import SERVER
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.backends.uml import client, guest
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform


def able() -> bool:
    try:
        guest.check()
    except InputError:
        return False
    return shutil.which("iperf3") is not None


pytestmark = pytest.mark.skipif(not able(), reason="no guest can be built here, or no iperf3")


@pytest.fixture(scope="module")
def hardware() -> Hardware:
    return Hardware(load_platform("stm32h7-fmc"), 1)


def test_the_rate_of_the_bus_as_the_client_says_it(hardware: Hardware) -> None:
    """Every datagram on the wire is right, and the client has each; a second run says the same."""
    script = f"ping -c 2 {SERVER}\niperf3 -J -c {SERVER} -u -R -l 1450 -n 900K\n"
    runs = [client.run(hardware, point("mdma_unrolled"), script) for _ in range(2)]
    said = [
        json.loads(run.output[run.output.index("{") : run.output.rindex("}") + 1]) for run in runs
    ]
    ends = [one["end"] for one in said]
    for end in ends:
        received = end["sum_received"]
        assert 1e-6 * received["bits_per_second"] == pytest.approx(528, rel=0.01)
        assert received["lost_packets"] == 0
        assert received["bytes"] >= 900 << 10
    assert said[0]["start"]["cookie"] != said[1]["start"]["cookie"]
    for sums in ("sum_sent", "sum_received"):
        assert ends[0][sums] == ends[1][sums]
    frames = [one for one in runs[0].frames if len(one.data) == 42 + 1450]
    # The first one answers the client's greeting, and has no number.
    assert len(frames) >= ends[0]["sum"]["packets"]
    for number, frame in enumerate(frames, 1):
        assert fault(frame.data, 1450, number) == ""
    assert runs[0].report["dropped"] == 0
    # There is a wire of 2 us, a frame's own time on it, and a program that answers.
    answers = [float(ms) for ms in re.findall(r"time=([\d.]+) ms", runs[0].output)]
    assert len(answers) == 2
    assert all(0.003 < ms < 0.2 for ms in answers)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_steps_as_the_client_says_them(hardware: Hardware, name: str) -> None:
    """With the core's two fitted numbers."""
    step, mhz, published, _ = PUBLISHED[name]
    told = client.asked(hardware, point(step, mhz), "-u -R -l 1450 -n 300K", FITTED)
    received = told["sum_received"]
    assert 1e-6 * received["bits_per_second"] == pytest.approx(published, rel=0.02)
    assert received["lost_packets"] == 0


def test_a_register_stage_less_as_the_client_says_it(hardware: Hardware) -> None:
    """Nobody has built it: the bound is 7 clocks a write, 607.6 Mbit/s."""
    library = microcontroller.logic(hardware, ROOT_UP=0)
    asked = "-u -R -l 1450 -n 1800K"
    told = client.asked(hardware, point("mdma_unrolled"), asked, library=library)
    received = told["sum_received"]
    assert 600 <= 1e-6 * received["bits_per_second"] < 607.6
    assert received["lost_packets"] == 0


def test_eight_bytes_a_burst_as_the_client_says_them() -> None:
    """With a register stage less: ten clocks for eight bytes, at most 846.6 Mbit/s."""
    shorter = Hardware(load_platform("stm32h7-fmc", {"apb.response_slices": "0"}), 1)
    told = client.asked(shorter, point("mdma_wide"), "-u -R -l 1450 -n 3300K")
    received = told["sum_received"]
    assert 825 <= 1e-6 * received["bits_per_second"] < 846.6
    assert received["lost_packets"] == 0


def test_a_point_is_what_the_client_has_received() -> None:
    backend = client.Client(load_platform("stm32h7-fmc"))
    result = backend.predict(point("mdma_unrolled", size=64))
    # The bus takes 232 clocks for it.
    assert result.seconds > result.ceiling_seconds
    assert result.seconds * 137.5e6 > 232
    assert result.n is not None
    assert result.n >= 1000
    with pytest.raises(Unanswered, match="one frame each"):
        backend.predict(point("mdma", size=1473))


def confined() -> list[str]:
    """What the kernel says of the boards that execute beside a guest of this process."""
    told = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"--calendar" in (process / "cmdline").read_bytes():
                told.append((process / "status").read_text())
        except OSError:
            continue  # it has ended
    return [one for one in told if f"\nPPid:\t{os.getpid()}\n" in one]


def test_the_board_is_confined_beside_a_guest(hardware: Hardware) -> None:
    """By what the kernel says of the process, while it executes."""
    found: set[tuple[bool, bool]] = set()
    with ThreadPoolExecutor(1) as threads:
        script = f"ping -c 3 {SERVER}\n"
        running = threads.submit(client.run, hardware, point("mdma"), script)
        while not running.done():
            for status in confined():
                found.add(("\nSeccomp:\t2\n" in status, "\nNoNewPrivs:\t1\n" in status))
            time.sleep(0.005)
        assert "3 packets received" in running.result().output
    assert (True, True) in found


def test_what_the_server_refuses_is_told(hardware: Hardware) -> None:
    with pytest.raises(Unanswered, match="iperf3: "):
        client.asked(hardware, point("mdma"), "-n 10K")
    with pytest.raises(InputError, match=r"the guest has failed: .*absent: not found"):
        client.run(hardware, point("mdma"), "absent")
