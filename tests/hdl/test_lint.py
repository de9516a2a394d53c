# SPDX-License-Identifier: Apache-2.0
"""Every module of the logic is free of warnings, also by itself with its default parameters."""

import subprocess
from pathlib import Path

import pytest

from tools.logic import slang

root = Path(__file__).parents[2]
modules = sorted(root.glob("hdl/*/rtl/*.sv"))
packages = sorted(root.glob("hdl/registers/*.sv"))


@pytest.mark.parametrize("module", modules, ids=lambda module: module.stem)
def test_lint(verilator, module: Path) -> None:
    command, warnings = verilator
    done = subprocess.run(
        [command, "--lint-only", *warnings, "--top-module", module.stem, *packages, *modules],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_slang() -> None:
    assert slang.accepted(slang.modules())


def test_slang_sees_a_memory_that_two_processes_write(tmp_path: Path) -> None:
    """axi_ocram had one, which Verilator and yosys take and vendors' tools refuse."""
    ram = tmp_path / "ram.sv"
    text = (root / "hdl" / "ocram" / "rtl" / "axi_ocram.sv").read_text()
    ram.write_text(text.replace("always @(posedge", "always_ff @(posedge"))
    users = ("axi_ocram", "serial_datra")
    others = [path for path in slang.modules() if path.stem not in users]
    assert slang.accepted(others)
    assert not slang.accepted([*others, ram])


@pytest.mark.parametrize("module", modules, ids=lambda module: module.stem)
def test_a_module_a_file(module: Path) -> None:
    lines = module.read_text().splitlines()
    assert lines[0] == "// SPDX-License-Identifier: Apache-2.0"
    assert sum(line.startswith("module ") for line in lines) == 1
    (begin,) = (n for n, line in enumerate(lines) if line.startswith(f"module {module.stem} "))
    # A name that is misspelt is no wire of one bit; files that come after are left as they were.
    assert lines[begin - 1] == "`default_nettype none"
    assert lines[-1] == "`default_nettype wire"
