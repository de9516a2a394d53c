# SPDX-License-Identifier: Apache-2.0
"""The on-chip RAM behind an AXI port: hdl/ocram/rtl/axi_ocram.sv."""


def test_ocram(simulate) -> None:
    simulate("axi_ocram", "axi_ocram_bench", DATA_W=64, BYTES=4096)
