# SPDX-License-Identifier: Apache-2.0
"""Bytes that are wrong are found: no number comes of a copy that is not one."""

import os
import subprocess
from pathlib import Path

import pytest

from .conftest import Probe, answer, root


@pytest.fixture(scope="module")
def wrong_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("wrong") / "wrong.so"
    source = root / "tests" / "probe" / "short_copies.c"
    flags = ["-O1", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-shared", "-fPIC"]
    subprocess.run(["gcc", "-std=gnu11", *flags, "-o", library, source, "-ldl"], check=True)
    return library


def test_wrong_bytes(wrong_library: Path, tmp_path: Path) -> None:
    """The same points, of 12 KiB whose last byte goes wrong, and of 8 KiB that are right."""
    window = tmp_path / "window"
    window.write_bytes(bytes(16384))
    kernels = [
        "kernel=copy copy=libc",
        "kernel=write copy=libc",
        f"kernel=posted window={window} copy=libc",
        f"kernel=written_back window={window} copy=libc",
        f"kernel=file_write file={window}",
    ]
    points = [(words, size) for words in kernels for size in ("12KiB", "8KiB")]
    lines = [f"id={n} {words} bytes={size}" for n, (words, size) in enumerate(points)]
    plan = "\n".join(["set budget=0ns blocks=2 samples=2", *lines])
    done = subprocess.run(
        Probe("host").command,
        input=plan,
        capture_output=True,
        text=True,
        env=os.environ | {"LD_PRELOAD": str(wrong_library)},
        check=False,
    )
    found = answer(done.returncode, done.stdout, done.stderr)
    outcomes = [found.point(number)["outcome"] for number in range(len(points))]
    assert outcomes == ["unverified", "ok"] * len(kernels), done.stdout[-2000:]
    assert all("byte" in found.point(number)["message"] for number in range(0, len(points), 2))
