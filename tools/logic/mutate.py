# SPDX-License-Identifier: Apache-2.0
"""How many faults the tests would see: python -m tools.logic.mutate [--module M ...] ...

Yosys puts COUNT faults into each module, inside the design that its bench drives: an inverted,
stuck or swapped bit of a cell, spread evenly over its cells. A register chooses the one that is on;
the environment variable MUTANT sets it, so Verilator compiles all faults of a design once.

    --by tests   each fault runs against the benches; one that gives a wrong result, hangs, or makes
                 a figure of throughput or latency worse is killed
    --by proofs  each fault is put alone into the module, with the parameters of its proof, and must
                 break one of the proof's tasks

Without --by a proof judges a module, or tests where there is none or they are much quicker.
What survives is printed, by the source line of its cell.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from tools import HDL, ROOT
from tools.logic import proofs
from tools.logic.subjects import QUICKER, SUBJECTS, Bench, Parameters, Subject
from tools.logic.yosys import ToolError, read, yosys
from weighbridge.backends.rtl import verilator


@dataclass(frozen=True)
class Fault:
    """One mutation: yosys' words for it, and the source line of its cell."""

    number: int
    module: str
    command: str

    @property
    def where(self) -> str:
        source = re.search(r"-src (\S+)", self.command)
        place = source[1].strip('"').rsplit("/", 1)[-1] if source else "?"
        what = re.findall(r"-(?:mode|wire|wirebit|cell|port|portbit|ctrlbit) (\S+)", self.command)
        return f"{place}  {' '.join(what)}"


# ---- the design with its faults ------------------------------------------------------------------


def elaborated(top: str, parameters: Parameters) -> str:
    """Yosys' commands that read a module and all below it."""
    return read(top, parameters) + "proc; opt; wreduce; opt; "


def variants(module: str) -> str:
    """Yosys' selection of a module with whatever parameters."""
    return rf"{module} $paramod\{module}\* $paramod*\{module}"


def faults(work: Path, modules: list[str], subject: Subject, seed: int, count: int) -> list[Fault]:
    """Chooses the faults in a design and keeps the design, so that names of cells stay."""
    asked = hashlib.sha256(repr((modules, subject.parameters, seed, count)).encode())
    for path in sorted([*HDL.glob("registers/*.sv"), *HDL.glob("*/rtl/*.sv")]):
        asked.update(path.read_bytes())
    key = work / "key"
    if not key.exists() or key.read_text() != asked.hexdigest():
        shutil.rmtree(work)
        work.mkdir()
        yosys(
            work,
            elaborated(subject.top, subject.parameters)
            + "write_rtlil /out/sound.il; "
            + "; ".join(
                f"mutate -list {count} -seed {seed} -ctrl mutsel 16 {1 + count * i} "
                f"-o /out/{module}.faults {variants(module)}"
                for i, module in enumerate(modules)
            ),
        )
        key.write_text(asked.hexdigest())
    found = []
    for module in modules:
        for line in (work / f"{module}.faults").read_text().splitlines():
            if number := re.search(r" -ctrl \S+ \d+ (\d+)", line):
                found.append(Fault(int(number[1]), module, line))
    (work / "faults.ys").write_text("\n".join(fault.command for fault in found) + "\n")
    return found


def chosen_by_environment(path: Path, top: str) -> None:
    """Makes the input that chooses the fault a register which the environment sets."""
    text = path.read_text()
    start = text.index(f"module {top}(")
    head, rest = text[:start], text[start:]
    rest = re.sub(r", mutsel\b|\bmutsel, ", "", rest, count=1)
    rest, found = re.subn(
        r"  input (\[\d+:0\]) mutsel;\n  wire \[\d+:0\] mutsel;\n",
        '  import "DPI-C" function int mutant();\n'
        r"  reg \1 mutsel;\n  initial mutsel = mutant();\n",
        rest,
        count=1,
    )
    if not found:
        raise SystemExit(f"{top} does not reach the faults")
    path.write_text(head + rest)


