# SPDX-License-Identifier: Apache-2.0
"""The reference configuration: hdl/datra/rtl/datra.sv."""

import pytest

#: Periods of the fabric's and the bus's clock in ps: unrelated, either of them the faster by far.
CLOCKS = [(10_000, 3_334), (4_006, 15_014)]


def test_reference_configuration(simulate) -> None:
    simulate("datra", "datra_bench", DATA_W=64, HOLDOFF=300)


def test_the_original_drivers_accesses(simulate) -> None:
    simulate("datra", "driver_bench", DATA_W=64, HOLDOFF=300)


@pytest.mark.parametrize(("fabric", "bus"), CLOCKS)
def test_bus_and_fabric_in_clocks_of_their_own(
    simulate, monkeypatch: pytest.MonkeyPatch, fabric: int, bus: int
) -> None:
    monkeypatch.setenv("FABRIC_PS", str(fabric))
    monkeypatch.setenv("BUS_PS", str(bus))
    simulate("datra", "driver_bench", DATA_W=64, HOLDOFF=300, ASYNC=1)
