# SPDX-License-Identifier: Apache-2.0
"""Registers and memory of a design behind a serial line: the host's side of `serial_bridge`.

A request is sent again only where the logic says that its CRC was wrong: then nothing was done.
Where no answer comes, whether it was done is not known, and InputError says so.
"""

from __future__ import annotations

import os
import select
import struct
import time
import zlib
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final

from weighbridge.backends.serial_line import opened
from weighbridge.errors import InputError

#: As hdl/serial/rtl/serial_bridge.sv has them.
SYNC: Final = 0x5A
_DONE, _REFUSED, _SPOILT = range(3)
_WRITE, _STAYS, _MOST = 0x80, 0x40, 64
_OVERHEAD: Final = 7  # bytes of an answer beside its words
#: As hdl/serial/rtl/serial_datra.sv has it.
MEMORY: Final = 0x4000_0000
MEMORY_BYTES: Final = 0x1_0000
#: ulx3s.sv divides its clock for this.
BAUD: Final = 1_000_000
#: Seconds for an answer; USB adds milliseconds.
PATIENCE: Final = 2.0
#: Seconds of silence after which the logic has forgotten half a request (a fiftieth of a second).
SILENCE: Final = 0.05
_TRIES: Final = 8


class Bridge:
    """A serial line with a `serial_bridge` at its other end, open while the `with` block lasts.

    port: the line's device, such as /dev/ttyUSB0; baud: bits a second; patience: seconds
    for an answer.
    """

    def __init__(self, port: str, baud: int = BAUD, patience: float = PATIENCE) -> None:
        self.port = port
        self._patience = patience
        self.repeated = 0  # requests that came with a wrong CRC
        self._tag = 0
        self._left = b""
        self._line = opened(port, baud)

    def __enter__(self) -> Bridge:
        time.sleep(SILENCE)
        self._line.reset_input_buffer()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._line.close()

    def read(self, address: int, count: int = 1, *, stays: bool = False) -> list[int]:
        """Words from an address on, a multiple of 4; with `stays` all from the same."""
        words: list[int] = []
        for at, part in _parts(address, count, stays):
            op = (_STAYS if stays else 0) | (part - 1)
            data = self._asked(op, at, b"", 4 * part)
            words += struct.unpack(f"<{part}I", data)
        return words

    def write(self, address: int, words: Sequence[int], *, stays: bool = False) -> None:
        """Words to an address, a multiple of 4, and on; with `stays` all to the same."""
        done = 0
        for at, part in _parts(address, len(words), stays):
            op = _WRITE | (_STAYS if stays else 0) | (part - 1)
            data = struct.pack(f"<{part}I", *words[done : done + part])
            self._asked(op, at, data, 0)
            done += part

    def load(self, offset: int, data: bytes) -> None:
        """Bytes into the memory; offset and length are multiples of 4."""
        _check(offset, len(data))
        self.write(MEMORY + offset, struct.unpack(f"<{len(data) // 4}I", data))

    def dump(self, offset: int, count: int) -> bytes:
        """Bytes out of the memory; offset and count are multiples of 4."""
        _check(offset, count)
        return struct.pack(f"<{count // 4}I", *self.read(MEMORY + offset, count // 4))

    def _asked(self, op: int, address: int, data: bytes, returned: int) -> bytes:
        for _ in range(_TRIES):
            self._tag = (self._tag + 1) % 256
            request = struct.pack("<BBI", self._tag, op, address) + data
            self._send(bytes([SYNC]) + request + struct.pack("<I", zlib.crc32(request)))
            status, words = self._answer(returned, f"{address:#010x}")
            if status == _DONE:
                return words
            if status == _REFUSED:
                raise InputError(f"{address:#010x} is refused", self.port)
            self.repeated += 1
            time.sleep(SILENCE)
        raise InputError(
            f"{_TRIES} requests one after another came to the logic with a wrong sum", self.port
        )

    def _send(self, data: bytes) -> None:
        descriptor = self._line.fileno()
        while data:
            select.select([], [descriptor], [])
            data = data[os.write(descriptor, data) :]

    def _answer(self, returned: int, what: str) -> tuple[int, bytes]:
        """Status and words of the answer with this tag; what is no answer is left out."""
        until = time.monotonic() + self._patience
        descriptor = self._line.fileno()
        while True:
            if found := self._found(returned):
                return found
            ready, _, _ = select.select([descriptor], [], [], max(0.0, until - time.monotonic()))
            got = os.read(descriptor, 4096) if ready else b""
            if ready and not got:
                raise InputError("the line was closed", self.port)
            if not got:
                raise InputError(
                    f"no answer in {self._patience:g} s for {what}; it may have been done or not",
                    self.port,
                    "is the design loaded, and the speed of the line right?",
                )
            self._left += got

    def _found(self, returned: int) -> tuple[int, bytes] | None:
        start = self._left.find(SYNC)
        while start >= 0:
            head = self._left[start + 1 : start + 3]
            if len(head) == 2 and head[0] == self._tag and head[1] <= _SPOILT:
                size = _OVERHEAD + (returned if head[1] == _DONE else 0)
                whole = self._left[start : start + size]
                if len(whole) < size:
                    return None
                if zlib.crc32(whole[1:-4]) == int.from_bytes(whole[-4:], "little"):
                    self._left = b""
                    return head[1], whole[3:-4]
            start = self._left.find(SYNC, start + 1)
        return None


def _parts(address: int, count: int, stays: bool) -> Iterator[tuple[int, int]]:
    """Addresses and lengths in words of the requests that make up an access."""
    if address % 4 or not 0 <= address <= 0xFFFF_FFFC:
        raise InputError(f"{address:#x} is no address of a word", mend="give a multiple of 4")
    for done in range(0, count, _MOST):
        yield address + (0 if stays else 4 * done), min(_MOST, count - done)


def _check(offset: int, count: int) -> None:
    if offset % 4 or count % 4 or offset < 0 or count < 0 or offset + count > MEMORY_BYTES:
        raise InputError(
            f"{count} bytes at {offset:#x} are not words of the memory",
            mend=f"it has {MEMORY_BYTES} bytes",
        )
