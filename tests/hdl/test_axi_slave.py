# SPDX-License-Identifier: Apache-2.0
"""The AXI slave in front of the register bus: hdl/datra/rtl/axi_slave.sv."""

import pytest


@pytest.mark.parametrize("width", [32, 64, 128])
def test_axi_slave(simulate, width: int) -> None:
    simulate("axi_slave", "axi_slave_bench", DATA_W=width)
