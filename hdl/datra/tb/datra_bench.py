# SPDX-License-Identifier: Apache-2.0
"""The reference configuration, seen by the processor through AXI."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiMaster


class Datra:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.axi = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)

    async def start(self) -> None:
        dut = self.dut
        for name in (
            "done",
            "rdata",
            "error",
            "irq",
            "in_ready",
            "in_flush",
            "out_data",
            "out_user",
            "out_valid",
        ):
            getattr(dut, f"dma_{name}").value = 0
        dut.dma_done.value = 1
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        dut.rst.value = 1
        await ClockCycles(dut.clk, 4)
        dut.rst.value = 0
        await RisingEdge(dut.clk)

    async def read(self, a):
        return await self.axi.read_dword(a)

    async def write(self, a, v):
        await self.axi.write_dword(a, v)


@cocotb.test()
async def smoke(dut):
    d = Datra(dut)
    await d.start()
    assert await d.read(0x14) == 6
    assert await d.read(0x30) == 0x07DF0104
    for n in range(6):
        print(
            n,
            hex(await d.read(0x800 * (n + 1))),
            hex(await d.read(0x800 * (n + 1) + 4)),
            hex(await d.read(0x800 * (n + 1) + 0x14)),
        )
    await d.write(0x54, 0x7F)
    await d.write(0x610, (0 + 1) << 2 | 2)
    assert await d.read(0x610) == 6
    await d.write(0x830, 0x1234)
    for i in range(10):
        await d.write(0x10000, i)
    print(hex(await d.read(0x800 + 0x408)), hex(await d.read(0x800 + 0x500)))
    for i in range(10):
        assert await d.read(0x10800) == i
