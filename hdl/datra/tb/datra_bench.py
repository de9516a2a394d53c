# SPDX-License-Identifier: Apache-2.0
"""The reference configuration, as the processor sees it through AXI."""

import functools
import random
import re
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge
from processor import ADDER, CPU, DMA, SINK, TEST, Datra
from systemrdl.compiler import RDLCompiler
from systemrdl.node import RegNode

from weighbridge.registers import datra as r
from weighbridge.registers import get

HOLDOFF = 300  # cycles, as given by the test
DEPTH, ROUTER_DEPTH = 512, 32
ENABLE, DISABLE = r.CONTROL_BACKPLANE_SET, r.CONTROL_BACKPLANE_CLEAR
PENDING, REARM, CYCLES = r.CONTROL_IRQ_PENDING, r.CONTROL_IRQ_REARM, r.CONTROL_CYCLES
#: Of CPU and DMA nodes alike.
SET, CLEAR = r.CPU_IRQ_SET, r.CPU_IRQ_CLEAR
RESET_IN, CONTROL = r.NODE_RESET_QUEUES, r.DMA_TO_LOGIC_CONTROL
AVAILABLE = r.cpu_available(0)


async def started(dut, enabled: bool = True) -> Datra:
    datra = Datra(dut)
    await datra.start()
    if enabled:
        await datra.write(ENABLE, 0x7F)
    return datra


def registers() -> list[RegNode]:
    """All that the description has."""
    compiler = RDLCompiler()
    compiler.compile_file(str(Path(__file__).parents[2] / "registers" / "datra.rdl"))
    descendants = compiler.elaborate("datra").top.descendants(unroll=True)
    return [node for node in descendants if isinstance(node, RegNode)]


@cocotb.test()
async def registers_are_as_described(dut) -> None:
    datra = await started(dut, enabled=False)
    described = {register.absolute_address: register for register in registers()}
    nodes = 6
    for address, register in described.items():
        path = register.get_path()
        if r.control_route_output(nodes, 0) <= address < r.card_node_page(0):
            await datra.write(address, 0xFFFFFFFF)
            assert await datra.read(address) == 0
            continue
        if not register.get_property("counts"):
            reset = sum(field.get_property("reset") << field.low for field in register.fields())
            assert await datra.read(address) == reset, f"{path} after reset"
        plain = [
            field
            for field in register.fields()
            if field.is_sw_writable and field.is_sw_readable and not field.get_property("onwrite")
        ]
        if plain:
            mask = sum((1 << field.width) - 1 << field.low for field in plain)
            # Addresses have 32 bits here.
            if re.search(r"_address_high$|\.(descriptors|statuses)\[1\]$", path):
                mask = 0
            await datra.write(address, 0xFFFFFFFF)
            assert await datra.read(address) == mask, f"{path} written with ones"
            await datra.write(address, reset)
            assert await datra.read(address) == reset, f"{path} restored"
    # Only frames from logic have a timeout.
    for ring in (r.DMA_TO_LOGIC_RING, r.DMA_FROM_LOGIC_RING):
        timeout = datra.page(DMA, ring + r.DMA_RING_TIMEOUT)
        if ring == r.DMA_TO_LOGIC_RING:
            await datra.write(timeout, 7)
        assert await datra.read(timeout) == 0
    # Where nothing is described, nothing is: pages and windows, but for what looks at the DMA node.
    page, look = r.CARD_NODE_PAGE_BYTES, datra.page(DMA, r.DMA_LOOK)
    after = look + r.DMA_LOOK_BYTES
    spans = [(page * n, page) for n in (0, 1, 3, 4, 5, 6, 7)]
    spans += [(datra.page(DMA, 0), look - datra.page(DMA, 0))]
    spans += [(after, datra.page(DMA, page) - after)]
    spans += [(datra.window(n, 0), 0x200) for n in (1, 2, 3, 4, 5)] + [(datra.window(6, 0), 0x400)]
    for begin, length in spans:
        data = (await datra.axi.read(begin, length, size=2)).data
        for n in range(0, length, 4):
            if begin + n not in described:
                assert not any(data[n : n + 4]), f"{begin + n:#x}"


