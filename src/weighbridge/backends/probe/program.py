# SPDX-License-Identifier: Apache-2.0
"""The probe as a program of this machine, compiled where it is first needed."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Final

from weighbridge.compiling import compiled
from weighbridge.errors import InputError
from weighbridge.kept import kept

#: Compilers, the first that is there compiles; CC in the environment goes before.
_COMPILERS: Final = ("cc", "gcc", "clang")
#: Machines, as `uname -m` names them -> the Makefile's targets.
_ARCHITECTURES: Final = {
    "x86_64": "x86_64",
    "aarch64": "aarch64",
    "armv8l": "armhf",
    "armv7l": "armhf",
}
_FLAGS: Final = ("-std=gnu11", "-O2", "-pthread", '-DPROBE_BUILD="lab"')


def program() -> Path:
    """The probe's program, kept in the user's cache.

    Raises InputError if there is no compiler, or if it does not compile the sources.
    """
    compiler, inputs = _compiler(), sources()
    if not inputs:
        where = str(_home())
        raise InputError("the probe's sources are missing", where, "install weighbridge again")
    units = [str(file) for file in inputs if file.suffix == ".c"]

    def make(scratch: Path) -> Path:
        print("building the probe, once", file=sys.stderr)
        product = scratch / "probe"
        asked = [compiler, *_FLAGS, "-o", str(product), *units]
        compiled("the probe", asked)
        return product

    key = " ".join((compiler, *_FLAGS, sys.platform, platform.machine()))
    return kept("probe", inputs, key, make)


def program_for(machine: str) -> Path:
    """The probe as a static program for another machine's processor, kept in the user's cache.

    machine: as `uname -m` names it. Raises InputError if no compiler makes programs for it.
    """
    architecture = _ARCHITECTURES.get(machine)
    if architecture is None:
        known = ", ".join(_ARCHITECTURES)
        raise InputError(f"the board is a '{machine}'", mend=f"the probe runs on {known}")
    # The Makefile links Datra's library, which an installed package has beside the probe as well.
    stack = _home().parent / "stack"
    library = [file for part in ("lib/datra.[ch]", "linux/datra-*.h") for file in stack.glob(part)]
    recipe = [_home() / "Makefile", *sorted(library)]

    def make(scratch: Path) -> Path:
        print(f"building the probe for {architecture}, once", file=sys.stderr)
        asked = ["make", "-s", "-C", str(_home()), f"OUT={scratch}", architecture]
        mend = "'make probe' in a checkout installs what it needs; or give --probe FILE"
        compiled(f"the probe for {architecture}", asked, mend)
        return (scratch / architecture).resolve() / "probe"

    return kept(f"probe-{architecture}", [*sources(), *recipe], "", make)


def sources() -> list[Path]:
    """What the program is made of."""
    parts = ("*.c", "*.h", "lines/*.c", "lines/*.h")
    return [file for part in parts for file in sorted(_home().glob(part))]


def _compiler() -> str:
    for name in (os.environ.get("CC", ""), *_COMPILERS):
        if name and (found := shutil.which(name)):
            return found
    raise InputError(
        "measuring needs a C compiler, which is not installed",
        mend="install gcc or clang (Debian: apt install gcc libc6-dev)",
    )


def _home() -> Path:
    """Where the probe's sources lie: in the installed package, or in the checkout."""
    package = Path(__file__).parents[2]
    inside = package / "logic" / "probe"
    return inside if inside.exists() else package.parents[1] / "probe"
