# SPDX-License-Identifier: Apache-2.0
"""The probe beside independent tools on this machine, in turns: `make memory-tools`.

    python -m tools.memory_tools                 every tool that is installed, some minutes
    python -m tools.memory_tools --tool bw_mem   those that are named
    python -m tools.memory_tools --short         two sizes of each, once, and no bar

At each size the tool and the probe go five times in turns, with the same loop, on pages of the same
size, and give the same statistic. A line has the median of each, their ratio, and how far the
tool's own figures are apart, as a fraction. Where that is more than half of the bar the tool
disagrees with itself: the size is reported and not judged. Exit status 1 where a judged size is
beyond its bar, or where fewer than two thirds of a tool's sizes could be judged.

Tools: mbw and sysbench, as Debian has them; LMbench's lat_mem_rd and bw_mem where they are found.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any, Final

from weighbridge.backends.probe.program import program
from weighbridge.errors import InputError
from weighbridge.quantities import format_size

KIB, MIB = 1 << 10, 1 << 20
PAIRS: Final = 5
#: Of the latency in the first two levels and beyond, and of the bandwidth, as fractions.
NEAR, FAR, RATE = 0.05, 0.15, 0.10
#: A tool keeps so many of its sizes at least.
KEPT: Final = 2 / 3
#: prctl(2): no transparent huge pages, for this process and those that it starts.
_PR_SET_THP_DISABLE: Final = 41
#: Microseconds of a repetition of LMbench's, which else takes a second or more.
_ENOUGH: Final = "100000"
_LMBENCH: Final = "/usr/lib/lmbench/bin"

Sample = Mapping[str, Any]
#: Values by size: nanoseconds of a load, or MB/s.
Values = dict[int, float]


@dataclass(frozen=True)
class Tool:
    """A program, one of the things that it measures, and how the probe measures the same.

    measure:   the tool's values at sizes, bytes
    words:     of the probe's plan at a size; settings: of its line `set`
    statistic: what the tool makes of its repetitions, of the probe's samples; nanoseconds
    at_once:   a run of the tool is for all sizes
    """

    command: str
    name: str
    sizes: Sequence[int]
    measure: Callable[[str, Sequence[int]], Values]
    words: str
    settings: str
    statistic: Callable[[Sequence[Sample]], float]
    latency: bool = False
    at_once: bool = False

    def bar(self, size: int, second_level: int) -> float:
        if not self.latency:
            return RATE
        return NEAR if size <= second_level else FAR


def _least(samples: Sequence[Sample]) -> float:
    return min(float(one["ns"]) for one in samples)


def _median(samples: Sequence[Sample]) -> float:
    return median(float(one["ns"]) for one in samples)


def _mean(samples: Sequence[Sample]) -> float:
    total = sum(float(one["ns"]) * int(one["count"]) for one in samples)
    return total / sum(int(one["count"]) for one in samples)


def _said(*command: str | int) -> str:
    """What a tool prints, with pages of the usual size."""

    def no_huge_pages() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0)

    done = subprocess.run(
        [*map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=no_huge_pages,
        env=os.environ | {"ENOUGH": _ENOUGH},
        check=False,
    )
    if done.returncode != 0:
        raise InputError(f"{command[0]} fails: {done.stdout.strip()[-200:]}")
    return done.stdout


def _figures(pattern: str, text: str, who: str) -> list[float]:
    found = [float(figure) for figure in re.findall(pattern, text)]
    if not found:
        raise InputError(f"{who} has told no figure: {text.strip()[-200:]!r}")
    return found


def _mbw(kind: int) -> Callable[[str, Sequence[int]], Values]:
    """MiB/s of each of ten runs."""

    def measure(command: str, sizes: Sequence[int]) -> Values:
        (size,) = sizes
        said = _said(command, "-q", "-a", "-n", 10, f"-t{kind}", size // MIB)
        rates = _figures(r"Copy: ([\d.]+) MiB/s", said, command)
        return {size: median(rates) * MIB / 1e6}

    return measure


def _sysbench(oper: str) -> Callable[[str, Sequence[int]], Values]:
    """MiB/s of half a second."""

    def measure(command: str, sizes: Sequence[int]) -> Values:
        (size,) = sizes
        said = _said(
            *(command, "memory", f"--memory-block-size={size}", f"--memory-oper={oper}"),
            *("--memory-total-size=1T", "--threads=1", "--events=0", "--time=1", "run"),
        )
        (rate,) = _figures(r"\(([\d.]+) MiB/sec\)", said, command)
        return {size: rate * MIB / 1e6}

    return measure


def _lat_mem_rd(*options: str) -> Callable[[str, Sequence[int]], Values]:
    """Of a curve that the tool walks from 512 B on: MiB and nanoseconds."""

    def measure(command: str, sizes: Sequence[int]) -> Values:
        most = ceil(max(sizes) / MIB)
        said = _said(command, "-P", 1, "-N", 3, *options, most, 64)
        curve = {
            round(float(mib) * MIB): float(ns)
            for mib, ns in re.findall(r"^([\d.]+) ([\d.]+)$", said, re.M)
        }
        found: Values = {}
        for size in sizes:
            near = min(curve, key=lambda one: abs(one - size), default=0)
            if abs(near - size) > size / 64:
                raise InputError(f"lat_mem_rd has not measured {format_size(size)}")
            found[size] = curve[near]
        return found

    return measure


def _bw_mem(what: str) -> Callable[[str, Sequence[int]], Values]:
    """Megabytes of 10^6, and MB/s."""

    def measure(command: str, sizes: Sequence[int]) -> Values:
        (size,) = sizes
        said = _said(command, "-P", 1, "-N", 5, size, what)
        return {size: _figures(r"^[\d.]+ ([\d.]+)$", said.strip(), command)[0]}

    return measure


#: Batches as long as the tool's own, about, where the tool keeps the least or the median of few.
_FEW = "blocks=1 samples=8 batch=20ms budget=0ns"
_PASSES = "blocks=1 samples=10 batch=0ns budget=0ns"
_WHOLE = "blocks=1 samples=10 batch=20ms budget=0ns"
_CHAIN = tuple(KIB << power for power in range(3, 17))
_BUFFERS = tuple(KIB << power for power in range(3, 17, 2))
_LARGE = tuple(MIB << power for power in range(4, 8))

TOOLS: Final = (
    # Debian's mbw 1.2.2: -t0 is the loop over words, -t1 memcpy, whatever its labels say.
    Tool("mbw", "memcpy", _LARGE, _mbw(1), "kernel=copy copy=libc shift=16", _PASSES, _median),
    Tool("mbw", "words", _LARGE, _mbw(0), "kernel=copy copy=plain shift=16", _PASSES, _median),
    # In the caches the loops differ: sysbench adds nothing up, and stores what it computes.
    Tool("sysbench", "read", _LARGE, _sysbench("read"), "kernel=read width=8", _WHOLE, _mean),
    Tool("sysbench", "write", _LARGE, _sysbench("write"), "kernel=write width=8", _WHOLE, _mean),
    *(
        Tool(
            "lat_mem_rd", f"{name} of 64 B", _CHAIN, _lat_mem_rd(*options),
            f"kernel=load stride=64 order={order}", _FEW, _least, latency=True, at_once=True,
        )
        for name, order, options in (("strides", "forward", ()), ("hops (-t)", "hop", ("-t",)))
    ),
    *(
        Tool(
            "bw_mem", what, _BUFFERS, _bw_mem(what),
            f"kernel={kernel} copy=scalar width=4 stride=16", _FEW, _median,
        )
        for what, kernel in (("rd", "read"), ("wr", "write"), ("rdwr", "update"), ("cp", "copy"))
    ),
)  # fmt: skip


def found(command: str) -> str | None:
    """Where a tool is: in the path, or where Debian puts LMbench's."""
    lmbench = sorted(Path(_LMBENCH).glob(f"*/{command}")) if Path(_LMBENCH).is_dir() else []
    return shutil.which(command) or next(map(str, lmbench), None)


