# SPDX-License-Identifier: Apache-2.0
"""The queue between clocks: hdl/lib/rtl/fifo_async.sv."""


def test_fifo_async(simulate) -> None:
    simulate("fifo_async", "fifo_async_bench", DEPTH=16)
