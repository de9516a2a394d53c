# SPDX-License-Identifier: Apache-2.0
"""Cycles a second of the whole reference configuration, every lane busy, beside a single engine.

usage: python bench/logic.py

Each program in turn, three times, by its own processor time; the best of each counts. The whole
should reach a tenth of the engines' mean: what it falls short of that, the logic's sources cost.
Where it does not, exit 1 with a line that says so.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

from weighbridge.backends.rtl.verilator import built

BAR = 0.1
CYCLES, FRAMES, FRAME_BEATS = 2_000_000, 8000, 512


def spent(command: list[object]) -> tuple[dict[str, float], float]:
    """What a program printed, and the seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    return json.loads(done.stdout), after - before


def whole(program: Path) -> float:
    said, seconds = spent([program, CYCLES])
    return said["cycles"] / seconds


def engine(program: Path) -> float:
    said, seconds = spent([program, 60, 8, FRAME_BEATS * 8, FRAMES, 0, 0])
    return FRAMES * FRAME_BEATS / said["fraction"] / seconds


def main() -> None:
    datra = built("datra", "datra_bench", DATA_W=32, DMA_DATA_W=64)
    engines = [built(top, "engine_bench", DATA_W=64) for top in ("dma_read", "dma_write")]
    best = [0.0] * 3
    for _ in range(3):
        for i, rate in enumerate([whole(datra), *map(engine, engines)]):
            best[i] = max(best[i], rate)
    mean = (best[1] + best[2]) / 2
    for name, rate in zip(("reference", "dma_read", "dma_write"), best, strict=True):
        print(f"{name:17} {rate / 1e6:8.2f} million cycles/s, one core, {best[0] / rate:.3f}")
    share = best[0] / mean
    print(f"{'logic':17} {share:8.3f} of a single engine, the bar is {BAR}")
    if share < BAR:
        sys.exit(f"missed: logic, {share:.3f} of a single engine is below the bar of {BAR}")


if __name__ == "__main__":
    main()
