# SPDX-License-Identifier: Apache-2.0
"""All that is behind the memory bus, from its pins to GMII."""

from __future__ import annotations

import os
import random

import cocotb
from cocotb.clock import Clock
from fmc_bus import FmcBus
from gmii import Sink, Source
from part import Part

from weighbridge.registers import datra
from weighbridge.registers import fmc as names

BUS, WIRE = 7272, 8000  # ps, periods
INFO, COUNTERS = names.WINDOW_INFO, names.WINDOW_COUNTERS
RECEIVE, TRANSMIT, WIDE = names.WINDOW_RECEIVE, names.WINDOW_TRANSMIT, names.WINDOW_WIDE
#: name, access, reset value or None, of each register: from the description, by the test.
DESCRIBED = [line.split() for line in os.environ.get("FMC_REGISTERS", "").splitlines()]


class Board:
    """Microcontroller on one side, network on the other."""

    def __init__(self, dut) -> None:
        self.dut = dut = Part(dut, "whole")
        self.bus, self.sink, self.source = FmcBus(dut), Sink(dut), Source(dut)
        # The counters, as far as the pins of the bus say: reads and writes of words.
        self.reads = self.writes = 0

    async def start(self) -> None:
        dut = self.dut
        for clock, period in ((dut.clk, BUS), (dut.launch_clk, BUS)):
            cocotb.start_soon(Clock(clock, period, "ps").start())
        for clock in (dut.tx_clk, dut.rx_clk):
            cocotb.start_soon(Clock(clock, WIRE, "ps").start())
        dut.link.value = 1
        dut.rst.value = dut.tx_rst.value = dut.rx_rst.value = 1
        await self.bus.idle(8)
        dut.rst.value = dut.tx_rst.value = dut.rx_rst.value = 0
        await self.bus.idle(8)

    async def write(self, address: int, data: int, bits: int = 32) -> None:
        await self.bus.write(address, data, bits)
        self.writes += max(1, bits // 32)

    async def read(self, address: int, bits: int = 32) -> int:
        self.reads += max(1, bits // 32)
        return await self.bus.read(address + WIDE * (bits == 64), bits)

    async def count(self, place: int) -> int:
        return await self.read(COUNTERS + place, 64)

    async def send(self, frame: bytes, length: int | None = None, bits: int = 32) -> None:
        """A frame by LENGTH, words and COMMIT; `length` where it is not the frame's own."""
        await self.write(TRANSMIT + names.TRANSMIT_LENGTH, len(frame) if length is None else length)
        size, place = bits // 8, names.TRANSMIT_TX_BUF
        for at in range(0, len(frame), size):
            word = frame[at : at + size]
            # What is behind the frame's end in its last word must not go out.
            word += random.randbytes((4 - len(word)) % 4)
            await self.write(
                TRANSMIT + place + at % 0xF00, int.from_bytes(word, "little"), 8 * len(word)
            )
        await self.write(TRANSMIT + names.TRANSMIT_COMMIT, 1)

    async def receive(self) -> bytes:
        """The oldest frame, read and popped; nothing where there is none."""
        length = await self.read(RECEIVE + names.RECEIVE_LENGTH)
        words = [await self.read(RECEIVE + at) for at in range(0, length, 4)]
        data = b"".join(word.to_bytes(4, "little") for word in words)
        assert not any(data[length:])
        await self.write(RECEIVE + names.RECEIVE_POP, 1)
        return data[:length]


async def started(dut) -> Board:
    board = Board(dut)
    await board.start()
    return board


def padded(frame: bytes) -> bytes:
    return frame.ljust(60, b"\0")


@cocotb.test()
async def registers_are_as_described(dut) -> None:
    board = await started(dut)
    assert DESCRIBED
    for address, letters, reset in DESCRIBED:
        value = await board.read(int(address, 0))
        if int(address, 0) == INFO + names.INFO_FEATURES:
            value &= ~names.INFO_FEATURES_DATRA  # which this one has, beyond the defaults
        if reset != "-":
            assert value == (int(reset, 0) if "r" in letters else 0), f"{address}: {value:#x}"
    for place in (INFO, INFO + names.info_serial(0), TRANSMIT + names.TRANSMIT_SPACE):
        before = await board.read(place)
        await board.write(place, ~before & 0xFFFFFFFF)
        assert await board.read(place) == before
    scratch = INFO + names.info_scratch(0)
    await board.write(scratch, 0x0123456789ABCDEF, 64)
    await board.write(scratch + 1, 0x55, 8)
    await board.write(scratch + 6, 0xAAAA, 16)
    assert await board.read(scratch, 64) == 0xAAAA456789AB55EF
    assert await board.read(scratch + 2, 16) == 0x89AB
    assert await board.read(scratch + 5, 8) == 0x45


@cocotb.test()
async def an_address_without_anything_answers(dut) -> None:
    board = await started(dut)
    for address in (0x0, 0x800, 0xC00, 0x1400, 0xFFFC, 0x12000, 0x1FFFC, 0x22000, 0x7FFFC):
        before = board.bus.clocks
        assert await board.read(address) == 0
        assert board.bus.clocks - before < 20
        await board.write(address, 0xFFFFFFFF)
    assert await board.read(INFO) == names.INFO_IDENTITY_RESET


@cocotb.test()
async def frames_go_out_as_written(dut) -> None:
    board = await started(dut)
    sent = []
    for length in (1, 2, 3, 4, 5, 59, 60, 61, 62, 63, 64, 65, 127, 333, 1513, 1514):
        for bits in (32, 64) if length < 100 else (64,):
            frame = random.randbytes(length)
            await board.send(frame, bits=bits)
            sent.append(padded(frame))
    # COMMIT without data, data without LENGTH, LENGTH of less and of more than is written.
    await board.write(TRANSMIT + names.TRANSMIT_COMMIT, 1)
    frame = random.randbytes(100)
    await board.send(frame, 0)
    await board.send(frame, 70)
    await board.send(frame, 1518)
    for length in (1519, 2047, 2048 + 64, 1 << 16 | 64, 1 << 31 | 64):
        await board.send(frame, length)
    sent += [frame[:70], frame]
    # A frame that is begun anew.
    await board.write(TRANSMIT + names.TRANSMIT_LENGTH, 64)
    for word in range(7):
        await board.write(TRANSMIT + names.TRANSMIT_TX_WORD, word)
    await board.send(frame)
    sent.append(frame)
    await board.bus.idle(4000)
    assert board.sink.frames == sent
    assert min(board.sink.gaps) == 12
    assert await board.read(TRANSMIT + names.TRANSMIT_USED) == 0
    assert await board.read(TRANSMIT + names.TRANSMIT_DROPPED) == 0
    # Less than a word is no data.
    await board.write(TRANSMIT + names.TRANSMIT_LENGTH, 64)
    await board.write(TRANSMIT + names.TRANSMIT_TX_BUF, 0x1234, 16)
    await board.write(TRANSMIT + names.TRANSMIT_COMMIT, 1)
    assert await board.read(TRANSMIT + names.TRANSMIT_USED) == 0


@cocotb.test()
async def a_full_fifo_waits_and_gives_up(dut) -> None:
    """The bus stands while there is no room; a wire that stands costs the frame, not the bus."""
    board = await started(dut)
    frames = [random.randbytes(1514) for _ in range(4)]
    for frame in frames:
        await board.send(frame, bits=64)
    await board.bus.idle(12_000)
    assert board.sink.frames == frames
    board.sink.frames.clear()
    board.dut.tx_rst.value = 1
    for frame in frames:
        await board.send(frame, bits=64)
    assert await board.read(TRANSMIT + names.TRANSMIT_DROPPED) == 2
    used = await board.read(TRANSMIT + names.TRANSMIT_USED)
    assert used == 2 << 16 | 2 * 379 or used >> 16 == 1, hex(used)


@cocotb.test()
async def frames_come_in(dut) -> None:
    board = await started(dut)
    assert await board.receive() == b""
    frames = [random.randbytes(length) for length in (60, 61, 62, 63, 64, 500, 1514)]
    for frame in frames:
        await board.source.send(frame)
    await board.source.send(random.randbytes(1515))
    await board.source.send(random.randbytes(59))
    await board.source.send(frames[0], crc=b"abcd")
    await board.source.send(frames[0], error_at=30)
    await board.source.send(frames[0], preamble=b"\x55\x12\x55\xd5")  # no frame at all
    await board.source.send(frames[1])
    await board.bus.idle(20)
    assert int(board.dut.rx_ready.value)
    assert await board.read(RECEIVE + names.RECEIVE_USED) >> 16 == len(frames) + 1
    for frame in [*frames, frames[1]]:
        assert await board.receive() == frame
    assert await board.read(RECEIVE) == 0
    assert not int(board.dut.rx_ready.value)
    assert await board.read(RECEIVE + names.RECEIVE_USED) == 0
    assert await board.read(RECEIVE + names.RECEIVE_DROPPED) == 4
    # More than there is room for: what is there stays whole.
    for number in range(6):
        await board.source.send(bytes([number]) * 1514)
    for number in range(5):
        assert await board.receive() == bytes([number]) * 1514
    assert await board.receive() == b""


@cocotb.test()
async def words_go_through_a_datra_node(dut) -> None:
    """What is pushed into a FIFO is popped from the next one, by 32 and by 64 bits."""
    board = await started(dut)
    page, fifos = names.WINDOW_NODE_PAGE, names.WINDOW_NODE_WINDOW
    assert await board.read(page + datra.NODE_TYPE) == datra.CPU_NODE_TYPE_RESET
    step = 0x400
    words = [random.getrandbits(32) for _ in range(60)]
    for lane in range(4):
        await board.write(page + datra.cpu_user_signal(lane), 7 + lane)
        for at in range(0, len(words), 2):
            pair = words[at] | words[at + 1] << 32
            await board.write(fifos + step * lane + 4 * at, pair, 64)
    await board.write(fifos, 0x1234, 16)  # no word
    for lane in range(4):
        to = (lane + 1) % 4
        available = await board.read(page + datra.cpu_available(to))
        assert available == (7 + lane) << 16 | len(words)
        for at in range(0, len(words), 4):
            got = await board.read(fifos + step * to, 64)
            got |= await board.read(fifos + step * to) << 64
            got |= await board.read(fifos + step * to + 4) << 96
            assert got == sum(words[at + i] << 32 * i for i in range(4))


@cocotb.test()
async def counters_are_those_of_the_pins(dut) -> None:
    board = await started(dut)
    both = names.COUNTER_SNAPSHOT_TAKE | names.COUNTER_SNAPSHOT_CLEAR
    await board.write(COUNTERS, both)
    await board.bus.idle(20)
    board.reads = 0
    for _ in range(60):
        address = random.choice((INFO, INFO + names.info_scratch(0), TRANSMIT, RECEIVE, 0x7FFF8))
        bits = random.choice((8, 16, 32, 64))
        if random.random() < 0.5:
            await board.write(address, random.getrandbits(bits), bits)
        else:
            await board.read(address, bits)
        await board.bus.idle(random.randint(0, 6))
    reads, writes = board.reads, board.writes
    selected, accesses = board.bus.selected, board.bus.accesses
    await board.write(COUNTERS, names.COUNTER_SNAPSHOT_TAKE)
    first = [
        await board.count(place)
        for place in (
            names.counter_apb_reads(0),
            names.counter_apb_writes(0),
            names.counter_fmc_gap(0),
        )
    ]
    # The write that cleared them ended behind that clock: it is in the new span. So with this one.
    assert first == [reads, writes, 2 * accesses]
    assert await board.count(names.counter_fmc_selected(0)) == selected
