# SPDX-License-Identifier: Apache-2.0
"""The microcontroller on its memory bus against its four measured rates and its bus's arithmetic.

Measured (azonenberg, July 2024, iperf3 -u -R -l 1450): rate of the datagrams' payload, share of the
time in which the bus is busy, words written in a second.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weighbridge.backends.twin import Explanation, Twin
from weighbridge.backends.twin.frames import LONGEST, STEPS
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

#: firmware -> (Mbit/s, writes/s, bus busy).
MEASURED = {
    "checksum_carry": (286, 9.31e6, 0.48),
    "checksum_deferred": (311, 10.07e6, 0.52),
    "mdma": (327, 10.58e6, 0.62),
    "mdma_unrolled": (528, 17.12e6, 1.00),
}


@cache
def twin(*settings: tuple[str, str]) -> Twin:
    return Twin(load_platform("stm32h7-fmc", dict(settings)))


def point(firmware: str, size: int = 1450, mhz: float = 137.5) -> Point:
    return Point(
        platform="stm32h7-fmc",
        study="udp-transmit",
        direction="cpu_to_fpga",
        size_bytes=size,
        os="baremetal",
        master="mdma" if STEPS[firmware].master == "mdma" else "cpu",
        link="FMC16",
        fpga_mhz=mhz,
        axes=(("firmware", firmware),),
    )


def mbit(seconds: float, size: int = 1450) -> float:
    return size * 8 / seconds / 1e6


def bus(explanation: Explanation) -> tuple[float, float]:
    """(writes per second, share of time busy) of the memory bus."""
    hop = next(hop for hop in explanation.hops if hop.name == "fmc")
    return hop.transactions / explanation.seconds, hop.busy / explanation.seconds


@pytest.mark.parametrize("firmware", MEASURED)
def test_the_four_measured_steps(firmware: str) -> None:
    rate, writes, busy = MEASURED[firmware]
    explanation = twin().explain(point(firmware))
    assert mbit(explanation.seconds) == pytest.approx(rate, rel=0.01)
    assert bus(explanation)[0] == pytest.approx(writes, rel=0.01)
    assert bus(explanation)[1] == pytest.approx(busy, abs=0.01)


def test_the_row_at_125_mhz_which_nothing_was_fitted_to() -> None:
    seconds = twin().predict(point("checksum_carry", mhz=125)).seconds
    assert mbit(seconds) == pytest.approx(284, rel=0.01)


@pytest.mark.parametrize(
    ("size", "rate"), [(64, 303), (256, 457), (512, 499), (1024, 523), (1450, 531.7), (1472, 531)]
)
def test_the_ceiling_is_eight_clocks_a_word(size: int, rate: float) -> None:
    ceiling = mbit(twin().ceiling(point("mdma_unrolled", size)), size)
    assert ceiling == pytest.approx(rate, rel=0.005)


def test_the_ceiling_at_another_clock_and_with_a_register_less() -> None:
    at_125 = twin().ceiling(point("mdma_unrolled", mhz=125))
    assert mbit(at_125) == pytest.approx(483.3, rel=0.001)
    shorter = twin(("apb.request_slices", "0"))
    assert mbit(shorter.ceiling(point("mdma_unrolled"))) == pytest.approx(607.6, rel=0.001)
    faster = shorter.predict(point("mdma_unrolled")).seconds
    assert mbit(faster) == pytest.approx(607.6, rel=0.01)


@given(
    st.sampled_from(sorted(STEPS)),
    st.integers(min_value=1, max_value=3 * LONGEST),
    st.sampled_from([62.5, 125, 137.5]),
)
@settings(max_examples=60)
def test_no_frame_beats_the_bus_and_longer_ones_are_never_faster(
    firmware: str, size: int, mhz: float
) -> None:
    one = point(firmware, size, mhz)
    seconds = twin().predict(one).seconds
    assert seconds >= twin().ceiling(one) * (1 - 1e-9)
    assert twin().predict(point(firmware, size + 4, mhz)).seconds >= seconds


def test_phases_add_up_and_only_the_overlapped_step_hides_its_preparation() -> None:
    for firmware in STEPS:
        explanation = twin().explain(point(firmware))
        assert sum(phase.seconds for phase in explanation.phases) == pytest.approx(
            explanation.seconds
        )
    serial = twin(("cpu.fill_word", "60cycles")).predict(point("mdma")).seconds
    assert serial > 1.2 * twin().predict(point("mdma")).seconds
    slow = twin(("cpu.fill_word_unrolled", "20cycles")).predict(point("mdma_unrolled")).seconds
    assert slow == pytest.approx(twin().predict(point("mdma_unrolled")).seconds, rel=1e-3)


@pytest.mark.parametrize(
    ("flow", "settings"),
    [
        # A processor that pauses for longer than the wait line takes never looks at it.
        ("steady", (("fmc.wait_cycles", "64"), ("fmc.address_cycles", "0.02"))),
        # Nothing follows the last write, so that its gap is no part of the message.
        ("single", (("fmc.gap_cycles", "10000"),)),
    ],
)
@pytest.mark.parametrize("firmware", sorted(STEPS))
def test_no_frame_beats_a_bus_of_other_numbers(
    flow: str, settings: tuple[tuple[str, str], ...], firmware: str
) -> None:
    bus = twin(*settings)
    one = point(firmware, 64)
    one = replace(one, axes=tuple(sorted((dict(one.axes) | {"flow": flow}).items())))
    assert bus.predict(one).seconds >= bus.ceiling(one) * (1 - 1e-9)
