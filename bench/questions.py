# SPDX-License-Identifier: Apache-2.0
"""How long a question takes: seconds of processor time of the whole command, each with its bar.

usage: python bench/questions.py [--short]

Exit status 1 where a question takes longer than its bar, which is of a quiet machine. The last row
is what a page asks of a process that runs already, on the wall: the ranking, and the best path
explained. With --short, two questions and no bar.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

from weighbridge import api

ASKED = ("advise", "cyclonev", "--direction", "cpu_to_fpga", "--json")
#: Seconds by the words of a question; both operating systems are ranked.
BARS = {
    ("--help",): 0.15,
    (*ASKED, "--size", "2B"): 0.6,
    (*ASKED, "--size", "64KiB"): 0.6,
    (*ASKED, "--size", "2MiB"): 2.0,
    (*ASKED, "--size", "64MiB"): 2.0,
    (*ASKED, "--size", "1GiB"): 2.0,
}
IN_PROCESS = 0.15


def spent(words: tuple[str, ...]) -> float:
    """Seconds of user and system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = Path(sys.executable).parent / "weighbridge"
    done = subprocess.run([command, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"weighbridge {' '.join(words)} fails: {done.stderr.strip()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_process() -> float:
    """Seconds on the wall of the ranking at 2 MiB and of its best path, the second time."""
    asked = {"size": "2MiB", "direction": "cpu_to_fpga", "os": "linux"}
    seconds = 0.0
    for _ in range(2):
        start = time.perf_counter()
        best = api.advise("cyclonev", **asked).ranked[0].point.key()
        words = {name: best[name] for name in ("os", "master", "link", "route") if best[name]}
        api.explain("cyclonev", size="2MiB", direction="cpu_to_fpga", **words)
        seconds = time.perf_counter() - start
    return seconds


def main() -> None:
    short = sys.argv[1:] == ["--short"]
    asked = list(BARS.items())[: 2 if short else None]
    rows = [(" ".join(words), spent(words), bar) for words, bar in asked]
    if not short:
        rows.append(("ranking and best path at 2 MiB, in process", in_process(), IN_PROCESS))
    slow = 0
    for name, seconds, bar in rows:
        slow += seconds > bar
        print(f"{name:60} {seconds:6.2f} s, bar {bar:g} s", flush=True)
    if slow and not short:
        sys.exit(f"{slow} questions take longer than their bar")


if __name__ == "__main__":
    main()
