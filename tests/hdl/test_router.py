# SPDX-License-Identifier: Apache-2.0
"""The router between the nodes: hdl/datra/rtl/router.sv."""


def test_router(simulate) -> None:
    routes = sum(9 + d << 7 * d for d in range(7))
    simulate("router", "router_bench", SOURCES=6, SINKS=7, SINK_ROUTE=f"49'h{routes:x}")
