# SPDX-License-Identifier: Apache-2.0
"""Line coverage of the logic by its benches and the soak.

    python -m tools.logic.coverage

Writes the table of docs/logic-coverage.md. Each place that Verilator counts (a block, each branch
of an if or a case) is looked at over all runs and parameters; a line is covered when every place
that begins on it was reached. A line that is not must have its reason in holes.toml. Fails below
95 %, with a hole that has none, or with a reason for what is covered. Takes some ten minutes. With
WEIGHBRIDGE_COVERAGE_KEEP=DIRECTORY it keeps the runs there, and takes them from there if there are.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path

from tools import ROOT
from tools.generated import replaced
from weighbridge.backends.rtl.verilator import built

PAGE = ROOT / "docs" / "logic-coverage.md"
SUBJECTS = ("datra", "lib", "fpga_dma", "ocram", "fmc", "serial")
MODULES = [path for name in SUBJECTS for path in sorted(ROOT.glob(f"hdl/{name}/rtl/*.sv"))]
BENCHES = (
    *("axi_slave", "cpu_node", "datra", "fifo_async", "fmc", "irq_cross", "ocram", "router"),
    *("serial", "stream_node", "template_node"),
)
#: Parameters and beats of the soak.
SOAK = [
    ({"DATA_W": 64}, 2_000_000),
    ({"DATA_W": 32, "AW_LEAD": 15}, 1_000_000),
    ({"DATA_W": 64, "ADDR_W": 40, "REALIGN": 1, "CUT_THROUGH": 1}, 500_000),
    ({"DATA_W": 64, "STREAM_W": 64}, 500_000),
]
#: Latency, bursts outstanding, stalls and transfers of `fpga_dma_bench`.
TRANSFERS = ("20", "8", "0.5", "300")
RANDOM_CLOCKS = 300_000  # of `fmc_bench`
LEAST = 0.95

Places = dict[tuple[str, int, str], int]  # file, line, which of the line -> count


def benches(out: Path) -> None:
    tests = [ROOT / "tests" / "hdl" / f"test_{name}.py" for name in BENCHES]
    command = [sys.executable, "-m", "pytest", "-q", "-k", "not full_rate", *map(str, tests)]
    subprocess.run(
        command, cwd=ROOT, env=os.environ | {"WEIGHBRIDGE_COVERAGE": str(out)}, check=True
    )


def counted(run: Path, *command: str | Path) -> None:
    """Runs a harness; its counts are RUN.dat."""
    run.mkdir()
    subprocess.run(command, cwd=run, check=True, stdout=subprocess.DEVNULL)
    (run / "coverage.dat").rename(run.with_suffix(".dat"))
    run.rmdir()


def harnesses(out: Path) -> None:
    program = built("fpga_dma", "fpga_dma_bench", coverage=True, BURST=16, DATA_W=64)
    counted(out / "fpga_dma", program, *TRANSFERS)
    program = built("fmc", "fmc_bench", coverage=True, AHEAD=1, ROOT_UP=1, ETHERNET_DOWN=1)
    counted(out / "fmc", program, "random", str(RANDOM_CLOCKS), "1")
    for number, (parameters, beats) in enumerate(SOAK):
        program = built("dma_node", "node_soak", coverage=True, **parameters)
        for seed in (1, 2):
            counted(out / f"soak-{number}-{seed}", program, str(seed), str(beats), str(beats))


def places(files: list[Path]) -> Places:
    """Counts summed over runs; modules of different parameters are one."""
    counts: Places = defaultdict(int)
    for file in files:
        for line in file.read_text(errors="replace").splitlines():
            if not line.startswith("C '"):
                continue
            key, count = line[3:].rsplit("' ", 1)
            field = dict(part.split("\x02", 1) for part in key.split("\x01")[1:])
            which = f"{field.get('n', '')} {field.get('o', '')}"
            counts[Path(field["f"]).name, int(field["l"]), which] += int(count)
    return counts


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(os.environ.get("WEIGHBRIDGE_COVERAGE_KEEP", scratch))
        if not list(out.glob("*.dat")):
            benches(out)
            harnesses(out)
        counts = places(sorted(out.glob("*.dat")))
    lines: dict[tuple[str, int], bool] = {}
    for (file, line, _), count in counts.items():
        lines[file, line] = lines.get((file, line), True) and count > 0

    reasons = tomllib.loads((Path(__file__).parent / "holes.toml").read_text())
    faults, rows, holes = [], [], []
    total = hit = 0
    used = set()
    for module in MODULES:
        text = module.read_text().splitlines()
        mine = {line: covered for (file, line), covered in lines.items() if file == module.name}
        if not mine:
            continue
        total += len(mine)
        hit += sum(mine.values())
        rows.append(f"| `{module.stem}` | {len(mine)} | {sum(mine.values())} |")
        for line in sorted(line for line, covered in mine.items() if not covered):
            source = text[line - 1].strip()
            known = [r for r in reasons.get(module.stem, []) if re.search(r["line"], source)]
            if known:
                used.add((module.stem, known[0]["line"]))
                source = source.replace("|", "\\|")
                holes.append(f"| `{module.stem}` | `{source}` | {known[0]['why']} |")
            else:
                faults.append(f"{module.name}:{line}: not covered, no reason: {source}")
    for name, given in reasons.items():
        for reason in given:
            if (name, reason["line"]) not in used:
                faults.append(f"holes.toml: {name}: {reason['line']} is covered or not there")
    share = hit / total
    rows.append(f"| all | {total} | {hit}, {100 * share:.1f} % |")
    table = ["| module | lines | covered |", "|---|--:|--:|", *rows, ""]
    table += ["| module | not covered | why |", "|---|---|---|", *holes]
    PAGE.write_text(replaced(PAGE.read_text(), "coverage", "\n".join([*table, ""])))
    print(f"{hit} of {total} lines, {100 * share:.1f} %")
    for fault in faults:
        print(fault)
    if faults or share < LEAST:
        sys.exit(1)


if __name__ == "__main__":
    main()
