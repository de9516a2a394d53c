# SPDX-License-Identifier: Apache-2.0
"""How fast the emulated processor executes: accesses of a cached copy, instructions of a mixture.

usage: python bench/processor.py [--short]

A second, of processor time of one core; the start is taken off, by a run with fewer rounds. Exit
status 1 where a bar is not held; with --short, few rounds and no bar.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from weighbridge.backends.elf.machine import described, run
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

SOURCE = Path(__file__).parent / "programs" / "loops.c"
FLAGS = ("-mcpu=cortex-a9", "-O2", "-nostdlib", "-Wl,-Ttext=0x100000", "-Wl,-emixture")

#: What is timed, its function, what is counted, and how many of them a second are the least.
BARS = (
    ("cached-copy", "copy", "accesses", 4e6),
    ("mixture", "mixture", "instructions", 20e6),
)


def executed(scratch: Path, function: str, rounds: int) -> tuple[int, int, float]:
    """Accesses to the first-level cache, instructions, and seconds of processor time."""
    program = scratch / f"{rounds}.elf"
    made = ["arm-none-eabi-gcc", *FLAGS, f"-DROUNDS={rounds}", SOURCE, "-lgcc", "-o", program]
    subprocess.run(made, check=True)
    hardware = Hardware(load_platform("cyclonev"), 1)
    point = Point(platform="cyclonev", study="", direction="cpu_to_fpga", size_bytes=1, link="HF32")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(program, described(hardware, point), call=function, report=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.stopped:
        sys.exit(f"{function} is stopped: {done.stopped}")
    accesses = next(lookups for name, lookups, _ in done.report["caches"] if name == "l1")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return accesses, done.report["instructions"], spent


def main() -> None:
    short = sys.argv[1:] == ["--short"]
    rounds = 200 if short else 5000
    slow = 0
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        executed(scratch, "copy", 1)  # what has to be built is built
        for title, function, unit, bar in BARS:
            few, many = (executed(scratch, function, n) for n in (rounds // 10, rounds))
            which = unit == "instructions"
            rate = (many[which] - few[which]) / max(1e-3, many[2] - few[2])
            slow += rate < bar
            print(
                f"{title:17} {rate / 1e6:8.1f} million {unit} a second (bar: {bar / 1e6:g})",
                flush=True,
            )
    if slow and not short:
        sys.exit(f"{slow} of the programs are executed slower than their bar")


if __name__ == "__main__":
    main()
