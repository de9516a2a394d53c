# SPDX-License-Identifier: Apache-2.0
"""Runs a program on the emulated processor, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from weighbridge.backends.elf import board
from weighbridge.backends.elf.parameters import core_parameters
from weighbridge.backends.elf.programs import emulator
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.backends.uml.description_file import description_file
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError

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
        "fabric": ",".join(
            f"{number}:{link.component}:{bytes_of(link.width)}:{link.run_beats.value:g}"
            for number, link in board.controllers(hardware, point).items()
        )
        or "none",
    }
    said |= {f"peripheral.{name}": one.base for name, one in file.peripheral.items()}
    said |= {f"core.{name}": one.value for name, one in core_parameters().items()}
    return description_file(hardware.description(point), said)


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
        (home / "platform").write_text(description)
        (home / "input").write_text(plan)
        command: list[str | Path] = [emulator(), home / "platform", program.absolute()]
        command += ["--input", home / "input"]
        if call:
            command += ["--call", call]
        if report:
            command += ["--report", home / "report", "--trace", str(trace)]
        if most is not None:
            command += ["--most", str(most)]
        environment = {"PATH": os.environ.get("PATH", "")}
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                env=environment,
                stdin=subprocess.DEVNULL,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise InputError(f"{program.name} has not ended within {LIMIT:.0f} s") from late
        said = done.stderr.strip().splitlines()
        if done.returncode not in (0, _STOPPED):
            raise InputError(f"{program.name}: {(said or [f'status {done.returncode}'])[-1]}")
        told = home / "report"
        found = json.loads(told.read_text()) if report and told.exists() else {}
        return Run(done.stdout, said[-1] if done.returncode == _STOPPED and said else "", found)
