# SPDX-License-Identifier: Apache-2.0
"""The serial bridge against a model of its bus: it does what whole requests say, and no more."""

import random
import struct
import zlib
from collections.abc import Iterator

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

SYNC, WRITE, STAYS = 0x5A, 0x80, 0x40
DONE, REFUSED, SPOILT = 0, 1, 2
PATIENCE = 200  # cycles, as given by the test
FORBIDDEN = 0xF000_0000  # and above: the bus refuses


def request(tag: int, op: int, address: int, words: list[int]) -> bytes:
    text = bytes([tag, op]) + address.to_bytes(4, "little")
    text += b"".join(word.to_bytes(4, "little") for word in words)
    return bytes([SYNC]) + text + zlib.crc32(text).to_bytes(4, "little")


class Host:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.memory: dict[int, int] = {}
        self.accesses: list[tuple[bool, int]] = []
        self.said = bytearray()

    async def start(self) -> None:
        dut = self.dut
        for pin in (dut.in_valid, dut.in_broken, dut.out_ready, dut.bus_done, dut.bus_error):
            pin.value = 0
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        dut.rst.value = 1
        await ClockCycles(dut.clk, 4)
        dut.rst.value = 0
        cocotb.start_soon(self.bus())
        cocotb.start_soon(self.listen())

    async def bus(self) -> None:
        """Takes any number of cycles for an access."""
        dut = self.dut
        while True:
            await FallingEdge(dut.clk)
            dut.bus_done.value = 0
            if not int(dut.bus_select.value):
                continue
            for _ in range(random.choice((0, 0, 1, 7))):
                await FallingEdge(dut.clk)
            address, write = int(dut.bus_address.value), bool(int(dut.bus_write.value))
            self.accesses.append((write, address))
            refused = address >= FORBIDDEN
            if write and not refused:
                self.memory[address] = int(dut.bus_wdata.value)
            dut.bus_rdata.value = self.memory.get(address, 0)
            dut.bus_error.value = refused
            dut.bus_done.value = 1

    async def listen(self) -> None:
        dut = self.dut
        while True:
            await FallingEdge(dut.clk)
            ready = random.random() < 0.5
            dut.out_ready.value = ready
            if ready and int(dut.out_valid.value):
                self.said.append(int(dut.out_data.value))

    async def send(self, data: bytes, broken: int = -1) -> None:
        """Bytes with up to three cycles between; that at `broken` has no stop bit."""
        dut = self.dut
        for place, byte in enumerate(data):
            await FallingEdge(dut.clk)
            dut.in_data.value = byte
            dut.in_valid.value = place != broken
            dut.in_broken.value = place == broken
            await FallingEdge(dut.clk)
            dut.in_valid.value = 0
            dut.in_broken.value = 0
            await ClockCycles(dut.clk, random.randrange(1, 4))

    async def answer(self, words: int) -> tuple[int, int, list[int]]:
        """Tag, status and words of the next answer, which has so many if it is good."""
        for _ in range(4000):
            await FallingEdge(self.dut.clk)
            good = len(self.said) > 2 and self.said[2] == DONE
            if len(self.said) >= 7 + (4 * words if good else 0):
                break
        await ClockCycles(self.dut.clk, 20)
        text, self.said = bytes(self.said), bytearray()
        assert len(text) == 7 + (4 * words if text[2] == DONE else 0)
        assert text[0] == SYNC
        assert zlib.crc32(text[1:-4]) == int.from_bytes(text[-4:], "little")
        body = text[3:-4]
        return text[1], text[2], list(struct.unpack(f"<{len(body) // 4}I", body))

    async def forget(self) -> None:
        await ClockCycles(self.dut.clk, PATIENCE + 10)
        # What looked like a request may be answered: its sum was wrong.
        await ClockCycles(self.dut.clk, 40)
        self.said.clear()


def requests(count: int) -> Iterator[tuple[int, int, int]]:
    """Tags, operations and addresses."""
    for tag in range(count):
        op = random.choice((0, WRITE)) | random.choice((0, 0, STAYS)) | random.choice((0, 1, 5, 63))
        yield tag, op, random.choice((0, 0x40, 0x4000_0000, FORBIDDEN - 8, FORBIDDEN))


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def what_is_asked_is_done(dut) -> None:
    host = Host(dut)
    await host.start()
    model: dict[int, int] = {}
    for tag, op, address in requests(30):
        count = (op & 63) + 1
        words = [random.getrandbits(32) for _ in range(count)] if op & WRITE else []
        host.accesses.clear()
        await host.send(request(tag, op, address, words))
        got = await host.answer(0 if op & WRITE else count)
        places = [address + (0 if op & STAYS else 4 * n) for n in range(count)]
        allowed = [place for place in places if place < FORBIDDEN]
        for place, word in zip(allowed, words, strict=False):
            model[place] = word
        read = [] if op & WRITE else [model.get(place, 0) for place in places]
        refused = len(allowed) < count
        assert got == (tag, REFUSED if refused else DONE, [] if refused else read)
        # Up to the one that was refused, and no further.
        assert host.accesses == [(bool(op & WRITE), place) for place in places[: len(allowed) + 1]]
    assert host.memory == model


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def noise_does_nothing(dut) -> None:
    """Bytes at random, requests with one bit turned, cut short, or with a broken byte."""
    host = Host(dut)
    await host.start()
    spoilt = 0
    for trial in range(60):
        good = request(trial, random.choice((0, 3, WRITE | 1)), 0x100, [])
        if good[2] & WRITE:
            good = request(trial, WRITE | 1, 0x100, [1, 2])
        host.accesses.clear()
        kind = trial % 4
        if kind == 0:
            await host.send(random.randbytes(random.randrange(1, 60)).replace(b"\x5a\x5a", b"\x5a"))
        elif kind == 1:
            # Neither the operation, which says how long a request is, nor its first byte.
            place = random.choice([n for n in range(1, len(good)) if n != 2])
            turned = bytearray(good)
            turned[place] ^= 1 << random.randrange(8)
            await host.send(bytes(turned))
            _, status, words = await host.answer(0)
            assert (status, words) == (SPOILT, [])
            spoilt += 1
        elif kind == 2:
            await host.send(good[: random.randrange(1, len(good))])
        else:
            await host.send(good, broken=random.randrange(len(good)))
        await host.forget()
        assert host.accesses == []
        # It is understood again.
        await host.send(request(7, WRITE, 0x200, [trial]))
        assert await host.answer(0) == (7, DONE, [])
        assert host.memory[0x200] == trial
    assert spoilt == 15
