# SPDX-License-Identifier: Apache-2.0
"""Every module of the logic is free of warnings, also by itself with its default parameters."""

import subprocess
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("module", modules, ids=lambda module: module.stem)
def test_a_module_a_file(module: Path) -> None:
    lines = module.read_text().splitlines()
    assert lines[0] == "// SPDX-License-Identifier: Apache-2.0"
    assert sum(line.startswith("module ") for line in lines) == 1
    assert any(line.startswith(f"module {module.stem} ") for line in lines)
