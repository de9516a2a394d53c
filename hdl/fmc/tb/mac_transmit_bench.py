# SPDX-License-Identifier: Apache-2.0
"""The transmitting MAC by itself: a stream that pauses inside a frame costs that frame alone."""

from __future__ import annotations

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly
from gmii import Sink
from part import Part


@cocotb.test()
async def a_pause_costs_its_frame(dut) -> None:
    mac = Part(dut, "mac")
    cocotb.start_soon(Clock(mac.clk, 8, "ns").start())
    sink = Sink(mac, "tx", "clk")
    mac.tvalid.value = 0
    mac.rst.value = 1
    await ClockCycles(mac.clk, 4)
    mac.rst.value = 0
    whole = []
    for turn in range(40):
        frame = random.randbytes(random.randint(1, 150))
        words = [frame[at : at + 4] for at in range(0, len(frame), 4)]
        # Behind the first word, which is on its way from the preamble on.
        pause = random.randrange(1, len(words)) if turn % 3 == 0 and len(words) > 1 else None
        for number, word in enumerate(words):
            if number == pause:
                await FallingEdge(mac.clk)
                mac.tvalid.value = 0
                await ClockCycles(mac.clk, random.randint(12, 30))
            await FallingEdge(mac.clk)
            mac.tvalid.value, mac.tlast.value = 1, number == len(words) - 1
            mac.tdata.value = int.from_bytes(word.ljust(4, b"?"), "little")
            mac.tkeep.value = (1 << len(word)) - 1
            while True:
                await ReadOnly()
                if int(mac.tready.value):
                    break
                await FallingEdge(mac.clk)
        await FallingEdge(mac.clk)
        mac.tvalid.value = 0
        if pause is None:
            whole.append(frame.ljust(60, b"\0"))
    await ClockCycles(mac.clk, 400)
    assert sink.frames == whole
    assert sink.errors == 40 - len(whole)
