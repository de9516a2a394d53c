# SPDX-License-Identifier: Apache-2.0
"""A microcontroller's program, executed instruction by instruction, on the logic at its bus.

Its accesses to the fabric go, clock by clock, through the Verilated bridge and transmit FIFO, and
the frames that leave the MAC are the answer: when they left, and each of their bytes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from weighbridge.backends import DEFAULT_SEED, Unanswered
from weighbridge.backends.description_file import description_file
from weighbridge.backends.elf.datagrams import Captured, captured, fault
from weighbridge.backends.elf.machine import command, executed
from weighbridge.backends.elf.parameters import core_parameters
from weighbridge.backends.elf.programs import microcontroller_firmware
from weighbridge.backends.rtl.verilator import built
from weighbridge.backends.twin import Twin
from weighbridge.backends.twin.frames import LONGEST, STEPS
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.backends.twin.program import demand, flow_of
from weighbridge.dataset.schema import Point, Result
from weighbridge.platforms.model import Platform
from weighbridge.registers.fmc import WINDOW_TRANSMIT

#: Datagrams that are sent, and how many of them come before those that are timed.
_DATAGRAMS: Final = 40
_WARM: Final = 12
#: The least that has room for what iperf3 writes into a datagram.
_SHORTEST: Final = 16
#: The board's address, where it serves; clients have another one of 10.55.0.0/24.
SERVER: Final = "10.55.0.1"


@dataclass(frozen=True, slots=True)
class Run:
    """What a program has said and sent; why it was stopped, if it was; where its time has gone."""

    output: str
    frames: list[Captured]
    stopped: str
    report: dict[str, Any] = field(default_factory=dict)


def header(hardware: Hardware, point: Point) -> str:
    """board.h of firmware/stm32h7 at a point's clocks."""
    file = hardware.platform.file
    mhz = {
        "CORE": hardware.clock_mhz(file.reference_clock, point),
        "BUS": hardware.clock_mhz(_bus_clock(hardware), point),
        "CRYSTAL": hardware.clock_mhz("crystal", point),
    }
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"/* Generated from the platform file of {file.name}. */",
        "#ifndef BOARD_H",
        "#define BOARD_H",
        *(f"#define {name}_KHZ {round(1e3 * value)}u" for name, value in mhz.items()),
        f"#define WINDOW_BASE {_window(hardware):#x}u",
    ]
    for name, one in file.peripheral.items():
        lines.append(f"#define PERIPHERAL_{name.upper()} {one.base:#x}u")
    return "\n".join([*lines, "#endif"]) + "\n"


def logic(hardware: Hardware, **parameters: int) -> Path:
    """The library of hdl/fmc as the platform has it: registers in APB's way."""
    apb = hardware.platform.components[hardware.of_kind("apb")]
    slices = {
        "ROOT_UP": int(apb.base_value("response_slices")),
        "ETHERNET_DOWN": int(apb.base_value("request_slices")),
    }
    if any(count > 1 for count in slices.values()):
        raise Unanswered("elf: the logic has one register slice each way at most")
    return built("fmc", "fmc_library", library=True, **({"AHEAD": 0} | slices | parameters))


def described(hardware: Hardware, point: Point, numbers: Mapping[str, float] | None = None) -> str:
    """The platform at a point's clocks, for the emulator.

    numbers: of the core, in place of those of cortex-m7.toml
    """
    said: dict[str, str | float] = {
        "processor": hardware.of_kind("microcontroller"),
        "bus_clock": _bus_clock(hardware),
        "crystal_mhz": hardware.clock_mhz("crystal", point),
        "window": _window(hardware),
    }
    file = hardware.platform.file
    said |= {f"peripheral.{name}": one.base for name, one in file.peripheral.items()}
    cost = {name: one.value for name, one in core_parameters("cortex-m7").items()}
    said |= {f"core.{name}": value for name, value in (cost | dict(numbers or {})).items()}
    return description_file(hardware.description(point), said)


