# SPDX-License-Identifier: Apache-2.0
"""Cycles a second of the whole reference configuration, every lane busy, beside a single engine.

usage: python bench/logic.py [--short]

Each program in turn, three times, by its own processor time; the best of each counts. The whole
should reach a tenth of the engines' mean: what it falls short of that, the logic's sources cost.
Where it does not, exit 1 with a line that says so. With --short, once and little, and no bar.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from weighbridge.backends.rtl.verilator import built

BAR = 0.1
CYCLES, FRAMES, FRAME_BEATS, ROUNDS = 2_000_000, 8000, 512, 3
SHORTER = 20


def spent(command: list[object]) -> tuple[dict[str, float], float]:
    """What a program printed, and the seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    return json.loads(done.stdout), after - before


def whole(program: Path, cycles: int) -> float:
    said, seconds = spent([program, cycles])
    return said["cycles"] / seconds


def engine(program: Path, frames: int) -> float:
    said, seconds = spent([program, 60, 8, FRAME_BEATS * 8, frames, 0, 0])
    return frames * FRAME_BEATS / said["fraction"] / seconds


def main() -> None:
    short = sys.argv[1:] == ["--short"]
    less = SHORTER if short else 1
    datra = built("datra", "datra_bench", DATA_W=32, DMA_DATA_W=64)
    engines = [built(top, "engine_bench", DATA_W=64) for top in ("dma_read", "dma_write")]
    measures: dict[str, Callable[[], float]] = {
        "reference": lambda: whole(datra, CYCLES // less),
        "dma_read": lambda: engine(engines[0], FRAMES // less),
        "dma_write": lambda: engine(engines[1], FRAMES // less),
    }
    best = dict.fromkeys(measures, 0.0)
    for _ in range(1 if short else ROUNDS):
        for name, measure in measures.items():
            rate = measure()
            best[name] = max(best[name], rate)
            print(f"{name:17} {rate / 1e6:8.2f} million cycles/s, one core", flush=True)
    share = 2 * best["reference"] / (best["dma_read"] + best["dma_write"])
    print(f"{'logic':17} {share:8.3f} of a single engine, the bar is {BAR}")
    if share < BAR and not short:
        sys.exit(f"missed: logic, {share:.3f} of a single engine is below the bar of {BAR}")


if __name__ == "__main__":
    main()