@cocotb.test()
async def interrupt_and_its_hold_off(dut) -> None:
    datra = await started(dut)

    async def waited(level: int, limit: int = 2 * HOLDOFF) -> int:
        for cycle in range(limit):
            await RisingEdge(dut.clk)
            if int(dut.irq.value) == level:
                return cycle
        return limit

    # Rearm without a cause: nothing.
    await datra.write(REARM, 0)
    await datra.idle(20)
    assert (int(dut.irq.value), datra.pulses) == (0, 0)
    # A cause that the handler leaves to a thread: a reset that is done.
    await datra.write(datra.page(DMA, SET), r.DMA_IRQ_TO_LOGIC_RESET)
    await datra.write(datra.page(DMA, CONTROL), 2)
    await datra.idle(20)
    assert (int(dut.irq.value), datra.pulses) == (1, 1)
    assert await datra.read(PENDING) == 1 << DMA + 1
    for round in range(2):
        await datra.write(REARM, 0)
        await datra.idle(5)
        assert int(dut.irq.value) == 0
        assert HOLDOFF - 40 <= await waited(1) <= HOLDOFF
        await datra.idle(2)
        assert datra.pulses == 2 + round
    # The thread's write ends the hold-off.
    await datra.write(REARM, 0)
    await datra.idle(5)
    assert int(dut.irq.value) == 0
    await datra.write(datra.page(DMA, CLEAR), 1)
    assert await waited(1) < 20
    assert datra.pulses == 4
    # A handler that has acknowledged something gets the rest at once; a level need not fall.
    await datra.write(datra.page(CPU, CLEAR), 1)
    await datra.write(REARM, 0)
    await datra.idle(8)
    assert (int(dut.irq.value), datra.pulses) == (1, 5)
    # Acknowledged: over, and a rearm brings nothing.
    await datra.write(datra.page(DMA, CLEAR), r.DMA_IRQ_TO_LOGIC_RESET)
    await datra.write(REARM, 0)
    await datra.idle(HOLDOFF + 20)
    assert (int(dut.irq.value), datra.pulses) == (0, 5)
    # Acknowledged and rearmed in one breath: what was acknowledged does not fire once more.
    await datra.write(datra.page(CPU, SET), 1)
    await datra.idle(5)
    pulses = datra.pulses
    writes = [(datra.page(CPU, CLEAR), 1), (REARM, 0)]
    for event in [datra.axi.init_write(a, bytes([v, 0, 0, 0]), size=2) for a, v in writes]:
        await event.wait()
    await datra.idle(20)
    assert (int(dut.irq.value), datra.pulses) == (0, pulses)
    # One interrupt of the CPU node: armed while it holds, fires; cleared, is gone for good.
    await datra.write(datra.page(CPU, SET), 1)
    await datra.idle(8)
    assert await datra.read(PENDING) == 1 << CPU + 1
    await datra.write(datra.page(CPU, CLEAR), 1)
    await datra.write(REARM, 0)
    await datra.idle(HOLDOFF + 20)
    assert (int(dut.irq.value), datra.pulses) == (0, pulses + 1)
    assert await datra.read(PENDING) == 0


