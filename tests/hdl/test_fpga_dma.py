# SPDX-License-Identifier: Apache-2.0
"""The DMA controller of the measurements from the fabric, beside its on-chip RAM."""

from __future__ import annotations

import json
import subprocess

import pytest

from weighbridge.backends.rtl.verilator import built


def rates(burst: int, bits: int, latency: int, outstanding: int, stall: float, transfers: int):
    """Fractions of the bus for 64 KiB; every byte of every transfer has been checked."""
    program = built("fpga_dma", "fpga_dma_bench", BURST=burst, DATA_W=bits)
    command = [str(one) for one in (program, latency, outstanding, stall, transfers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("burst", [1, 16])
@pytest.mark.parametrize(("latency", "outstanding"), [(20, 8), (60, 4), (3, 1)])
def test_rate_is_the_law_of_its_bursts(burst: int, latency: int, outstanding: int) -> None:
    answer = rates(burst, 64, latency, outstanding, 0, 20)
    law = min(1, outstanding * burst / (latency + burst))
    assert answer["beats_per_burst"] == pytest.approx(burst, rel=0.01)
    assert answer["cpu_to_fpga"] == pytest.approx(law, rel=0.03)
    # A write's slot is taken a cycle before its data.
    law = min(1, outstanding * burst / (latency + burst + 1))
    assert answer["fpga_to_cpu"] == pytest.approx(law, rel=0.03)


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_transfers_at_random_with_stalls(bits: int) -> None:
    rates(16, bits, 20, 8, 0.5, 300)
