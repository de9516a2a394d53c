# SPDX-License-Identifier: Apache-2.0
"""How much faster two workers of this machine are than one: `make bench-cluster`.

Part of the study of 10^6 points, answered by local:1 and by local:2 in turns. Beside the wall times
stand the seconds of processor, of the workers and of the client: on a machine that is not alone the
wall times tell of its load, and two processors by themselves would take the second line.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from weighbridge import api

STUDY = "cyclonev/sizes-drawn"
#: Two workers are so many times as fast as one, at least.
BAR = 1.6

Took = tuple[float, float, float, int]


def once(address: str, where: list[str]) -> Took:
    """Seconds in all, of the client's and of the workers' processors; and how many points."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        answers = api.run(STUDY, where=where, out=Path(folder) / "run", cluster=address)
        took = time.monotonic() - began
    used = [
        one.ru_utime + one.ru_stime
        for one in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    ]
    return took, *used, len(answers)


def main() -> None:
    """Exit status 1 where the bar is not held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--where", action="append", help="Which points [default: all].")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="Ten points, and no bar.")
    parser.add_argument("--once", metavar="ADDRESS", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.short:
        given.where, given.times = ["size=64"], 1
    if given.once:
        print(*once(given.once, given.where or []))
        return
    again = [sys.executable, __file__, *(f"--where={one}" for one in given.where or [])]
    found: dict[int, list[list[float]]] = {1: [], 2: []}
    for _ in range(given.times):
        for workers, took in found.items():
            command = [*again, f"--once=local:{workers}"]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            took.append([float(word) for word in said.split()])
            load = os.getloadavg()[0]
            wall, client, busy, points = took[-1]
            print(
                f"local:{workers} {wall:8.2f} s for {points:.0f} points; processor: client "
                f"{client:.1f} s, workers {busy:.1f} s; load {load:.1f}",
                flush=True,
            )
    wall = {workers: statistics.median(one[0] for one in took) for workers, took in found.items()}
    # Alone, one worker and the client have a processor each; two workers share both with it.
    client, busy = (statistics.median(one[at] for one in found[2]) for at in (1, 2))
    alone = statistics.median(one[2] for one in found[1]) / ((client + busy) / 2)
    print(f"two workers are {wall[1] / wall[2]:.2f} times as fast as one; by processor {alone:.2f}")
    raise SystemExit(not given.short and max(wall[1] / wall[2], alone) < BAR)


if __name__ == "__main__":
    main()