@cocotb.test()
async def loop_of_the_processor(dut) -> None:
    datra = await started(dut)
    await datra.route(CPU, 0, CPU, 2)
    words = [random.getrandbits(32) for _ in range(2000)]
    # Written until nothing fits: how much a loop holds, and that it then stays full.
    written = 0
    while free := await datra.free(0):
        await datra.push(0, words[written : written + free])
        written += free
    assert 256 <= written < 6000 / 4
    # The two FIFOs and the router's, and the output register of the second FIFO.
    assert written == 2 * DEPTH + ROUTER_DEPTH + 1
    await datra.idle(50)
    assert await datra.free(0) == 0
    assert await datra.available(2) >= 128
    assert await datra.pop(2, 200) == words[:200]
    read = 200
    while count := await datra.available(2):
        assert await datra.pop(2, count) == words[read : read + count]
        read += count
    assert read == written
    # Bursts of words move at the pace of the bus: one each cycle.
    await datra.write(datra.page(CPU, r.CPU_RESET_FROM_LOGIC), 0xF)
    before = await datra.read(CYCLES)
    await datra.route(CPU, 0, CPU, 2)
    assert 51 <= await datra.read(CYCLES) - before <= 51 + 20  # three rounds of 17 sources
    before = await datra.read(CYCLES)
    await datra.push(0, words[:256])
    assert await datra.pop(2, 256) == words[:256]
    assert await datra.read(CYCLES) - before < 2 * 256 + 100
    # 64 bits are two words, and a byte is an error that takes nothing.
    await datra.push(0, words[:4])
    response = await datra.axi.read(datra.window(CPU, r.cpu_window_fifo(2)), 8, size=3)
    assert response.data == b"".join(word.to_bytes(4, "little") for word in words[:2])
    assert (await datra.axi.read(datra.window(CPU, r.cpu_window_fifo(2)), 1, size=0)).resp == 2
    assert (await datra.axi.write(datra.window(CPU, r.cpu_window_fifo(0)), b"x", size=0)).resp == 2
    assert await datra.pop(2, 2) == words[2:4]
    assert await datra.available(2) == 0


@cocotb.test()
async def user_signals_travel(dut) -> None:
    datra = await started(dut)
    await datra.route(CPU, 1, ADDER, 0)
    await datra.route(ADDER, 0, CPU, 3)
    await datra.write(datra.window(ADDER, 0), 100)
    for signal, words in ((0x1234, [1]), (0xFFFF, [2, 3]), (0, [4])):
        await datra.write(datra.page(CPU, r.cpu_user_signal(1)), signal)
        await datra.push(1, words)
    await datra.idle(30)
    for signal, words in ((0x1234, [101]), (0xFFFF, [102, 103]), (0, [104])):
        level = await datra.read(datra.page(CPU, AVAILABLE + 12))
        assert level == signal << 16 | len(words)
        assert await datra.pop(3, len(words)) == words


@cocotb.test()
async def chain_through_eight_lanes(dut) -> None:
    datra = await started(dut)
    stages = [(ADDER, lane) for lane in range(4)] + [(ADDER + 1, lane) for lane in range(4)]
    previous = (CPU, 0)
    for n, stage in enumerate(stages):
        await datra.write(datra.window(stage[0], 4 * stage[1]), 1 << 4 * n)
        await datra.route(*previous, *stage)
        previous = stage
    await datra.route(*previous, CPU, 0)
    written = 0
    while free := await datra.free(0):
        await datra.push(0, list(range(written, written + free)))
        written += free
        await datra.idle(60)
    assert 400 < written < 6000 / 4
    # A node that is disabled holds up the chain and loses nothing.
    await datra.write(DISABLE, 1 << ADDER + 2)
    held = await datra.available(0)
    words = await datra.pop(0, held)
    await datra.idle(100)
    behind = await datra.available(0)
    assert len(words) + behind < written - 100
    await datra.write(ENABLE, 1 << ADDER + 2)
    while len(words) < written:
        words += await datra.pop(0, await datra.available(0))
    assert words == [n + 0x11111111 for n in range(written)]


