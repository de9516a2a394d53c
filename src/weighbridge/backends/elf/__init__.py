# SPDX-License-Identifier: Apache-2.0
"""The programs that a board is flashed with, executed on the platform's components.

Every load, store and fetch that leaves the emulated core goes through the engine's caches,
switches, bridges and memory, as the program has configured them. What the program prints is the
answer: it measures itself with the processor's own counter, and compares what it has moved.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Final

from weighbridge.backends import DEFAULT_SEED, Asked, Unanswered
from weighbridge.backends.elf import board
from weighbridge.backends.elf.machine import described, run
from weighbridge.backends.elf.microcontroller import Microcontroller
from weighbridge.backends.elf.programs import firmware, sources
from weighbridge.backends.rtl import verilator
from weighbridge.backends.twin import Twin
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.dataset.schema import Point, Result
from weighbridge.platforms.model import Platform

__all__ = ["Elf"]

#: Repetitions that are timed, after one that warms up.
_REPETITIONS: Final = 1
#: The end of a plan, as a terminal sends it.
_END: Final = "\x04"
#: Kinds of masters that programs drive.
_MASTERS: Final = ("processor", "pl330", "fabric_dma")
#: Axes that a program has an answer to, by the kind of master that it drives.
_AXES: Final = {
    "processor": frozenset({"fault"}),
    "pl330": frozenset(
        {
            "lock_cpu_ways",
            "lock_acp_ways",
            "lock_when",
            "sdram_weight",
            "sdram_priority",
            "dummy_traffic",
        }
    ),
}
#: Who goes first at the memory: the program's number for the study's word.
_FIRST: Final = {"default": 0, "same": 1, "l3_higher": 2}
#: How the end of a transfer is learnt, beside by looking for it.
_INTERRUPT: Final = "interrupt"
#: Faults of the published programs, as words of the program's plan.
_FAULTS: Final = {"stores-under-way": "fault_no_barrier"}
_COPIES: Final = {None: "libc", "memcpy": "libc", "for-loop": "words"}


class Elf:
    """Answers points of bare metal by booting the program that measures them."""

    name = "elf"

    def __init__(self, platform: Platform, seed: int = DEFAULT_SEED) -> None:
        self.platform = platform
        self._hardware = Hardware(platform, seed)
        self._seed = seed
        # Widths and clocks alone make a ceiling: the same for whoever answers.
        self._twin = Twin(platform, seed)

    def facts(self) -> dict[str, object]:
        """What a run's manifest says of who answered, beside the platform."""
        return {"repetitions": _REPETITIONS}

    def predict(self, point: Point) -> Result:
        """The median of what the program has measured; raises Unanswered where it cannot."""
        line = self.line(point)
        # Of a point as it should be: the twin knows faults of its own.
        sound = replace(point, axes=tuple(one for one in point.axes if one[0] != "fault"))
        ceiling = self._twin.ceiling(sound)
        done = run(self.program(), described(self._hardware, point), f"{line}\n{_END}")
        if done.stopped:
            raise Unanswered(f"elf: {done.stopped}")
        samples, outcome = [], "the program has told no outcome"
        for line in done.output.splitlines():
            told = json.loads(line)
            if told["type"] == "sample":
                samples.append(told["ns"] * 1e-9)
            elif told["type"] == "point":
                outcome = "" if told["outcome"] == "ok" else f"{told['outcome']}: {told['message']}"
            elif told["type"] in ("error", "fault"):
                outcome = line
        if outcome or not samples:
            raise Unanswered(f"elf: {outcome}")
        return Result(
            point=point,
            seconds=median(samples),
            backend=self.name,
            bytes_moved=point.size_bytes,
            ceiling_seconds=ceiling,
            n=len(samples),
            quality="posted" if median(samples) < ceiling else "ok",
        )

    def _check(self, point: Point) -> None:
        """Raises Unanswered where the programs do not measure such points."""
        board.check(self._hardware)
        if point.os != "baremetal":
            raise Unanswered("elf: programs without a system, os=baremetal")
        kind = self._hardware.master(point).kind
        if kind not in _MASTERS:
            raise Unanswered(f"elf: no program drives '{point.master}' yet")
        if point.copy not in _COPIES:
            raise Unanswered(f"elf: no program copies by '{point.copy}'")
        if point.completion not in (None, "poll") and (point.completion, kind) != (
            _INTERRUPT,
            "pl330",
        ):
            raise Unanswered(f"elf: no program of '{point.master}' has {point.completion}")
        known = _AXES.get(kind, frozenset[str]())
        said = {name: value for name, value in point.axes if value not in (None, False, "none")}
        unknown = [name for name in said if name not in known]
        if unknown:
            raise Unanswered(f"elf: no program has {', '.join(unknown)}")
        fault = said.get("fault")
        if fault and (fault not in _FAULTS or point.direction != "fpga_to_cpu"):
            raise Unanswered(f"elf: no program {point.direction} has the fault '{fault}'")
        if said.get("sdram_priority", "default") not in _FIRST:
            raise Unanswered(f"elf: sdram_priority is one of {', '.join(_FIRST)}")

    def program(self) -> Path:
        """The ELF file for the platform."""
        return firmware(board.header(self._hardware))

    def line(self, point: Point, number: int = 1, repetitions: int = _REPETITIONS) -> str:
        """The point as a line of the program's plan; raises Unanswered where it has no such.

        number: by which the program's answers name the point;  repetitions: that are timed
        """
        self._check(point)
        level = int(point.cache_level or 0)
        attribute = point.memory_attribute or self.platform.attribute("baremetal", level)
        words: dict[str, object] = {
            "id": number,
            "kernel": "transfer",
            "master": self._hardware.master(point).kind,
            "offset": self.platform.file.route[point.route].offset if point.route else 0,
            "prepared": int(point.prepared is not False),
            "completion": point.completion or "poll",
            "copy": _COPIES[point.copy],
            "direction": point.direction,
            "bytes": point.size_bytes,
            "level": level,
            "memory": attribute,
            "repetitions": repetitions,
            "seed": self._seed,
        }
        if words["master"] == "fabric_dma":
            del words["master"]
            driven = board.controllers(self._hardware, point)
            words["controllers"] = sum(1 << number for number in driven)
            words["beat"] = max(bytes_of(link.width) for link in driven.values())
        else:
            words["window"] = f"{self.platform.file.link[str(point.link)].window:#x}"
        words |= _conditions(point)
        return " ".join(f"{key}={value}" for key, value in words.items())


def _conditions(point: Point) -> dict[str, object]:
    """What holds while a point is measured, as words of the program's plan."""
    said = {name: value for name, value in point.axes if value is not None}
    words: dict[str, object] = {}
    if "lock_cpu_ways" in said:
        words["lock_cpu"] = said["lock_cpu_ways"]
        words["lock_acp"] = said.get("lock_acp_ways", 0)
        words["lock_after"] = int(said.get("lock_when") == "after")
    if "sdram_priority" in said:
        words["sdram_first"] = _FIRST[str(said["sdram_priority"])]
        words["sdram_weight"] = said.get("sdram_weight", 1)
    if said.get("dummy_traffic"):
        words["traffic"] = 1
    if said.get("fault"):
        words[_FAULTS[str(said["fault"])]] = 1
    return words


def opened(asked: Asked) -> Elf | Microcontroller:
    platform = asked.loaded()
    if any(one.kind == "microcontroller" for one in platform.components.values()):
        return Microcontroller(platform, asked.seed)
    return Elf(platform, asked.seed)


def made_of() -> list[Path]:
    return [*sources(), *verilator.sources()]
