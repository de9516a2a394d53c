# SPDX-License-Identifier: Apache-2.0
"""The original driver's accesses, in its order, on the whole logic with memory behind it.

One processor: whenever an interrupt is there the handler runs before the thread's next access, as
often as the interrupt comes again. Each case runs twice, with the level and with messages for an
interrupt. What an operation costs in reads and writes is counted here and by the logic, and must be
what it costs the original.
"""

import random
from collections.abc import Awaitable
from dataclasses import dataclass, field
from itertools import cycle

import cocotb
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from processor import ADDER, BUS_PS, CPU, DMA, SINK, TEST, Datra

TYPE, VERSION, QUEUES, STATUS, SET, CLEAR = 0x00, 0x04, 0x14, 0x24, 0x28, 0x2C
USER, FREE, FREE_ABOVE, AVAILABLE, AVAILABLE_ABOVE = 0x30, 0x500, 0x520, 0x400, 0x420
TO_CONTROL, TO_STATUS, TO_ADDRESS, TO_USER, TO_BYTES, TO_RESULT = 0x60, 0x64, 0x70, 0x74, 0x78, 0x80
FROM_CONTROL, FROM_STATUS, FROM_ADDRESS, FROM_BYTES = 0xB0, 0xB4, 0xC0, 0xC8
RESULT_ADDRESS, RESULT_USER, RESULT_BYTES = 0xD0, 0xD4, 0xD8
ENABLE, DISABLE, PENDING, REARM = 0x54, 0x58, 0x60, 0x64
TO_RING, FROM_RING, RING_BYTES = 0x4_0000, 0x8_0000, 0x4_0000

# ---- the plan ------------------------------------------------------------------------------------

#: Type, inputs, outputs of each node.
NODES = [(2, 4, 4), (6, 1, 1), (7, 1, 0), (4, 4, 4), (4, 4, 4), (4, 4, 4)]


@dataclass(frozen=True)
class Words:
    """A call of read() or write() on a FIFO of the CPU node, and its accesses."""

    count: int
    waits: bool
    reads: int
    writes: int


CPU_WRITES = [
    Words(1, False, 1, 1),
    Words(10, False, 1, 10),
    Words(200, False, 1, 200),
    Words(1, True, 4, 4 + 1),
    Words(100, True, 4, 4 + 100),
]
CPU_READS = [
    Words(1, False, 1 + 1, 0),
    Words(10, False, 1 + 10, 0),
    Words(200, False, 1 + 200, 0),
    Words(1, True, 4 + 1, 4),
    Words(100, True, 4 + 100, 4),
]

#: Runs of (signal, words) that are queued; words asked for by each read; words that it returns. The
#: signal that a reader remembers is 0 at first; 0 words are the mark between frames.
SIGNALS = [
    ([(0, 1), (5, 2)], 4, [1, 2]),
    ([(7, 3)], 4, [0, 3]),
    ([(0, 2), (1, 1), (0, 1)], 4, [2, 1, 1]),
    ([(0xFFFF, 4)], 3, [0, 3, 1]),
    ([(0, 5)], 5, [5]),
]

#: FIFO from logic: threshold, runs that are queued, whether the interrupt fires.
FROM_LEVELS = [
    (9, [(0, 9)], False),
    (9, [(0, 10)], True),
    (0, [(0, 1)], True),
    (0, [], False),
    (127, [(0, 127)], False),
    (127, [(0, 128)], True),
    (127, [(0, 1), (1, 1)], True),  # more of the first signal will not come
    (600, [(0, 600)], True),  # full
]
#: FIFO to logic, nothing taken: threshold, words written, whether the interrupt fires.
TO_LEVELS = [(170, 341, True), (170, 342, False), (0, 511, True), (0, 512, False), (511, 0, True)]


@dataclass(frozen=True)
class Frames:
    """Frames on a DMA stream: in ring mode a page each, or in blocks; and the accesses of one."""

    name: str
    to_logic: bool
    blocks: bool
    size: int
    reads: int
    writes: int
    waiting_reads: int
    waiting_writes: int


