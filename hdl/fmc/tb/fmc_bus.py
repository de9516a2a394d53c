# SPDX-License-Identifier: Apache-2.0
"""A microcontroller's memory controller (STM32H7's FMC), as the pins of a bridge see it.

Multiplexed 16-bit bus, synchronous bursts, DATLAT 0, NWAIT active during the wait state. Pins
change with the clock's falling edge and are sampled with the rising one. What of it is odd:

- Reads go on for two more clocks behind their last beat (erratum 2.6.1), written data do not.
- A beat that is written looks at NWAIT one clock before it comes, one that is read when it comes.
- NWAIT means nothing in the clocks of address and latency.
- AD carries anything while nobody is told to look at it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from cocotb.triggers import FallingEdge, ReadOnly

LATENCY = 2  # clocks behind the address
DUMMY = 2  # clocks behind the last beat that is read
GAP = 2  # clocks of chip select high, at least
PATIENCE = 20_000  # clocks of NWAIT; a real controller would wait for ever


class FmcBus:
    """One access at a time. Addresses are bytes from the window's begin.

    clocks:   all that have passed
    selected: those with chip select low
    """

    def __init__(self, dut, seed: int = 1) -> None:
        self.dut = dut
        self.random = random.Random(seed)
        self.clocks = self.selected = self.accesses = 0
        self.low = False  # chip select is
        dut.fmc_ne.value = dut.fmc_nadv.value = dut.fmc_noe.value = dut.fmc_nwe.value = 1
        dut.fmc_nbl.value = 3
        dut.fmc_a.value = dut.fmc_ad_in.value = 0

    async def clock(self, **pins: int) -> None:
        """The next clock, with these pins; others stay, AD is noise."""
        await FallingEdge(self.dut.clk)
        pins.setdefault("ad_in", self.random.getrandbits(16))
        for name, value in pins.items():
            getattr(self.dut, f"fmc_{name}").value = value
        self.clocks += 1
        self.low = not pins.get("ne", not self.low)
        self.selected += self.low

    def high(self) -> bool:
        """NWAIT in this clock."""
        return bool(int(self.dut.fmc_nwait.value))

    async def idle(self, clocks: int) -> None:
        for _ in range(clocks):
            await self.clock(ne=1, nadv=1, noe=1, nwe=1, nbl=3)

    async def address(self, address: int, write: bool) -> None:
        assert address % 2 == 0
        self.accesses += 1
        await self.clock(
            ne=0, nadv=0, nwe=not write, noe=1, ad_in=address >> 1 & 0xFFFF, a=address >> 17, nbl=0
        )
        for clock in range(LATENCY):
            await self.clock(nadv=1, noe=int(write or clock == 0))

    async def write_beats(
        self, address: int, beats: Sequence[tuple[int, int]], gap: int = GAP
    ) -> None:
        """Beats of data and written lanes (bit 0: the lower byte)."""
        await self.address(address, write=True)
        for data, lanes in beats:
            waited = 0
            while True:
                accepted = self.high()  # in the clock that is ending
                await self.clock(ad_in=data, nbl=~lanes & 3)
                if accepted:
                    break
                waited += 1
                assert waited < PATIENCE, f"NWAIT stays low: write to {address:#x}"
        await self.idle(gap)

    async def write(self, address: int, data: int, bits: int = 32, gap: int = GAP) -> None:
        """An access of 8, 16, 32 or 64 bits at its natural alignment."""
        assert address % (bits // 8) == 0
        if bits == 8:
            lane = address & 1
            beats = [(data << 8 * lane, 1 << lane)]
        else:
            beats = [(data >> 16 * i & 0xFFFF, 3) for i in range(bits // 16)]
        await self.write_beats(address & ~1, beats, gap)

    async def read(self, address: int, bits: int = 32, gap: int = GAP, dummy: int = DUMMY) -> int:
        """An access of 8, 16, 32 or 64 bits at its natural alignment."""
        assert address % (bits // 8) == 0
        await self.address(address & ~1, write=False)
        value, waited, beats = 0, 0, max(1, bits // 16)
        for beat in range(beats):
            while True:
                await self.clock()
                await ReadOnly()
                if self.high():
                    break
                waited += 1
                assert waited < PATIENCE, f"NWAIT stays low: read of {address:#x}"
            assert int(self.dut.fmc_ad_drive.value), "nobody drives what is read"
            value |= int(self.dut.fmc_ad_out.value) << 16 * beat
        for _ in range(dummy):
            await self.clock()
        await self.idle(gap)
        return value >> 8 * (address & 1) & 0xFF if bits == 8 else value
