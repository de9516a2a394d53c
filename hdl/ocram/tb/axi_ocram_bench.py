# SPDX-License-Identifier: Apache-2.0
"""The on-chip RAM from both ports: every byte against a model, bursts without gaps, turns."""

import random
from itertools import cycle

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, FallingEdge, RisingEdge
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiBus, AxiMaster
from cocotbext.axi.axi_channels import AxiARBus, AxiAWBus

PERIOD = 10  # ns
BYTES = 4096  # as given by the test
HALF = BYTES // 2
# Beats are whole and bursts INCR: the port does not ask.
for bus, channel in ((AxiAWBus, "aw"), (AxiARBus, "ar")):
    bus._signals = [
        name for name in bus._signals if name not in (f"{channel}size", f"{channel}burst")
    ]


class Ram:
    """The lower half is the processor's, the upper that of the logic: each has what it wrote."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.width = len(dut.axi_wdata) // 8
        self.model = bytearray(BYTES)
        self.axi = AxiMaster(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.rst)

    async def start(self) -> None:
        dut = self.dut
        dut.port_enable.value = 0
        cocotb.start_soon(Clock(dut.clk, PERIOD, "ns").start())
        dut.rst.value = 1
        await ClockCycles(dut.clk, 4)
        dut.rst.value = 0
        await ClockCycles(dut.clk, 2)
        await self.write(0, random.randbytes(BYTES))

    def pause(self, share: float) -> None:
        """Channels that the master stalls, in so many of all cycles."""
        write, read = self.axi.write_if, self.axi.read_if
        for channel in (*(write.aw_channel, write.w_channel, write.b_channel), read.r_channel):
            pauses = [random.random() < share for _ in range(997)]
            channel.set_pause_generator(cycle(pauses))

    async def write(self, address: int, data: bytes) -> None:
        assert (await self.axi.write(address, data)).resp == 0
        self.model[address : address + len(data)] = data

    async def check(self, address: int, length: int) -> None:
        answer = await self.axi.read(address, length)
        assert answer.resp == 0
        assert answer.data == self.model[address : address + length]

    async def port(self, word: int, data: int | None) -> int:
        """An access by the logic, in one cycle; what stood there is read with it."""
        dut = self.dut
        await FallingEdge(dut.clk)
        dut.port_enable.value = 1
        dut.port_word.value = word
        dut.port_write.value = data is not None
        dut.port_wdata.value = data or 0
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.port_enable.value = 0
        read = int(dut.port_rdata.value)
        at = slice(self.width * word, self.width * (word + 1))
        assert read == int.from_bytes(self.model[at], "little")
        if data is not None:
            self.model[at] = data.to_bytes(self.width, "little")
        return read


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def any_byte_by_either_port(dut) -> None:
    """Bursts at any byte of any length, both ways at once, with the second port beside them."""
    ram = Ram(dut)
    await ram.start()

    async def processor(begin: int) -> None:
        for _ in range(60):
            address = begin + random.randrange(HALF // 2)
            length = random.randint(1, begin + HALF // 2 - address)
            if random.random() < 0.5:
                await ram.write(address, random.randbytes(length))
            else:
                await ram.check(address, length)

    async def logic() -> None:
        for _ in range(300):
            word = random.randrange(HALF // ram.width, BYTES // ram.width)
            write = random.random() < 0.5
            await ram.port(word, random.getrandbits(8 * ram.width) if write else None)

    for share in (0, 0.5):
        ram.pause(share)
        both = [processor(0), processor(HALF // 2), logic()]
        await Combine(*(cocotb.start_soon(one) for one in both))
    # Each sees what the other wrote.
    await ram.check(0, BYTES)
    for word in range(0, BYTES // ram.width, 7):
        await ram.port(word, None)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_beat_a_cycle_and_turns(dut) -> None:
    ram = Ram(dut)
    await ram.start()

    async def cycles(*accesses) -> float:
        begin = get_sim_time("ns")
        await Combine(*(cocotb.start_soon(one) for one in accesses))
        return (get_sim_time("ns") - begin) / PERIOD

    beats = HALF // ram.width
    data = random.randbytes(HALF)
    alone = [await cycles(ram.write(0, data)), await cycles(ram.check(HALF, HALF))]
    assert all(beats < took < beats + 20 for took in alone), alone
    # Both at once: the RAM has one port for the two, and neither waits for the other's end.
    both = await cycles(ram.write(0, data), ram.check(HALF, HALF))
    assert 2 * beats < both < 2 * beats + 40
