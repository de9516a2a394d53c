# SPDX-License-Identifier: Apache-2.0
"""The original driver, as far as the logic sees it: its registers, its accesses and their order.

One processor: whenever an interrupt is there the handler runs before the thread's next access, as
often as the interrupt comes again. What an operation costs in reads and writes is counted here.
"""

import random
from collections.abc import Awaitable
from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from driver_plan import NODES
from processor import CPU, DMA, Datra

TYPE, VERSION, QUEUES, STATUS, SET, CLEAR = 0x00, 0x04, 0x14, 0x24, 0x28, 0x2C
USER, FREE, FREE_ABOVE, AVAILABLE, AVAILABLE_ABOVE = 0x30, 0x500, 0x520, 0x400, 0x420
TO_CONTROL, TO_STATUS, TO_ADDRESS, TO_USER, TO_BYTES, TO_RESULT = 0x60, 0x64, 0x70, 0x74, 0x78, 0x80
FROM_CONTROL, FROM_STATUS, FROM_ADDRESS, FROM_BYTES = 0xB0, 0xB4, 0xC0, 0xC8
RESULT_ADDRESS, RESULT_USER, RESULT_BYTES = 0xD0, 0xD4, 0xD8
ENABLE, DISABLE, PENDING, REARM = 0x54, 0x58, 0x60, 0x64
TO_RING, FROM_RING, RING_BYTES = 0x4_0000, 0x8_0000, 0x4_0000


@dataclass
class Stream:
    """A direction of the DMA node in ring mode."""

    head: int = 0
    tail: int = 0
    queued: list[tuple[int, int]] = field(default_factory=list)  # address, bytes


