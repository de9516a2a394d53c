# SPDX-License-Identifier: Apache-2.0
"""The manual's waveforms are those of the logic."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_committed_waveforms_are_those_of_the_logic(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tools.logic.waves", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True)
    drawn = sorted((tmp_path / "docs" / "waves").iterdir())
    assert len(drawn) == 4
    for picture in drawn:
        committed = ROOT / "docs" / "waves" / picture.name
        assert picture.read_text() == committed.read_text(), f"{picture.name}: run make waves"
