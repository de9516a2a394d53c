# SPDX-License-Identifier: Apache-2.0
"""A probe at the other end of a serial line: bare metal, or a program on a board's console.

The probe reads its plan from the line and writes its samples there. A serial line loses and
changes bytes without saying so, so both sides end each line with its CRC-32. A line of the probe's
that does not fit its sum is left out, and its point has to be measured again.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from weighbridge.backends.probe import Facts
from weighbridge.backends.probe.lines import Silence, lines_of
from weighbridge.backends.serial_line import opened

BAUD: Final = 115_200
#: Seconds without a line after which the probe is given up; the probe gives up a batch after 10.
SILENCE: Final = 20.0


class Serial:
    """A way to the probe at the other end of a line.

    port: the line's device, such as /dev/ttyUSB0. baud: bits a second.
    """

    def __init__(self, port: str, facts: Facts, baud: int = BAUD) -> None:
        self._port, self._baud, self._facts = port, baud, facts

    @contextmanager
    def way(self, text: str) -> Iterator[Iterator[bytes]]:
        """Sends a plan and yields the lines that come back whole."""
        with opened(self._port, self._baud) as line:
            line.reset_input_buffer()
            for one in plan(text):
                line.write(one)
            yield self._lines(line.fileno())

    def _lines(self, descriptor: int) -> Iterator[bytes]:
        try:
            for line in lines_of(descriptor, SILENCE):
                yield unsummed(line)
                if self._facts.ended:
                    return
            self._facts.complaint = f"{self._port} was closed"
        except Silence:
            self._facts.complaint = f"{self._port} has been silent for {SILENCE:g} s"


def plan(text: str) -> Iterator[bytes]:
    """The lines of a plan as they go over a serial line, and the one that ends it."""
    for line in ("set check=crc32", *text.splitlines(), "end"):
        yield summed(line.encode()) + b"\n"


def summed(line: bytes) -> bytes:
    """A line with the sum of its bytes: eight hexadecimal digits behind a blank and a sign."""
    return b"%s #%08x" % (line, zlib.crc32(line))


def unsummed(line: bytes) -> bytes:
    """A line without its sum; what has a wrong one, or none, comes back as a mere sign of noise."""
    content, sign, digits = line.rpartition(b" #")
    if sign and digits == b"%08x" % zlib.crc32(content):
        return content
    return b"?" if line.strip() else b""