@cocotb.test()
async def test_node_sends_and_checks(dut) -> None:
    datra = await started(dut)
    window = lambda offset: datra.window(TEST, offset)  # noqa: E731
    lane = lambda i, offset: window(r.test_window_lane(i) + offset)  # noqa: E731
    for i in range(4):
        await datra.route(TEST, i, ADDER, i)
        await datra.route(ADDER, i, TEST, i)
    await datra.write(lane(1, r.TEST_WINDOW_LANE_PAUSE), 30)  # pause
    await datra.write(lane(1, r.TEST_WINDOW_LANE_BURST), 10)  # burst
    await datra.write(lane(2, r.TEST_WINDOW_LANE_OUT_STEP), 5)
    await datra.write(lane(2, r.TEST_WINDOW_LANE_IN_STEP), 5)
    await datra.write(window(r.TEST_WINDOW_START), 0xF)
    assert await datra.read(window(r.TEST_WINDOW_START)) == 0  # not enabled
    await datra.write(window(r.TEST_WINDOW_ENABLE), 1)
    await datra.idle(50)
    assert await datra.read(lane(0, r.TEST_WINDOW_LANE_SENT)) == 0  # enabled, not started
    await datra.write(window(r.TEST_WINDOW_START), 0xF)
    begin = await datra.read(CYCLES)
    await datra.idle(1000)
    sent = [await datra.read(lane(i, r.TEST_WINDOW_LANE_SENT)) for i in range(4)]
    cycles = await datra.read(CYCLES) - begin
    # A word a cycle from each lane that does not pause, through the adders and back, all at once.
    assert all(sent[i] > 0.97 * (cycles - 60) for i in (0, 2, 3))
    assert 0.2 * cycles < sent[1] < 0.28 * cycles
    await datra.write(window(r.TEST_WINDOW_STOP), 0xF)
    await datra.idle(100)
    for i in range(4):
        assert await datra.read(lane(i, r.TEST_WINDOW_LANE_SENT)) == await datra.read(
            lane(i, r.TEST_WINDOW_LANE_CHECKED)
        )
    assert await datra.read(window(r.TEST_WINDOW_ERROR)) == 0
    # A wrong word in one lane; its reset does not clear the error, that of all does.
    await datra.write(datra.window(ADDER, 12), 1)
    await datra.write(window(r.TEST_WINDOW_START), 8)
    await datra.idle(50)
    assert await datra.read(window(r.TEST_WINDOW_ERROR)) == 8
    await datra.write(window(r.TEST_WINDOW_STOP), 8)
    await datra.idle(60)
    await datra.write(lane(3, 0), 1)
    await datra.write(datra.window(ADDER, 12), 0)
    assert await datra.read(window(r.TEST_WINDOW_ERROR)) == 8
    await datra.write(window(r.TEST_WINDOW_RESET), 1)
    assert await datra.read(window(r.TEST_WINDOW_ERROR)) == 0
    # After the reset both sequences begin at 0, whatever was still under way at the node.
    await datra.idle(100)
    await datra.write(window(r.TEST_WINDOW_RESET), 1)
    await datra.write(window(r.TEST_WINDOW_START), 0xF)
    await datra.idle(300)
    assert await datra.read(window(r.TEST_WINDOW_ERROR)) == 0
    # Writing 0 to enable stops; enabled again, a start is needed.
    await datra.write(window(r.TEST_WINDOW_ENABLE), 0)
    await datra.write(window(r.TEST_WINDOW_ENABLE), 1)
    assert await datra.read(window(r.TEST_WINDOW_START)) == 0


@cocotb.test()
async def resets_and_the_router(dut) -> None:
    datra = await started(dut)
    # Words in the router belong to the destination: its reset discards them.
    await datra.route(CPU, 0, ADDER, 0)
    await datra.push(0, list(range(20)))
    await datra.idle(40)
    assert await datra.free(0) == DEPTH
    await datra.write(datra.page(ADDER, RESET_IN), 1)
    assert await datra.read(datra.page(ADDER, RESET_IN)) == 0
    await datra.write(datra.page(ADDER, RESET_IN + 4), 0xF)  # harmless
    await datra.route(ADDER, 0, CPU, 0)
    await datra.idle(40)
    assert await datra.available(0) == 0
    # A source without a route keeps its words until its own reset discards them.
    await datra.write(r.control_route_output(CPU, 0), 0)
    await datra.push(0, [1, 2, 3])
    await datra.idle(20)
    assert await datra.free(0) == DEPTH - 3
    await datra.write(datra.page(CPU, r.CPU_RESET_TO_LOGIC), 1)
    assert await datra.free(0) == DEPTH
    # The FIFO from logic, full: its reset empties also what the router has for it.
    await datra.route(CPU, 0, CPU, 1)
    await datra.push(0, list(range(DEPTH)))
    await datra.idle(DEPTH)
    await datra.push(0, list(range(40)))
    await datra.idle(60)
    assert await datra.available(1) > DEPTH - 3
    await datra.write(r.control_route_output(CPU, 0), 0)
    await datra.write(datra.page(CPU, r.CPU_RESET_FROM_LOGIC), 2)
    await datra.write(datra.page(CPU, r.CPU_RESET_TO_LOGIC), 1)
    await datra.idle(60)
    assert await datra.available(1) == 0
    await datra.route(CPU, 0, CPU, 1)
    await datra.push(0, [7, 8])
    await datra.idle(20)
    assert await datra.pop(1, 2) == [7, 8]
    # The sink swallows.
    await datra.route(CPU, 0, SINK, 0)
    await datra.push(0, list(range(100)))
    await datra.idle(60)
    assert await datra.read(datra.window(SINK, 0)) == 100
    assert await datra.read(datra.window(SINK, 4)) == 99
    await datra.write(datra.window(SINK, 0), 0)
    assert await datra.read(datra.window(SINK, 0)) == 0


