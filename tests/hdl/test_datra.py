# SPDX-License-Identifier: Apache-2.0
"""The reference configuration: hdl/datra/rtl/datra.sv."""


def test_reference_configuration(simulate) -> None:
    simulate("datra", "datra_bench", DATA_W=64, HOLDOFF=300)