def build(work: Path, subject: Subject, bench: Bench, jobs: int) -> Path:
    """Verilates the design with its faults behind a bench."""
    out = work / bench.harness
    netlist = work / f"{bench.top}.v"
    if not netlist.exists():
        names = re.findall(r"^module (\S+)", (work / "sound.il").read_text(), re.M)
        full = next(name for name in names if plain(name) == bench.top)
        top = f"rename {full} {bench.top}; " if bench.top != subject.top else ""
        yosys(
            work,
            "read_rtlil /out/sound.il; script /out/faults.ys; "
            f"{top}hierarchy -top {bench.top}; write_verilog -noattr /out/{netlist.name}",
        )
        chosen_by_environment(netlist, bench.top)
        (work / "mutant.cpp").write_text(
            "#include <cstdlib>\n"
            'extern "C" int mutant() {\n'
            '  const char* number = std::getenv("MUTANT");\n'
            "  return number ? std::atoi(number) : 0;\n}\n"
        )
    flags = f"-std=c++20 -O2 -I{ROOT / 'cosim'} "
    flags += " ".join(
        f"-D{name}={value}" for name, value in subject.parameters.items() if value != ""
    )
    if bench.cocotb:
        from cocotb_tools import config

        flags = "-O1"
        libraries = config.libs_dir
        harness = config.share_dir / "lib" / "verilator" / "verilator.cpp"
        more = ["--vpi", "--public-depth", "1", "-LDFLAGS"]
        more += [f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"]
    else:
        harness, more = ROOT / "cosim" / f"{bench.harness}.cpp", []
    # What is there is from the same netlist, or was thrown away: only the harness may have changed.
    command: list[str | Path]
    if (out / "Vtop.mk").exists():
        command = ["make", "-C", out, "-f", "Vtop.mk", "run"]
    else:
        command = [
            *(verilator.command(), "--cc", "--exe", "--build"),
            *("-j", str(jobs), "-O3", "--x-assign", "unique", "--x-initial", "unique"),
            *("-Wno-lint", "-Wno-fatal", "--prefix", "Vtop", "--top-module", bench.top),
            "--Mdir",
            out,
            *more,
            *("-CFLAGS", flags, "-o", "run", netlist, harness, work / "mutant.cpp"),
        ]
    subprocess.run(command, env=verilator.environment(), check=True, capture_output=True)
    return out / "run"


# ---- the tests -----------------------------------------------------------------------------------


@cache
def cocotb_environment() -> dict[str, str]:
    """What cocotb's runner would set."""
    import find_libpython
    from cocotb_tools import config

    benches = [str(path) for path in sorted(HDL.glob("*/tb"))]
    return {
        "PYTHONPATH": os.pathsep.join([*benches, *sys.path]),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{find_libpython.find_libpython()};{config.pygpi_entry_point()}",
        "TOPLEVEL_LANG": "verilog",
        "COCOTB_LOG_LEVEL": "ERROR",
        "PYTHONWARNINGS": "ignore",
    }


@dataclass
class Runner:
    """Runs a bench with a fault; who takes much longer than without one hangs."""

    bench: Bench
    program: Path
    sound: dict[str, dict[str, float]] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)  # of a run's time of the processor

    def run(self, arguments: str, fault: int) -> str | None:
        """What the bench printed, or None when it found something wrong or hung."""
        environment = os.environ | {"MUTANT": str(fault)}
        command, results = [str(self.program), *arguments.split()], None
        if self.bench.cocotb:
            results = self.program.parent / f"results{fault}.xml"
            results.unlink(missing_ok=True)
            environment |= cocotb_environment() | {
                "COCOTB_TOPLEVEL": self.bench.top,
                "COCOTB_TEST_MODULES": self.bench.harness,
                "COCOTB_RANDOM_SEED": arguments,
                "COCOTB_MAX_FAILURES": "1",
                "COCOTB_RESULTS_FILE": str(results),
            }
            command = command[:1]
        with subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=self.program.parent,
        ) as process:
            limit = self.limits.get(arguments, 600)
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit))
            said = process.communicate()[0]
        if results is not None:
            if not results.exists():
                return None
            cases = ElementTree.parse(results).getroot().findall(".//testcase")
            results.unlink()
            bad = [case for case in cases if case.find("failure") is not None]
            return None if bad or not cases else ""
        return None if process.returncode else said

    def figures(self, arguments: str, fault: int) -> dict[str, float] | None:
        """The figures that a bench printed, flat; cut short or not a number is wrong too."""
        try:
            said = json.loads(self.run(arguments, fault) or "")
        except ValueError:
            return None
        return {
            f"{side} {name}": float(value)
            for side, figures in (said if "fraction" not in said else {"": said}).items()
            if isinstance(figures, dict)
            for name, value in figures.items()
            if isinstance(value, (int, float)) and not name.startswith("cycles")
        }

    def learn(self) -> None:
        """Runs it without a fault: it must pass, and its time says how long a run may take."""
        for arguments in (*self.bench.runs, *self.bench.figures):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            if arguments in self.bench.figures:
                self.sound[arguments] = self.figures(arguments, 0) or {}
                passed = self.sound[arguments] != {}
            else:
                passed = self.run(arguments, 0) is not None
            if not passed:
                raise SystemExit(f"{self.bench.harness} {arguments} fails without a fault")
            took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            self.limits[arguments] = 2 + int(3 * took)

    def kills(self, fault: int) -> bool:
        """Whether a run is wrong, or a figure worse by more than rounding."""
        for arguments in self.bench.runs:
            if self.run(arguments, fault) is None:
                return True
        for arguments, before in self.sound.items():
            now = self.figures(arguments, fault)
            if now is None or any(worse(name, now[name], before[name]) for name in before):
                return True
        return False


