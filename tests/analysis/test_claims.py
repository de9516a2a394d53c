# SPDX-License-Identifier: Apache-2.0
"""Sentences of the Cyclone V study that the twin has to bear out (docs/claims.md)."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import pytest

from weighbridge.advice.paths import point_of
from weighbridge.backends.twin import Twin
from weighbridge.platforms import load_platform

PLATFORM = load_platform("cyclonev")
SIZES = [2**power for power in range(1, 22)]


@cache
def rate(direction: str, *path: str) -> float:
    """Mean rate over the study's sizes, bytes per second."""
    twin = Twin(PLATFORM)
    words = [*path, f"direction={direction}", "fpga_mhz=150"]
    return fmean(size / twin.predict(point_of(PLATFORM, words, size)).seconds for size in SIZES)


def cpu(direction: str, os: str, level: int = 9) -> float:
    return rate(direction, f"os={os}", "master=cpu", "link=HF128", f"cache_level={level}")


def dma(direction: str, link: str, route: str, level: int) -> float:
    return rate(
        direction, "os=baremetal", "master=pl330", f"route={route}", f"link={link}",
        f"cache_level={level}", "prepared=true",
    )  # fmt: skip


@pytest.mark.parametrize(("direction", "times"), [("cpu_to_fpga", 5.0), ("fpga_to_cpu", 2.64)])
def test_bare_metal_copies_so_many_times_as_fast_as_linux(direction: str, times: float) -> None:
    assert cpu(direction, "baremetal") / cpu(direction, "linux") == pytest.approx(times, rel=0.03)


@pytest.mark.parametrize(("direction", "times"), [("cpu_to_fpga", 10.9), ("fpga_to_cpu", 4.4)])
def test_caches_make_copies_so_many_times_as_fast(direction: str, times: float) -> None:
    on, off = cpu(direction, "baremetal"), cpu(direction, "baremetal", level=0)
    assert on / off == pytest.approx(times, rel=0.05)


@pytest.mark.parametrize(
    ("route", "level", "link", "share"),
    [("acp", 9, "HF32", 0.58), ("acp", 9, "LW32", 0.18), ("sdramc", 0, "HF32", 0.85),
     ("sdramc", 0, "LW32", 0.27)],
)  # fmt: skip
def test_bridges_have_their_share_of_the_widest(
    route: str, level: int, link: str, share: float
) -> None:
    """From the fabric; to it HF32 at 150 MHz depends on the bitstream."""
    wide = dma("fpga_to_cpu", "HF128", route, level)
    assert dma("fpga_to_cpu", link, route, level) / wide == pytest.approx(share, abs=0.02)
