# SPDX-License-Identifier: Apache-2.0
"""Opens a serial line for one user."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from weighbridge.errors import InputError

if TYPE_CHECKING:
    from serial import Serial


def opened(port: str, baud: int, timeout: float = 0.0) -> Serial:
    """The line of a device such as /dev/ttyUSB0, which nobody else may open meanwhile.

    baud: bits a second. timeout: seconds that a read waits. InputError where there is no such line,
    where it cannot go at that speed, and where pyserial is missing.
    """
    try:
        import serial
    except ModuleNotFoundError as error:
        raise InputError(
            "a serial line needs pyserial, which is not installed",
            mend="pip install 'weighbridge[board]'",
        ) from error
    try:
        return serial.Serial(port, baud, timeout=timeout, exclusive=True)
    except (serial.SerialException, ValueError) as error:
        number = getattr(error, "errno", None)
        raise InputError(
            f"cannot be opened: {os.strerror(number) if number else error}", port
        ) from error
