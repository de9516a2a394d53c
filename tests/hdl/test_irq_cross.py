# SPDX-License-Identifier: Apache-2.0
"""An interrupt and the resets between clocks: hdl/lib/rtl/irq_cross.sv."""


def test_irq_cross(simulate) -> None:
    simulate("irq_cross", "irq_cross_bench")