async def probed(dut) -> Datra:
    """As the driver does at its start: resets both streams with the interrupt armed, then runs."""
    datra = await started(dut, enabled=False)
    page = functools.partial(datra.page, DMA)
    await datra.write(REARM, 0)
    assert await datra.read(page(r.DMA_NODE_TYPE)) == r.DMA_NODE_TYPE_RESET
    assert get(r.DMA_VERSION_REVISION, await datra.read(page(r.DMA_VERSION))) == 1
    both = r.DMA_IRQ_TO_LOGIC_RESET | r.DMA_IRQ_FROM_LOGIC_RESET
    await datra.write(page(SET), both)
    await datra.write(page(r.DMA_TO_LOGIC_CONTROL), r.DMA_CONTROL_RESET)
    await datra.write(page(r.DMA_FROM_LOGIC_CONTROL), r.DMA_CONTROL_RESET)
    while await datra.read(page(r.DMA_IRQ_STATUS)) != both:
        assert int(dut.irq.value) or datra.pulses
    await datra.write(page(CLEAR), both)
    for control in (r.DMA_TO_LOGIC_CONTROL, r.DMA_FROM_LOGIC_CONTROL):
        await datra.write(page(control), r.DMA_CONTROL_RUN)
        assert await datra.read(page(control + 4)) == r.DMA_TO_LOGIC_STATUS_RESET
    await datra.write(ENABLE, 0x7F)
    return datra


@cocotb.test()
async def memory_to_memory(dut) -> None:
    """A block out of memory through an adder into memory, and the results of both commands."""
    datra = await probed(dut)
    page = functools.partial(datra.page, DMA)
    await datra.route(DMA, 0, ADDER, 2)
    await datra.route(ADDER, 2, DMA, 0)
    await datra.write(datra.window(ADDER, 8), 5)
    words = [random.getrandbits(32) for _ in range(1024)]
    datra.memory.write(0x1000, b"".join(word.to_bytes(4, "little") for word in words))
    for address, length in ((0x8000, 4000), (0xA000, 96)):
        await datra.write(page(r.DMA_FROM_LOGIC_ADDRESS), address)
        await datra.write(page(r.DMA_FROM_LOGIC_BYTES), length)
    await datra.write(page(r.DMA_TO_LOGIC_ADDRESS), 0x1000)
    await datra.write(page(r.DMA_TO_LOGIC_SIGNAL), 9)
    await datra.write(page(SET), 1 | 1 << 16)
    await datra.write(page(r.DMA_TO_LOGIC_BYTES), 4096)
    while get(r.DMA_STATUS_RESULTS, await datra.read(page(r.DMA_FROM_LOGIC_STATUS))) != 2:
        pass
    assert await datra.read(PENDING) == 1 << DMA + 1
    assert await datra.read(page(r.DMA_TO_LOGIC_RESULT)) == 0x1000
    for address, length in ((0x8000, 4000), (0xA000, 96)):
        assert await datra.read(page(r.DMA_FROM_LOGIC_RESULT)) == address
        assert await datra.read(page(r.DMA_FROM_LOGIC_RESULT_SIGNAL)) == 9
        assert (
            await datra.read(page(r.DMA_LOOK + r.DMA_FROM_LOGIC_RESULT_BYTES)) == length
        )  # a look takes nothing
        assert await datra.read(page(r.DMA_FROM_LOGIC_RESULT_BYTES)) == length
    moved = datra.memory.read(0x8000, 4000) + datra.memory.read(0xA000, 96)
    assert moved == b"".join((word + 5 & 0xFFFFFFFF).to_bytes(4, "little") for word in words)
    assert (
        await datra.read(page(r.DMA_TO_LOGIC_STATUS))
        == await datra.read(page(r.DMA_FROM_LOGIC_STATUS))
        == r.DMA_TO_LOGIC_STATUS_RESET
    )
    assert await datra.read(PENDING) == 0


