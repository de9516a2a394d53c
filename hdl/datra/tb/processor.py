# SPDX-License-Identifier: Apache-2.0
"""What stands around the module `datra` in a bench: clocks, the processor's AXI, memory."""

import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from cocotbext.axi import AxiBus, AxiMaster, AxiRam

CPU, DMA, SINK, ADDER, TEST = 0, 1, 2, 3, 5
FABRIC_PS = int(os.environ.get("FABRIC_PS", 10_000))
BUS_PS = int(os.environ.get("BUS_PS", 0))  # 0: all in the clock of the fabric


class Datra:
    """Accesses of single words and of bursts; `memory` is behind the DMA node."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.bus_clk = dut.axi_clk if BUS_PS else dut.clk
        reset = dut.axi_rst if BUS_PS else dut.rst
        self.axi = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), self.bus_clk, reset)
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), self.bus_clk, reset, size=1 << 20)
        self.pulses = 0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, FABRIC_PS, "ps").start())
        dut.rst.value = 1
        dut.axi_rst.value = 1
        if BUS_PS:
            cocotb.start_soon(Clock(dut.axi_clk, BUS_PS, "ps").start())
            await ClockCycles(dut.axi_clk, 8)
        await ClockCycles(dut.clk, 8)
        dut.rst.value = 0
        await ClockCycles(dut.clk, 3)
        dut.axi_rst.value = 0
        # What either side keeps of the other's reset.
        await ClockCycles(self.bus_clk, 8)
        await ClockCycles(dut.clk, 8)
        cocotb.start_soon(self.watch())

    async def watch(self) -> None:
        """Counts messages; data of a write to memory come no earlier than their address."""
        dut = self.dut
        ahead = 0  # bursts whose address was taken, less those whose data went
        while True:
            await FallingEdge(self.bus_clk)
            self.pulses += int(dut.irq_pulse.value)
            address = int(dut.m_axi_awvalid.value)
            if int(dut.m_axi_wvalid.value):
                assert ahead + address > 0, "data without an address"
                ahead -= int(dut.m_axi_wready.value) and int(dut.m_axi_wlast.value)
            ahead += address and int(dut.m_axi_awready.value)

    async def read(self, address: int) -> int:
        return int.from_bytes((await self.axi.read(address, 4, size=2)).data, "little")

    async def write(self, address: int, value: int) -> None:
        await self.axi.write(address, value.to_bytes(4, "little"), size=2)

    def page(self, node: int, offset: int) -> int:
        return 0x800 * (node + 1) + offset

    def window(self, node: int, offset: int) -> int:
        return 0x10000 * (node + 1) + offset

    async def route(self, source: int, output: int, sink: int, queue: int) -> None:
        await self.write(0x610 + 16 * source + 4 * output, sink + 1 << 2 | queue)

    async def push(self, fifo: int, words: list[int]) -> None:
        """One burst into the data port."""
        data = b"".join(word.to_bytes(4, "little") for word in words)
        for n in range(0, len(data), 1024):
            await self.axi.write(self.window(CPU, 0x400 * fifo), data[n : n + 1024], size=2)

    async def pop(self, fifo: int, count: int) -> list[int]:
        data = b""
        for n in range(0, count, 256):
            length = 4 * min(256, count - n)
            data += (await self.axi.read(self.window(CPU, 0x400 * fifo), length, size=2)).data
        return [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]

    async def available(self, fifo: int) -> int:
        return await self.read(self.page(CPU, 0x400 + 4 * fifo)) & 0xFFFF

    async def free(self, fifo: int) -> int:
        return await self.read(self.page(CPU, 0x500 + 4 * fifo))

    async def idle(self, cycles: int) -> None:
        """Cycles of the slower clock."""
        await ClockCycles(self.bus_clk if BUS_PS > FABRIC_PS else self.dut.clk, cycles)
