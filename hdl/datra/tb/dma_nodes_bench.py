# SPDX-License-Identifier: Apache-2.0
"""Two DMA nodes, each with a memory of its own behind its port: hdl/datra/ip with dma_nodes 2."""

import random
from functools import partial

import cocotb
from processor import CPU, Datra

from weighbridge.registers import datra as r
from weighbridge.registers import get

FIRST, SECOND = 1, 2  # nodes
BYTES = 1024
#: Type, inputs, outputs.
NODES = [(2, 4, 4), (6, 1, 1), (6, 1, 1), (7, 1, 0), (4, 4, 4), (4, 4, 4), (4, 4, 4)]
TYPE, QUEUES, STATUS = r.NODE_TYPE, r.NODE_QUEUES, r.DMA_IRQ_STATUS
SET, CLEAR = r.DMA_IRQ_SET, r.DMA_IRQ_CLEAR
#: To logic, from logic.
CONTROLS = r.DMA_TO_LOGIC_CONTROL, r.DMA_FROM_LOGIC_CONTROL
STATES = r.DMA_TO_LOGIC_STATUS, r.DMA_FROM_LOGIC_STATUS
TO_ADDRESS, TO_BYTES, TO_RESULT = (
    *(r.DMA_TO_LOGIC_ADDRESS, r.DMA_TO_LOGIC_BYTES, r.DMA_TO_LOGIC_RESULT),
)
FROM_ADDRESS, FROM_BYTES = r.DMA_FROM_LOGIC_ADDRESS, r.DMA_FROM_LOGIC_BYTES
FROM_RESULT, RESULT_BYTES = r.DMA_FROM_LOGIC_RESULT, r.DMA_FROM_LOGIC_RESULT_BYTES
ENABLE, PENDING = r.CONTROL_BACKPLANE_SET, r.CONTROL_IRQ_PENDING
REARM = r.CONTROL_IRQ_REARM


async def probed(dut) -> Datra:
    """Every node is what it should be; both DMA nodes come out of the reset of their streams."""
    datra = Datra(dut)
    await datra.start()
    assert len(datra.memories) == 2
    counts = [
        await datra.read(r.CONTROL_NODE_COUNT),
        await datra.read(r.CONTROL_NODE_COUNT_HIGH),
    ]
    assert sum(byte for value in counts for byte in value.to_bytes(4, "little")) == len(NODES)
    for node, expected in enumerate(NODES):
        kind = get(r.NODE_TYPE_KIND, await datra.read(datra.page(node, TYPE)))
        queues = await datra.read(datra.page(node, QUEUES))
        assert (
            kind,
            get(r.NODE_QUEUES_INPUTS, queues),
            get(r.NODE_QUEUES_OUTPUTS, queues),
        ) == expected, node
    await datra.write(REARM, 0)
    both = r.DMA_IRQ_TO_LOGIC_RESET | r.DMA_IRQ_FROM_LOGIC_RESET
    for node in (FIRST, SECOND):
        page = partial(datra.page, node)
        await datra.write(page(SET), both)
        for control in CONTROLS:
            await datra.write(page(control), 2)
        while await datra.read(page(STATUS)) != both:
            pass
        assert await datra.read(PENDING) == 1 << node + 1
        await datra.write(page(CLEAR), both)
        for control in CONTROLS:
            await datra.write(page(control), 1)
            assert await datra.read(page(control + 4)) == r.DMA_TO_LOGIC_STATUS_RESET
    await datra.write(ENABLE, 0xFF)
    return datra


