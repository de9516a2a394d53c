#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Zynq kernel that the study's module is tested in under QEMU, once for its inputs.

    stack/zynq/build.py [--debug] [--jobs N] [--check]

Prints the directory of the build, which holds `zImage`, `board.dtb` (the ZC702's device tree, to
which overlays can be applied), `build` (to build modules against) and `source`. It is kept, named
and reported as that of stack/uml/build.py.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import guest_kernel  # noqa: E402

CROSS = "arm-linux-gnueabihf-"


def finish(objects: Path, root: Path) -> None:
    boot = objects / "arch" / "arm" / "boot"
    shutil.copy(boot / "zImage", root / "zImage")
    shutil.copy(boot / "dts" / "xilinx" / "zynq-zc702.dtb", root / "board.dtb")


def recipe(debug: bool) -> guest_kernel.Recipe:
    return guest_kernel.Recipe(
        name="zynq-debug" if debug else "zynq",
        layout=1,
        compiler=f"{CROSS}gcc",
        # -@: overlays name nodes of the tree by their labels.
        arguments=("ARCH=arm", f"CROSS_COMPILE={CROSS}", "DTC_FLAGS=-@"),
        pieces=[HERE / "kernel.config", *([HERE / "kernel-debug.config"] if debug else [])],
        unused=("*/arch/x86*.[chS]", "*/arch/arm64*.[chS]"),
        needs={f"{CROSS}gcc": "gcc-arm-linux-gnueabihf"},
        targets=("zImage", "modules", "xilinx/zynq-zc702.dtb"),
        finish=finish,
        arch=("arm",),
    )


def main() -> int:
    parser = guest_kernel.parser((__doc__ or "").splitlines()[0])
    parser.add_argument("--debug", action="store_true", help="lockdep, DMA-API checks")
    given = parser.parse_args()
    return guest_kernel.main(recipe(given.debug), given)


if __name__ == "__main__":
    sys.exit(main())
