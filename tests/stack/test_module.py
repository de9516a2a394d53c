# SPDX-License-Identifier: Apache-2.0
"""The modules against the headers that are installed, and its device-tree binding."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weighbridge.kept import kept

from .conftest import root

linux = root / "stack" / "linux"


@pytest.mark.parametrize("name", ["headers", "binding"])
def test_quick_checks(name: str) -> None:
    rooms = (linux, root / "stack" / "study", root / "stack" / "pl330")
    sources = [file for room in rooms for file in sorted(room.rglob("[!.]*")) if file.is_file()]
    sources.append(root / "docs" / "linux.md")
    trees = " ".join(sorted(str(tree) for tree in Path("/usr/src").glob("linux-headers-*")))

    def make(scratch: Path) -> Path:
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, linux / "check.py", "--quick", name],
            env={**os.environ, "PATH": tools},
            capture_output=True,
            text=True,
            check=False,
        )
        if "skipped" in done.stdout:
            pytest.skip(done.stdout.strip())
        assert done.returncode == 0, done.stdout
        (scratch / "said").write_text(done.stdout)
        return scratch / "said"

    assert kept(f"datra-{name}", sources, trees, make).read_text().startswith("ok ")


def test_what_is_asked_for_must_be_there() -> None:
    done = subprocess.run(
        [sys.executable, linux / "check.py", "sparc"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there is no check sparc" in done.stderr
