# SPDX-License-Identifier: Apache-2.0
"""Draws the waveforms of the manual from the logic itself: waves.py [DIRECTORY]

Runs cosim/wave_bench on the Verilated DMA core and writes docs/waves/NAME.svg below DIRECTORY, or
in the source tree. They are committed; a test draws them again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import wavedrom

from weighbridge.backends.rtl.verilator import built

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)
ROOT = Path(__file__).resolve().parents[2]

#: Name of the picture: its title, and what the bench is asked for.
SEQUENCES = {
    "ring-to": ("a frame of 64 B to logic, from the doorbell to its status", "to ring 1 64"),
    "ring-from": ("a frame of 64 B from logic, from the doorbell to its status", "from ring 1 64"),
    "port-to": ("two frames of 32 B to logic, commands on the port", "to port 2 32"),
    "port-from": ("two frames of 32 B from logic, commands on the port", "from port 2 32"),
}
#: WaveDrom's colours of what a channel carries.
COLOURS = {"desc": "4", "status": "5", "data": "3", "go": "6", "beat": "3", "last": "3"}


def cycles(asked: str) -> list[dict[str, str]]:
    """What each signal of the bench shows in each cycle; nothing while it is not valid."""
    program = built("dma_core", "wave_bench", DATA_W=64, ADDR_W=32)
    done = subprocess.run([program, *asked.split()], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def lane(name: str, shown: list[str]) -> dict[str, Any]:
    """A signal in WaveDrom's form: equal cycles of a count are one, beats of a channel are told."""
    counts = name.startswith("ring_")
    wave, labels = "", []
    for label, run in groupby(shown):
        length = len(list(run))
        if not label:
            wave += "0" + "." * (length - 1)
            continue
        refused = label.endswith("!")
        text = label.rstrip("!")
        colour = "9" if refused else COLOURS.get(text.split()[0], "=")
        text = text.split()[-1]  # "last" of a burst, in the colour of what it carries
        # A beat that waits is one; a count holds; beats that are taken are one each.
        each = not (counts or refused)
        wave += colour * length if each else colour + "." * (length - 1)
        labels += [text] * (length if each else 1)
    return {"name": name, "wave": wave, "data": labels}


def drawn(title: str, asked: str) -> str:
    """The picture of a sequence as SVG."""
    rows = cycles(asked)
    clock = {"name": "clk", "wave": "P" + "." * (len(rows) - 1)}
    lanes = [lane(name, [row[name] for row in rows]) for name in rows[0]]
    used = [one for one in lanes if set(one["wave"]) - {"0", "."}]
    described = {
        "signal": [clock, *used],
        "head": {"text": title, "tick": 0},
    }
    return pruned(wavedrom.render(json.dumps(described)).tostring())


def pruned(svg: str) -> str:
    """Without the bricks of WaveDrom's set that the picture does not use: most of its size."""
    tree = ElementTree.fromstring(svg)
    used = {use.get(f"{{{XLINK}}}href", "").lstrip("#") for use in tree.iter(f"{{{SVG}}}use")}
    for definitions in tree.iter(f"{{{SVG}}}defs"):
        for brick in [one for one in definitions if one.tag == f"{{{SVG}}}g"]:
            if brick.get("id") not in used:
                definitions.remove(brick)
    tree.insert(0, ElementTree.Element(f"{{{SVG}}}rect", width="100%", height="100%", fill="white"))
    return ElementTree.tostring(tree, encoding="unicode") + "\n"


def main() -> None:
    """Writes all pictures."""
    target = (Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT) / "docs" / "waves"
    target.mkdir(parents=True, exist_ok=True)
    for name, (title, asked) in SEQUENCES.items():
        (target / f"{name}.svg").write_text(drawn(title, asked))


if __name__ == "__main__":
    main()
