# SPDX-License-Identifier: Apache-2.0
"""A subordinate with a memory on an APB, which also finds faults of the protocol (ARM IHI 0024)."""

from __future__ import annotations

import random
from collections.abc import Callable

import cocotb
from cocotb.triggers import FallingEdge, NextTimeStep, ReadOnly, RisingEdge

Transfer = tuple[int, int, int, int | None]  # write, address, strobes, data that is written


class Memory:
    """Answers at `dut.<prefix>pready`, `stalls()` clocks late. Words that nobody wrote read 0.

    seen:   every transfer, in order
    active: clocks with PENABLE
    """

    def __init__(self, dut, prefix: str = "") -> None:
        self.dut, self.prefix = dut, prefix
        self.stalls: Callable[[], int] = lambda: 0
        self.words: dict[int, int] = {}
        self.seen: list[Transfer] = []
        self.active = 0
        cocotb.start_soon(self.run())

    def pin(self, name: str):
        return getattr(self.dut, self.prefix + name)

    def request(self) -> Transfer:
        write = int(self.pin("pwrite").value)
        data = int(self.pin("pwdata").value) if write else None
        return write, int(self.pin("paddr").value), int(self.pin("pstrb").value), data

    def take(self, request: Transfer) -> int:
        """Does what is asked; the answer."""
        write, address, strobes, data = request
        self.seen.append(request)
        if write:
            mask = sum(0xFF << 8 * i for i in range(4) if strobes >> i & 1)
            assert data is not None
            self.words[address] = self.words.get(address, 0) & ~mask | data & mask
            return random.getrandbits(32)
        assert strobes == 0, "strobes in a read"
        return self.words.get(address, 0)

    async def run(self) -> None:
        self.pin("pready").value = 0
        held: Transfer | None = None
        left = 0
        while True:
            await RisingEdge(self.dut.clk)
            await FallingEdge(self.dut.clk)  # what registers gave with the edge is there
            await ReadOnly()
            ready, data = 0, random.getrandbits(32)
            enabled = int(self.pin("penable").value)
            if not int(self.pin("psel").value):
                assert held is None, "PSEL fell before PREADY"
            elif held is None:
                assert not enabled, "PENABLE in the first clock of PSEL"
                held, left = self.request(), self.stalls()
            else:
                assert enabled, "no PENABLE in the second clock of PSEL"
                assert self.request() == held, f"{held} became {self.request()}"
                self.active += 1
                if left == 0:
                    ready, data, held = 1, self.take(held), None
                left -= 1
            await self.give(ready, data)

    async def give(self, ready: int, data: int) -> None:
        """In time for the edge that ends this clock."""
        await NextTimeStep()
        self.pin("pready").value, self.pin("prdata").value = ready, data