def run(
    hardware: Hardware,
    point: Point,
    program: Path,
    lines: str = "",
    *,
    options: Mapping[str, str] | None = None,
    library: Path | None = None,
    numbers: Mapping[str, float] | None = None,
) -> Run:
    """Executes a program to its end.

    lines: what arrives at its serial port;  options: of the emulator;  library: the logic, where
    it is not the platform's;  numbers: as of described()
    """
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as folder:
        home = Path(folder)
        named: dict[str, object] = {"logic": library or logic(hardware)}
        named |= {name: home / name for name in ("capture", "report")} | dict(options or {})
        description = described(hardware, point, numbers)
        words = command("microcontroller", program, home, description, lines, named)
        output, stopped = executed(words, program.name)
        return Run(
            output,
            captured(home / "capture"),
            stopped,
            json.loads((home / "report").read_text()),
        )


def serving(
    hardware: Hardware,
    point: Point,
    step: str,
    folder: Path,
    numbers: Mapping[str, float] | None = None,
    options: Mapping[str, object] | None = None,
) -> list[str]:
    """The emulator's command with the server for iperf3, whose inputs are written into a folder.

    step: of the study's axis `firmware`;  numbers: as of described();  options: of the emulator
    """
    program = microcontroller_firmware(header(hardware, point), step, server=True)
    return command(
        "microcontroller",
        program,
        folder,
        described(hardware, point, numbers),
        f"serve {SERVER}\n",
        {"logic": logic(hardware), **(options or {})},
    )


class Microcontroller:
    """Answers a steady flow of datagrams by executing the firmware that sends them."""

    name = "elf"

    def __init__(self, platform: Platform, seed: int = DEFAULT_SEED) -> None:
        self.platform = platform
        self._hardware = Hardware(platform, seed)
        self._twin = Twin(platform, seed)

    def facts(self) -> dict[str, object]:
        """What a run's manifest says of who answered, beside the platform."""
        return {"datagrams": _DATAGRAMS}

    def predict(self, point: Point) -> Result:
        """Between two datagrams on the wire; raises Unanswered where the firmware has no answer."""
        ceiling = self.check(point)
        program = microcontroller_firmware(
            header(self._hardware, point), str(dict(point.axes)["firmware"])
        )
        done = run(self._hardware, point, program, f"blast {point.size_bytes} {_DATAGRAMS}\n")
        if done.stopped:
            raise Unanswered(f"elf: {done.stopped}")
        if len(done.frames) != _DATAGRAMS:
            raise Unanswered(f"elf: {len(done.frames)} of {_DATAGRAMS} frames on the wire")
        for number, frame in enumerate(done.frames, 1):
            if wrong := fault(frame.data, point.size_bytes, number):
                raise Unanswered(f"elf: frame {number}: {wrong}")
        timed = done.frames[_WARM - 1 :]
        return Result(
            point=point,
            seconds=(timed[-1].seconds - timed[0].seconds) / (len(timed) - 1),
            backend=self.name,
            bytes_moved=point.size_bytes,
            ceiling_seconds=ceiling,
            n=len(timed) - 1,
        )

    def check(self, point: Point) -> float:
        """The least seconds for a datagram; raises Unanswered where the firmware sends no such."""
        kind = self._hardware.master(point).kind
        demand(
            point,
            {
                "os": ("baremetal",),
                "direction": ("cpu_to_fpga",),
                "firmware": tuple(name for name, step in STEPS.items() if step.master == kind),
            },
        )
        if flow_of(point, ("steady", "single")) != "steady":
            raise Unanswered("elf: the firmware sends a steady flow")
        if not _SHORTEST <= point.size_bytes <= LONGEST:
            raise Unanswered(f"elf: datagrams of {_SHORTEST} to {LONGEST} B, one frame each")
        return self._twin.ceiling(point)


def _bus_clock(hardware: Hardware) -> str:
    return hardware.platform.components[hardware.of_kind("parallel_bus")].clock


def _window(hardware: Hardware) -> int:
    """Where the memory bus begins: the link leads to the transmit FIFO in it."""
    return min(link.window for link in hardware.platform.file.link.values()) - WINDOW_TRANSMIT