@cocotb.test()
async def reset_of_a_dma_stream_empties_the_way_to_it(dut) -> None:
    datra = await probed(dut)
    page = functools.partial(datra.page, DMA)
    await datra.route(CPU, 0, DMA, 0)
    await datra.push(0, list(range(300)))  # nobody asks for them: they stand in the router
    await datra.idle(60)
    left = DEPTH - await datra.free(0)
    assert 300 - 40 < left < 300
    await datra.write(page(r.DMA_FROM_LOGIC_CONTROL), 2)
    await datra.idle(60)
    # What had left the source is gone; what had not waits.
    assert left - 4 <= DEPTH - await datra.free(0) <= left
    await datra.write(page(r.DMA_FROM_LOGIC_CONTROL), 1)
    await datra.write(page(r.DMA_FROM_LOGIC_ADDRESS), 0x2000)
    await datra.write(page(r.DMA_FROM_LOGIC_BYTES), 64)
    while not get(r.DMA_STATUS_RESULTS, await datra.read(page(r.DMA_FROM_LOGIC_STATUS))):
        pass
    assert int.from_bytes(datra.memory.read(0x2000, 4), "little") in range(300 - left, 304 - left)
    # To logic, with a destination that takes nothing: the reset ends all the same.
    await datra.write(page(r.DMA_TO_LOGIC_ADDRESS), 0x1000)
    await datra.write(page(r.DMA_TO_LOGIC_BYTES), 4096)
    await datra.idle(200)
    await datra.write(page(SET), r.DMA_IRQ_TO_LOGIC_RESET)
    await datra.write(page(r.DMA_TO_LOGIC_CONTROL), 3)
    await datra.idle(100)
    assert await datra.read(page(r.DMA_IRQ_STATUS)) == r.DMA_IRQ_TO_LOGIC_RESET
    await datra.write(page(r.DMA_TO_LOGIC_CONTROL), 1)
    assert await datra.read(page(r.DMA_TO_LOGIC_STATUS)) == r.DMA_TO_LOGIC_STATUS_RESET


@cocotb.test()
async def all_streams_at_once(dut) -> None:
    """Test node, DMA, and the loop of the processor share nothing but the register bus."""
    datra = await probed(dut)
    page = functools.partial(datra.page, DMA)
    for i in range(4):
        await datra.route(TEST, i, ADDER, i)
        await datra.route(ADDER, i, TEST, i)
    await datra.route(DMA, 0, DMA, 0)
    await datra.route(CPU, 0, CPU, 0)
    await datra.write(datra.window(TEST, 0), 1)
    await datra.write(datra.window(TEST, r.TEST_WINDOW_START), 0xF)
    begin = await datra.read(CYCLES)
    await datra.write(page(r.DMA_FROM_LOGIC_ADDRESS), 0x8000)
    await datra.write(page(r.DMA_FROM_LOGIC_BYTES), 0x4000)
    await datra.write(page(r.DMA_TO_LOGIC_ADDRESS), 0x1000)
    await datra.write(page(r.DMA_TO_LOGIC_BYTES), 0x4000)
    for n in range(5):
        await datra.push(0, list(range(n, n + 200)))
        assert await datra.pop(0, 200) == list(range(n, n + 200))
    while not get(r.DMA_STATUS_RESULTS, await datra.read(page(r.DMA_FROM_LOGIC_STATUS))):
        pass
    words = [
        await datra.read(datra.window(TEST, r.test_window_lane(i) + r.TEST_WINDOW_LANE_CHECKED))
        for i in range(4)
    ]
    cycles = await datra.read(CYCLES) - begin
    assert cycles < 1.1 * 0x4000 / 4 + 200
    assert all(count > 0.97 * cycles - 60 for count in words)
    assert await datra.read(datra.window(TEST, r.TEST_WINDOW_ERROR)) == 0
