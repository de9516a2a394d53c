# SPDX-License-Identifier: Apache-2.0
"""An interrupt between two clocks: no pulse is lost, the level follows, either reset is seen."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge


class Crossing:
    def __init__(self, dut, from_ps: int, to_ps: int) -> None:
        self.dut = dut
        self.came = 0
        for name in ("level", "pulse", "from_rst", "to_rst"):
            getattr(dut, name).value = 0
        cocotb.start_soon(Clock(dut.from_clk, from_ps, "ps").start())
        cocotb.start_soon(Clock(dut.to_clk, to_ps, "ps").start())
        cocotb.start_soon(self.count())

    async def count(self) -> None:
        while True:
            await FallingEdge(self.dut.to_clk)
            if int(self.dut.to_pulse.value):
                self.came += 1

    async def idle(self) -> None:
        """Longer than anything takes to cross, both ways."""
        await ClockCycles(self.dut.from_clk, 8)
        await ClockCycles(self.dut.to_clk, 8)

    async def reset(self) -> None:
        dut = self.dut
        dut.from_rst.value = dut.to_rst.value = 1
        await self.idle()
        dut.from_rst.value = dut.to_rst.value = 0
        await self.idle()

    async def pulses(self, *gaps: int) -> None:
        for gap in gaps:
            await FallingEdge(self.dut.from_clk)
            self.dut.pulse.value = 1
            await FallingEdge(self.dut.from_clk)
            self.dut.pulse.value = 0
            if gap:
                await ClockCycles(self.dut.from_clk, gap)


@cocotb.test()
@cocotb.parametrize(periods=[(10_000, 3_334), (4_006, 15_014), (10_000, 10_000)])
async def crosses(dut, periods: tuple[int, int]) -> None:
    crossing = Crossing(dut, *periods)
    await crossing.reset()
    rand = random.Random(cocotb.RANDOM_SEED)
    for _ in range(40):
        # One alone is one.
        before = crossing.came
        await crossing.pulses(0)
        await crossing.idle()
        assert crossing.came == before + 1
        # Two: the second is not lost, however close behind.
        await crossing.pulses(rand.randrange(20))
        early = crossing.came
        await crossing.pulses(0)
        await crossing.idle()
        await crossing.idle()
        assert early < crossing.came <= before + 3
        # Many in a row become fewer, and end.
        before = crossing.came
        await crossing.pulses(*(rand.randrange(3) for _ in range(10)))
        await crossing.idle()
        await crossing.idle()
        assert before < crossing.came <= before + 10
        before = crossing.came
        await crossing.idle()
        assert crossing.came == before
    for level in (1, 0, 1):
        dut.level.value = level
        await crossing.idle()
        assert int(dut.to_level.value) == level


@cocotb.test()
@cocotb.parametrize(side=["from_rst", "to_rst"])
async def either_reset_is_seen_by_both(dut, side: str) -> None:
    crossing = Crossing(dut, 10_000, 4_006)
    await crossing.reset()
    assert (int(dut.from_reset.value), int(dut.to_reset.value)) == (0, 0)
    await crossing.pulses(0, 0, 0)
    getattr(dut, side).value = 1
    await crossing.idle()
    assert (int(dut.from_reset.value), int(dut.to_reset.value)) == (1, 1)
    getattr(dut, side).value = 0
    await crossing.idle()
    assert (int(dut.from_reset.value), int(dut.to_reset.value)) == (0, 0)
    before = crossing.came
    await crossing.idle()
    assert crossing.came == before
