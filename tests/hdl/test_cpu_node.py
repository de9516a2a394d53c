# SPDX-License-Identifier: Apache-2.0
"""The node of the processor's FIFOs: hdl/datra/rtl/cpu_node.sv."""


def test_cpu_node(simulate) -> None:
    simulate("cpu_node", "cpu_node_bench", DEPTH=256)
