# SPDX-License-Identifier: Apache-2.0
"""The link's arithmetic against the figures of the companion study and of pcie-bench's model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.platforms.pcie_link import Link, efficiency, packet_seconds

#: Generation 3, 8 lanes, 256 B of payload, requests of 512 B, 64-bit addresses.
GEN3 = Link(3, 8, 256, 512)
#: Generation 1, one lane, 32-bit addresses: the companion study's.
GEN1 = Link(1, 1, 128, 512, address_bits=32)


def digits(value: float, printed: str) -> bool:
    """Whether a value is what is printed, to its last digit."""
    return f"{value:.{len(printed.partition('.')[2])}f}" == printed


@pytest.mark.parametrize(
    ("payload", "share", "rate", "nanoseconds"),
    [
        (4, ".167", "41.7", 96), (8, ".286", "71.4", 112), (16, ".444", "111", 144),
        (32, ".615", "154", 208), (64, ".762", "190", 336), (128, ".865", "216", 592),
        (256, ".928", "232", 1104), (512, ".962", "241", 2128), (1024, ".981", "245", 4176),
        (4096, ".995", "249", 16464),
    ],
)  # fmt: skip
def test_packets_of_one_lane(payload: int, share: str, rate: str, nanoseconds: int) -> None:
    assert digits(efficiency(payload), f"0{share}")
    assert digits(250 * efficiency(payload), rate)
    assert packet_seconds(payload, 1, 1) * 1e9 == pytest.approx(nanoseconds, rel=1e-12)


def test_what_the_companion_study_states() -> None:
    assert Link(1, 1, 128).raw / 8e6 == 250
    assert Link(2, 1, 128).raw / 8e6 == 500
    assert digits(packet_seconds(128, 1, 1) * 1e9, "592")
    assert digits(packet_seconds(128, 1, 16) * 1e9, "37")
    assert digits(efficiency(128), "0.86") or digits(efficiency(128) - 0.005, "0.86")
    assert 0.86 * 250 == 215
    assert digits(100 * efficiency(4), "17")
    # A word read: the request, and a completion with the word.
    read = packet_seconds(0, 1, 1) + packet_seconds(4, 1, 1)
    assert digits(read * 1e9, "176")
    assert digits(100 * read / 2000e-9, "9")


@pytest.mark.parametrize(
    ("payload", "rate"),
    [(128, "56.67"), (256, "57.885"), (512, "57.31"), (1024, "58.75"), (2048, "60.16"),
     (4096, "61.25")],
)  # fmt: skip
def test_usable_rate_by_payload(payload: int, rate: str) -> None:
    assert digits(GEN3.raw / 1e9, "63.02")
    assert digits(Link(3, 8, payload).usable / 1e9, rate)


@pytest.mark.parametrize(
    ("size", "write", "read", "both"),
    [
        (1, "2.32", "2.41", "1.18"), (8, "14.47", "16.54", "8.27"),
        (64, "42.10", "44.10", "33.08"), (128, "48.75", "50.06", "42.10"),
        (256, "52.92", "53.69", "48.75"), (512, "52.92", "53.69", "50.75"),
        (1024, "52.92", "53.69", "50.75"), (1500, "52.81", "53.60", "50.60"),
    ],
)  # fmt: skip
def test_rates_by_size(size: int, write: str, read: str, both: str) -> None:
    assert digits(GEN3.write_rate(size) / 1e9, write)
    assert digits(GEN3.read_rate(size) / 1e9, read)
    assert digits(GEN3.both_rate(size) / 1e9, both)


def test_one_lane_of_the_first_generation() -> None:
    assert digits(GEN1.raw / 1e9, "2.0")
    assert digits(GEN1.usable / 1e9, "1.860")
    for size, rate in ((4, "0.31"), (8, "0.53"), (64, "1.42"), (128, "1.61"), (4096, "1.61")):
        assert digits(GEN1.write_rate(size) / 1e9, rate)
    assert digits(GEN1.write_rate(128) / 8e6, "201")


@given(
    st.integers(min_value=1, max_value=1 << 16),
    st.sampled_from([1, 2, 3, 4, 5]),
    st.sampled_from([1, 2, 4, 8, 12, 16, 32]),
    st.sampled_from([128, 256, 512, 1024, 2048, 4096]),
)
def test_nothing_exceeds_the_line(size: int, generation: int, lanes: int, payload: int) -> None:
    link = Link(generation, lanes, payload)
    assert link.usable < link.unacknowledged < link.raw
    both, read, write = link.both_rate(size), link.read_rate(size), link.write_rate(size)
    assert both <= min(read, write) <= max(read, write) < link.usable
    assert Link(generation, lanes, payload, ecrc=True).write_rate(size) < write
    assert Link(generation, lanes, payload, address_bits=32).write_rate(size) > write
    assert Link(generation, lanes, payload, completion_boundary=64).read_rate(size) <= read
