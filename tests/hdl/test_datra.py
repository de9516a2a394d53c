# SPDX-License-Identifier: Apache-2.0
"""The reference configuration: hdl/datra/rtl/datra.sv."""

import json
import subprocess

import pytest

from weighbridge.backends.rtl.verilator import built

#: Flat wrapper, periods of the fabric's and the bus's clock in ps: unrelated, either the faster.
CLOCKS = [("datra_axi4", 10_000, 3_334), ("datra_axi3", 4_006, 15_014)]


def test_reference_configuration(simulate) -> None:
    simulate("datra", "datra_bench", DATA_W=64, HOLDOFF=300)


def test_the_original_drivers_accesses(simulate) -> None:
    simulate("datra", "driver_bench", DATA_W=64, HOLDOFF=300)


@pytest.mark.parametrize(("wrapper", "fabric", "bus"), CLOCKS)
def test_bus_and_fabric_in_clocks_of_their_own(
    simulate, monkeypatch: pytest.MonkeyPatch, wrapper: str, fabric: int, bus: int
) -> None:
    monkeypatch.setenv("FABRIC_PS", str(fabric))
    monkeypatch.setenv("BUS_PS", str(bus))
    # A hold-off of 300 cycles.
    simulate(wrapper, "driver_bench", DATA_W=64, CLOCK_HZ=30_000_000, ASYNC=1)


def test_every_stream_at_full_rate_all_at_once() -> None:
    """Every lane, both DMA streams and the bursts at the processor's FIFOs; every word checked."""
    program = built("datra", "datra_bench", DATA_W=32, DMA_DATA_W=64)
    done = subprocess.run([program, "100000"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rates = json.loads(done.stdout)
    for stream in ("lane", "dma", "burst_write", "burst_read"):
        assert rates[stream] >= 0.99, stream