def ours(tool: Tool, sizes: Sequence[int]) -> Values:
    """The probe's values at sizes."""
    points = [f"id={size} {tool.words} bytes={size}" for size in sizes]
    plan = "\n".join([f"set {tool.settings} group=1", *points])
    done = subprocess.run([program(), "-"], input=plan, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"the probe: {done.stderr.strip()}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    values: Values = {}
    for size in sizes:
        samples = [one for one in lines if one["type"] == "sample" and one["id"] == size]
        (end,) = (one for one in lines if one["type"] == "point" and one["id"] == size)
        if end["outcome"] != "ok":
            raise InputError(f"the probe: {format_size(size)}: {end['message']}")
        ns = tool.statistic(samples)
        values[size] = ns if tool.latency else size / ns * 1e3
    return values


@dataclass(frozen=True)
class Compared:
    """Both medians at a size, and how far the tool's own figures are apart."""

    size: int
    ours: float
    theirs: float
    apart: float
    bar: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def judged(self) -> bool:
        return self.apart <= self.bar / 2

    @property
    def verdict(self) -> str:
        if not self.judged:
            return "not judged: the tool disagrees with itself"
        return "ok" if abs(self.ratio - 1) <= self.bar else "BEYOND THE BAR"


@dataclass
class Spent:
    """Seconds on the wall."""

    ours: float = 0.0
    theirs: float = 0.0


def compared(
    tool: Tool, command: str, sizes: Sequence[int], pairs: int, second_level: int, spent: Spent
) -> Iterator[Compared]:
    """The sizes of a tool; who begins changes from pair to pair."""
    for together in [sizes] if tool.at_once else [[size] for size in sizes]:
        here: list[Values] = []
        there: list[Values] = []

        def run_ours(together: Sequence[int] = together, here: list[Values] = here) -> None:
            begun = time.perf_counter()
            here.append(ours(tool, together))
            spent.ours += time.perf_counter() - begun

        def run_theirs(together: Sequence[int] = together, there: list[Values] = there) -> None:
            begun = time.perf_counter()
            there.append(tool.measure(command, together))
            spent.theirs += time.perf_counter() - begun

        for pair in range(pairs):
            for run in (run_ours, run_theirs) if pair % 2 else (run_theirs, run_ours):
                run()
        for size in together:
            theirs = [values[size] for values in there]
            middle = median(theirs)
            yield Compared(
                size,
                median(values[size] for values in here),
                middle,
                (max(theirs) - min(theirs)) / middle,
                tool.bar(size, second_level),
            )


def second_level() -> int:
    """Bytes of the second cache, as the system tells; 256 KiB where it does not."""
    from weighbridge.survey import survey
    from weighbridge.survey.sysroot import Sysroot

    caches = survey(Sysroot("/")).processor.caches
    return next((one.bytes for one in caches if one.level == 2), 256 * KIB)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--tool", action="append", choices=sorted({one.command for one in TOOLS}))
    given = parser.parse_args()
    wanted = [one for one in TOOLS if not given.tool or one.command in given.tool]
    level, bad = second_level(), []
    for tool in wanted:
        command = found(tool.command)
        if command is None:
            print(f"{tool.command} {tool.name}: not installed")
            continue
        sizes = [tool.sizes[0], tool.sizes[2]] if given.short else tool.sizes
        unit = "ns" if tool.latency else "MB/s"
        print(f"{tool.command} {tool.name}, {unit}: probe, tool, ratio, the tool's own span")
        spent, rows = Spent(), []
        for row in compared(tool, command, sizes, 1 if given.short else PAIRS, level, spent):
            rows.append(row)
            print(
                f"  {format_size(row.size):>8} {row.ours:9.2f} {row.theirs:9.2f} "
                f"{row.ratio:6.3f} {row.apart:6.1%}  {'' if given.short else row.verdict}".rstrip(),
                flush=True,
            )
        judged = [row for row in rows if row.judged]
        print(
            f"  {len(judged)} of {len(rows)} sizes judged; "
            f"the probe took {spent.ours:.1f} s, the tool {spent.theirs:.1f} s"
        )
        bad += [f"{tool.command} {tool.name} at {format_size(row.size)}"
                for row in judged if abs(row.ratio - 1) > row.bar]  # fmt: skip
        if len(judged) < KEPT * len(rows):
            bad.append(f"{tool.command} {tool.name}: too few sizes judged")
    if bad and not given.short:
        sys.exit("beyond the bar: " + "; ".join(bad))


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"memory_tools: {error}")
