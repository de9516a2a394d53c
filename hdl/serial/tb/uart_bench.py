# SPDX-License-Identifier: Apache-2.0
"""The receiver of a serial line: clocks that differ, spikes, bytes without a stop bit."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer

PERIOD = 10  # ns
CYCLES = 16  # as given by the test


class Line:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.got: list[int] = []
        self.broken = 0

    async def start(self) -> None:
        self.dut.rxd.value = 1
        cocotb.start_soon(Clock(self.dut.clk, PERIOD, "ns").start())
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 4)
        cocotb.start_soon(self.listen())

    async def listen(self) -> None:
        while True:
            await FallingEdge(self.dut.clk)
            if int(self.dut.valid.value):
                self.got.append(int(self.dut.data.value))
            self.broken += int(self.dut.broken.value)

    async def send(self, byte: int, share: float = 1.0, stop: int = 1) -> None:
        """A byte by a sender whose bits last `share` of ours."""
        for bit in (0, *(byte >> n & 1 for n in range(8)), stop):
            self.dut.rxd.value = bit
            await Timer(round(1000 * CYCLES * PERIOD * share), "ps")
        self.dut.rxd.value = 1


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def bytes_at_other_speeds(dut) -> None:
    line = Line(dut)
    await line.start()
    for share in (0.96, 1.0, 1.04):
        sent = [random.randrange(256) for _ in range(40)]
        for byte in sent:
            await line.send(byte, share)
            if random.random() < 0.3:
                await ClockCycles(dut.clk, random.randrange(3 * CYCLES))
        await ClockCycles(dut.clk, 2 * CYCLES)
        assert line.got == sent, share
        line.got.clear()
    assert line.broken == 0


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def what_is_no_byte(dut) -> None:
    line = Line(dut)
    await line.start()
    for _ in range(20):
        # Shorter than half a bit.
        dut.rxd.value = 0
        await ClockCycles(dut.clk, CYCLES // 2 - 3)
        dut.rxd.value = 1
        await ClockCycles(dut.clk, 12 * CYCLES)
    assert (line.got, line.broken) == ([], 0)
    await line.send(0x12, stop=0)
    await ClockCycles(dut.clk, CYCLES)
    assert (line.got, line.broken) == ([], 1)
    # A line that is held low, as by a cable that is pulled, is one broken byte.
    dut.rxd.value = 0
    await ClockCycles(dut.clk, 50 * CYCLES)
    dut.rxd.value = 1
    await ClockCycles(dut.clk, 2 * CYCLES)
    assert (line.got, line.broken) == ([], 2)
    await line.send(0x34)
    await ClockCycles(dut.clk, CYCLES)
    assert (line.got, line.broken) == ([0x34], 2)
