# SPDX-License-Identifier: Apache-2.0
"""A register slice on APB: each transfer once, a clock longer for each register."""

from __future__ import annotations

import random

import cocotb
from apb import Memory
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer
from part import Part


async def transfer(dut, address: int, data: int | None, strobes: int = 15) -> tuple[int, int]:
    """A transfer upstream: what is read, and how many clocks PSEL was high."""
    for clocks in range(1, 100):
        await FallingEdge(dut.clk)
        if clocks == 1:
            dut.psel.value, dut.pwrite.value, dut.paddr.value = 1, data is not None, address
            dut.pwdata.value = random.getrandbits(32) if data is None else data
            dut.pstrb.value = strobes if data is not None else 0
        dut.penable.value = clocks > 1
        await Timer(4, "ns")  # the memory has answered, and the slice has seen it
        await ReadOnly()
        if clocks > 1 and int(dut.pready.value):
            return int(dut.prdata.value), clocks
    raise AssertionError("no answer")


@cocotb.test()
@cocotb.parametrize(up=[0, 1], down=[0, 1])
async def each_transfer_once(dut, up: int, down: int) -> None:
    dut.slice_stages.value = 2 * up + down
    dut = Part(dut, "slice")
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.psel.value = dut.penable.value = dut.down_pslverr.value = 0
    dut.rst.value = 1
    memory = Memory(dut, "down_")
    for _ in range(4):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    words: dict[int, int] = {}
    asked: list[tuple] = []
    for stall in (0, 1, 2, 5):
        memory.stalls = lambda stall=stall: stall
        for _ in range(60):
            address, data = 4 * random.randrange(8), random.getrandbits(32)
            if random.random() < 0.6:
                _, clocks = await transfer(dut, address, data)
                words[address] = data
                asked.append((1, address, 15, data))
            else:
                got, clocks = await transfer(dut, address, None)
                assert got == words.get(address, 0), f"{address:#x}: {got:#x}"
                asked.append((0, address, 0, None))
            assert clocks == 2 + up + down + stall
            if random.random() < 0.4:
                for _ in range(random.randint(1, 4)):
                    await FallingEdge(dut.clk)
                    dut.psel.value = dut.penable.value = 0
    for _ in range(10):
        await FallingEdge(dut.clk)
        dut.psel.value = dut.penable.value = 0
    assert memory.seen == asked
