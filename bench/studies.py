# SPDX-License-Identifier: Apache-2.0
"""How long each study takes that the twin answers: seconds of processor time, and points.

usage: python bench/studies.py [--short]

The command runs as a user runs it, its start included. With --short, one study. A study of a
million points has a benchmark of its own, bench/cluster.py.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

from weighbridge.platforms import load_platform
from weighbridge.studies import load_study, study_names

MANY = 100_000


def by_twin(name: str) -> bool:
    """Whether a study is answered unless another backend is asked: not by measuring."""
    return all(load_platform(one).file.backend == "twin" for one in load_study(name).platforms)


def main() -> None:
    short = sys.argv[1:] == ["--short"]
    names = [
        name
        for name in (["cyclonev/cache-levels"] if short else sorted(study_names()))
        if by_twin(name) and len(list(islice(load_study(name).walk(), MANY))) < MANY
    ]
    command = Path(sys.executable).parent / "weighbridge"
    total = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            out = Path(scratch) / name.replace("/", "-")
            done = subprocess.run(
                [command, "run", name, "-o", out], capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                sys.exit(f"{name} fails: {done.stderr.strip()[-500:]}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            total += seconds
            points = len(load_study(name).points(()))
            print(f"{name:30} {seconds:6.2f} s, {points:6} points", flush=True)
    print(f"{'all':30} {total:6.2f} s")


if __name__ == "__main__":
    main()
