# SPDX-License-Identifier: Apache-2.0
"""The engines' area is that of docs/logic-area.md, and below the bars."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_area_is_as_committed() -> None:
    command = [sys.executable, "-m", "tools.logic.area", "--check"]
    command += ["dma_read", "dma_write", "fifo_async"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_whole_node_is_below_its_bar() -> None:
    """LUT-RAM is counted apart, as for the rivals."""
    page = (ROOT / "docs/logic-area.md").read_text()
    row = re.search(r"^\| `dma_node` \| (\d+) \| \d+ \| (\d+) \|", page, re.M)
    assert row is not None
    assert int(row[1]) - int(row[2]) <= 2500


def test_committed_area_is_below_the_bars() -> None:
    page = (ROOT / "docs/logic-area.md").read_text()
    for module, lut, flipflops in (("dma_read", 300, 330), ("dma_write", 454, 343)):
        row = re.search(rf"^\| `{module}` \| (\d+) \| (\d+) \|", page, re.M)
        assert row is not None, module
        assert int(row[1]) <= lut, module
        assert int(row[2]) <= flipflops, module
