# SPDX-License-Identifier: Apache-2.0
"""Mutated inputs of every kind, each with an answer or one clear line: `make fuzz`.

    python -m tools.fuzz --seed 1 --count 100000            in process, by forked servers
    python -m tools.fuzz --seed 1 --count 300 --command     through the command itself
    python -m tools.fuzz --seed 1 --first 4711 --keep DIR   one of them, its files kept in DIR

An input is a command line with the files that it reads; its number and the seed say which, so
that a finding is had again. A finding is a status that is none of 0 and 2 (nor compare's 1), a
fault that is not told in a line of its own, a trace of Python, a signal, more than 10 s of
processor time, more than 1 GiB of memory, or an answer that physics forbids.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pkgutil
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import weighbridge.cli
from tools.fuzz_inputs import KINDS_OF_INPUT, Input, generated
from weighbridge.dataset.published import published_rows
from weighbridge.quantities import parse_quantity

MEMORY_LIMIT = 1 << 30
#: Of processor time, for an input; a process that waits for something is ended after the other.
SECONDS, WALL_SECONDS = 10, 120
#: Inputs that one process answers: what one leaves behind in it is seen by the next ones.
BATCH = 80
#: Packages whose modules a command imports when it needs them, and each server would again.
_LATE = ("advice", "analysis", "api", "cli", "dataset")
#: Rates above the ceiling and phases beside their sum, by floating point alone.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Outcome:
    """status: of the command, negative for the signal that ended it."""

    status: int
    out: str
    err: str
    seconds: float


# ---- answers ----


def _written(one: Input, directory: Path) -> None:
    for name, content in one.files.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def faults(one: Input, outcome: Outcome) -> list[str]:
    """What is wrong with what a command said; nothing for an answer or a clear refusal."""
    found = []
    said = outcome.err.splitlines()
    if outcome.status < 0:
        return [f"ended by {signal.Signals(-outcome.status).name}"]
    if outcome.status not in ((0, 1, 2) if one.words[0] == "compare" else (0, 2)):
        found.append(f"status {outcome.status}")
    if "Traceback" in outcome.out + outcome.err:
        found.append("a traceback")
    if "\x1b" in outcome.out + outcome.err:
        found.append("an escape for the terminal")
    if outcome.seconds > SECONDS:
        found.append(f"{outcome.seconds:.1f} s of processor time")
    if outcome.status == 2 and not said:
        found.append("nothing said")
    if outcome.status == 2 and not all(line.startswith("weighbridge: ") for line in said):
        found.append("more than a line for a fault")
    if len(said) > len(set(said)):
        found.append("the same fault twice")
    if outcome.status == 0 and "--json" in one.words:
        found += _absurd(one.words[0], outcome.out)
    return found


def _absurd(command: str, text: str) -> Iterator[str]:
    """What physics forbids, or JSON, in an answer."""

    def no_number(name: str) -> float:
        raise ValueError(f"{name} is no JSON")

    try:
        said: Any = json.loads(text, parse_constant=no_number)
    except ValueError as error:
        yield str(error)
        return
    if command == "explain":
        yield from _forbidden(said, said["point"])
        total = sum(phase["seconds"] for phase in said["phases"])
        if not math.isclose(total, said["seconds"], rel_tol=_ROUNDING):
            yield f"phases of {total} s in {said['seconds']} s"
        for part in said["phases"]:
            if part["seconds"] < 0:
                yield f"a phase of {part['seconds']} s"
        for hop in said["hops"]:
            if min(hop["busy_seconds"], hop["waiting_seconds"]) < 0:
                yield f"{hop['component']} is busy for a negative time"
        without = said.get("seconds_without_bound")
        if without is not None and not 0 <= without <= said["seconds"] * (1 + _ROUNDING):
            yield f"{without} s without what bounds {said['seconds']} s"
    elif command == "curve":
        for row in said["sizes"]:
            yield from _forbidden(row, said["point"])
    elif command == "advise":
        for row in said["paths"]:
            yield from _forbidden(row, row["point"])


def _forbidden(row: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    if not 0 < row["seconds"] < math.inf:
        yield f"{row['seconds']} s"
    if not 0 < row["rate_mb_per_s"] < math.inf:
        yield f"{row['rate_mb_per_s']} MB/s"
    share = row["ceiling_share"]
    # What is ranked does not say whether it ends with accesses under way; these may.
    posted = row["quality"] == "posted" if "quality" in row else point["master"] in ("cpu", "pl330")
    if share is not None and share > 1 + _ROUNDING and not posted:
        yield f"{share:.9g} of the ceiling"


# ---- servers ----


def in_process(one: Input, directory: Path) -> Outcome:
    """What main() says, in this process and in the directory, where its output goes to files."""
    _written(one, directory)
    os.chdir(directory)
    for number, name in ((1, "stdout"), (2, "stderr")):
        opened = os.open(name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    began = time.process_time()
    try:
        status = weighbridge.cli.main(one.words)
    except BaseException:
        traceback.print_exc()
        status = 1
    seconds = time.process_time() - began
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return Outcome(status, _read("stdout"), _read("stderr"), seconds)


def _read(name: str | Path) -> str:
    return Path(name).read_text(encoding="utf-8", errors="replace")


def _limited() -> None:
    """Bounds what the calling process may write to: DuckDB reserves as much and leaves it alone."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@cache
