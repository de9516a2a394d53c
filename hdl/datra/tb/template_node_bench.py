# SPDX-License-Identifier: Apache-2.0
"""The template of a node, between its register bus and its streams; a bench to copy with it."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from weighbridge.registers import datra as r
from weighbridge.registers import get, put

Word = tuple[int, int]  # data, user signal
RESET_QUEUES = r.NODE_RESET_QUEUES
MASK, COUNT = r.TEMPLATE_WINDOW_MASK, r.TEMPLATE_WINDOW_COUNT


class Node:
    """Drives each cycle; words that were offered and taken are accounted for."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.random = random.Random(cocotb.RANDOM_SEED)
        self.waiting: deque[Word] = deque()  # to be offered
        self.inside: list[Word] = []  # taken by the node
        self.out: list[Word] = []
        self.give_chance = self.take_chance = 1.0
        self.offered = False
        self.held: Word | None = None  # offered by the node and not yet taken

    async def start(self) -> None:
        dut = self.dut
        for name in ("address", "window", "write", "wdata", "select"):
            getattr(dut, f"bus_{name}").value = 0
        for name in ("in_data", "in_user", "in_valid", "out_ready"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        for _ in range(4):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    async def cycle(self, **bus: int) -> None:
        dut = self.dut
        await FallingEdge(dut.clk)
        for name in ("address", "window", "write", "wdata", "select"):
            getattr(dut, f"bus_{name}").value = bus.get(name, 0)
        self.offered = bool(self.waiting) and (
            self.offered or self.random.random() < self.give_chance
        )
        dut.in_valid.value = self.offered
        if self.offered:
            dut.in_data.value, dut.in_user.value = self.waiting[0]
        dut.out_ready.value = self.random.random() < self.take_chance
        await ReadOnly()
        word = (int(dut.out_data.value), int(dut.out_user.value))
        valid = bool(int(dut.out_valid.value))
        if self.held is not None:
            assert (word if valid else None) == self.held, "a word that was offered must stay"
        self.held = word if valid and not int(dut.out_ready.value) else None
        if valid and int(dut.out_ready.value):
            self.out.append(word)
        if self.offered and int(dut.in_ready.value):
            self.inside.append(self.waiting.popleft())
            self.offered = False

    async def access(self, address: int, window: int, write: int, wdata: int = 0) -> int:
        for _ in range(4):
            await self.cycle(address=address, window=window, write=write, wdata=wdata, select=1)
            if int(self.dut.bus_done.value):
                return int(self.dut.bus_rdata.value)
        raise AssertionError(f"no answer at {address:#x}")

    async def idle(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()

    def words(self, count: int) -> list[Word]:
        rand = self.random
        made = [(rand.getrandbits(32), rand.randrange(4)) for _ in range(count)]
        self.waiting.extend(made)
        return made


async def started(dut) -> Node:
    node = Node(dut)
    await node.start()
    return node


@cocotb.test()
async def page(dut) -> None:
    node = await started(dut)
    kind = await node.access(r.NODE_TYPE, 0, 0)
    assert kind == put(r.NODE_TYPE_KIND, r.NODE_TYPE_FIXED)
    assert get(r.NODE_VERSION_REVISION, await node.access(r.NODE_VERSION, 0, 0)) == 1
    queues = put(r.NODE_QUEUES_INPUTS, 1) | put(r.NODE_QUEUES_OUTPUTS, 1)
    assert await node.access(r.NODE_QUEUES, 0, 0) == queues
    irqs = (r.CPU_IRQ_MASK, r.CPU_IRQ_STATUS)
    for address in (*irqs, RESET_QUEUES, RESET_QUEUES + 4, r.CARD_NODE_PAGE_BYTES - 4):
        assert await node.access(address, 0, 0) == 0


@cocotb.test()
async def every_word_once_in_order(dut) -> None:
    node = await started(dut)
    total = 0
    for mask in (0, 0xFFFF_0000, 0x1234_5678):
        await node.access(MASK, 1, 1, mask)
        assert await node.access(MASK, 1, 0) == mask
        for node.give_chance in (0.1, 0.5, 1.0):
            for node.take_chance in (0.1, 0.5, 1.0):
                words = node.words(60)
                while len(node.out) < total + 60:
                    await node.cycle()
                got = node.out[total:]
                assert got == [(data ^ mask, user) for data, user in words]
                total += 60
    assert await node.access(COUNT, 1, 0) == total
    await node.access(COUNT, 1, 1)
    assert await node.access(COUNT, 1, 0) == 0
    assert await node.access(COUNT + 4, 1, 0) == 0


@cocotb.test()
async def a_word_each_cycle(dut) -> None:
    node = await started(dut)
    node.words(200)
    await node.idle(201)
    assert len(node.out) == 200


@cocotb.test()
async def reset_of_the_queue_discards_what_is_inside(dut) -> None:
    node = await started(dut)
    node.take_chance = 0.0
    node.words(10)
    await node.idle(10)
    held = len(node.inside)
    assert held == 1
    node.held = None  # it may vanish now
    for _ in range(2):
        await FallingEdge(dut.clk)
        dut.bus_address.value, dut.bus_window.value, dut.bus_write.value = RESET_QUEUES, 0, 1
        dut.bus_wdata.value, dut.bus_select.value, dut.in_valid.value = 1, 1, 0
        await ReadOnly()
    node.take_chance = 1.0
    await node.idle(20)
    assert [word for word, _ in node.out] == [word for word, _ in node.inside[held:]]
