# SPDX-License-Identifier: Apache-2.0
"""What is generated from the description of the registers is what is committed."""

import subprocess
import sys
from pathlib import Path

import pytest

root = Path(__file__).parents[2]


def test_generated_files_are_up_to_date(tmp_path: Path) -> None:
    pytest.importorskip("peakrdl")
    generate = root / "hdl" / "registers" / "generate.py"
    subprocess.run([sys.executable, generate, tmp_path], check=True, capture_output=True)
    for file in ("hdl/registers/datra.h", "docs/registers.md"):
        assert (tmp_path / file).read_text() == (root / file).read_text(), f"{file}: run {generate}"


def test_header_compiles(tmp_path: Path) -> None:
    source = """
#include "datra.h"
#include <stddef.h>
_Static_assert(offsetof(datra_t, cpu.available) == 0x800 + 0x400, "page of the CPU node");
_Static_assert(offsetof(datra_t, control.route) == 0x610, "routes");
_Static_assert(offsetof(datra_t, test_lanes) == 0x60000, "window of the test node");
"""
    (tmp_path / "use.c").write_text(source)
    command = ["gcc", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*command, "-I", root / "hdl" / "registers", tmp_path / "use.c"], check=True)
