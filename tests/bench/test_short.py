# SPDX-License-Identifier: Apache-2.0
"""Each benchmark runs, for some seconds of what it does for longer in `make bench`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

root = Path(__file__).parents[2]
benches = sorted((root / "bench").glob("*.py"))


@pytest.mark.parametrize("bench", benches, ids=lambda path: path.stem)
def test_bench_measures_something(bench: Path) -> None:
    done = subprocess.run(
        [sys.executable, bench, "--short"], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    figures = [float(figure) for figure in re.findall(r"^\S+ +([\d.]+) ", done.stdout, re.M)]
    assert figures
    assert min(figures) > 0, done.stdout


def test_make_runs_each() -> None:
    """By `make bench`, or by a target of its own where that takes an hour or a disk."""
    recipes = (root / "Makefile").read_text()
    assert all(f"python bench/{bench.name}" in recipes for bench in benches)