def _warm() -> None:
    """Loads what every server would else load for itself: modules, units, what is published."""
    for name in _LATE:
        package = import_module(f"weighbridge.{name}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    parse_quantity("1 ns", "ns")
    published_rows()


def served(inputs: list[tuple[int, Input]]) -> Iterator[tuple[int, Input, Outcome]]:
    """The outcomes of inputs, by a forked process; by another where one is ended."""
    _warm()
    left = list(inputs)
    while left:
        with tempfile.TemporaryDirectory(prefix="weighbridge-fuzz-") as scratch:
            reader, writer = os.pipe()
            child = os.fork()
            if not child:
                os.close(reader)
                _serve(left, Path(scratch), writer)
                os._exit(0)
            os.close(writer)
            with open(reader, encoding="utf-8") as told:
                for line in told:
                    number, one = left.pop(0)
                    yield number, one, Outcome(**json.loads(line))
            _, ended = os.waitpid(child, 0)
        if left:
            number, one = left.pop(0)
            yield number, one, Outcome(os.waitstatus_to_exitcode(ended), "", "", math.nan)


def _serve(inputs: list[tuple[int, Input]], scratch: Path, writer: int) -> None:
    _limited()
    for number, one in inputs:
        directory = scratch / str(number)
        directory.mkdir()
        # Both end the process by a signal, wherever it is.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(WALL_SECONDS)
        outcome = in_process(one, directory)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        os.write(writer, (json.dumps(vars(outcome)) + "\n").encode())
        os.chdir(scratch)
        shutil.rmtree(directory)


def commanded(inputs: list[tuple[int, Input]]) -> Iterator[tuple[int, Input, Outcome]]:
    """The outcomes of inputs, each by a process of the command itself."""
    command = Path(sys.executable).parent / "weighbridge"

    def limits() -> None:
        _limited()
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    for number, one in inputs:
        with tempfile.TemporaryDirectory(prefix="weighbridge-fuzz-") as scratch:
            _written(one, Path(scratch))
            before = _spent()
            words = [os.fsencode(word) for word in one.words]
            ended = subprocess.run(
                [command, *words], cwd=scratch, capture_output=True, preexec_fn=limits
            )
            out, err = (part.decode("utf-8", "replace") for part in (ended.stdout, ended.stderr))
            yield number, one, Outcome(ended.returncode, out, err, _spent() - before)


def _spent() -> float:
    """Seconds of processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def campaign(
    seed: int,
    numbers: range,
    serve: Callable[[list[tuple[int, Input]]], Iterator[tuple[int, Input, Outcome]]] = served,
    told: Callable[[int, Input, Outcome, list[str]], None] = lambda *_: None,
) -> Counter[tuple[str, int]]:
    """Answers of each kind by their status; `told` has each outcome and what is wrong with it."""
    counts: Counter[tuple[str, int]] = Counter()
    for first in range(numbers.start, numbers.stop, BATCH):
        batch = numbers[first - numbers.start :][:BATCH]
        for number, one, outcome in serve([(n, generated(seed, n)) for n in batch]):
            counts[one.kind, outcome.status] += 1
            told(number, one, outcome, faults(one, outcome))
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutated inputs of every kind.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--command", action="store_true", help="through the command itself")
    parser.add_argument("--keep", type=Path, help="write the files of the inputs here")
    asked = parser.parse_args()
    numbers = range(asked.first, asked.first + asked.count)
    if asked.keep:
        for number in numbers:
            one = generated(asked.seed, number)
            (asked.keep / str(number)).mkdir(parents=True, exist_ok=True)
            _written(one, asked.keep / str(number))
            print(one.line())
    found = 0

    def told(number: int, one: Input, outcome: Outcome, wrong: list[str]) -> None:
        nonlocal found
        if wrong:
            found += 1
            last = ascii((outcome.err.splitlines() or [""])[-1])[1:-1]
            print(f"{number} {one.kind}: {'; '.join(wrong)}\n  {one.line()[:500]}\n  {last[:300]}")
        if number % 1000 == 999:
            print(f"{number + 1 - numbers.start} inputs, {found} findings", flush=True)

    counts = campaign(asked.seed, numbers, commanded if asked.command else served, told)
    for kind in KINDS_OF_INPUT:
        answers = {status: n for (one, status), n in sorted(counts.items()) if one == kind}
        said = ", ".join(f"{n} with status {status}" for status, n in answers.items())
        print(f"{kind}: {said}")
    print(f"{len(numbers)} inputs of seed {asked.seed}: {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
