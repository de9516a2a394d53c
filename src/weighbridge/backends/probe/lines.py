# SPDX-License-Identifier: Apache-2.0
"""Lines from a descriptor that may fall silent: a pipe, a serial line, a connection."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from typing import Final

#: Seconds without a line after which a probe is taken for stuck: no point takes so long.
PATIENCE: Final = 120.0
#: No line of the probe's is longer; what is, is noise on the way.
LONGEST: Final = 1 << 16


class Silence(Exception):
    """Nothing has come for too long."""


def lines_of(descriptor: int, silence: float, longest: int = LONGEST) -> Iterator[bytes]:
    """Whole lines without their ends, then what is left at the end of the file.

    What goes on for longer than a line can be is handed on in pieces, and not gathered.
    silence: seconds to wait for the next byte; then Silence is raised.
    """
    left = b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], silence)
        if not ready:
            raise Silence
        try:
            came = os.read(descriptor, 1 << 16)
        except OSError:  # a terminal whose other end is closed
            came = b""
        if not came:
            break
        *lines, left = (left + came).split(b"\n")
        yield from (line.rstrip(b"\r") for line in lines)
        if len(left) > longest:
            yield left
            left = b""
    if left:
        yield left
