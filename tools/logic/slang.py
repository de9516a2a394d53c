# SPDX-License-Identifier: Apache-2.0
"""Reads all of the logic by slang: python -m tools.logic.slang

slang keeps to the language more strictly than Verilator and yosys: a RAM that two always_ff write
passes both, and vendors' tools refuse it. Only its analysis sees that. A warning is a fault.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pyslang import driver

from tools import HDL


def modules() -> list[Path]:
    """All sources, packages first."""
    return [*sorted(HDL.glob("registers/*.sv")), *sorted(HDL.glob("*/rtl/*.sv"))]


def accepted(sources: Sequence[Path]) -> bool:
    """Whether slang has nothing to say; what it says goes to standard error."""
    slang = driver.Driver()
    slang.addStandardArgs()
    words = " ".join(["slang", "-Werror", *map(str, sources)])
    if not slang.parseCommandLine(words, driver.CommandLineOptions()):
        return False
    if not (slang.processOptions() and slang.parseAllSources()):
        return False
    design = slang.createCompilation()
    slang.reportCompilation(design, True)
    slang.runAnalysis(design)
    return bool(slang.reportDiagnostics(True))


if __name__ == "__main__":
    sys.exit(not accepted(modules()))
