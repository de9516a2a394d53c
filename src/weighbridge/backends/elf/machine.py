# SPDX-License-Identifier: Apache-2.0
"""Runs a program on the emulated processor, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from weighbridge.backends.description_file import description_file
from weighbridge.backends.elf import board
from weighbridge.backends.elf.parameters import core_parameters
from weighbridge.backends.elf.programs import emulator
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms.model import File

#: Seconds of the host's that a program may take.
LIMIT: Final = 600.0
_STOPPED: Final = 3


@dataclass(frozen=True, slots=True)
class Run:
    """What a program has printed; why it was stopped, if it was; where its time has gone."""

    output: str
    stopped: str
    report: dict[str, Any] = field(default_factory=dict)


def described(hardware: Hardware, point: Point) -> str:
    """The platform at a point's clocks, for the emulator."""
    board.check(hardware)
    file = hardware.platform.file
    said: dict[str, str | float] = {
        "processor": hardware.of_kind("processor"),
        "memory": hardware.platform.memory_bytes,
        "ram": board.regions(hardware, point),
        "uart_kind": file.peripheral["uart"].kind,
        "peripheral.sdram_controller": "none",
        # Where nothing is said of it the memory serves as if it had one port.
        "sdram": "processor" if dict(point.axes).get("sdram_priority") == "default" else "one",
        "interrupts": ",".join(map(str, _interrupts(file))) or "none",
        "dma_security": ",".join(
            f"{one.kind}:{one.base}"
            for name, one in file.peripheral.items()
            if name in ("dma_security", "dma_reset")
        )
        or "none",
        "fabric": ",".join(
            f"{number}:{link.component}:{bytes_of(link.width)}:{link.run_beats.value:g}"
            for number, link in board.controllers(hardware, point).items()
        )
        or "none",
    }
    said |= {f"peripheral.{name}": one.base for name, one in file.peripheral.items()}
    said |= {f"core.{name}": one.value for name, one in core_parameters().items()}
    return description_file(hardware.description(point), said)


def _interrupts(file: File) -> list[int]:
    """Those of the PL330; empty where it has none, or nothing says them."""
    return file.peripheral["pl330"].interrupts if "pl330" in file.peripheral else []


def run(
    program: Path,
    description: str,
    plan: str = "",
    call: str = "",
    report: bool = False,
    trace: int = 0,
    most: int | None = None,
) -> Run:
    """Executes a program to its end.

    description: of described();  plan: what arrives at its serial port;  call: the function that is
    called instead of the program's start;  report: whether the run tells where its time has gone;
    trace: how many accesses and calls it then tells one by one;  most: instructions
    """
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as name:
        home = Path(name)
        options: dict[str, object] = {"call": call} if call else {}
        if report:
            options |= {"report": home / "report", "trace": trace}
        if most is not None:
            options["most"] = most
        output, stopped = executed(
            command("processor", program, home, description, plan, options), program.name
        )
        told = home / "report"
        found = json.loads(told.read_text()) if report and told.exists() else {}
        return Run(output, stopped, found)


def command(
    core: str,
    program: Path,
    home: Path,
    description: str,
    lines: str,
    options: Mapping[str, object],
) -> list[str]:
    """The words that start an emulator, whose inputs are written into a folder.

    core: the folder of cosim/ that has it;  lines: what arrives at the program's serial port
    options: by name
    """
    (home / "platform").write_text(description)
    (home / "input").write_text(lines)
    words = [str(emulator(core)), str(home / "platform"), str(program.absolute())]
    for name, value in {"input": home / "input", **options}.items():
        words += [f"--{name}", str(value)]
    return words


def executed(words: Sequence[str], name: str) -> tuple[str, str]:
    """What a program of a name has printed, and why it was stopped, if it was."""
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            env={"PATH": os.environ.get("PATH", "")},
            stdin=subprocess.DEVNULL,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise InputError(f"{name} has not ended within {LIMIT:.0f} s") from late
    said = done.stderr.strip().splitlines()
    if done.returncode not in (0, _STOPPED):
        raise InputError(f"{name}: {(said or [f'status {done.returncode}'])[-1]}")
    return done.stdout, said[-1] if done.returncode == _STOPPED and said else ""