DMA_FRAMES = [
    Frames("ring write", True, False, 256, 3, 2, 6, 5),
    Frames("ring read", False, False, 4096, 5, 2, 8, 5),
    Frames("block write", True, True, 512, 3, 3, 6, 6),
    Frames("block read", False, True, 512, 5, 2, 8, 5),
]

#: Words from logic by runs of one signal, bytes asked for by each command, bytes of each result.
DMA_SIGNALS = [
    ([(0, 5), (1, 3), (0, 2), (3, 1)], 256, [20, 12, 8]),
    ([(2, 64), (2, 64)], 256, [256, 256]),
    ([(0, 100), (9, 1), (9, 200)], 400, [400, 400, 400]),
    ([(1, 1), (2, 1), (3, 1), (4, 1)], 4, [4, 4, 4, 4]),
]

#: A stream that does not move, by what holds it: it must come out of reset all the same.
BLOCKED = ["disabled", "unrouted", "full", "starved", "results"]

#: Routes: source node and output, destination node and input.
ROUTES = [
    [(CPU, 0, CPU, 3), (CPU, 1, CPU, 2), (CPU, 2, CPU, 1), (CPU, 3, CPU, 0)],
    [(CPU, 0, ADDER, 1), (ADDER, 1, ADDER + 1, 2), (ADDER + 1, 2, CPU, 0)],
    [(CPU, 3, DMA, 0), (DMA, 0, CPU, 1)],
]


# ---- the driver ----------------------------------------------------------------------------------


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


def case(function):
    return cocotb.test()(cocotb.parametrize(message=[False, True])(function))


async def started(dut, message: bool) -> Driver:
    driver = Driver(dut, message)
    if message:
        # A memory that lets addresses wait until the data of several bursts are there.
        driver.memory.write_if.aw_channel.set_pause_generator(cycle([1] * 60 + [0] * 8))
    await driver.start()
    return driver


def bytes_of(words: list[int]) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


# ---- cases ---------------------------------------------------------------------------------------


@case
async def probed_twice(dut, message: bool) -> None:
    driver = await started(dut, message)
    assert await driver.peek(0x0C) == 1  # static id
    assert await driver.peek(0x34) & 1 == 1  # licence valid
    assert (await driver.peek(0x40), await driver.peek(0x44)) == (0, 0)
    # Left as after a crash: commands under way, a blocked sink, interrupts armed.
    await driver.connect((DMA, 0, ADDER, 0), (CPU, 0, DMA, 0), (CPU, 1, CPU, 1))
    await driver.poke(DISABLE, 1 << ADDER + 1)
    for n in range(3):
        await driver.ring_write(bytes(4096), n)
    await driver.prime(4096)
    await driver.push(0, list(range(100)))
    await driver.poke(driver.page(CPU, SET), 1 << 16)
    await driver.idle(300)
    driver.ring = {True: Stream(), False: Stream()}
    await driver.probe()
    assert await driver.peek(driver.page(DMA, TO_STATUS)) == 8 << 16 | 1
    assert await driver.peek(driver.page(DMA, FROM_STATUS)) == 8 << 16 | 1
    await driver.poke(driver.page(CPU, CLEAR), 1 << 16)
    # And it works: what stood before in the router went with the reset.
    await driver.poke(driver.page(CPU, 0x40), 0xF)
    await driver.poke(driver.page(ADDER, 0x40), 0xF)
    await driver.connect((DMA, 0, DMA, 0))
    await driver.prime(64, 2)
    data = bytes_of([driver.random.getrandbits(32) for _ in range(16)])
    await driver.ring_write(data, 7)
    assert await driver.ring_read(64) == (data, 7)
    await driver.check()


