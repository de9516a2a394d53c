# SPDX-License-Identifier: Apache-2.0
"""The CPU node between its register bus and its four queues each way."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from weighbridge.registers import datra as r
from weighbridge.registers import get

DEPTH = 256
MASK, STATUS, SET, CLEAR = r.CPU_IRQ_MASK, r.CPU_IRQ_STATUS, r.CPU_IRQ_SET, r.CPU_IRQ_CLEAR
RESET_TO, RESET_FROM, REFUSED = r.CPU_RESET_TO_LOGIC, r.CPU_RESET_FROM_LOGIC, r.CPU_REFUSED
READS, WRITES = r.CPU_READ_COUNT, r.CPU_WRITE_COUNT
#: The first of four.
SIGNAL, NEXT = r.cpu_user_signal(0), r.cpu_next_word(0)
AVAILABLE, AVAILABLE_ABOVE = r.cpu_available(0), r.cpu_available_above(0)
FREE, FREE_ABOVE = r.cpu_free(0), r.cpu_free_above(0)

Word = tuple[int, int]  # data, user signal


class Node:
    def __init__(self, dut, seed: int) -> None:
        self.dut = dut
        self.random = random.Random(seed)
        self.now = 0
        self.take_chance = 0.0  # of the logic, for each queue and cycle
        self.give_chance = 0.0
        self.to_logic: list[deque[Word]] = [deque() for _ in range(4)]  # written, not yet taken
        self.waiting: list[deque[Word]] = [deque() for _ in range(4)]  # in the logic
        self.from_logic: list[deque[tuple[Word, int]]] = [deque() for _ in range(4)]  # with time
        self.offered = 0

    async def start(self) -> None:
        dut = self.dut
        for name in ("address", "window", "write", "wdata", "select"):
            getattr(dut, f"bus_{name}").value = 0
        for name in ("out_ready", "in_valid", "in_data", "in_user"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        for _ in range(4):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    async def cycle(self, **bus: int) -> None:
        """One cycle with the given values on the bus; accounts for the words at its end."""
        dut, chance = self.dut, self.random.random
        await FallingEdge(dut.clk)
        self.now += 1
        for name in ("address", "window", "write", "wdata", "select"):
            getattr(dut, f"bus_{name}").value = bus.get(name, 0)
        data = user = 0
        for i, waiting in enumerate(self.waiting):
            if waiting and (self.offered >> i & 1 or chance() < self.give_chance):
                self.offered |= 1 << i
                data |= waiting[0][0] << 32 * i
                user |= waiting[0][1] << 16 * i
        dut.in_valid.value, dut.in_data.value, dut.in_user.value = self.offered, data, user
        dut.out_ready.value = sum((chance() < self.take_chance) << i for i in range(4))
        await ReadOnly()
        taken = self.offered & int(dut.in_ready.value)
        given = int(dut.out_valid.value) & int(dut.out_ready.value)
        for i in range(4):
            if taken >> i & 1:
                self.from_logic[i].append((self.waiting[i].popleft(), self.now))
            if given >> i & 1:
                word = (
                    int(dut.out_data.value) >> 32 * i & 0xFFFFFFFF,
                    int(dut.out_user.value) >> 16 * i & 0xFFFF,
                )
                assert word == self.to_logic[i].popleft()
        self.offered &= ~taken

    async def access(self, address: int, window: int, write: int, wdata: int = 0) -> int:
        for _ in range(4):
            await self.cycle(address=address, window=window, write=write, wdata=wdata, select=1)
            if int(self.dut.bus_done.value):
                return int(self.dut.bus_rdata.value)
        raise AssertionError(f"no answer at {address:#x}")

    async def read(self, address: int) -> int:
        return await self.access(address, 0, 0)

    async def write(self, address: int, value: int) -> None:
        await self.access(address, 0, 1, value)

    async def pop(self, i: int, alias: int = 0) -> int:
        return await self.access(r.cpu_window_fifo(i) + 4 * alias, 1, 0)

    async def push(self, i: int, word: Word, alias: int = 0) -> None:
        self.to_logic[i].append(word)  # before: the logic may take it in the same cycles
        await self.access(r.cpu_window_fifo(i) + 4 * alias, 1, 1, word[0])

    async def idle(self, count: int = 8) -> None:
        for _ in range(count):
            await self.cycle()

    def feed(self, i: int, *words: Word) -> None:
        self.waiting[i].extend(words)

    def run(self, i: int, until: int) -> tuple[int, int]:
        """How many words that came by `until` carry the signal of the first, and that signal."""
        words = [word for word, time in self.from_logic[i] if time <= until]
        count = 0
        while count < len(words) and words[count][1] == words[0][1]:
            count += 1
        return count, words[0][1] if words else 0

    async def available(self, i: int) -> int:
        """Reads the level, and compares with what was there a little before and now."""
        least, _ = self.run(i, self.now - 2)
        value = await self.read(r.cpu_available(i))
        most, signal = self.run(i, self.now)
        words = get(r.CPU_AVAILABLE_WORDS, value)
        assert least <= words <= most
        if words:
            assert value >> 16 == signal
        return words


async def started(dut, seed: int = 1) -> Node:
    node = Node(dut, seed)
    await node.start()
    return node


@cocotb.test()
async def random_traffic(dut) -> None:
    node = await started(dut, cocotb.RANDOM_SEED)
    rand = node.random
    signals = [0] * 4
    words = 0
    for step in range(1500):
        if step % 100 == 0:
            node.take_chance = rand.choice([0.02, 0.5, 1.0])
            node.give_chance = rand.choice([0.02, 0.5, 1.0])
        i = rand.randrange(4)
        match rand.randrange(5):
            case 0:
                signals[i] = rand.randrange(4)
                await node.write(r.cpu_user_signal(i), signals[i])
                assert await node.read(r.cpu_user_signal(i)) == signals[i]
            case 1:
                free = await node.read(r.cpu_free(i))
                assert DEPTH - len(node.to_logic[i]) - 4 <= free <= DEPTH - len(node.to_logic[i])
                for _ in range(min(free, rand.randrange(20))):
                    words += 1
                    await node.push(i, (rand.getrandbits(32), signals[i]), rand.randrange(256))
            case 2 | 3:
                for _ in range(min(await node.available(i), rand.randrange(30))):
                    (word, _), value = node.from_logic[i][0], await node.pop(i, rand.randrange(256))
                    assert value == word[0]
                    node.from_logic[i].popleft()
            case 4:
                signal = rand.randrange(3)
                for _ in range(rand.randrange(1, 12)):
                    node.feed(i, (rand.getrandbits(32), signal))
    assert await node.read(WRITES) == words
    assert await node.read(REFUSED) == 0
    node.take_chance = 1.0
    await node.idle(600)
    assert not any(node.to_logic)


@cocotb.test()
async def level_counts_the_first_signal_only(dut) -> None:
    node = await started(dut)
    node.give_chance = 1.0
    node.feed(1, (10, 7), (11, 8), (12, 8), (13, 8), (14, 7))
    await node.idle()
    for count, signal in ((1, 7), (3, 8), (1, 7)):
        assert await node.read(AVAILABLE + 4) == signal << 16 | count
        for left in range(count, 0, -1):
            # Exact in the very next access, and a look at the next word takes nothing.
            assert await node.read(AVAILABLE + 4) == signal << 16 | left
            assert await node.read(NEXT + 4) == node.from_logic[1][0][0][0]
            assert await node.pop(1) == node.from_logic[1].popleft()[0][0]
    assert get(r.CPU_AVAILABLE_WORDS, await node.read(AVAILABLE + 4)) == 0
    assert await node.read(NEXT + 4) == 0
    assert await node.read(READS) == 5
    # A signal in every word: as many as there are places for runs, then the node takes no more.
    node.feed(2, *((n, n % 2) for n in range(100)))
    await node.idle(120)
    for n in range(100):
        assert await node.read(AVAILABLE + 8) == (n % 2) << 16 | 1
        assert await node.pop(2) == n


@cocotb.test()
async def interrupts_fire_once(dut) -> None:
    node = await started(dut)
    node.give_chance = 1.0
    for bit, address in ((0, FREE_ABOVE), (16, AVAILABLE_ABOVE)):
        await node.write(address + 8, 3)
        assert await node.read(address + 8) == 3
        assert await node.read(STATUS) == 0
        bit = 1 << bit + 2
        await node.write(SET, bit)
        assert await node.read(MASK) == bit
        if address == FREE_ABOVE:
            # The condition holds already: armed is fired.
            assert await node.read(STATUS) == bit
        else:
            assert await node.read(STATUS) == 0
            node.feed(2, *((n, 1) for n in range(3)))
            await node.idle()
            assert await node.read(STATUS) == 0  # not more than three
            node.feed(2, (3, 1))
            await node.idle()
            assert await node.read(STATUS) == bit
        assert int(dut.irq.value) == 1
        await node.write(CLEAR, bit)
        await node.idle(2)
        assert (await node.read(STATUS), await node.read(MASK), int(dut.irq.value)) == (0, 0, 0)
        await node.write(SET, bit)  # the condition still holds
        await node.idle(2)
        assert int(dut.irq.value) == 1
        await node.write(CLEAR, bit)
    # What does not exist cannot be armed.
    await node.write(SET, 0xFFFFFFFF)
    assert await node.read(MASK) == r.CPU_IRQ_TO_LOGIC | r.CPU_IRQ_FROM_LOGIC


@cocotb.test()
async def interrupt_where_waiting_is_in_vain(dut) -> None:
    node = await started(dut)
    node.give_chance = 1.0
    for i in range(4):
        await node.write(r.cpu_available_above(i), 127)
    # Another signal behind the first.
    node.feed(0, (1, 0), (2, 0))
    await node.write(SET, 1 << 16)
    await node.idle()
    assert await node.read(STATUS) == 0
    node.feed(0, (3, 5))
    await node.idle()
    assert await node.read(STATUS) == 1 << 16
    # Once the first is read, the second is no other signal any more; nor is it for one cycle.
    for n in range(2):
        assert await node.pop(0) == n + 1
    assert not int(dut.irq.value) or await node.read(STATUS) == 0
    node.feed(0, (4, 6))
    await node.idle()
    assert await node.read(STATUS) == 1 << 16
    # The FIFO full, with a threshold that it does not reach.
    await node.write(CLEAR, 1 << 16)
    await node.write(AVAILABLE_ABOVE + 4, 1000)
    await node.write(SET, 1 << 17)
    node.feed(1, *((n, 0) for n in range(DEPTH + 20)))
    await node.idle(200)
    assert await node.read(STATUS) == 0
    await node.idle(100)
    assert await node.read(STATUS) == 1 << 17


@cocotb.test()
async def no_interrupt_as_one_signal_follows_another(dut) -> None:
    """The last word of one signal goes in the cycle in which the first of another comes."""
    node = await started(dut)
    node.give_chance = 1.0
    await node.write(AVAILABLE_ABOVE, 127)
    together = 0
    for delay in range(6):
        node.feed(0, (1, 2 * delay))
        await node.idle()
        await node.write(SET, 1 << 16)
        node.feed(0, (2, 2 * delay + 1))
        await node.idle(delay)
        assert await node.pop(0) == 1
        popped = node.now
        await node.cycle()
        node.from_logic[0].popleft()
        came = node.from_logic[0][0][1]
        together += came == popped
        for _ in range(6):
            if came >= popped:
                assert int(dut.irq.value) == 0
            await node.cycle()
        await node.write(CLEAR, 1 << 16)
        assert await node.pop(0) == 2
        node.from_logic[0].popleft()
    assert together


@cocotb.test()
async def reads_while_words_arrive(dut) -> None:
    """A read returns the next word or, if there is none yet, nothing; it never takes one unseen."""
    node = await started(dut)
    node.give_chance = 0.4
    node.feed(1, *((n, n // 3) for n in range(1, 200)))
    read: list[int] = []
    reads = 0
    while len(read) < 199:
        word = await node.pop(1)
        reads += 1
        if word:
            read.append(word)
    assert read == list(range(1, 200))
    assert await node.read(READS) == 199
    assert get(r.CPU_REFUSED_READS_WHEN_EMPTY, await node.read(REFUSED)) == reads - 199


@cocotb.test()
async def full_and_empty(dut) -> None:
    node = await started(dut)
    assert await node.pop(3) == 0
    assert await node.read(REFUSED) == 1 << 16
    for n in range(DEPTH):
        await node.push(0, (n, 0))
    assert await node.read(FREE) == 0
    await node.access(0, 1, 1, 99)
    assert await node.read(FREE) == 0
    assert await node.read(REFUSED) == 1 << 16 | 1
    assert await node.read(WRITES) == DEPTH
    assert await node.read(READS) == 0
    await node.write(REFUSED, 0)
    assert await node.read(REFUSED) == 0
    # Beyond the data ports there is nothing.
    await node.access(0x1000, 1, 1, 1)
    assert await node.access(0x1000, 1, 0) == 0
    node.take_chance = 1.0
    await node.idle(DEPTH + 10)
    assert not node.to_logic[0]
    assert await node.read(FREE) == DEPTH
    node.give_chance = 1.0
    node.feed(3, *((n, 0) for n in range(400)))
    await node.idle(450)
    held = await node.available(3)
    assert 128 <= held <= DEPTH + 1
    for n in range(400):
        assert await node.pop(3) == n


@cocotb.test()
async def reset_of_one_fifo(dut) -> None:
    node = await started(dut)
    node.give_chance = 1.0
    for i in range(4):
        node.feed(i, (1, i), (2, i), (3, 9))
        for n in range(3):
            await node.push(i, (n, 0))
    await node.idle()
    await node.write(RESET_TO, 0b0100)
    node.to_logic[2].clear()
    assert [await node.read(r.cpu_free(i)) for i in range(4)] == [253, 253, 256, 253]
    await node.access(RESET_FROM, 0, 1, 0b0010)
    assert [get(r.CPU_AVAILABLE_WORDS, await node.read(r.cpu_available(i))) for i in range(4)] == [
        2,
        0,
        2,
        2,
    ]
    # And goes on as if new.
    node.feed(1, (7, 3), (8, 3))
    await node.push(2, (5, 0))
    await node.idle()
    assert await node.read(AVAILABLE + 4) == 3 << 16 | 2
    assert [await node.pop(1), await node.pop(1)] == [7, 8]
    node.take_chance = 1.0
    await node.idle(20)
    assert not any(node.to_logic)


@cocotb.test()
async def a_word_each_cycle(dut) -> None:
    node = await started(dut)
    node.give_chance = node.take_chance = 1.0
    begin = node.now
    for n in range(200):
        await node.push(1, (n, 0), n)
    assert node.now - begin == 200
    node.feed(2, *((n, 0) for n in range(200)))
    await node.idle(210)
    begin = node.now
    for n in range(200):
        assert await node.pop(2, n) == n
    assert node.now - begin == 200
