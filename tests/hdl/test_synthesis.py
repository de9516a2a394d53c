# SPDX-License-Identifier: Apache-2.0
"""The whole reference configuration passes a synthesis front end, each net with one driver."""

import re
from pathlib import Path

from tools.logic.yosys import read, yosys

root = Path(__file__).parents[2]


def test_one_driver_each(tmp_path: Path) -> None:
    yosys(tmp_path, read("datra", {}) + "proc; check -assert")


def test_no_complement_of_a_sized_constant() -> None:
    """yosys reads ~4'(BURST - 1) as BURST - 1; such a mask needs a name of its own."""
    for path in sorted(root.glob("hdl/*/rtl/*.sv")):
        assert not re.search(r"~\s*\w+'\(", path.read_text()), path