@case
async def cpu_fifo_accesses(dut, message: bool) -> None:
    driver = await started(dut, message)

    async def later(cycles: int, action: Awaitable) -> None:
        await driver.idle(cycles)
        await action

    for row in CPU_WRITES:
        # Into a node that takes nothing until later: FIFO and router full.
        await driver.connect((CPU, 0, SINK, 0))
        await driver.poke(ENABLE, 1 << SINK + 1)
        await driver.poke(driver.window(SINK, 0), 0)
        filled = 0
        if row.waits:
            await driver.poke(DISABLE, 1 << SINK + 1)
            while free := await driver.peek(driver.page(CPU, FREE)):
                await driver.push(0, list(range(free)))
                filled += free
                await driver.idle(60)
            assert 171 <= filled < 1500
            cocotb.start_soon(later(300, driver.poke(ENABLE, 1 << SINK + 1)))
        words = [driver.random.getrandbits(32) for _ in range(row.count)]
        _, reads, writes = await driver.costs(driver.cpu_write(0, words))
        assert (reads, writes) == (row.reads, row.writes), row
        await driver.idle(700)
        assert await driver.peek(driver.window(SINK, 0)) == filled + row.count
        assert await driver.peek(driver.window(SINK, 4)) == words[-1]
    for row in CPU_READS:
        await driver.connect((CPU, 1, CPU, 2))
        words = [driver.random.getrandbits(32) for _ in range(row.count)]
        await driver.idle(60)
        if row.waits:
            cocotb.start_soon(later(300, driver.push(1, words)))
        else:
            await driver.push(1, words)
            await driver.idle(20)
        got, reads, writes = await driver.costs(driver.cpu_read(2, row.count))
        assert got == words
        assert (reads, writes) == (row.reads, row.writes), row
        # With the level known, a word is one access.
        await driver.push(1, words)
        await driver.idle(20)
        before = await driver.peek(0x70)
        assert await driver.pop(2, row.count) == words
        assert await driver.peek(0x70) - before == row.count + 1  # and the one of 0x70
    await driver.check()


@case
async def cpu_fifo_signals(dut, message: bool) -> None:
    driver = await started(dut, message)
    await driver.connect((CPU, 0, CPU, 3))
    for runs, count, returns in SIGNALS:
        words = await driver.queue_runs(runs)
        await driver.idle(40)
        driver.remembered[3] = 0
        for expected in returns:
            got = await driver.cpu_read(3, count, blocking=False)
            assert got == words[:expected], (runs, expected)
            words = words[expected:]
        assert not words
    await driver.check()


@case
async def thresholds_fire_once(dut, message: bool) -> None:
    driver = await started(dut, message)

    async def fires(bit: int) -> None:
        """Armed, it comes; acknowledged by the handler, it does not come again."""
        await driver.poke(driver.page(CPU, SET), 1 << bit)
        await driver.sleep(CPU, bit, 60)
        await driver.idle(400)
        assert not driver.interrupted()
        # The mask is off; armed while it holds, it fires.
        assert await driver.peek(driver.page(CPU, 0x20)) == 0
        await driver.poke(driver.page(CPU, SET), 1 << bit)
        await driver.sleep(CPU, bit, 60)

    async def silent(bit: int) -> None:
        await driver.poke(driver.page(CPU, SET), 1 << bit)
        await driver.idle(100)
        assert not driver.interrupted()
        await driver.poke(driver.page(CPU, CLEAR), 1 << bit)

    for above, runs, fire in FROM_LEVELS:
        await driver.connect((CPU, 0, CPU, 1))
        await driver.queue_runs(runs)
        await driver.idle(60 + sum(count for _, count in runs))
        await driver.poke(driver.page(CPU, AVAILABLE_ABOVE + 4), above)
        await (fires if fire else silent)(17)
        await driver.cut((CPU, 0))
        await driver.poke(driver.page(CPU, 0x44), 2)
        await driver.poke(driver.page(CPU, 0x40), 1)
        await driver.idle(60)
        assert await driver.peek(driver.page(CPU, AVAILABLE + 4)) & 0xFFFF == 0
    for above, count, fire in TO_LEVELS:
        await driver.push(2, list(range(count)))
        assert await driver.peek(driver.page(CPU, FREE + 8)) == 512 - count
        await driver.poke(driver.page(CPU, FREE_ABOVE + 8), above)
        await (fires if fire else silent)(2)
        await driver.poke(driver.page(CPU, 0x40), 4)
    await driver.check()


