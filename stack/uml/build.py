#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the User-Mode Linux kernel that the driver is tested in, once for its inputs.

    stack/uml/build.py [--debug | --network] [--jobs N] [--check]

Prints the directory of the build, which holds `linux` (the kernel, a program), `build` (to build
modules against) and `source`. It is kept under ~/.cache/weighbridge, named by a hash of the
patches, the configuration, the version of Debian's kernel source and that of the compiler. What
goes on is said on standard error. Exit code 2, with one line, if something is missing; with --check
that is all it looks for.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import guest_kernel  # noqa: E402


def finish(objects: Path, root: Path) -> None:
    shutil.copy(objects / "linux", root / "linux")
    subprocess.run(["strip", "--strip-debug", root / "linux"], check=True)


def recipe(variant: str = "") -> guest_kernel.Recipe:
    """variant: of kernel.config with what kernel-VARIANT.config adds, or nothing"""
    return guest_kernel.Recipe(
        name=f"uml-{variant}" if variant else "uml",
        layout=1,
        compiler="gcc",
        arguments=("ARCH=um", "SUBARCH=x86_64"),
        patches=sorted((HERE / "patches").glob("*.patch")),
        pieces=[
            HERE / "kernel.config",
            *([HERE / f"kernel-{variant}.config"] if variant else []),
        ],
        unused=("*/arch/arm*.[chS]", "*/boot/dts/*.dts*"),
        targets=("linux", "modules"),
        finish=finish,
        arch=("um", "x86"),
    )


def main() -> int:
    parser = guest_kernel.parser((__doc__ or "").splitlines()[0])
    variant = parser.add_mutually_exclusive_group()
    for name, what in (
        ("debug", "KASAN, lockdep, DMA-API checks"),
        ("network", "IPv4 and virtio's network card"),
    ):
        variant.add_argument(
            f"--{name}", dest="variant", action="store_const", const=name, default="", help=what
        )
    given = parser.parse_args()
    return guest_kernel.main(recipe(given.variant), given)


if __name__ == "__main__":
    sys.exit(main())
