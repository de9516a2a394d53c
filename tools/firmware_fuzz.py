# SPDX-License-Identifier: Apache-2.0
"""A hostile client for the microcontroller's server: `make fuzz-firmware`.

    python -m tools.firmware_fuzz --seed 1 --count 100000

The client is in the emulator's process (cosim/microcontroller/fuzz.hpp); the logic behind the bus
is the Verilated one. A finding is a line that says the message's number: the seed and a count of as
many messages show it again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from weighbridge.backends.elf import microcontroller
from weighbridge.backends.twin.frames import STEPS
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

_PLATFORM: Final = "stm32h7-fmc"
_FOUND: Final = 3


def fuzzed(seed: int, count: int, step: str = "mdma_wide") -> tuple[dict[str, int], str]:
    """What was sent and heard, and the finding, if there is one.

    step: of the study's axis `firmware`
    """
    hardware = Hardware(load_platform(_PLATFORM), 1)
    point = Point(platform=_PLATFORM, study="", direction="cpu_to_fpga", size_bytes=64)
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as folder:
        options = {"fuzz": seed, "count": count}
        command = microcontroller.serving(hardware, point, step, Path(folder), options=options)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if line]
    if done.returncode == _FOUND:
        return {}, said[-1]
    if done.returncode != 0:
        raise InputError(f"the emulator: {(said or [f'status {done.returncode}'])[-1]}")
    return json.loads(done.stdout.splitlines()[-1]), ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000, help="control messages")
    parser.add_argument("--step", default="mdma_wide", choices=tuple(STEPS))
    given = parser.parse_args()
    if given.seed < 0 or given.count < 1:
        parser.error("a seed is 0 or more, a count 1 or more")
    try:
        told, finding = fuzzed(given.seed, given.count, given.step)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print(finding or json.dumps(told))
    return 1 if finding else 0


if __name__ == "__main__":
    sys.exit(main())
