# SPDX-License-Identifier: Apache-2.0
"""What `pip install CHECKOUT` leaves behind."""

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

root = Path(__file__).parents[1]


def contents(checkout: Path) -> dict[str, str]:
    return {
        str(path.relative_to(checkout)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in checkout.rglob("*")
        if path.is_file()
    }


def test_an_install_writes_nothing_into_the_checkout(tmp_path: Path) -> None:
    checkout, wheels = tmp_path / "checkout", tmp_path / "wheels"
    made = shutil.ignore_patterns(".?*", "build", "out", "runs", "__pycache__", "*.so")
    shutil.copytree(root, checkout, ignore=made)
    before = contents(checkout)
    # As users install, but for the compiler's effort and the index.
    quick = ("--no-build-isolation", "--no-deps", "-C", "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", *quick]
    done = subprocess.run(
        [*command, "-w", wheels, checkout], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert contents(checkout) == before
    (wheel,) = wheels.glob("weighbridge-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.startswith("weighbridge/_engine.") for name in names)
