# SPDX-License-Identifier: Apache-2.0
"""The emulator and the firmware, built on the user's machine from a checkout, kept by content."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from weighbridge.backends.rtl.verilator import engine
from weighbridge.compiling import compiled, needed
from weighbridge.errors import InputError
from weighbridge.kept import kept

_EMULATOR: Final = ("-std=c++20", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic")
_CORE: Final = ("-mcpu=cortex-a9", "-mfpu=neon", "-mfloat-abi=softfp")
_FIRMWARE: Final = (
    *_CORE,
    *("-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-Wconversion"),
    *("-ffunction-sections", "-fno-tree-loop-distribute-patterns", "--specs=picolibc.specs"),
)
#: This file has the timed code, and is compiled as the published programs were.
_UNOPTIMISED: Final = "timed.c"
#: The build of the library that is made for speed; the compiler would choose the small one.
_LIBRARY: Final = "/usr/lib/picolibc/arm-none-eabi/lib/release/{}/libc.a"
_CROSS: Final = "arm-none-eabi-gcc"


def _home() -> Path:
    """The checkout: an installed package has neither emulator nor firmware."""
    for above in (Path(__file__).parents[4], Path.cwd()):
        if (above / "cosim" / "processor" / "main.cpp").exists():
            return above
    raise InputError(
        "the elf backend needs cosim/processor", mend="run it in a checkout of the project"
    )


def sources() -> list[Path]:
    """What the emulator and the programs are made of."""
    home = _home()
    parts = ("cosim/processor/*.*", "firmware/*.h", "firmware/*/*.*", "probe/lines/*.*")
    return [file for part in parts for file in sorted(home.glob(part))]


def _package(name: str) -> Path:
    found = find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise InputError(
            f"the elf backend needs {name}, which is not installed",
            mend="pip install 'weighbridge[elf]'",
        )
    return Path(found.submodule_search_locations[0])


def _call(what: str, *command: str | Path) -> str:
    install = "apt install g++ gcc-arm-none-eabi picolibc-arm-none-eabi"
    needed(str(command[0]), "the elf backend", install)
    return compiled(what, command)


@cache
def emulator() -> Path:
    """The emulator's program. Unicorn, which it contains, makes it GPL-2.0-only."""
    home = _home()
    unicorn, capstone = _package("unicorn"), _package("capstone")
    tree = sorted(home.glob("cosim/processor/*.cpp"))
    headers = [*sorted(home.glob("cosim/processor/*.hpp")), home / "cosim/description_file.hpp"]
    headers += [home / "stack/pl330/pl330_registers.h", *home.glob("firmware/*.h")]
    library = engine()

    def make(scratch: Path) -> Path:
        print("building the emulator, once", file=sys.stderr)
        product = scratch / "emulator"
        product.mkdir()
        # Under the name by which the linked program looks for it.
        shared = capstone / "lib" / "libcapstone.so"
        shutil.copy(shared, product / "libcapstone.so.5")
        folders = [f"-I{home / name}" for name in ("engine", "cosim", "stack/pl330", "firmware")]
        folders += [
            one for name in (unicorn, capstone) for one in ("-isystem", str(name / "include"))
        ]
        objects = [scratch / f"{file.stem}.o" for file in tree]
        with ThreadPoolExecutor(2) as threads:
            jobs = [
                threads.submit(
                    _call, "the emulator", "g++", *_EMULATOR, *folders, "-c", file, "-o", made
                )
                for file, made in zip(tree, objects, strict=True)
            ]
            for job in jobs:
                job.result()
        parts = [*objects, library, unicorn / "lib" / "libunicorn.a", product / "libcapstone.so.5"]
        linked = ("-o", product / "processor", "-Wl,-rpath,$ORIGIN", "-lpthread", "-lm")
        _call("the emulator", "g++", *parts, *linked)
        return product

    key = f"{_EMULATOR} {library.parent.name} {sys.platform}"
    packages = [unicorn / "lib" / "libunicorn.a", capstone / "lib" / "libcapstone.so"]
    product = kept("emulator", [*tree, *headers, *packages], key, make)
    return product / "processor"


@cache
def firmware(header: str, main: Path | None = None) -> Path:
    """firmware/cortex-a9 for the board that board.h describes, as an ELF file.

    main: a source in place of its main.c, of a program that uses its parts
    """
    tree = _home() / "firmware" / "cortex-a9"
    home = _home()
    probe, shared = home / "probe", home / "stack" / "pl330"
    units = [*sorted(probe.glob("lines/*.c")), *sorted(shared.glob("*.c"))]
    headers = [*sorted(probe.glob("lines/*.h")), *sorted(shared.glob("*.h"))]
    headers += sorted(tree.parent.glob("*.h"))
    files = [*sorted(tree.glob("*.S")), *sorted(tree.glob("*.c")), *units]
    inputs = [*sorted(tree.glob("*.*")), *units, *headers]
    if main is not None:
        files = [main if file.name == "main.c" else file for file in files]
        inputs.append(main)

    def make(scratch: Path) -> Path:
        (scratch / "board.h").write_text(header)
        folders = [f"-I{folder}" for folder in (scratch, tree, tree.parent, shared, probe)]
        objects = []
        for file in files:
            level = "-O0" if file.name == _UNOPTIMISED else "-O2"
            objects.append(scratch / f"{file.name}.o")
            # Without the place it was built in: the same bytes everywhere.
            places = ((probe, "probe"), (tree, "cortex-a9"), (scratch, "build"))
            moved = [f"-ffile-prefix-map={place}={name}" for place, name in places]
            given = [*_FIRMWARE, level, *moved, *folders]
            _call("the firmware", _CROSS, *given, "-c", file, "-o", objects[-1])
        folder = _call("the firmware", _CROSS, *_CORE, "-print-multi-directory").strip()
        linked: list[str | Path] = [
            "-nostartfiles",
            "-nostdlib",
            "-T",
            tree / "program.ld",
            "-Wl,--gc-sections",
        ]
        linked += ["-Wl,--no-warn-rwx-segments", "-o", scratch / "program.elf"]
        library = Path(_LIBRARY.format(folder))
        _call("the firmware", _CROSS, *_CORE, *objects, library, "-lgcc", *linked)
        return scratch / "program.elf"

    return kept("firmware-cortex-a9", inputs, header + str(_FIRMWARE), make)
