# SPDX-License-Identifier: Apache-2.0
"""Puts faults into a module where its proof elaborates it, and asks the proof.

One run of yosys takes a portion of the faults, each alone: it starts from the elaborated proof,
applies the fault before anything can merge the module with its proof, and goes the way of prove.py.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import HDL
from tools.logic import prove
from tools.logic.yosys import ToolError

#: Modules that a proof of another name follows to their pins.
INSIDE = {
    "router_sink": "router",
    "axi_slave": "axi_slave_words",
    "node_page": "adder_node",
    "dma_page": "dma_node",
}
#: The tasks that a fault has to break one of; without a line here, those that the tests run.
TASKS = {
    "dma_write": ("counts", "status", "sums", "beat"),
    "test_node": ("prove",),
    "fmc_bridge": ("ahead", "single"),
}
CLOCK = re.compile(r" -port (CLK|RD_CLK|WR_CLK) ")
SECONDS = 60  # for a fault in a task
PORTION = 10  # faults in a run of yosys


def of(module: str) -> str | None:
    """The proof that a module is in, if any."""
    name = INSIDE.get(module, module)
    return name if (HDL / "formal" / f"{name}.sby").exists() else None


class Proof:
    """A module inside its proof, with a choice of faults."""

    def __init__(self, work: Path, module: str, seed: int, count: int) -> None:
        self.work = work
        name = of(module)
        if name is None:
            raise SystemExit(f"{module} has no proof")
        wanted = TASKS.get(name)
        self.tasks = [
            task
            for task in prove.tasks()
            if task.proof == name
            and prove.options(task)["mode"] != "cover"
            and (task.name in wanted if wanted else task.quick)
        ]
        for line in prove.section(HDL / "formal" / f"{name}.sby", "files"):
            (work / Path(line).name).write_bytes((HDL / "formal" / line).read_bytes())
        for task in self.tasks:
            self.elaborate(task)
        place = f"{name}_proof/a:src=*{module}.sv:*"
        first = self.tasks[0].name
        self.yosys(
            "choose",
            f"read_rtlil {first}.il\nselect {place} {name}_proof/t:* %i -set module\n"
            f"mutate -list {2 * count} -seed {seed} -o faults.ys @module\n",
        )
        # The tools take one clock, or edges of several: a clock on its other edge is none.
        told = dict.fromkeys((work / "faults.ys").read_text().splitlines())
        self.faults = [fault for fault in told if not CLOCK.search(fault)][:count]

    def elaborate(self, task: prove.Task) -> None:
        """Up to where a fault is put in."""
        *read, prep = prove.section(HDL / "formal" / f"{task.proof}.sby", "script", task.name)
        top = prep.split()[-1]
        early = f"hierarchy -top {top}\nproc\nopt_expr -keepdc\nwreduce -keepdc\nopt_clean\n"
        self.yosys(task.name, "\n".join(read) + f"\n{early}write_rtlil {task.name}.il\n")

    def yosys(self, name: str, script: str) -> None:
        """Runs commands in the working directory."""
        (self.work / f"{name}.ys").write_text(script)
        command: list[str | Path] = [prove.BUILD / "bin" / "yosys", "-q", "-s", f"{name}.ys"]
        done = subprocess.run(
            command,
            cwd=self.work,
            env=prove.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ToolError(f"{name}.ys: {done.stdout[-500:]}{done.stderr[-500:]}")

    def broken(self, task: prove.Task, faults: Sequence[str]) -> list[bool]:
        """Which faults, each alone, the task does not go through with.

        One that the tools do not take is not among them.
        """
        name = f"{task.name}-{hashlib.sha256(repr(faults).encode()).hexdigest()[:16]}"
        top = f"{task.proof}_proof"
        steps = "\n".join(prove.steps(task))
        script = f"read_rtlil {task.name}.il\ndesign -save sound\n"
        for i, fault in enumerate(faults):
            script += f"design -load sound\n{fault}\nprep -top {top}\n{steps}\n"
            script += f"tee -q -o {name}.{i} sat -timeout {SECONDS} {prove.sat(task)}\n"
        try:
            self.yosys(name, script)
        except ToolError:
            if len(faults) == 1:
                return [False]
            return [self.broken(task, [fault])[0] for fault in faults]
        told = [(self.work / f"{name}.{i}").read_text() for i in range(len(faults))]
        # A proof that no longer goes through is a proof that fails; one that does not end is none.
        return ["FAIL!" in one or "proof failed" in one for one in told]

    def verdicts(self, jobs: int) -> list[bool]:
        """Whether a task fails, for each fault.

        What is found is kept: a run that was stopped goes on where it was.
        """
        killed = dict.fromkeys(self.faults, False)
        for task in self.tasks:
            kept = self.work / f"{task.name}.verdicts"
            design = hashlib.sha256((self.work / f"{task.name}.il").read_bytes()).hexdigest()
            known = json.loads(kept.read_text()) if kept.exists() else {}
            if known.pop("design", None) != design:
                known = {}
                if self.broken(task, [""]) != [False]:
                    raise SystemExit(f"{task} fails without a fault")
            left = [fault for fault in self.faults if not killed[fault] and fault not in known]
            portions = [left[i : i + PORTION] for i in range(0, len(left), PORTION)]
            with ThreadPoolExecutor(jobs) as pool:
                found = pool.map(lambda portion, task=task: self.broken(task, portion), portions)
                for portion, verdicts in zip(portions, found, strict=True):
                    known.update(zip(portion, verdicts, strict=True))
                    kept.write_text(json.dumps({"design": design, **known}))
            killed = {fault: seen or known.get(fault, False) for fault, seen in killed.items()}
        return list(killed.values())
