# SPDX-License-Identifier: Apache-2.0
"""What stands around the module `datra` in a bench: clocks, the processor's AXI, memory."""

import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from cocotbext.axi import AxiBus, AxiMaster, AxiRam
from cocotbext.axi.axi_channels import AxiARSink, AxiARSource, AxiAWSink, AxiAWSource

from weighbridge.registers import datra as r
from weighbridge.registers import get, put

CPU, DMA, SINK, ADDER, TEST = 0, 1, 2, 3, 5
FABRIC_PS = int(os.environ.get("FABRIC_PS", 10_000))
BUS_PS = int(os.environ.get("BUS_PS", 0))  # 0: all in the clock of the fabric


class Datra:
    """Accesses of single words and of bursts; `memories` are behind the DMA nodes, one for each."""

    def __init__(self, dut) -> None:
        self.dut = dut
        # The flat wrappers have other names, and resets that are active low.
        self.active = int(not hasattr(dut, "aclk"))
        if self.active:
            self.clk, self.rst = dut.clk, dut.rst
            bus = (dut.axi_clk, dut.axi_rst)
        else:
            bus = (dut.aclk, dut.aresetn)
            self.clk, self.rst = (dut.fabric_clk, dut.fabric_resetn) if BUS_PS else bus
        self.bus_clk, self.bus_rst = bus if BUS_PS else (self.clk, self.rst)
        if len(dut.s_axi_awlen) == 4:
            # AXI3, of which the models know nothing.
            for channel in (AxiAWSource, AxiAWSink, AxiARSource, AxiARSink):
                for name in ("awlen", "arlen"):
                    channel._signal_widths[name] = 4
                for name in ("awlock", "arlock"):
                    channel._signal_widths[name] = 2
        level = {"reset_active_level": bool(self.active)}
        slave = AxiBus.from_prefix(dut, "s_axi")
        # The wrappers number the ports of several DMA nodes.
        self.masters = [
            name for name in ("m_axi", "m0_axi", "m1_axi") if hasattr(dut, f"{name}_awid")
        ]
        longest = 1 << len(dut.s_axi_awlen)
        self.axi = AxiMaster(slave, self.bus_clk, self.bus_rst, max_burst_len=longest, **level)
        self.memories = [
            AxiRam(AxiBus.from_prefix(dut, name), self.bus_clk, self.bus_rst, size=1 << 20, **level)
            for name in self.masters
        ]
        self.memory = self.memories[0]
        self.pulses = 0

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.clk, FABRIC_PS, "ps").start())
        self.rst.value = self.active
        self.bus_rst.value = self.active
        if BUS_PS:
            cocotb.start_soon(Clock(self.bus_clk, BUS_PS, "ps").start())
            await ClockCycles(self.bus_clk, 8)
        await ClockCycles(self.clk, 8)
        self.rst.value = 1 - self.active
        await ClockCycles(self.clk, 3)
        self.bus_rst.value = 1 - self.active
        # What either side keeps of the other's reset.
        await ClockCycles(self.bus_clk, 8)
        await ClockCycles(self.clk, 8)
        cocotb.start_soon(self.count_messages())
        for master in self.masters:
            cocotb.start_soon(self.watch(master))

    async def count_messages(self) -> None:
        while True:
            await FallingEdge(self.bus_clk)
            self.pulses += int(self.dut.irq_pulse.value)

    async def watch(self, master: str) -> None:
        """Data of a write to memory come no earlier than their address."""
        names = ("awvalid", "awready", "wvalid", "wready", "wlast")
        pins = [getattr(self.dut, f"{master}_{name}") for name in names]
        ahead = 0  # bursts whose address was taken, less those whose data went
        while True:
            await FallingEdge(self.bus_clk)
            address, taken, data, ready, last = (int(pin.value) for pin in pins)
            if data:
                assert ahead + address > 0, "data without an address"
                ahead -= ready and last
            ahead += address and taken

    async def read(self, address: int) -> int:
        return int.from_bytes((await self.axi.read(address, 4, size=2)).data, "little")

    async def write(self, address: int, value: int) -> None:
        await self.axi.write(address, value.to_bytes(4, "little"), size=2)

    def page(self, node: int, offset: int) -> int:
        return r.card_node_page(node) + offset

    def window(self, node: int, offset: int) -> int:
        return r.card_node_window(node) + offset

    async def route(self, source: int, output: int, sink: int, queue: int) -> None:
        value = put(r.CONTROL_ROUTE_OUTPUT_NODE, sink + 1)
        value |= put(r.CONTROL_ROUTE_OUTPUT_QUEUE, queue)
        await self.write(r.control_route_output(source, output), value)

    async def push(self, fifo: int, words: list[int]) -> None:
        """One burst into the data port."""
        data = b"".join(word.to_bytes(4, "little") for word in words)
        port = self.window(CPU, r.cpu_window_fifo(fifo))
        for n in range(0, len(data), 1024):
            await self.axi.write(port, data[n : n + 1024], size=2)

    async def pop(self, fifo: int, count: int) -> list[int]:
        data = b""
        port = self.window(CPU, r.cpu_window_fifo(fifo))
        for n in range(0, count, 256):
            length = 4 * min(256, count - n)
            data += (await self.axi.read(port, length, size=2)).data
        return [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]

    async def available(self, fifo: int) -> int:
        return get(r.CPU_AVAILABLE_WORDS, await self.read(self.page(CPU, r.cpu_available(fifo))))

    async def free(self, fifo: int) -> int:
        return await self.read(self.page(CPU, r.cpu_free(fifo)))

    async def idle(self, cycles: int) -> None:
        """Cycles of the slower clock."""
        await ClockCycles(self.bus_clk if BUS_PS > FABRIC_PS else self.clk, cycles)
