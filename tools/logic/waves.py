# SPDX-License-Identifier: Apache-2.0
"""Draws the waveforms of the manual from the logic itself: python -m tools.logic.waves [DIRECTORY]

Runs cosim/wave_bench on the Verilated DMA core and writes docs/waves/NAME.svg below DIRECTORY, or
in the source tree. They are committed; a test draws them again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tools import ROOT
from weighbridge.backends.rtl.verilator import built

#: Name of the picture: its title, and what the bench is asked for.
SEQUENCES = {
    "ring-to": ("a frame of 64 B to logic, from the doorbell to its status", "to ring 1 64"),
    "ring-from": ("a frame of 64 B from logic, from the doorbell to its status", "from ring 1 64"),
    "port-to": ("two frames of 32 B to logic, commands on the port", "to port 2 32"),
    "port-from": ("two frames of 32 B from logic, commands on the port", "from port 2 32"),
}
#: What a channel carries, and what waits.
COLOURS = {"desc": "#fbd9b5", "status": "#b9dcfb", "go": "#c9f0ec", "!": "#f6c1c1"}
DATA = "#fdf6a9"
LEFT, TOP, CYCLE, LANE, HIGH, SLOPE = 96, 52, 40, 30, 20, 4  # pixels


def cycles(asked: str) -> list[dict[str, str]]:
    """What each signal of the bench shows in each cycle; nothing while it is not valid."""
    program = built("dma_core", "wave_bench", DATA_W=64, ADDR_W=32)
    done = subprocess.run([program, *asked.split()], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def runs(name: str, shown: list[str]) -> Iterator[tuple[int, int, str]]:
    """Spans of a lane, from cycle to cycle, and what they show: a beat is one, a count holds."""
    at = 0
    for label, run in groupby(shown):
        length = len(list(run))
        single = bool(label) and not label.endswith("!") and not name.startswith("ring_")
        for part in range(length) if single else (0,):
            yield at + part, at + part + (1 if single else length), label
        at += length


def lane(y: int, name: str, shown: list[str]) -> Iterator[str]:
    """A signal: its name, a low line where nothing is valid, else a box with a word in it."""
    yield f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end" fill="#0041c4">{name}</text>'
    for begin, end, label in runs(name, shown):
        x, right, low = LEFT + begin * CYCLE, LEFT + end * CYCLE, y + HIGH
        if not label:
            yield f'<path d="M{x},{low}H{right}"/>'
            continue
        kind = "!" if label.endswith("!") else label.split()[0]
        # "last" of a burst, in the colour of what it carries.
        text = label.rstrip("!").split()[-1]
        colour = "#fff" if text.isdigit() else COLOURS.get(kind, DATA)
        yield (
            f'<path d="M{x},{y + HIGH / 2:g}l{SLOPE},{-HIGH / 2:g}H{right - SLOPE}l{SLOPE},'
            f'{HIGH / 2:g}l{-SLOPE},{HIGH / 2:g}H{x + SLOPE}z" fill="{colour}"/>'
            f'<text x="{(x + right) / 2:g}" y="{y + 14}">{text}</text>'
        )


def drawn(title: str, asked: str) -> str:
    """The picture of a sequence as SVG."""
    rows = cycles(asked)
    names = [name for name in rows[0] if any(row[name] for row in rows)]
    width, height = LEFT + CYCLE * len(rows) + 8, TOP + LANE * (len(names) + 1)
    half = CYCLE // 2
    clock = "".join(f"v{-HIGH}h{half}v{HIGH}h{CYCLE - half}" for _ in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="11" text-anchor="middle" '
        'stroke-width="1">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{width / 2:g}" y="16" font-size="13">{title}</text>',
        '<g fill="none" stroke="#000">',
        f'<path d="M{LEFT},{TOP + HIGH}{clock}"/></g>',
        f'<text x="{LEFT - 10}" y="{TOP + 15}" text-anchor="end" fill="#0041c4">clk</text>',
    ]
    for cycle in range(len(rows) + 1):
        x = LEFT + CYCLE * cycle
        parts.append(f'<path d="M{x},{TOP}V{height - 8}" stroke="#ccc" stroke-dasharray="2 3"/>')
        parts.append(f'<text x="{x}" y="{TOP - 8}" fill="#888">{cycle}</text>')
    for number, name in enumerate(names, 1):
        lines = lane(TOP + LANE * number, name, [row[name] for row in rows])
        parts += [line.replace("<path ", '<path stroke="#000" ') for line in lines]
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Writes all pictures."""
    target = (Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT) / "docs" / "waves"
    target.mkdir(parents=True, exist_ok=True)
    for name, (title, asked) in SEQUENCES.items():
        (target / f"{name}.svg").write_text(drawn(title, asked))


if __name__ == "__main__":
    main()
