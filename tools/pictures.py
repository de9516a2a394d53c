# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of README and documents anew, but for the waveforms: `make pictures`.

usage: python -m tools.pictures [DIRECTORY]

The waveforms come from the logic: `make waves`. The directory stands for the checkout.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tools import ROOT
from weighbridge.cli import main as weighbridge
from weighbridge.errors import InputError

#: Pictures by their place in the checkout: the study whose report has them, and their name there.
DRAWN = {"docs/curves.svg": ("cyclonev/hps-to-fpga", "curves.svg")}


def main(arguments: list[str]) -> None:
    """Predicts each study and takes the picture from its report."""
    home = Path(arguments[0]) if arguments else ROOT
    for place, (study, name) in DRAWN.items():
        with tempfile.TemporaryDirectory(prefix="weighbridge-pictures-") as scratch:
            run, figures = f"{scratch}/run", Path(scratch) / "figures"
            report = ["report", run, "-o", f"{scratch}/report.html", "--svg", str(figures)]
            for command in (["run", study, "-o", run], report):
                if weighbridge(command):
                    raise InputError(f"{place} was not drawn")
            (home / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(figures / name, home / place)
        print(place)


if __name__ == "__main__":
    main(sys.argv[1:])
