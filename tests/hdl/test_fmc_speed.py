# SPDX-License-Identifier: Apache-2.0
"""What is behind a microcontroller's memory bus, at full rate and in long runs: fmc_bench."""

from __future__ import annotations

import json
import subprocess
from math import ceil

import pytest

import weighbridge as wb
from weighbridge.backends.rtl.verilator import built

#: A word waits in front of APB; registers in APB's response and request.
PUBLISHED = {"AHEAD": 0, "ROOT_UP": 1, "ETHERNET_DOWN": 1}
AHEAD = {"AHEAD": 1, "ROOT_UP": 1, "ETHERNET_DOWN": 1}
MHZ = 137.5
#: Datagram's payload in bytes, and Mbit/s that the published design cannot exceed with it.
LIMITS = {64: 303, 256: 457, 512: 499, 1024: 523, 1450: 531.7, 1472: 531}


def bench(parameters: dict[str, int], *arguments: object) -> dict[str, float]:
    command = [built("fmc", "fmc_bench", **parameters), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def twin(payload: int, firmware: str = "mdma_unrolled") -> float:
    """Clocks of the bus that the twin gives a frame whose writes never wait for the processor."""
    path = {"os": "baremetal", "master": "mdma", "firmware": firmware}
    point = wb.predict("stm32h7-fmc", size=payload, direction="cpu_to_fpga", **path)
    return float(point.seconds * point.ceiling_share * MHZ * 1e6)


@pytest.mark.parametrize("payload", LIMITS)
def test_saturated_rate_is_the_published_bound(payload: int) -> None:
    """Eight clocks a write, to the clock; every frame is checked on the wire."""
    answer = bench(PUBLISHED, "rate", payload, 30, 32)
    assert answer["clocks"] == 8 * (ceil((payload + 42) / 4) + 2)
    assert answer["mbit"] == pytest.approx(LIMITS[payload], rel=0.005)
    assert answer["clocks"] == pytest.approx(twin(payload))


def test_beyond_the_published_design() -> None:
    """A word that waits in front of APB: 7 clocks a write; four beats a burst: 9 for 8 bytes."""
    assert bench(AHEAD, "rate", 1450, 30, 32)["mbit"] == pytest.approx(607.6, rel=0.005)
    assert bench(AHEAD, "rate", 1450, 30, 64)["mbit"] == pytest.approx(941.0, rel=0.005)
    assert bench(PUBLISHED, "rate", 1450, 30, 64)["mbit"] == pytest.approx(707.0, rel=0.005)
    # A frame of whole bursts.
    assert bench(PUBLISHED, "rate", 1454, 30, 64)["clocks"] == pytest.approx(
        twin(1454, "mdma_wide")
    )


@pytest.mark.parametrize("parameters", [PUBLISHED, AHEAD], ids=["published", "ahead"])
def test_every_length(parameters: dict[str, int]) -> None:
    """Of a frame, each with the words that it has, with fewer, and with more."""
    assert bench(parameters, "lengths", 1, 1514, 3)["frames"] > 3 * 1500


def test_counters_in_random_use() -> None:
    """All six, in 10^6 clocks, against the bench's own; frames both ways beside them."""
    answer = bench(AHEAD, "random", 1_000_000, 2)
    assert answer["clocks"] >= 1_000_000
    assert min(answer["snapshots"], answer["frames_out"], answer["frames_in"]) > 100
