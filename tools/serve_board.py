# SPDX-License-Identifier: Apache-2.0
"""An iperf3 server on the simulated microcontroller, at a network interface of this machine.

python -m tools.serve_board STEP --tap INTERFACE [--mhz 125]

The interface is one that `ip tuntap` has made. docs/fmc.md says how to set it up.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from weighbridge.backends.elf import microcontroller
from weighbridge.backends.twin.frames import STEPS
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

PLATFORM: Final = "stm32h7-fmc"


def command(step: str, mhz: float, folder: Path, numbers: Mapping[str, float]) -> list[str]:
    """The emulator with the server, whose inputs are written into a folder.

    step: of the study's axis `firmware`;  mhz: of the memory bus;  numbers: of the core, in place
    of those of cortex-m7.toml
    """
    hardware = Hardware(load_platform(PLATFORM), 1)
    point = Point(
        platform=PLATFORM, study="", direction="cpu_to_fpga", size_bytes=1450, fpga_mhz=mhz
    )
    return microcontroller.serving(hardware, point, step, folder, numbers)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("step", choices=tuple(STEPS))
    parser.add_argument("--tap", required=True, metavar="INTERFACE")
    parser.add_argument("--mhz", type=float, default=137.5, choices=(125.0, 137.5))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as folder:
        try:
            asked = command(given.step, given.mhz, Path(folder), {})
        except InputError as error:
            print(error, file=sys.stderr)
            return 2
        try:
            return subprocess.run([*asked, "--tap", given.tap], check=False).returncode
        except KeyboardInterrupt:
            return 130


if __name__ == "__main__":
    sys.exit(main())