class Driver(Datra):
    def __init__(self, dut, message: bool) -> None:
        super().__init__(dut)
        self.message = message
        self.handled = 0
        self.nodes: list[int] = []  # types of those that are known
        self.happened: dict[int, int] = {}
        self.counted = [0, 0]  # reads, writes
        self.outside = [0, 0]  # of the bench itself
        self.routes: dict[tuple[int, int], tuple[int, int]] = {}
        self.remembered = [0] * 4
        self.ring = {True: Stream(), False: Stream()}
        self.random = random.Random(cocotb.RANDOM_SEED)

    async def start(self) -> None:
        await super().start()
        await self.probe()

    # What the thread does; in front of each access comes the handler if there is an interrupt.

    async def read(self, address: int) -> int:
        await self.service()
        self.counted[0] += 1
        return await super().read(address)

    async def write(self, address: int, value: int) -> None:
        await self.service()
        self.counted[1] += 1
        await super().write(address, value)

    async def peek(self, address: int) -> int:
        self.outside[0] += 1
        return await super().read(address)

    async def poke(self, address: int, value: int) -> None:
        self.outside[1] += 1
        await super().write(address, value)

    async def push(self, fifo: int, words: list[int]) -> None:
        self.outside[1] += len(words)
        await super().push(fifo, words)

    async def pop(self, fifo: int, count: int) -> list[int]:
        self.outside[0] += count
        return await super().pop(fifo, count)

    async def connect(self, *routes: tuple[int, int, int, int]) -> None:
        """Adds routes; an older one to the same destination goes."""
        for node, output, to, queue in routes:
            await self.cut(*(old for old, place in self.routes.items() if place == (to, queue)))
            await self.poke(0x610 + 16 * node + 4 * output, to + 1 << 2 | queue)
            self.routes[node, output] = to, queue

    async def cut(self, *sources: tuple[int, int]) -> None:
        for node, output in sources:
            await self.poke(0x610 + 16 * node + 4 * output, 0)
            self.routes.pop((node, output), None)

    def interrupted(self) -> bool:
        if self.message:
            return self.pulses > self.handled
        return bool(int(self.dut.irq.value))

    async def service(self) -> None:
        times = 0
        while self.interrupted():
            assert times < 4, "the interrupt comes again at once; the thread never runs"
            await self.handler()
            times += 1

    async def handler(self) -> None:
        self.handled = self.pulses
        self.counted[0] += 1
        pending = await super().read(PENDING)
        for node, kind in enumerate(self.nodes):
            if not pending >> node + 1 & 1:
                continue
            self.counted[0] += 1
            status = await super().read(self.page(node, STATUS))
            self.counted[1] += 1
            await super().write(self.page(node, CLEAR), status)
            for bit, control in ((15, TO_CONTROL), (31, FROM_CONTROL)):
                if kind == 6 and status >> bit & 1:
                    self.counted[1] += 1
                    await super().write(self.page(node, control), 0)
            self.happened[node] = self.happened.get(node, 0) | status
        self.counted[1] += 1
        await super().write(REARM, 0)

    async def sleep(self, node: int, bit: int, cycles: int = 20_000) -> None:
        for _ in range(cycles):
            await self.service()
            if self.happened.get(node, 0) >> bit & 1:
                self.happened[node] &= ~(1 << bit)
                return
            await RisingEdge(self.bus_clk)
        raise AssertionError(f"no interrupt {bit} of node {node}")

    async def costs(self, operation: Awaitable) -> tuple[object, int, int]:
        before = tuple(self.counted)
        result = await operation
        return result, self.counted[0] - before[0], self.counted[1] - before[1]

    async def probe(self) -> None:
        self.nodes = []
        self.happened = {}
        assert await self.read(0x30) >> 16 == 2015
        assert await self.read(0x1C) in (0, 32)
        counts = [await self.read(0x14), await self.read(0x18)]
        count = sum(byte for value in counts for byte in value.to_bytes(4, "little"))
        await self.write(REARM, 0)
        found = []
        for node in range(count):
            kind = await self.read(self.page(node, TYPE)) >> 8 & 0xFF
            version = await self.read(self.page(node, VERSION))
            queues = await self.read(self.page(node, QUEUES))
            found.append((kind, queues & 15, queues >> 4 & 15))
            if kind in (2, 6):
                assert version >> 8 & 0xFF == 1
            if kind == 6:
                both = 1 << 15 | 1 << 31
                await self.write(self.page(node, SET), both)
                await self.write(self.page(node, TO_CONTROL), 2)
                await self.write(self.page(node, FROM_CONTROL), 2)
                begin = get_sim_time("ns")
                while await self.read(self.page(node, STATUS)) & both != both:
                    assert get_sim_time("ns") - begin < 20_000
                await self.write(self.page(node, CLEAR), both)
                await self.write(self.page(node, TO_CONTROL), 1)
                await self.write(self.page(node, FROM_CONTROL), 1)
        assert found == NODES
        self.nodes = [kind for kind, _, _ in found]
        await self.write(ENABLE, (2 << count) - 1)

    # ---- CPU FIFOs

    async def cpu_write(self, fifo: int, words: list[int]) -> None:
        left = list(words)
        while left:
            free = await self.read(self.page(CPU, FREE + 4 * fifo))
            assert free >> 16 == 0
            if not free:
                await self.write(self.page(CPU, FREE_ABOVE + 4 * fifo), min(len(left) - 1, 170))
                await self.write(self.page(CPU, SET), 1 << fifo)
                await self.sleep(CPU, fifo)
                continue
            for word in left[:free]:
                await self.write(self.window(CPU, 0x400 * fifo), word)
            left = left[free:]

    async def cpu_read(self, fifo: int, count: int, blocking: bool = True) -> list[int]:
        got: list[int] = []
        while len(got) < count:
            level = await self.read(self.page(CPU, AVAILABLE + 4 * fifo))
            available, signal = level & 0xFFFF, level >> 16
            if available and signal != self.remembered[fifo]:
                self.remembered[fifo] = signal
                break
            left = count - len(got)
            if not available:
                if not blocking:
                    break
                await self.write(self.page(CPU, AVAILABLE_ABOVE + 4 * fifo), min(left - 1, 127))
                await self.write(self.page(CPU, SET), 1 << 16 + fifo)
                await self.sleep(CPU, 16 + fifo)
                continue
            for _ in range(min(available, left)):
                got.append(await self.read(self.window(CPU, 0x400 * fifo)))
        return got

    async def queue_runs(self, runs: list[tuple[int, int]], fifo: int = 0) -> list[int]:
        words: list[int] = []
        for signal, count in runs:
            await self.poke(self.page(CPU, USER + 4 * fifo), signal)
            assert await self.peek(self.page(CPU, USER + 4 * fifo)) == signal
            run = [self.random.getrandbits(32) for _ in range(count)]
            await self.push(fifo, run)
            words += run
        return words

    # ---- DMA

    async def results(self, to_logic: bool) -> tuple[int, int]:
        """Results that wait, free slots."""
        value = await self.read(self.page(DMA, TO_STATUS if to_logic else FROM_STATUS))
        return value >> 24, value >> 16 & 0xFF

    async def wait_dma(self, to_logic: bool) -> None:
        bit = 0 if to_logic else 16
        await self.write(self.page(DMA, SET), 1 << bit)
        await self.sleep(DMA, bit)

    async def enqueue(self, to_logic: bool, address: int, size: int, signal: int | None) -> bool:
        """One command, if there is a slot."""
        _, free = await self.results(to_logic)
        if not free:
            return False
        await self.write(self.page(DMA, TO_ADDRESS if to_logic else FROM_ADDRESS), address)
        if signal is not None:
            await self.write(self.page(DMA, TO_USER), signal)
        await self.write(self.page(DMA, TO_BYTES if to_logic else FROM_BYTES), size)
        self.ring[to_logic].queued.append((address, size))
        return True

    async def take(self, to_logic: bool) -> tuple[int, int, int]:
        """The oldest result: address, signal, bytes."""
        address, size = self.ring[to_logic].queued.pop(0)
        if to_logic:
            assert await self.read(self.page(DMA, TO_RESULT)) == address
            return address, 0, size
        assert await self.read(self.page(DMA, RESULT_ADDRESS)) == address
        signal = await self.read(self.page(DMA, RESULT_USER))
        size = await self.read(self.page(DMA, RESULT_BYTES))
        assert size
        return address, signal, size

    async def dequeue(self, to_logic: bool) -> tuple[int, int, int]:
        while not (await self.results(to_logic))[0]:
            await self.wait_dma(to_logic)
        return await self.take(to_logic)

    async def ring_write(self, data: bytes, signal: int | None = None) -> None:
        """A frame in ring mode; the ring's head goes on to the next page."""
        ring = self.ring[True]
        waiting, _ = await self.results(True)
        for _ in range(waiting):
            await self.take(True)
        self.memory.write(TO_RING + ring.head, data)
        while not await self.enqueue(True, TO_RING + ring.head, len(data), signal):
            await self.wait_dma(True)
            waiting, _ = await self.results(True)
            for _ in range(waiting):
                await self.take(True)
        ring.head = (ring.head + (len(data) + 4095 & ~4095)) % RING_BYTES

    async def prime(self, block: int, count: int = 8) -> None:
        ring = self.ring[False]
        while len(ring.queued) < count:
            if not await self.enqueue(False, FROM_RING + ring.head, block, None):
                break
            ring.head = (ring.head + block) % RING_BYTES

    async def ring_read(self, block: int) -> tuple[bytes, int]:
        """The oldest block, and a new command for its place."""
        ring = self.ring[False]
        address, signal, size = await self.dequeue(False)
        data = self.memory.read(address, size)
        assert await self.enqueue(False, FROM_RING + ring.head, block, None)
        ring.head = (ring.head + block) % RING_BYTES
        return data, signal

    async def reset(self, to_logic: bool) -> None:
        bit, control = (15, TO_CONTROL) if to_logic else (31, FROM_CONTROL)
        await self.write(self.page(DMA, SET), 1 << bit)
        await self.write(self.page(DMA, control), 3)
        await self.sleep(DMA, bit)
        assert await self.read(self.page(DMA, control)) == 0  # by the handler
        await self.write(self.page(DMA, control), 1)
        status = TO_STATUS if to_logic else FROM_STATUS
        assert await self.read(self.page(DMA, status)) == 8 << 16 | 1
        assert await self.read(self.page(DMA, control)) == 1
        self.ring[to_logic] = Stream()

    async def check(self) -> None:
        """The logic has counted what was counted here; nothing is left pending."""
        await self.service()
        assert await self.peek(PENDING) == 0
        assert not self.interrupted()
        reads = self.counted[0] + self.outside[0]
        assert await self.peek(0x70) == reads
        assert await self.peek(0x74) == self.counted[1] + self.outside[1]
