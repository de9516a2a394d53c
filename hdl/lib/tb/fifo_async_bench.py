# SPDX-License-Identifier: Apache-2.0
"""A queue between two clocks of any ratio: every word once, in order, never more than fit."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Combine, FallingEdge, ReadOnly, Timer

DEPTH = 16


class Queue:
    def __init__(self, dut, in_period: int, out_period: int) -> None:
        self.dut = dut
        self.random = random.Random(cocotb.RANDOM_SEED)
        self.put: list[int] = []
        self.got = 0
        self.most = 0
        cocotb.start_soon(Clock(dut.in_clk, in_period, "ps").start())
        cocotb.start_soon(Clock(dut.out_clk, out_period, "ps").start())

    async def reset(self) -> None:
        dut = self.dut
        dut.in_rst.value = dut.out_rst.value = 1
        dut.in_valid.value = dut.out_ready.value = dut.in_data.value = 0
        await Timer(100, "ns")
        # The sides leave reset at different times.
        await FallingEdge(dut.out_clk)
        dut.out_rst.value = 0
        await Timer(33, "ns")
        await FallingEdge(dut.in_clk)
        dut.in_rst.value = 0

    async def write(self, count: int, chance: float) -> None:
        dut = self.dut
        word, valid = self.random.getrandbits(48), False
        while count:
            await FallingEdge(dut.in_clk)
            valid = valid or self.random.random() < chance
            dut.in_valid.value, dut.in_data.value = valid, word
            await ReadOnly()
            if valid and int(dut.in_ready.value):
                self.put.append(word)
                self.most = max(self.most, len(self.put) - self.got)
                word, valid, count = self.random.getrandbits(48), False, count - 1
        await FallingEdge(dut.in_clk)
        dut.in_valid.value = 0

    async def read(self, count: int, chance: float) -> None:
        dut = self.dut
        while count:
            await FallingEdge(dut.out_clk)
            dut.out_ready.value = self.random.random() < chance
            await ReadOnly()
            if int(dut.out_valid.value) and int(dut.out_ready.value):
                assert int(dut.out_data.value) == self.put[self.got], f"word {self.got}"
                self.got, count = self.got + 1, count - 1
        await FallingEdge(dut.out_clk)
        dut.out_ready.value = 0


@cocotb.test()
@cocotb.parametrize(periods=[(10000, 10000), (10000, 3700), (3300, 10000), (10000, 9990)])
async def words_cross(dut, periods: tuple[int, int]) -> None:
    queue = Queue(dut, *periods)
    await queue.reset()
    for in_chance, out_chance in ((1.0, 1.0), (1.0, 0.2), (0.2, 1.0), (0.7, 0.7)):
        write = cocotb.start_soon(queue.write(300, in_chance))
        await Combine(write, cocotb.start_soon(queue.read(300, out_chance)))
    # Full is what fits, and one in the output register.
    write = cocotb.start_soon(queue.write(DEPTH + 2, 1.0))
    await Timer(2, "us")
    assert len(queue.put) - queue.got == DEPTH + 1
    await Combine(write, cocotb.start_soon(queue.read(DEPTH + 2, 1.0)))
    assert queue.got == len(queue.put)


@cocotb.test()
async def a_word_each_cycle(dut) -> None:
    queue = Queue(dut, 10000, 10000)
    await queue.reset()
    begin = cocotb.utils.get_sim_time("ns")
    write = cocotb.start_soon(queue.write(500, 1.0))
    await Combine(write, cocotb.start_soon(queue.read(500, 1.0)))
    assert cocotb.utils.get_sim_time("ns") - begin < 10 * 500 * 1.02 + 100
