# SPDX-License-Identifier: Apache-2.0
"""The node to copy: hdl/datra/rtl/template_node.sv."""


def test_template_node(simulate) -> None:
    simulate("template_node", "template_node_bench")
