# SPDX-License-Identifier: Apache-2.0
"""The emulator and the firmware, built on the user's machine from a checkout, kept by content."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from weighbridge.backends.elf.lwip import lwip
from weighbridge.backends.rtl.verilator import engine
from weighbridge.compiling import compiled, needed
from weighbridge.errors import InputError
from weighbridge.kept import kept

_EMULATOR: Final = ("-std=c++20", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic")
#: Of cosim/processor, what emulators of other cores have as well.
_SHARED: Final = ("confinement", "decoder", "elf_file")
_CORE: Final = ("-mcpu=cortex-a9", "-mfpu=neon", "-mfloat-abi=softfp")
#: Of lwIP, all that IPv4 needs; what lwipopts.h leaves out is empty.
_LWIP: Final = ("core/*.c", "core/ipv4/*.c", "netif/ethernet.c")
_CORE_M7: Final = ("-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=soft")
_FIRMWARE: Final = (
    *("-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-Wconversion"),
    *("-ffunction-sections", "-fno-tree-loop-distribute-patterns", "--specs=picolibc.specs"),
)
#: Timed code of the firmware, compiled as the published programs were. The assembler of the PL330's
#: programs is the driver's as well, and is optimised.
_UNOPTIMISED: Final = ("timed.c", "dma.c", "caches.c")
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
    parts = (
        "cosim/processor/*.*",
        "cosim/microcontroller/*.*",
        "firmware/**/*.*",
        "probe/lines/*.*",
    )
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
def emulator(name: str = "processor") -> Path:
    """The program of cosim/NAME. Unicorn, which it contains, makes it GPL-2.0-only."""
    home = _home()
    unicorn, capstone = _package("unicorn"), _package("capstone")
    tree = sorted(home.glob(f"cosim/{name}/*.cpp"))
    if name != "processor":
        tree += [home / "cosim" / "processor" / f"{one}.cpp" for one in _SHARED]
    headers = [*sorted(home.glob("cosim/*/*.hpp")), *sorted(home.glob("cosim/*.hpp"))]
    headers += [home / "stack/pl330/pl330_registers.h", *home.glob("firmware/*.h")]
    library = engine()

    def make(scratch: Path) -> Path:
        print("building the emulator, once", file=sys.stderr)
        product = scratch / "emulator"
        product.mkdir()
        # Under the name by which the linked program looks for it.
        shared = capstone / "lib" / "libcapstone.so"
        shutil.copy(shared, product / "libcapstone.so.5")
        inside = ("engine", "cosim", "cosim/processor", "stack/pl330", "firmware")
        folders = [f"-I{home / one}" for one in inside]
        folders += [
            one for package in (unicorn, capstone) for one in ("-isystem", str(package / "include"))
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
        linked = ("-o", product / name, "-Wl,-rpath,$ORIGIN", "-lpthread", "-lm", "-ldl")
        _call("the emulator", "g++", *parts, *linked)
        return product

    key = f"{_EMULATOR} {library.parent.name} {sys.platform}"
    packages = [unicorn / "lib" / "libunicorn.a", capstone / "lib" / "libcapstone.so"]
    return kept(f"emulator-{name}", [*tree, *headers, *packages], key, make) / name


@cache
def firmware(header: str, main: Path | None = None) -> Path:
    """firmware/cortex-a9 for the board that board.h describes, as an ELF file.

    main: a source in place of its main.c, of a program that uses its parts
    """
    home = _home()
    lines = home / "probe" / "lines"
    folders = [home / "firmware" / "cortex-a9", lines, home / "stack" / "pl330"]
    headers = [lines, *sorted(home.glob("firmware/*.h"))]
    return _linked("cortex-a9", folders, headers, header, _CORE, [], main=main)


@cache
def microcontroller_firmware(
    header: str, step: str, server: bool = False, main: Path | None = None
) -> Path:
    """firmware/stm32h7 for the board that board.h describes, in one of the steps of its step.h.

    server: with the server for iperf3's client, whose TCP is lwIP's
    main: a source in place of its main.c, of a program that uses its parts
    """
    home = _home()
    folders = [home / "firmware" / "stm32h7"]
    registers = home / "stack" / "linux" / "fmc-registers.h"
    given = [f"-DSTEP_{step.upper()}"]
    library: list[Path] = []
    if server:
        folders.append(folders[0] / "server")
        given += ["-DSERVER", "-isystem", f"{lwip() / 'include'}"]
        library = [one for part in _LWIP for one in sorted(lwip().glob(part))]
    return _linked("stm32h7", folders, [registers], header, _CORE_M7, given, library, main)


def _linked(
    name: str,
    folders: list[Path],
    headers: list[Path],
    board: str,
    core: tuple[str, ...],
    given: list[str],
    library: Iterable[Path] = (),
    main: Path | None = None,
) -> Path:
    """An ELF file of the sources in some folders, of which the first has program.ld.

    headers: others that they include, files or folders;  board: the text of board.h
    core, given: options;  library: sources of somebody else's, whose warnings are theirs
    main: a source in place of main.c
    """
    inputs = [file for one in folders for file in sorted(one.glob("*.*"))]
    inputs += [one for one in headers if one.is_file()]
    inputs += [*sorted(folders[-1].glob("*/*.h")), *library]
    inputs += [main] if main else []
    options = [*core, *_FIRMWARE, *given]

    def make(scratch: Path) -> Path:
        (scratch / "board.h").write_text(board)
        included = [f"-I{one}" for one in dict.fromkeys(header.parent for header in headers)]
        looked = [f"-I{scratch}", *(f"-I{one}" for one in folders), *included]
        objects = []
        for folder in folders:
            for unit in (*sorted(folder.glob("*.S")), *sorted(folder.glob("*.c"))):
                file = main if main and unit.name == "main.c" else unit
                level = "-O0" if file.name in _UNOPTIMISED else "-O2"
                objects.append(scratch / f"{file.name}.o")
                # Without the place it was built in: the same bytes everywhere.
                moved = [f"-ffile-prefix-map={one}={one.name}" for one in folders]
                moved.append(f"-ffile-prefix-map={scratch}=build")
                told = [*options, level, *moved, *looked]
                _call("the firmware", _CROSS, *told, "-c", file, "-o", objects[-1])
        for file in library:
            objects.append(scratch / f"library-{file.name}.o")
            told = [*options, "-O2", "-w", *looked, f"-ffile-prefix-map={file.parent}=library"]
            _call("the firmware's library", _CROSS, *told, "-c", file, "-o", objects[-1])
        directory = _call("the firmware", _CROSS, *core, "-print-multi-directory").strip()
        linked: list[str | Path] = ["-nostartfiles", "-nostdlib"]
        linked += ["-T", folders[0] / "program.ld"]
        linked += ["-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"]
        linked += ["-o", scratch / "program.elf"]
        libc = Path(_LIBRARY.format(directory))
        _call("the firmware", _CROSS, *core, *objects, libc, "-lgcc", *linked)
        return scratch / "program.elf"

    return kept(f"firmware-{name}", inputs, board + str((*options, *_UNOPTIMISED)), make)
