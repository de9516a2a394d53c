# SPDX-License-Identifier: Apache-2.0
"""What an access of a guest to a register of the logic costs: microseconds, and cycles simulated.

usage: python bench/accesses.py [--short]

With guest and device on one core, and on any. By the clock on the wall, which is the guest's, and
in processor time of both together, which a busy machine changes less; a run without accesses is
taken off. With --short, fewer.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

STACK = Path(__file__).parents[1] / "stack"


def boot(scratch: Path, core: str, *program: str) -> tuple[str, float, int]:
    """What the program says, seconds of processor time, cycles simulated."""
    report = scratch / "report"
    options = ["--core", core, "--report", str(report)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, str(STACK / "uml" / "boot.py"), *options, *program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"boot.py fails: {done.stderr.strip()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = json.loads(report.read_text())
    return done.stdout, spent, counts["cycles"] - counts["skipped"]


def main() -> None:
    rounds = 20 if sys.argv[1:] == ["--short"] else 200
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        program = scratch / "accesses"
        source = STACK / "bench" / "accesses.c"
        subprocess.run(["gcc", "-O2", "-static", "-o", program, source], check=True)
        for title, core in (("one-core", "0"), ("any-core", "all")):
            boot(scratch, core, "true")  # what has to be built is built
            _, idle, cycles = boot(scratch, core, "true")
            said, spent, all_cycles = boot(scratch, core, str(program), str(rounds))
            count, wall = int(said.split()[0]), float(said.split()[1])
            processor, each = (spent - idle) / count, (all_cycles - cycles) / count
            print(
                f"{title:17} {1e6 * wall / count:8.1f} us an access, {1e6 * processor:.1f} us of "
                f"processor time, {each:.1f} cycles",
                flush=True,
            )


if __name__ == "__main__":
    main()
