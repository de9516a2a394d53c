# SPDX-License-Identifier: Apache-2.0
"""The short proofs of the logic; `make formal` runs all. An unchanged proof is not run again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FORMAL = Path(__file__).parents[2] / "hdl" / "formal"


@pytest.mark.parametrize("proof", sorted(path.stem for path in FORMAL.glob("*.sby")))
def test_holds(proof: str) -> None:
    command = [sys.executable, str(FORMAL / "prove.py"), "--quick", proof]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
