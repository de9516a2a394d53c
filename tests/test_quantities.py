# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weighbridge.errors import InputError
from weighbridge.quantities import (
    MAX_SIZE_BYTES,
    format_rate,
    format_size,
    format_time,
    parse_frequency_mhz,
    parse_quantity,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [("100", 100), ("3000 B", 3000), ("64KiB", 65536), ("2 MiB", 2**21), ("1.5MB", 1_500_000)],
)
def test_sizes_are_read_with_their_unit(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("-3", "not positive"),
        ("0", "not positive"),
        ("9GiB", "too large"),
        ("1e300", "too large"),
        ("2.5", "whole number of bytes"),
        ("64KB", "unknown unit 'KB'"),
        ("64 parsecs", "unknown unit"),
        ("", "not a size"),
        ("nan", "not a size"),
        ("ten", "not a size"),
    ],
)
def test_a_bad_size_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_size(text)


@given(st.integers(1, MAX_SIZE_BYTES))
def test_a_size_survives_being_written(size: int) -> None:
    assert parse_size(format_size(size)) == size


@pytest.mark.parametrize(
    ("text", "mhz"), [("150", 150), ("150MHz", 150), ("0.1 GHz", 100), ("75000 kHz", 75)]
)
def test_clocks_are_read_with_their_unit(text: str, mhz: float) -> None:
    assert parse_frequency_mhz(text) == mhz


@pytest.mark.parametrize("text", ["0", "-50", "150 ns", "fast", "1 THz", "150GHz", "inf"])
def test_a_bad_clock_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_frequency_mhz(text)


@given(st.floats(1, 1000))
def test_a_clock_survives_being_written(mhz: float) -> None:
    assert parse_frequency_mhz(f"{mhz!r}") == mhz
    assert parse_frequency_mhz(f"{mhz!r} MHz") == mhz


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("533MHz", "MHz", 533),
        ("12.5 ns", "ns", 12.5),
        ("0.5 us", "ns", 500),
        ("7", "ns", 7),
        ("64 KiB", "B", 65536),
        ("128 bit", "B", 16),
        ("3", "cycles", 3),
        ("1 MB/s", "byte/second", 1e6),
    ],
)
def test_quantities_are_converted(text: str, unit: str, number: float) -> None:
    assert parse_quantity(text, unit) == pytest.approx(number)


@pytest.mark.parametrize("text", ["3 ns", "3 zorks", "", "MHz MHz (", "nan", "inf"])
def test_a_bad_quantity_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_quantity(text, "MHz")


@pytest.mark.parametrize(
    ("text", "unit"), [("10 B", "cycles"), ("3 cycles", "B"), ("7 B", ""), ("5 %", "cycles")]
)
def test_bytes_are_no_cycles(text: str, unit: str) -> None:
    """To pint neither has a dimension: 10000 B once were 12732 cycles."""
    with pytest.raises(InputError, match="cannot be converted"):
        parse_quantity(text, unit)


@settings(deadline=None)  # the first example imports pint
@given(st.floats(1e-9, 1e3))
def test_a_time_is_written_to_four_digits(seconds: float) -> None:
    assert parse_quantity(format_time(seconds), "s") == pytest.approx(seconds, rel=6e-4)


def test_people_read_large_units_and_few_digits() -> None:
    assert format_time(102.4e-6) == "102.4 us"
    assert format_time(43e-9) == "43 ns"
    assert format_time(0.9999999e-3) == "1 ms"
    assert format_size(64 * 1024) == "64 KiB"
    assert format_size(3000) == "3000 B"
    assert format_rate(65536, 102.4e-6) == "640 MB/s"
    assert format_rate(2, 1e-6) == "2 MB/s"


@pytest.mark.parametrize(
    "text",
    ["9**9**9", "1 us**999999999", "9 ^ 9 ^ 9 ns", "9⁹⁹⁹⁹⁹⁹⁹ ns", "3! ns", "1 " + "x" * 200_000],
)
def test_nothing_is_worked_out(text: str) -> None:
    with pytest.raises(InputError, match="is not a quantity"):
        parse_quantity(text, "ns")
