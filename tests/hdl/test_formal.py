# SPDX-License-Identifier: Apache-2.0
"""The short proofs of the logic; `make formal` runs all. An unchanged proof is not run again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("proof", sorted(path.stem for path in ROOT.glob("hdl/formal/*.sby")))
def test_holds(proof: str) -> None:
    command = [sys.executable, "-m", "tools.logic.prove", "--quick", proof]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
