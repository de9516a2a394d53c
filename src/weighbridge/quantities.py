# SPDX-License-Identifier: Apache-2.0
"""Text to number and back: sizes in bytes, clocks in MHz, times in seconds, rates in MB/s.

Storage is bytes, seconds and MHz; MB is 10^6 bytes, MiB 2^20. Every parser raises InputError.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

from weighbridge.errors import InputError

#: Largest transfer accepted: the memory of the largest board in sight. Each platform has its own.
MAX_SIZE_BYTES = 2**30
#: Clocks of a fabric; anything beyond is a slip of the unit.
MIN_FREQUENCY_MHZ, MAX_FREQUENCY_MHZ = 1.0, 1000.0

_BYTES = {
    "": 1,
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_BITS = {"bit": 0.125, "kbit": 125.0, "Mbit": 125e3, "Gbit": 125e6}
_SECONDS = {"": 1.0, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_MHZ = {"": 1.0, "Hz": 1e-6, "kHz": 1e-3, "MHz": 1.0, "GHz": 1e3}
#: What pint may be given: it works out powers, and 9**9**9 takes it for ever.
_PLAIN = re.compile(r"[A-Za-z0-9_.+\-*/()%\sµμ]*")
_LONGEST = 64
_AMOUNT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z]*)\s*")


def _split(text: str, units: dict[str, Any], what: str, mend: str) -> tuple[str, str]:
    match = _AMOUNT.fullmatch(text)
    if match is None:
        raise InputError(f"'{text}' is not a {what}", mend=mend)
    amount, unit = match.groups()
    if unit not in units:
        known = ", ".join(name for name in units if name)
        raise InputError(f"unknown unit '{unit}' in the {what} '{text}'", mend=f"use {known}")
    return amount, unit


def parse_size(text: str) -> int:
    """Bytes of '64KiB', '100', '3000 B', '2MiB' or '1.5MB'; in range, whole bytes only."""
    amount, unit = _split(text, _BYTES, "size", "write it like 64KiB, 3000 B or 1.5MB")
    size = float(amount) * _BYTES[unit]
    if not 0 < size <= MAX_SIZE_BYTES:
        wrong = "not positive" if size <= 0 else "too large"
        raise InputError(
            f"size '{text}' is {wrong}", mend=f"give 1 B to {format_size(MAX_SIZE_BYTES)}"
        )
    if size != int(size):
        raise InputError(f"size '{text}' is not a whole number of bytes")
    return int(size)


def parse_frequency_mhz(text: str) -> float:
    """MHz of '150', '150MHz' or '0.1 GHz', in range."""
    amount, unit = _split(text, _MHZ, "clock", "write it like 150 or 150MHz")
    # Division keeps '150000 kHz' exact where multiplying by 1e-3 would not.
    scale = _MHZ[unit]
    frequency = float(amount) * scale if scale >= 1 else float(amount) / round(1 / scale)
    check_frequency_mhz(frequency, text)
    return frequency


def check_frequency_mhz(mhz: float, text: str = "") -> None:
    """Raises InputError for a clock that no fabric has."""
    if not MIN_FREQUENCY_MHZ <= mhz <= MAX_FREQUENCY_MHZ:
        wrong = "is not positive" if mhz <= 0 else "is no fabric's"
        allowed = f"allowed: {MIN_FREQUENCY_MHZ:g} to {MAX_FREQUENCY_MHZ:g} MHz"
        raise InputError(f"clock '{text or f'{mhz:g} MHz'}' {wrong}", mend=allowed)


def parse_rate(text: str) -> float:
    """Bytes per second of '200MB/s', '1 GB/s' or '1600Mbit/s'; above 0."""
    amount, slash, second = text.partition("/")
    if not slash or second.strip() != "s":
        raise InputError(f"'{text}' is not a rate", mend="write it like 200MB/s")
    number, unit = _split(amount, _BYTES | _BITS, "rate", "write it like 200MB/s or 1Gbit/s")
    rate = float(number) * (_BYTES | _BITS)[unit]
    if rate <= 0 or not math.isfinite(rate):
        raise InputError(f"rate '{text}' is not positive")
    return rate


def parse_time(text: str) -> float:
    """Seconds of '500us', '1.5 ms' or '2s'; above 0, and never without a unit."""
    amount, unit = _split(text, _SECONDS, "time", "write it like 500us or 2ms")
    if not unit:
        raise InputError(f"time '{text}' has no unit", mend=f"write it like {text.strip()}us")
    seconds = float(amount) * _SECONDS[unit]
    if not 0 < seconds < math.inf:
        raise InputError(f"time '{text}' is not positive")
    return seconds


def parse_share(text: str, where: str) -> float:
    """The number of '10%' or '0.1'."""
    number = text.strip().removesuffix("%")
    try:
        value = float(number) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise InputError(f"'{text}' is not a share", where, "write it like 10%") from None
    return value


@cache
def _registry() -> Any:
    import pint

    # Bytes are no SI unit to pint's MB/s unless 'B' means byte, as it does here.
    registry: Any = pint.UnitRegistry(cache_folder=None)
    registry.define("@alias byte = B")
    return registry


def parse_quantity(text: str, unit: str) -> float:
    """The number of `unit` in text ('533MHz', '12.5 ns'); a bare number is already in `unit`."""
    import pint

    if len(text) > _LONGEST or not _PLAIN.fullmatch(text) or "**" in text:
        raise InputError(f"'{text}' is not a quantity", mend=f"give it in {unit}")
    try:
        quantity = _registry().Quantity(text)
        if quantity.dimensionless and quantity.units == _registry().dimensionless:
            value = float(quantity.magnitude)
        else:
            # To pint, bytes, cycles and per cent are all without dimension.
            roots = [one.to_root_units().units for one in (quantity, _registry().Quantity(1, unit))]
            if roots[0] != roots[1]:
                raise pint.DimensionalityError(quantity.units, unit)
            value = float(quantity.to(unit).magnitude)
    except pint.UndefinedUnitError as error:
        raise InputError(f"unknown unit in '{text}'", mend=f"give it in {unit}") from error
    except pint.DimensionalityError as error:
        raise InputError(f"'{text}' cannot be converted to {unit}") from error
    except Exception as error:  # pint's parser raises whatever Python's tokenizer does
        raise InputError(f"'{text}' is not a quantity", mend=f"give it in {unit}") from error
    if not math.isfinite(value):
        raise InputError(f"'{text}' is not finite")
    return value


def format_size(size_bytes: int) -> str:
    """'64 KiB', '2 MiB' where exact, bytes otherwise: nothing is rounded."""
    for unit in ("GiB", "MiB", "KiB"):
        if size_bytes >= _BYTES[unit] and size_bytes % _BYTES[unit] == 0:
            return f"{size_bytes // _BYTES[unit]} {unit}"
    return f"{size_bytes} B"


def about(size_bytes: int) -> str:
    """A size, rounded for people where it is no round number: '152 B', '27.5 KiB'."""
    if size_bytes < 1024 or "iB" in format_size(size_bytes):
        return format_size(size_bytes)
    unit, scale = ("MiB", 2**20) if size_bytes >= 2**20 else ("KiB", 2**10)
    return f"{size_bytes / scale:.3g} {unit}"


def format_time(seconds: float) -> str:
    """Four significant digits in the largest unit of ns, us, ms, s that leaves 1 or more."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        # 0.99999 ms would print as 1000 us.
        if seconds >= scale * 0.99995:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"


def format_rate(size_bytes: float, seconds: float) -> str:
    """size_bytes / seconds in MB/s (10^6), three significant digits, all digits from 100 up."""
    rate = size_bytes / seconds / 1e6
    return f"{rate:.0f} MB/s" if rate >= 100 else f"{rate:.3g} MB/s"
