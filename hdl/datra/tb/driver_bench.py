# SPDX-License-Identifier: Apache-2.0
"""The original driver's accesses, in its order, on the whole logic with memory behind it.

Each case runs twice, with the level and with messages for an interrupt. What an operation costs in
reads and writes is counted by original_driver and by the logic, and must be what driver_plan has of
the original.
"""

from collections.abc import Awaitable
from itertools import cycle

import cocotb
from driver_plan import (
    BLOCKED,
    CPU_READS,
    CPU_WRITES,
    DMA_FRAMES,
    DMA_SIGNALS,
    FROM_LEVELS,
    NODES,
    ROUTES,
    SIGNALS,
    TO_LEVELS,
)
from original_driver import (
    AVAILABLE,
    AVAILABLE_ABOVE,
    CLEAR,
    DISABLE,
    ENABLE,
    FREE,
    FREE_ABOVE,
    FROM_RING,
    FROM_STATUS,
    SET,
    TO_ADDRESS,
    TO_BYTES,
    TO_RING,
    TO_STATUS,
    TO_USER,
    Driver,
    Stream,
)
from processor import ADDER, BUS_PS, CPU, DMA, SINK, TEST


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
