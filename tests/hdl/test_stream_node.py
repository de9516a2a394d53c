# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream at the fabric: hdl/datra/rtl/stream_node.sv."""

import pytest


@pytest.mark.parametrize(("width", "crossing"), [(32, 0), (64, 1), (96, 0)])
def test_stream_node(simulate, width: int, crossing: int) -> None:
    simulate("stream_node", "stream_node_bench", DATA_W=width, ASYNC=crossing)
