# SPDX-License-Identifier: Apache-2.0
"""RGMII whose pins are a loop, the receive clock 2 ns late as a PHY's: bytes come back as sent."""

from __future__ import annotations

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer
from part import Part

LATE = 2  # ns


@cocotb.test()
async def bytes_come_back(dut) -> None:
    pins = Part(dut, "rgmii")
    pins.rst.value = pins.txd.value = pins.tx_en.value = pins.tx_er.value = 0

    async def received() -> None:
        await Timer(LATE, "ns")
        await Clock(pins.rxc, 8, "ns").start()

    cocotb.start_soon(Clock(pins.clk, 8, "ns").start())
    cocotb.start_soon(received())
    sent: list[tuple[int, int, int]] = []
    got: list[tuple[int, int, int]] = []

    async def listen() -> None:
        while True:
            await FallingEdge(pins.rxc)
            got.append(tuple(int(one.value) for one in (pins.rxd, pins.rx_dv, pins.rx_er)))

    await Timer(80, "ns")
    cocotb.start_soon(listen())
    for _ in range(500):
        await FallingEdge(pins.clk)
        # Without enable, error and data are in-band status and not GMII's: not of this test.
        enable = int(random.random() < 0.9)
        error = int(enable and random.random() < 0.1)
        sent.append((random.getrandbits(8), enable, error))
        pins.txd.value, pins.tx_en.value, pins.tx_er.value = sent[-1]
    await Timer(80, "ns")
    begin = got.index(sent[0])
    assert begin < 8
    assert got[begin : begin + len(sent)] == sent
