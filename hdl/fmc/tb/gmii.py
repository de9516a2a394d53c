# SPDX-License-Identifier: Apache-2.0
"""The other end of a GMII: takes frames from a transmitter and sends some to a receiver."""

from __future__ import annotations

import zlib

import cocotb
from cocotb.triggers import FallingEdge

PREAMBLE = b"\x55" * 7 + b"\xd5"
GAP = 12  # bytes
LEAST = 60  # bytes, without CRC


def check(frame: bytes) -> bytes:
    """A frame's CRC, as it goes out."""
    return zlib.crc32(frame).to_bytes(4, "little")


class Sink:
    """Frames from `dut.gmii_tx*`, checked, without preamble and CRC; `errors`: those with TX_ER."""

    def __init__(self, dut, prefix: str = "gmii_tx", clock: str = "tx_clk") -> None:
        self.frames: list[bytes] = []
        self.errors = 0
        self.gaps: list[int] = []  # idle clocks before each frame but the first
        pins = (getattr(dut, f"{prefix}{name}") for name in ("d", "_en", "_er"))
        cocotb.start_soon(self.run(getattr(dut, clock), *pins))

    async def run(self, clock, data, enable, error) -> None:
        got, bad, idle = bytearray(), False, 0
        while True:
            await FallingEdge(clock)
            if int(enable.value):
                if not got and self.frames:
                    self.gaps.append(idle)
                got.append(int(data.value))
                bad |= bool(int(error.value))
                idle = 0
                continue
            idle += 1
            if got:
                self.take(bytes(got), bad)
                got, bad = bytearray(), False

    def take(self, got: bytes, bad: bool) -> None:
        assert got.startswith(PREAMBLE), got[:8].hex()
        if bad:
            self.errors += 1
            return
        frame, crc = got[len(PREAMBLE) : -4], got[-4:]
        assert crc == check(frame), "CRC"
        assert len(frame) >= LEAST
        self.frames.append(frame)


class Source:
    """Sends to `dut.gmii_rx*`, one frame after the other."""

    def __init__(self, dut, prefix: str = "gmii_rx", clock: str = "rx_clk") -> None:
        self.clock = getattr(dut, clock)
        self.data, self.valid, self.error = (
            getattr(dut, f"{prefix}{name}") for name in ("d", "_dv", "_er")
        )
        self.data.value = self.valid.value = self.error.value = 0

    async def send(
        self,
        frame: bytes,
        crc: bytes | None = None,
        error_at: int = -1,
        preamble: bytes = PREAMBLE,
    ) -> None:
        """A frame; with a wrong CRC or preamble, or RX_ER at a byte of it."""
        whole = preamble + frame + (check(frame) if crc is None else crc)
        for place, byte in enumerate(whole):
            await FallingEdge(self.clock)
            self.data.value, self.valid.value = byte, 1
            self.error.value = int(place - len(preamble) == error_at)
        for _ in range(GAP):
            await FallingEdge(self.clock)
            self.data.value = self.valid.value = self.error.value = 0
