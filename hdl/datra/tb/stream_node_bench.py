# SPDX-License-Identifier: Apache-2.0
"""Blocks between the fabric, where a signal changes, and AXI-Stream, where TLAST ends them."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from weighbridge.registers import datra as r
from weighbridge.registers import put

LIMIT, TIMEOUT, MARK = r.STREAM_WINDOW_LIMIT, r.STREAM_WINDOW_TIMEOUT, r.STREAM_WINDOW_MARK
Word = tuple[int, int]  # data, user signal


class Node:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.random = random.Random(cocotb.RANDOM_SEED)
        self.waiting: deque[Word] = deque()  # for the node
        self.received: list[Word] = []  # from it
        self.give_chance = self.take_chance = 1.0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        cocotb.start_soon(Clock(dut.axis_clk, 7, "ns", period_high=3).start())
        clock = dut.axis_clk if int(dut.ASYNC.value) else dut.clk
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), clock, dut.axis_rst)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), clock, dut.axis_rst)
        for name in ("in_data", "in_user", "in_valid", "out_ready", "bus_select", "bus_window"):
            getattr(dut, name).value = 0
        dut.rst.value = dut.axis_rst.value = 1
        await ClockCycles(dut.clk, 4)
        dut.rst.value = dut.axis_rst.value = 0
        await ClockCycles(dut.clk, 2)
        cocotb.start_soon(self.fabric())

    async def fabric(self) -> None:
        dut, chance = self.dut, self.random.random
        offered = False
        while True:
            await FallingEdge(dut.clk)
            offered = bool(self.waiting) and (offered or chance() < self.give_chance)
            dut.in_valid.value = offered
            if offered:
                dut.in_data.value, dut.in_user.value = self.waiting[0]
            dut.out_ready.value = chance() < self.take_chance
            await ReadOnly()
            if offered and int(dut.in_ready.value):
                self.waiting.popleft()
                offered = False
            if int(dut.out_valid.value) and int(dut.out_ready.value):
                self.received.append((int(dut.out_data.value), int(dut.out_user.value)))

    async def access(self, address: int, window: int, write: int, wdata: int = 0) -> int:
        dut = self.dut
        await FallingEdge(dut.clk)
        dut.bus_address.value, dut.bus_window.value = address, window
        dut.bus_write.value, dut.bus_wdata.value, dut.bus_select.value = write, wdata, 1
        while True:
            await FallingEdge(dut.clk)
            if int(dut.bus_done.value):
                break
        value = int(dut.bus_rdata.value)
        await RisingEdge(dut.clk)
        dut.bus_select.value = 0
        return value

    def stall(self, chance: float) -> None:
        def pause():
            while True:
                yield self.random.random() < chance

        self.give_chance = self.take_chance = 1 - chance
        for stream in (self.sink, self.source):
            stream.set_pause_generator(pause())

    async def drained(self) -> None:
        while self.waiting:
            await ClockCycles(self.dut.clk, 10)
        await ClockCycles(self.dut.clk, 150)

    def frames(self) -> list[tuple[bytes, int]]:
        frames = []
        while not self.sink.empty():
            frame = self.sink.recv_nowait(compact=True)
            users = frame.tuser if isinstance(frame.tuser, list) else [frame.tuser]
            assert len(set(users)) == 1
            frames.append((bytes(frame.tdata), users[0]))
        return frames


def block(words: list[int]) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


async def started(dut) -> Node:
    node = Node(dut)
    await node.start()
    return node


@cocotb.test()
async def registers(dut) -> None:
    node = await started(dut)
    kind = await node.access(r.NODE_TYPE, 0, 0)
    assert kind == put(r.NODE_TYPE_KIND, r.NODE_TYPE_IO)
    version = r.NODE_VERSION_RESET & ~r.NODE_VERSION_PRODUCT
    version |= put(r.NODE_VERSION_PRODUCT, r.NODE_TYPE_IO)
    assert await node.access(r.NODE_VERSION, 0, 0) == version
    queues = put(r.NODE_QUEUES_INPUTS, 1) | put(r.NODE_QUEUES_OUTPUTS, 1)
    assert await node.access(r.NODE_QUEUES, 0, 0) == queues
    for address, reset in ((LIMIT, 0), (TIMEOUT, 0), (MARK, r.STREAM_WINDOW_MARK_RESET)):
        assert await node.access(address, 1, 0) == reset
        await node.access(address, 1, 1, 0x1234)
        assert await node.access(address, 1, 0) == 0x1234
    # The page and what is beyond it in the window are no registers of the window.
    assert await node.access(LIMIT + 0xFC, 1, 0) == 0


@cocotb.test()
async def blocks_to_axi_stream(dut) -> None:
    node = await started(dut)
    rand = node.random
    expected = []
    for n in range(120):
        if n % 30 == 0:
            await node.drained()
            node.stall(rand.choice([0.0, 0.5]))
        words = [rand.getrandbits(32) for _ in range(rand.randrange(1, 14))]
        node.waiting.extend((word, n) for word in words)
        expected.append((block(words), n))
    await node.drained()
    # The last block has no end yet.
    assert node.frames() == expected[:-1]
    node.waiting.append((1, 999))
    await node.drained()
    assert node.frames() == expected[-1:]


@cocotb.test()
async def limit_and_timeout(dut) -> None:
    node = await started(dut)
    node.stall(0.3)
    await node.access(LIMIT, 1, 1, 5)
    node.waiting.extend((n, 7) for n in range(12))
    node.waiting.extend((n, 8) for n in range(5))
    await node.drained()
    ends = [(0, 5, 7), (5, 10, 7), (10, 12, 7), (0, 5, 8)]
    assert node.frames() == [(block(list(range(a, b))), user) for a, b, user in ends]
    await node.access(LIMIT, 1, 1, 0)
    await node.access(TIMEOUT, 1, 1, 20)
    node.waiting.extend((n, 8) for n in range(7))
    await node.drained()
    assert node.frames() == [(block(list(range(7))), 8)]
    await node.access(TIMEOUT, 1, 1, 0)
    # What is held goes with a reset of the queue.
    node.waiting.extend([(1, 2)])
    await node.drained()
    await node.access(r.NODE_RESET_QUEUES, 0, 1, 1)
    node.waiting.extend([(3, 4), (5, 6)])
    await node.drained()
    assert node.frames() == [(block([3]), 4)]


@cocotb.test()
async def blocks_from_axi_stream(dut) -> None:
    node = await started(dut)
    rand = node.random
    expected: list[Word] = []
    for n in range(100):
        if n == 30:
            node.stall(0.5)
        words = [rand.getrandbits(32) for _ in range(rand.randrange(1, 14))]
        await node.source.send(AxiStreamFrame(block(words), tuser=5))
        # The same TUSER throughout, and yet each block has another signal than its neighbours.
        expected += [(word, 5 ^ (r.STREAM_WINDOW_MARK_RESET if n % 2 else 0)) for word in words]
    await node.source.wait()
    await node.drained()
    assert node.received == expected


@cocotb.test()
async def a_word_each_cycle(dut) -> None:
    node = await started(dut)
    node.waiting.extend((n, 0) for n in range(600))
    await ClockCycles(dut.clk, 610)
    assert not node.waiting
    await node.source.send(AxiStreamFrame(bytes(2400), tuser=0))
    await ClockCycles(dut.clk, 630)
    assert len(node.received) == 600