async def moved(datra: Datra, *frames: tuple[int, int]) -> None:
    """Frames, all at once, from the memory of a source to that of a destination; both tell."""
    expected = []
    for node, to in frames:
        data = random.randbytes(BYTES)
        expected.append(data)
        await datra.route(node, 0, to, 0)
        datra.memories[node - FIRST].write(0x1000 * node, data)
        await datra.write(datra.page(to, SET), r.DMA_IRQ_FROM_LOGIC_RESULT)
        await datra.write(datra.page(to, FROM_ADDRESS), 0x8000 + 0x1000 * node)
        await datra.write(datra.page(to, FROM_BYTES), BYTES)
    for node, _ in frames:
        await datra.write(datra.page(node, SET), 1)
        await datra.write(datra.page(node, TO_ADDRESS), 0x1000 * node)
        await datra.write(datra.page(node, TO_BYTES), BYTES)
    for node, to in frames:
        for place, state in ((node, STATES[0]), (to, STATES[1])):
            while get(r.DMA_STATUS_RESULTS, await datra.read(datra.page(place, state))) != 1:
                pass
    assert await datra.read(PENDING) == 1 << FIRST + 1 | 1 << SECOND + 1
    results = r.DMA_IRQ_TO_LOGIC_RESULT | r.DMA_IRQ_FROM_LOGIC_RESULT
    for node in (FIRST, SECOND):
        assert await datra.read(datra.page(node, STATUS)) == results
    for (node, to), data in zip(frames, expected, strict=True):
        assert await datra.read(datra.page(node, TO_RESULT)) == 0x1000 * node
        assert await datra.read(datra.page(to, FROM_RESULT)) == 0x8000 + 0x1000 * node
        assert await datra.read(datra.page(to, RESULT_BYTES)) == BYTES
        assert datra.memories[to - FIRST].read(0x8000 + 0x1000 * node, BYTES) == data
    for node in (FIRST, SECOND):
        await datra.write(datra.page(node, CLEAR), results)
    assert await datra.read(PENDING) == 0


@cocotb.test(timeout_time=300, timeout_unit="us")
async def frames_each_way_through_both(dut) -> None:
    datra = await probed(dut)
    for frames in (((FIRST, SECOND), (SECOND, FIRST)), ((FIRST, FIRST), (SECOND, SECOND))):
        await moved(datra, *frames)


@cocotb.test(timeout_time=300, timeout_unit="us")
async def one_in_reset_leaves_the_other_be(dut) -> None:
    """A stream of the first that stands still, in reset and out of it, while the second moves."""
    datra = await probed(dut)
    page = partial(datra.page, FIRST)
    await datra.route(SECOND, 0, SECOND, 0)
    # To logic without a destination.
    await datra.write(page(TO_ADDRESS), 0x1000)
    await datra.write(page(TO_BYTES), BYTES)
    await datra.write(page(SET), r.DMA_IRQ_TO_LOGIC_RESET)
    await datra.write(page(CONTROLS[0]), 2)
    data = random.randbytes(BYTES)
    datra.memories[1].write(0x2000, data)
    page = partial(datra.page, SECOND)
    await datra.write(page(FROM_ADDRESS), 0x9000)
    await datra.write(page(FROM_BYTES), BYTES)
    await datra.write(page(TO_ADDRESS), 0x2000)
    await datra.write(page(TO_BYTES), BYTES)
    while get(r.DMA_STATUS_RESULTS, await datra.read(page(STATES[1]))) != 1:
        pass
    assert datra.memories[1].read(0x9000, BYTES) == data
    assert await datra.read(datra.page(FIRST, STATUS)) == r.DMA_IRQ_TO_LOGIC_RESET
    assert await datra.read(PENDING) == 1 << FIRST + 1
    # The processor's FIFOs go through the second too.
    await datra.route(CPU, 0, SECOND, 0)
    await datra.write(page(FROM_ADDRESS), 0xA000)
    await datra.write(page(FROM_BYTES), 64)
    await datra.push(0, list(range(16)))
    while get(r.DMA_STATUS_RESULTS, await datra.read(page(STATES[1]))) != 2:
        pass
    words = b"".join(n.to_bytes(4, "little") for n in range(16))
    assert datra.memories[1].read(0xA000, 64) == words
