# SPDX-License-Identifier: Apache-2.0
def test_reference_configuration(simulate):
    simulate("datra", "datra_bench", DATA_W=64)
