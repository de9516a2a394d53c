# SPDX-License-Identifier: Apache-2.0
"""One part of the parts that a bench's top has side by side."""


class Part:
    """`Part(dut, "bridge").clk` is `dut.bridge_clk`."""

    def __init__(self, dut, name: str) -> None:
        self._dut, self._name = dut, name

    def __getattr__(self, pin: str):
        return getattr(self._dut, f"{self._name}_{pin}")
