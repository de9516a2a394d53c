# SPDX-License-Identifier: Apache-2.0
"""The comparison with independent tools runs; on a machine that others use it judges nothing."""

from __future__ import annotations

import re
import subprocess
import sys

from .conftest import root


def test_a_short_comparison_is_plausible() -> None:
    """Within a factor of ten: the same work and units, whatever else the machine does."""
    command = [sys.executable, "-m", "tools.memory_tools", "--short"]
    done = subprocess.run(
        [*command, "--tool", "mbw", "--tool", "sysbench"],
        cwd=root, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^ +(\d+ [KM]iB) +([\d.]+) +([\d.]+) +([\d.]+) ", done.stdout, re.M)
    assert len(rows) == 8, done.stdout
    for _, ours, theirs, ratio in rows:
        assert float(ours) > 0
        assert float(theirs) > 0
        # Beside other tests each of the two has the memory for itself or has not.
        assert 0.1 < float(ratio) < 10, done.stdout
