# SPDX-License-Identifier: Apache-2.0
"""The bridge from the memory bus to APB: every access once, in order, as asked, in its time."""

from __future__ import annotations

import random

import cocotb
from apb import Memory
from cocotb.clock import Clock
from fmc_bus import FmcBus
from part import Part

PERIOD = 7272  # ps
HALF = 1 << 19  # bytes of the window; above them it is there again, for reads of 64 bits
STALLS = range(13)
GAPS = range(2, 9)


class Bridge:
    """The two sides, and what APB ought to see."""

    def __init__(self, dut, ahead: int) -> None:
        dut.bridge_ahead.value = ahead
        self.ahead = bool(ahead)
        self.dut = dut = Part(dut, "bridge")
        self.bus, self.apb = FmcBus(dut), Memory(dut)
        self.wanted: list[tuple] = []
        self.model: dict[int, int] = {}  # bytes

    async def start(self) -> None:
        for clock in (self.dut.clk, self.dut.launch_clk):
            cocotb.start_soon(Clock(clock, PERIOD, "ps").start())
        self.dut.rst.value = 1
        await self.bus.idle(4)
        assert self.bus.high(), "NWAIT low in reset"
        self.dut.rst.value = 0
        await self.bus.idle(4)

    async def write(self, address: int, data: int, bits: int = 32, gap: int = 2) -> None:
        await self.bus.write(address, data, bits, gap)
        for i in range(bits // 8):
            self.model[address % HALF + i] = data >> 8 * i & 0xFF
        for word in range(address & ~3, address + bits // 8, 4):
            lanes = [i for i in range(4) if address <= word + i < address + bits // 8]
            value = {i: data >> 8 * (word + i - address) & 0xFF for i in lanes}
            self.wanted.append((1, word % HALF, value))

    async def read(self, address: int, bits: int = 32, gap: int = 2) -> None:
        got = await self.bus.read(address, bits, gap)
        bytes_ = [self.model.get(address % HALF + i, 0) for i in range(bits // 8)]
        assert got == int.from_bytes(bytes_, "little"), f"{address:#x}: {got:#x}"
        words = 2 if address >= HALF else 1
        first = address & ~(4 * words - 1)
        self.wanted += [(0, (first + 4 * i) % HALF, {}) for i in range(words)]

    async def settle(self) -> None:
        """Whatever was asked is done, and nothing else."""
        await self.bus.idle(60)
        seen = [
            (write, address, {i: data >> 8 * i & 0xFF for i in range(4) if strobes >> i & 1})
            for write, address, strobes, data in self.apb.seen
        ]
        assert seen == self.wanted
        self.apb.seen.clear()
        self.wanted.clear()


async def started(dut, ahead: int) -> Bridge:
    bridge = Bridge(dut, ahead)
    await bridge.start()
    return bridge


@cocotb.test()
@cocotb.parametrize(ahead=[0, 1])
async def every_stall_and_gap(dut, ahead: int) -> None:
    """Writes, then a read: the published faults showed at one stall and gap or another."""
    bridge = await started(dut, ahead)
    for stall in STALLS:
        bridge.apb.stalls = lambda stall=stall: stall
        for gap in GAPS:
            for _ in range(5):
                await bridge.write(4 * random.randrange(64), random.getrandbits(32), gap=gap)
            await bridge.read(4 * random.randrange(64), gap=gap)
            await bridge.write(0x1234 + 4 * gap, random.getrandbits(32), gap=gap)
            await bridge.read(0x1234 + 4 * gap, gap=gap)
        await bridge.settle()


@cocotb.test()
@cocotb.parametrize(ahead=[0, 1])
async def any_width_anywhere(dut, ahead: int) -> None:
    bridge = await started(dut, ahead)
    bridge.apb.stalls = lambda: random.choice((0, 0, 1, 2, 5, 12))
    for turn in range(400):
        bits = random.choice((8, 16, 32, 64))
        wide = bits == 64 and random.random() < 0.5
        address = random.randrange(0, 0x100, bits // 8) + random.choice((0, 0x7FF00))
        gap = random.randint(2, 8)
        if random.random() < 0.6:
            await bridge.write(address + HALF * wide, random.getrandbits(bits), bits, gap)
        else:
            await bridge.read(address + HALF * (bits == 64), bits, gap)
        if turn % 50 == 0:
            await bridge.settle()
    await bridge.settle()


@cocotb.test()
@cocotb.parametrize(ahead=[0, 1])
async def bursts_of_any_length(dut, ahead: int) -> None:
    """No controller sends one of three beats, or of ten; its words come through all the same."""
    bridge = await started(dut, ahead)
    for stall in (0, 1, 3, 12):
        bridge.apb.stalls = lambda stall=stall: random.randint(0, stall)
        for beats in range(1, 11):
            for first in (0x40, 0x42):
                data = [(random.getrandbits(16), random.randint(0, 3)) for _ in range(beats)]
                await bridge.bus.write_beats(first, data, gap=random.randint(1, 3))
                words: dict[int, dict[int, int]] = {}
                for i, (value, lanes) in enumerate(data):
                    at = first + 2 * i
                    word = words.setdefault(at & ~3, {})
                    for lane in range(2):
                        if lanes >> lane & 1:
                            word[(at & 2) + lane] = value >> 8 * lane & 0xFF
                            bridge.model[at + lane] = value >> 8 * lane & 0xFF
                bridge.wanted += [(1, address, value) for address, value in words.items()]
                if random.random() < 0.3:
                    await bridge.read(0x40)
        await bridge.settle()


@cocotb.test()
@cocotb.parametrize(ahead=[0, 1])
async def ended_in_any_clock(dut, ahead: int) -> None:
    """Chip select may rise at any time: a read cut short asks nothing more, gives nothing later."""
    bridge = await started(dut, ahead)
    apb = bridge.apb
    for stall in (0, 3, 9):
        apb.stalls = lambda stall=stall: stall
        for clocks in range(14):
            for address, words in ((0x80, 1), (HALF + 0x80, 2)):
                await bridge.bus.address(address, write=False)
                for _ in range(clocks):
                    await bridge.bus.clock()
                await bridge.bus.idle(1)
                asked = len(apb.seen) + int(bridge.dut.psel.value)
                assert asked <= words
                await bridge.bus.idle(1)
                await bridge.write(0x90, random.getrandbits(32))
                await bridge.read(0x90)
                bridge.wanted[:0] = [(0, 0x80 + 4 * i, {}) for i in range(asked)]
                await bridge.settle()


@cocotb.test()
@cocotb.parametrize(ahead=[0, 1])
async def writes_take_their_time(dut, ahead: int) -> None:
    """Back to back, with APB busy for A clocks a write: max(7, A + 4), and more with a longer gap.

    With a word of its own in front of APB: APB's time, or the bus's.
    """
    bridge = await started(dut, ahead)
    for busy in range(2, 7):  # APB takes no transfer of fewer than two
        bridge.apb.stalls = lambda busy=busy: busy - 2
        for gap in GAPS:
            for _ in range(4):
                await bridge.write(0x10, random.getrandbits(32), gap=gap)
            before = bridge.bus.clocks
            for _ in range(10):
                await bridge.write(0x10, random.getrandbits(32), gap=gap)
            took = (bridge.bus.clocks - before) / 10
            law = max(5 + gap, busy if bridge.ahead else busy + 4)
            assert took == law, f"A {busy}, gap {gap}: {took}, not {law}"
        await bridge.settle()


@cocotb.test()
@cocotb.parametrize(ahead=[0, 1])
async def words_of_64_bits_take_their_time(dut, ahead: int) -> None:
    bridge = await started(dut, ahead)
    for busy in range(2, 7):
        bridge.apb.stalls = lambda busy=busy: busy - 2
        for _ in range(4):
            await bridge.write(0x10, random.getrandbits(64), 64)
        before = bridge.bus.clocks
        for _ in range(10):
            await bridge.write(0x10, random.getrandbits(64), 64)
        took = (bridge.bus.clocks - before) / 10
        law = max(9, 2 * busy if bridge.ahead else 2 * busy + 4)
        assert took == law, f"A {busy}: {took}, not {law}"
    await bridge.settle()
