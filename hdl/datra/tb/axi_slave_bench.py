# SPDX-License-Identifier: Apache-2.0
"""AXI bursts of every shape against a register bus that counts each access."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly
from cocotbext.axi import AxiBurstType, AxiBus, AxiMaster, AxiResp

Access = tuple[bool, int, int]  # written, address, word


class Slave:
    """The slave between an AXI master and a bus whose words are its own address, until written."""

    def __init__(self, dut, seed: int) -> None:
        self.dut = dut
        self.random = random.Random(seed)
        self.bytes = len(dut.s_axi_wdata) // 8
        self.axi = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
        self.memory: dict[int, int] = {}
        self.accesses: list[Access] = []
        self.times: list[int] = []
        self.done_chance = 1.0
        self.error_at = -1
        self.now = 0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        dut.bus_done.value = dut.bus_rdata.value = dut.bus_error.value = 0
        dut.rst.value = 1
        await ClockCycles(dut.clk, 4)
        dut.rst.value = 0
        await ClockCycles(dut.clk, 2)
        cocotb.start_soon(self.answer())

    def word(self, address: int) -> int:
        return self.memory.get(address, address ^ 0xA5000000)

    async def answer(self) -> None:
        dut = self.dut
        while True:
            await FallingEdge(dut.clk)
            self.now += 1
            done = int(dut.bus_select.value) and self.random.random() < self.done_chance
            dut.bus_done.value = done
            # What is not an answer must not be taken for one.
            address = int(dut.bus_address.value)
            dut.bus_rdata.value = self.word(address) if done else 0xDEADBEEF
            dut.bus_error.value = not done or address == self.error_at
            await ReadOnly()
            if done:
                written = bool(int(dut.bus_write.value))
                word = int(dut.bus_wdata.value) if written else self.word(address)
                assert int(dut.bus_strobe.value) == 0xF
                if written:
                    self.memory[address] = word
                self.accesses.append((written, address, word))
                self.times.append(self.now)

    def pauses(self, chance: float) -> None:
        def generator():
            while True:
                yield self.random.random() < chance

        write, read = self.axi.write_if, self.axi.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel):
            channel.set_pause_generator(generator())
        for channel in (read.ar_channel, read.r_channel):
            channel.set_pause_generator(generator())

    def take(self) -> list[Access]:
        accesses, self.accesses, self.times = self.accesses, [], []
        return accesses


async def started(dut, seed: int = 1) -> Slave:
    slave = Slave(dut, seed)
    await slave.start()
    return slave


def sizes(slave: Slave) -> list[int]:
    """Of beats: log2 of bytes, from a word to the whole bus."""
    return list(range(2, slave.bytes.bit_length()))


@cocotb.test()
async def random_bursts(dut) -> None:
    slave = await started(dut, cocotb.RANDOM_SEED)
    rand = slave.random
    for step in range(60):
        slave.done_chance = rand.choice([0.3, 1.0])
        slave.pauses(rand.choice([0.0, 0.5]) if step % 10 else 0.0)
        address = 4 * rand.randrange(1000)
        size = rand.choice(sizes(slave))
        length = 4 * rand.randrange(1, rand.choice([3, 40]))
        words = range(address, address + length, 4)
        if rand.random() < 0.5:
            data = rand.randbytes(length)
            response = await slave.axi.write(address, data, size=size)
            written = [int.from_bytes(data[n : n + 4], "little") for n in range(0, length, 4)]
            assert slave.take() == [(True, a, w) for a, w in zip(words, written, strict=True)]
        else:
            response = await slave.axi.read(address, length, size=size)
            expected = b"".join(slave.word(a).to_bytes(4, "little") for a in words)
            assert response.data == expected
            # The master reads whole beats: the last one may reach further.
            accesses = [a for _, a, _ in slave.take()]
            assert accesses[: len(words)] == list(words)
            assert len(accesses) - len(words) < 2**size // 4
        assert response.resp == AxiResp.OKAY


@cocotb.test()
async def reads_beside_writes(dut) -> None:
    slave = await started(dut, 2)
    slave.pauses(0.3)
    slave.done_chance = 0.7
    writes = [slave.axi.init_write(0x1000 * n, bytes(range(64)), size=2) for n in range(8)]
    reads = [slave.axi.init_read(0x10000 + 0x1000 * n, 64, size=2) for n in range(8)]
    for event in (*writes, *reads):
        await event.wait()
    for n in range(8):
        read = reads[n].data.data
        assert read == b"".join(
            slave.word(0x10000 + 0x1000 * n + 4 * i).to_bytes(4, "little") for i in range(16)
        )
    order = [written for written, _, _ in slave.take()]
    assert order.count(True) == order.count(False) == 128
    assert True in order[:20]
    assert False in order[:20]


@cocotb.test()
async def a_read_of_32_bits_is_one_access(dut) -> None:
    slave = await started(dut, 3)
    for address in range(0x40, 0x60, 4):
        assert int.from_bytes(
            (await slave.axi.read(address, 4, size=2)).data, "little"
        ) == slave.word(address)
        assert slave.take() == [(False, address, slave.word(address))]
    for size in sizes(slave):
        await slave.axi.read(0x80, 2**size, size=size)
        assert [a for _, a, _ in slave.take()] == list(range(0x80, 0x80 + 2**size, 4))
    # A narrow write on a wide bus with the other strobes low.
    await slave.axi.write(0x84, b"abcd")
    assert slave.take() == [(True, 0x84, int.from_bytes(b"abcd", "little"))]


@cocotb.test()
async def less_than_a_word_is_an_error_and_no_access(dut) -> None:
    slave = await started(dut, 4)
    for size, length, address in (
        (0, 1, 0x10),
        (0, 1, 0x13),
        (1, 2, 0x12),
        (0, 4, 0x10),
        (1, 4, 0x14),
    ):
        assert (await slave.axi.read(address, length, size=size)).resp == AxiResp.SLVERR
        assert (await slave.axi.write(address, bytes(length), size=size)).resp == AxiResp.SLVERR
        assert slave.take() == []
    # A word of which some bytes are written, on the whole width of the bus.
    assert (await slave.axi.write(0x21, b"xyz")).resp == AxiResp.SLVERR
    assert slave.take() == []
    # Errors do not stick.
    assert (await slave.axi.write(0x20, b"wxyz", size=2)).resp == AxiResp.OKAY
    assert (await slave.axi.read(0x20, 4, size=2)).resp == AxiResp.OKAY


@cocotb.test()
async def error_of_a_page(dut) -> None:
    slave = await started(dut, 5)
    slave.error_at = 0x108
    read = slave.axi.init_read(0x100, 16, size=2)
    assert (await slave.axi.write(0x100, bytes(16), size=2)).resp == AxiResp.SLVERR
    await read.wait()
    assert read.data.resp == AxiResp.SLVERR
    assert (await slave.axi.write(0x110, bytes(16), size=2)).resp == AxiResp.OKAY
    assert (await slave.axi.read(0x110, 16, size=2)).resp == AxiResp.OKAY


@cocotb.test()
async def fixed_and_wrap(dut) -> None:
    slave = await started(dut, 6)
    size = sizes(slave)[-1]
    step = 2**size
    data = bytes(range(4 * step))
    await slave.axi.write(0x200, data, burst=AxiBurstType.FIXED, size=size)
    words = [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]
    addresses = [0x200 + 4 * (n % (step // 4)) for n in range(len(words))]
    assert slave.take() == [(True, a, w) for a, w in zip(addresses, words, strict=True)]
    await slave.axi.read(0x300, 16 * 4, burst=AxiBurstType.FIXED, size=2)
    assert [a for _, a, _ in slave.take()] == [0x300] * 16
    for size in sizes(slave):
        step, total = 2**size, 4 * 2**size
        begin = 0x400 + 2 * step
        await slave.axi.read(begin, total, burst=AxiBurstType.WRAP, size=size)
        order = [0x400 + (begin + 4 * n - 0x400) % total for n in range(total // 4)]
        assert [a for _, a, _ in slave.take()] == order


@cocotb.test()
async def an_access_each_cycle(dut) -> None:
    """Bursts of 16 words, one behind the other: no cycle between words, nor between bursts."""
    slave = await started(dut, 7)
    size = sizes(slave)[-1]
    slave.axi.write_if.max_burst_len = slave.axi.read_if.max_burst_len = 16
    for burst_size in {2, size}:
        for write in (True, False):
            if write:
                await slave.axi.write(0, bytes(1024), size=burst_size)
            else:
                await slave.axi.read(0, 1024, size=burst_size)
            assert len(slave.times) == 256
            assert slave.times[-1] - slave.times[0] <= 1.02 * 256
            slave.take()


@cocotb.test()
async def latency(dut) -> None:
    """Cycles between the handshakes on AXI of a single access that the page answers at once."""
    slave = await started(dut, 8)
    times: dict[str, int] = {}

    async def watch() -> None:
        while True:
            await FallingEdge(dut.clk)
            for channel in ("aw", "ar", "r", "b"):
                valid = int(getattr(dut, f"s_axi_{channel}valid").value)
                if valid and int(getattr(dut, f"s_axi_{channel}ready").value):
                    times[channel] = slave.now

    cocotb.start_soon(watch())
    await slave.axi.read(0x10, 4, size=2)
    await slave.axi.write(0x10, bytes(4), size=2)
    assert times["r"] - times["ar"] == 3
    assert times["b"] - times["aw"] <= 4