def worse(name: str, now: float, before: float) -> bool:
    """A fraction of the bus fell, or a latency grew."""
    return now < 0.998 * before if name.endswith("fraction") else now > 1.002 * before


def by_tests(
    work: Path, modules: list[str], seed: int, count: int, jobs: int
) -> Iterator[tuple[Fault, bool]]:
    """Each fault in modules of one design, and whether a bench sees it."""
    subject = SUBJECTS[modules[0]]
    chosen = faults(work, modules, subject, seed, count)
    reached = {module: {module, *above(work, module)} for module in modules}
    runners = [
        Runner(bench, build(work, subject, bench, jobs))
        for bench in subject.benches
        if any(bench.top in tops for tops in reached.values())
    ]
    for runner in runners:
        runner.learn()

    def killed(fault: Fault) -> bool:
        return any(
            runner.kills(fault.number)
            for runner in runners
            if runner.bench.top in reached[fault.module]
        )

    with ThreadPoolExecutor(jobs) as pool:
        yield from zip(chosen, pool.map(killed, chosen), strict=True)


def above(work: Path, module: str) -> set[str]:
    """Modules of the design that have the module below them, by their plain names."""
    text = (work / "sound.il").read_text()
    below: dict[str, set[str]] = {}
    for body in re.split(r"^module ", text, flags=re.M)[1:]:
        name, _, rest = body.partition("\n")
        cells = re.findall(r"^  cell (\S+) ", rest, re.M)
        below.setdefault(plain(name), set()).update(plain(cell) for cell in cells)
    found, new = set[str](), {module}
    while new:
        new = {name for name, cells in below.items() if cells & new} - found
        found |= new
    return found


def plain(name: str) -> str:
    """A module's name without its parameters."""
    parts = name.split("\\")
    return parts[1] if parts[0] == "$paramod" else parts[-1]


# ---- the proofs ----------------------------------------------------------------------------------


def by_proofs(
    work: Path, module: str, seed: int, count: int, jobs: int
) -> Iterator[tuple[Fault, bool]]:
    """Each fault in a module, and whether a task of the module's proof fails on it."""
    proof = proofs.Proof(work, module, seed, count)
    for i, (command, seen) in enumerate(zip(proof.faults, proof.verdicts(jobs), strict=True)):
        yield Fault(i + 1, module, command), seen


def main() -> int:
    """Prints the share killed and who survived; 1 when fewer than 90 % are killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    ways = {
        "tests": set(SUBJECTS),
        "proofs": {path.stem for path in HDL.glob("*/rtl/*.sv") if proofs.of(path.stem)},
    }
    known = sorted(ways["tests"] | ways["proofs"])
    parser.add_argument("--module", nargs="+", default=["dma_read"], choices=(*known, "all"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--by", choices=("tests", "proofs"))
    parser.add_argument("-j", type=int, default=2, metavar="N", help="faults at a time")
    arguments = parser.parse_args()
    modules = known if "all" in arguments.module else sorted(set(arguments.module))
    groups: dict[tuple[str, str], list[str]] = {}  # by way, and modules of one design together
    for m in modules:
        by = arguments.by or ("tests" if m in QUICKER or m not in ways["proofs"] else "proofs")
        if m in ways[by]:
            subject = SUBJECTS[m] if by == "tests" else None
            design = json.dumps([subject.top, subject.parameters]) if subject else m
            groups.setdefault((by, design), []).append(m)
        elif "all" not in arguments.module:
            parser.error(f"no {by} for {m}; there are for {', '.join(sorted(ways[by]))}")
    enough = True
    for (by, _), group in groups.items():
        work = ROOT / "build" / "mutate" / f"{group[0]}_{by}"
        work.mkdir(parents=True, exist_ok=True)
        if by == "tests":
            verdicts = by_tests(work, group, arguments.seed, arguments.count, arguments.j)
        else:
            verdicts = by_proofs(work, group[0], arguments.seed, arguments.count, arguments.j)
        total, killed = Counter[str](), Counter[str]()
        for fault, seen in verdicts:
            total[fault.module] += 1
            killed[fault.module] += seen
            if not seen:
                print(f"  {fault.module} survives: {fault.number} {fault.where}", flush=True)
        for module in group:
            share = killed[module] / max(1, total[module])
            print(
                f"{module}: {total[module]} faults, {by} kill {killed[module]}, {share:.1%}",
                flush=True,
            )
            enough &= share >= 0.9
    return 0 if enough else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(f"yosys: {error}")