@case
async def dma_frames(dut, message: bool) -> None:
    """Frames both ways through a lane of an adder, polled and slept for."""
    driver = await started(dut, message)
    await driver.connect((DMA, 0, ADDER, 3), (ADDER, 3, DMA, 0))
    for row in DMA_FRAMES:
        for waits in (False, True):
            sizes = (row.size, row.size)
            signal = 3 if row.blocks else None
            await driver.poke(driver.page(DMA, TO_USER), 3)
            sent = [
                bytes_of([driver.random.getrandbits(32) for _ in range(size // 4)])
                for size in sizes
            ]
            if row.to_logic:
                for at in (FROM_RING, FROM_RING + 4096):
                    assert await driver.enqueue(False, at, row.size, None)
                if row.blocks:
                    driver.memory.write(TO_RING, sent[0])

                    async def operation(size: int = row.size, signal: int | None = signal) -> None:
                        assert await driver.enqueue(True, TO_RING, size, signal)
                        if not waits:  # noqa: B023
                            await driver.idle(400)
                        await driver.dequeue(True)
                else:

                    async def operation(sent: list[bytes] = sent) -> None:
                        if waits:  # noqa: B023
                            await driver.wait_dma(True)
                            await driver.results(True)
                        await driver.ring_write(sent[1])

                    # The result that the counted frame harvests.
                    await driver.ring_write(sent[0])
                    if not waits:
                        await driver.idle(400)
            else:
                # What it reads was written before, or while it sleeps.
                if row.blocks:

                    async def operation(size: int = row.size) -> None:
                        assert await driver.enqueue(False, FROM_RING, size, None)
                        if not waits:  # noqa: B023
                            await driver.idle(500)
                        await driver.dequeue(False)

                    driver.memory.write(TO_RING, sent[0])
                    if not waits:
                        assert await driver.enqueue(True, TO_RING, row.size, signal)
                else:
                    await driver.prime(row.size, 2)
                    driver.memory.write(TO_RING, sent[0])

                    async def operation(block: int = row.size, sent: list[bytes] = sent) -> None:
                        got, _ = await driver.ring_read(block)
                        assert bytes(got) == sent[0]

                    if not waits:
                        assert await driver.enqueue(True, TO_RING, row.size, signal)
                        await driver.idle(3000)
                if waits:

                    async def feed(size: int = row.size) -> None:
                        await driver.idle(300)
                        for offset, value in (
                            (TO_ADDRESS, TO_RING),
                            (TO_USER, 3),
                            (TO_BYTES, size),
                        ):
                            await driver.poke(driver.page(DMA, offset), value)
                        driver.ring[True].queued.append((TO_RING, size))

                    cocotb.start_soon(feed())
            _, reads, writes = await driver.costs(operation())
            expected = (row.waiting_reads, row.waiting_writes) if waits else (row.reads, row.writes)
            assert (reads, writes) == expected, (row.name, waits)
            # Everything that is under way ends, and was right.
            await driver.idle(1200)
            for to_logic in (True, False):
                waiting = (await driver.results(to_logic))[0]
                for _ in range(waiting):
                    await driver.take(to_logic)
            if row.to_logic:
                assert driver.memory.read(FROM_RING, row.size) == sent[0]
            if driver.ring[False].queued:
                await driver.reset(False)
    await driver.check()


@case
async def continuous_rings(dut, message: bool) -> None:
    """Frames of many lengths through both rings until they have gone round, in order, complete."""
    driver = await started(dut, message)
    await driver.connect((DMA, 0, ADDER + 1, 0), (ADDER + 1, 0, DMA, 0))
    await driver.prime(4096)
    sent: list[tuple[bytes, int]] = []
    sizes = [4, 4096, 100, 2048, 4092, 8, 1024, 12, 4096, 512] * 2
    received = 0
    for n, size in enumerate(sizes):
        data = bytes_of([driver.random.getrandbits(32) for _ in range(size // 4)])
        sent.append((data, n % 2))  # the signal ends the block of the frame before
        await driver.ring_write(data, n % 2)
        # A frame is seen when it is full, or when the next one's first word is there.
        while received < n - 2:
            assert await driver.ring_read(4096) == sent[received]
            received += 1
    await driver.ring_write(b"last", 1 - (len(sizes) - 1) % 2)
    while received < len(sizes):
        assert await driver.ring_read(4096) == sent[received]
        received += 1
    for to_logic in (True, False):
        await driver.reset(to_logic)
    await driver.check()


@case
async def dma_signals(dut, message: bool) -> None:
    driver = await started(dut, message)
    await driver.connect((CPU, 0, DMA, 0))
    for runs, asked, results in DMA_SIGNALS:
        words = await driver.queue_runs(runs)
        for n in range(8):
            assert await driver.enqueue(False, FROM_RING + 4096 * n, asked, None)
        await driver.idle(700)
        # No more than these: the last block waits for more words, however long.
        waiting, free = await driver.results(False)
        assert (waiting, free) == (len(results), len(results))
        signals = [signal for signal, count in runs for _ in range(count)]
        for size in results:
            address, signal, got = await driver.take(False)
            assert (got, signal) == (size, signals[0])
            assert driver.memory.read(address, got) == bytes_of(words[: size // 4])
            words, signals = words[size // 4 :], signals[size // 4 :]
        await driver.reset(False)
    await driver.check()


@case
async def eight_slots_and_eight_results(dut, message: bool) -> None:
    driver = await started(dut, message)
    await driver.connect((DMA, 0, SINK, 0))
    for n in range(16):
        assert await driver.results(True) == (n if n < 8 else 8, 8 if n < 8 else 16 - n)
        assert await driver.enqueue(True, TO_RING + 64 * n, 64, n)
        await driver.idle(100)
    # Sixteen at most; the engine has stalled with eight results. The words of one frame more have
    # arrived: who wrote nine commands, and reads no result, may be waiting for them.
    assert not await driver.enqueue(True, TO_RING, 64, 0)
    assert await driver.results(True) == (8, 0)
    assert await driver.peek(driver.window(SINK, 0)) == 9 * 16
    for _ in range(16):
        await driver.dequeue(True)
    assert await driver.results(True) == (0, 8)
    assert await driver.peek(driver.window(SINK, 0)) == 16 * 16
    await driver.check()


@case
async def reset_while_blocked(dut, message: bool) -> None:
    driver = await started(dut, message)
    for reason in BLOCKED:
        to_logic = reason in ("disabled", "unrouted", "full")
        other = [(CPU, 0, DMA, 0)] if to_logic else [(DMA, 0, SINK, 0)]
        await driver.poke(ENABLE, 0x7F)
        if to_logic:
            # The other direction is in the middle of a block.
            await driver.connect(*other)
            before = await driver.queue_runs([(1, 20)])
            assert await driver.enqueue(False, FROM_RING, 256, None)
            if reason != "unrouted":
                await driver.connect((DMA, 0, SINK if reason == "disabled" else TEST, 0))
            if reason == "disabled":
                await driver.poke(DISABLE, 1 << SINK + 1)  # "full": the test node takes nothing
            for n in range(8):
                assert await driver.enqueue(True, TO_RING + 4096 * n, 4096, n)
        else:
            await driver.connect(*other, (CPU, 1, DMA, 0))
            for n in range(8):
                assert await driver.enqueue(False, FROM_RING + 4096 * n, 4, None)
            if reason == "results":
                await driver.push(1, list(range(30)))
            assert await driver.enqueue(True, TO_RING, 4096, 0)
        await driver.idle(300)
        if not to_logic:
            assert (await driver.results(False))[0] == (8 if reason == "results" else 0)
        await driver.reset(to_logic)
        # The other direction has not noticed.
        if to_logic:
            after = await driver.queue_runs([(1, 44)])
            address, signal, size = await driver.dequeue(False)
            assert (address, signal, size) == (FROM_RING, 1, 256)
            assert driver.memory.read(address, size) == bytes_of(before + after)
        else:
            await driver.idle(1200)
            assert await driver.dequeue(True) == (TO_RING, 0, 4096)
        # The stream works again, once what is in its way is gone.
        await driver.poke(ENABLE, 0x7F)
        await driver.poke(driver.page(SINK, 0x40), 1)
        await driver.poke(driver.page(TEST, 0x40), 0xF)
        await driver.poke(driver.page(CPU, 0x40), 0xF)
        await driver.cut((CPU, 0), (CPU, 1))
        await driver.connect((DMA, 0, DMA, 0))
        await driver.reset(False)
        data = bytes_of([driver.random.getrandbits(32) for _ in range(25)])
        driver.memory.write(TO_RING, data)
        assert await driver.enqueue(False, FROM_RING, 100, None)
        assert await driver.enqueue(True, TO_RING, 100, 4)
        assert await driver.dequeue(False) == (FROM_RING, 4, 100)
        assert driver.memory.read(FROM_RING, 100) == data
        assert await driver.dequeue(True) == (TO_RING, 0, 100)
        await driver.cut((DMA, 0))
    await driver.check()


@case
async def routes_as_written(dut, message: bool) -> None:
    driver = await started(dut, message)
    for routes in ROUTES:
        await driver.connect(*routes)
        for node, output, to, queue in routes:
            assert await driver.peek(0x610 + 16 * node + 4 * output) == to + 1 << 2 | queue
        # All of them cleared, as at the start.
        for node, (_, _, outputs) in enumerate(NODES):
            for output in range(outputs):
                await driver.cut((node, output))
                assert await driver.read(0x610 + 16 * node + 4 * output) == 0
    # A path, and its words at the other end; its first hop is cut, and what had passed arrives.
    await driver.connect(*ROUTES[1])
    words = await driver.queue_runs([(0, 50)])
    assert await driver.cpu_read(0, 50) == words
    await driver.cut((CPU, 0))
    await driver.queue_runs([(0, 5)])
    await driver.idle(60)
    assert await driver.peek(driver.page(CPU, AVAILABLE)) & 0xFFFF == 0
    assert await driver.peek(driver.page(CPU, FREE)) == 512 - 5
    await driver.check()


@case
async def either_reset_resets_all(dut, message: bool) -> None:
    driver = await started(dut, message)
    for reset in (driver.rst, driver.bus_rst) if BUS_PS else (driver.rst,):
        await driver.connect((CPU, 0, CPU, 0))
        await driver.push(0, list(range(20)))
        await driver.write(driver.page(CPU, SET), 1)
        await driver.idle(30)
        reset.value = driver.active
        await driver.idle(8)
        reset.value = 1 - driver.active
        await driver.idle(8)
        assert not driver.interrupted() or message
        driver.handled = driver.pulses
        driver.counted, driver.outside, driver.routes = [0, 0], [0, 0], {}
        assert await driver.peek(0x610) == await driver.peek(0x50) == 0
        assert await driver.peek(driver.page(CPU, AVAILABLE)) & 0xFFFF == 0
        await driver.probe()
        await driver.check()


@case
async def one_handler_serves_all_nodes(dut, message: bool) -> None:
    driver = await started(dut, message)
    await driver.connect((DMA, 0, SINK, 0), (CPU, 0, CPU, 0))
    await driver.push(0, [1])
    assert await driver.enqueue(True, TO_RING, 64, 0)
    await driver.idle(100)
    # Both armed without the handler between: one interrupt, two nodes.
    await driver.poke(driver.page(DMA, SET), 1)
    await driver.poke(driver.page(CPU, SET), 1 << 16 | 1)
    await driver.idle(20)
    before = tuple(driver.counted)
    pulses = driver.pulses
    await driver.service()
    assert (driver.counted[0] - before[0], driver.counted[1] - before[1]) == (3, 3)
    assert driver.happened == {CPU: 1 << 16 | 1, DMA: 1}
    await driver.idle(400)
    assert driver.pulses == pulses
    await driver.dequeue(True)
    assert await driver.cpu_read(0, 1) == [1]
    await driver.check()
