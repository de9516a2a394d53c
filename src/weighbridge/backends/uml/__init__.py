# SPDX-License-Identifier: Apache-2.0
"""The whole stack in simulated time: a program on the driver in a Linux guest, on the logic.

The logic is Verilated, its bursts go through the platform's port, caches and memory as the twin has
them, and so do the copies of the guest's kernel and what the program does with its data. The rest
of what the guest's software costs are figures of the platform file: `facts()` names them.

A microcontroller's points are the client's (client.py): the guest is at the other end of its wire.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

from weighbridge import _engine
from weighbridge.backends import DEFAULT_SEED, Asked, Unanswered
from weighbridge.backends.description_file import description_file
from weighbridge.backends.elf import programs
from weighbridge.backends.rtl import verilator
from weighbridge.backends.twin.asking import Programs
from weighbridge.backends.twin.driver_accesses import Accesses, driver_call
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.backends.twin.program import Domain, Flow, Program
from weighbridge.backends.twin.streams import Streams
from weighbridge.backends.twin.words import Words
from weighbridge.backends.uml import guest
from weighbridge.backends.uml.client import Client
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputError
from weighbridge.platforms.changing import independent
from weighbridge.platforms.model import Link, Platform, Quantity

__all__ = ["Uml"]

#: Blocks, or calls, that are measured, and bytes that they are at most.
_BLOCKS: Final = 16
_CALLS: Final = 256
_CALL_BYTES: Final = 1 << 20
_MOST: Final = 16 << 20
#: The commands of the original in registers: what the published figures were measured with.
_DRIVER: Final = {"rings": 0}
#: Bytes that the logic's bus, and a stream of it, move in a cycle.
_BUS: Final = 8
_WORD: Final = 4
_GUEST_MEMORY: Final = 128 << 20
_SAID: Final = re.compile(
    r"^# ns (\d+) blocks (\d+) counted ([\d.]+) reads (\d+) writes (\d+) interrupts (\d+)\r?$", re.M
)
#: Letters that the program takes for what it does with its data.
_WORK: Final = {"none": (), "cpu_stream": ("r",), "cpu_random": ("R",)}
#: Parameters of the platform's software, and what in the guest is charged with them.
_CHARGED: Final = {
    "stream_call": "system call",
    "stream_work": "system call",
    "stream_interrupt": "the interrupt, its handler, and waking the process that waits",
    "stream_maintain": "maintenance of a range of lines",
    "stream_clean": "cleaning of a line",
    "stream_invalidate": "invalidation of a line",
}


@dataclass(frozen=True, slots=True)
class _Told:
    """What the program tells of a block, or of a call."""

    seconds: float
    register_accesses: float
    interrupts: float
    measured: int
    cycles: int  #: simulated for it, and not for another point before


def _nodes_clock(hardware: Hardware, point: Point) -> str:
    """The clock of the logic behind its ports: one of its own where the platform says so."""
    return hardware.platform.file.nodes_clock or hardware.master(point).clock


class _Bench:
    """Runs the benchmark program for points; both directions of duplex traffic are one run."""

    def __init__(self, hardware: Hardware) -> None:
        self._hardware = hardware
        self._runs: dict[object, guest.Run] = {}

    def ask(
        self,
        point: Point,
        coherent: bool,
        engine: tuple[str, Link],
        program: tuple[str, ...],
    ) -> _Told:
        """engine: the one whose bursts go through a link."""
        hardware = self._hardware
        software = hardware.costs(str(point.os))
        outer = hardware.platform.components[hardware.cache("outer")]
        parts: dict[str, str | float] = {
            "port": engine[1].component,
            "engine": engine[0],
            "processor": hardware.of_kind("processor"),
            "inner": hardware.cache("inner"),
            "outer": hardware.cache("outer"),
            "nodes": _nodes_clock(hardware, point),
            "maintain": software["stream_maintain"],
            "clean": software["stream_clean"],
            "invalidate": software["stream_invalidate"],
            "foreign": 2 * int(outer.base_value("bytes")),
        }
        numbers = {
            (engine[1].component, "width"): float(bytes_of(engine[1].width)),
            # Whatever is asked of the twin's node, the logic's bus is as it is.
            (engine[0], "width"): float(_BUS),
        }
        text = description_file(hardware.description(point, numbers), parts)
        key = (program, text, coherent)
        cycles = 0
        if key not in self._runs:
            boot = {
                "guest_costs.memory": 1,
                "guest_costs.noncoherent": int(not coherent),
                "guest_costs.syscall": round(software["stream_call"] + software["stream_work"]),
                "guest_costs.interrupt": round(software["stream_interrupt"]),
                "virt_pci.read_ns": round(self._register_access(point, write=False)),
                "virt_pci.write_ns": round(self._register_access(point, write=True)),
                "virt_pci.max_delay_us": 1_000_000,
            }
            hertz = round(1e6 * hardware.clock_mhz(_nodes_clock(hardware, point), point))
            logic = {"ASYNC": 1, "CLOCK_HZ": hertz}
            self._runs[key] = guest.run(program, text, boot, _DRIVER, _GUEST_MEMORY, logic)
            counts = self._runs[key].counts
            cycles = counts["cycles"] - counts["skipped"]
        output = self._runs[key].output
        said = _SAID.search(output)
        if said is None:
            raise InputError(f"uml: the program has told no time: {output[-200:]!r}")
        ns, measured, counted, reads, writes, interrupts = map(float, said.groups())
        return _Told(
            seconds=ns / measured * 1e-9,
            register_accesses=(reads + writes) / counted,
            interrupts=interrupts / counted,
            measured=int(measured),
            cycles=cycles,
        )

    def _register_access(self, point: Point, write: bool) -> float:
        """An access of the processor to the registers of a point's master, ns, as the twin's."""
        hardware = self._hardware
        job = _engine.WordJob()
        job.to_fabric, job.words = write, 1
        job.node = hardware.of_kind("word_fifo")
        job.processor = hardware.of_kind("processor")
        job.control = hardware.registers(hardware.master(point)).window
        job.call = job.wait = driver_call(Accesses(0))
        outcome = _engine.word_transfer(hardware.description(point), job)
        seconds = {phase.name: phase.seconds for phase in outcome.phases}
        return 1e9 * seconds["copy by the processor" if write else "register accesses"]


class _Guest(Domain):
    """A program that is run in a guest, which tells how long it took and not where that goes.

    modelled: the program of the twin whose points are asked of it.
    """

    modelled: ClassVar[type[Program]]

    def __init__(self, hardware: Hardware) -> None:
        super().__init__(hardware)
        self._bench = _Bench(hardware)
        self._twins = self.modelled(hardware)

    def check(self, point: Point) -> None:
        self._twins.check(point)

    def ceiling(self, point: Point) -> float:
        return self._twins.ceiling(point)

    def path(self, point: Point) -> list[str]:
        return self._twins.path(point)

    @abstractmethod
    def told(self, point: Point) -> _Told:
        """The program's answer to a point that has been checked."""


class _GuestStreams(_Guest):
    """Streams of blocks by the program in the guest."""

    modelled = Streams
    understands = Streams.understands
    drives = staticmethod(Streams.drives)

    def __init__(self, hardware: Hardware) -> None:
        super().__init__(hardware)
        self._streams = Streams(hardware)

    def check(self, point: Point) -> None:
        super().check(point)
        said = self.said(point)
        if said["streams"] != 1:
            raise Unanswered("uml: the guest's device has one DMA node")
        if point.buffer == "ring" and point.completion == "poll":
            raise Unanswered("uml: the program waits for its ring")

    def flows(self, point: Point) -> tuple[Flow, ...]:
        return ("steady",)

    def ceiling(self, point: Point) -> float:
        """The logic's streams are words, one a cycle, whatever the bus could move."""
        mhz = self._hardware.clock_mhz(_nodes_clock(self._hardware, point), point)
        return max(super().ceiling(point), point.size_bytes / (_WORD * mhz * 1e6))

    def told(self, point: Point) -> _Told:
        said = self.said(point)
        job = self._streams.job(point)
        direction = "duplex" if job.duplex else "to" if job.to_fabric else "from"
        work = _WORK[str(said["consume"])]
        program: tuple[str, ...]
        if job.copies:
            measured = max(1, min(_CALLS, _CALL_BYTES // point.size_bytes))
            program = ("ring", direction, str(point.size_bytes), str(measured), *work)
            pieces = 1
        else:
            pieces = job.pieces
            measured = pieces * max(4, min(_BLOCKS, _MOST // job.bytes))
            polling = ("poll",) if job.polling else ()
            blocks = (str(job.bytes), str(job.blocks), str(measured))
            program = ("blocks", str(point.buffer), direction, *blocks, *polling, *work)
        engine = (str(point.master), self._streams.link(point))
        told = self._bench.ask(point, self._streams.coherent(point), engine, program)
        return replace(
            told,
            seconds=pieces * told.seconds,
            # Of a round of blocks that go both ways.
            register_accesses=pieces * told.register_accesses / (1 + job.duplex),
            interrupts=pieces * told.interrupts / (1 + job.duplex),
            measured=told.measured // pieces,
        )


class _GuestWords(_Guest):
    """Words through a FIFO by the program in the guest."""

    modelled = Words
    drives = staticmethod(Words.drives)

    def told(self, point: Point) -> _Told:
        direction = "to" if point.direction == "cpu_to_fpga" else "from"
        measured = max(2, min(_BLOCKS, 4096 // point.size_bytes))
        waiting = ("wait",) if point.completion == "interrupt" else ()
        program = ("words", direction, str(point.size_bytes), str(measured), *waiting)
        master = self._hardware.of_kind("descriptor_dma")
        ports = self._platform.components[master].to
        link = next(one for one in self._platform.file.link.values() if one.component in ports)
        return self._bench.ask(point, False, (master, link), program)


class Uml:
    """Answers points of masters that the guest's driver knows; raises Unanswered for others."""

    name = "uml"

    def __init__(self, platform: Platform, seed: int = DEFAULT_SEED) -> None:
        guest.check()
        # Without the figures that are fitted to the table with which the answers are compared.
        self._platform = independent(platform)
        ways: tuple[type[_Guest], ...] = (_GuestStreams, _GuestWords)
        self._programs = Programs(self.name, self._platform, seed, ways)

    def predict(self, point: Point) -> Result:
        program = self._programs.of(point)
        told = program.told(point)
        return Result(
            point=point,
            seconds=told.seconds,
            backend=self.name,
            statistic="mean",
            n=told.measured,
            bytes_moved=point.size_bytes,
            ceiling_seconds=program.ceiling(point),
            register_accesses=told.register_accesses,
            interrupts=told.interrupts,
            simulated_cycles=told.cycles,
        )

    def facts(self) -> dict[str, object]:
        """What the guest is charged with, and where each figure comes from."""
        software = self._platform.file.software.get("linux", {})
        charged = [
            {"charged": what, "parameter": f"linux.{field}", **_quantity(software[field])}
            for field, what in _CHARGED.items()
            if field in software
        ]
        parts = self._platform.components.items()
        caches = [name for name, part in parts if part.kind == "cache"]
        memory = next((name for name, part in parts if part.kind == "sdram"), "memory")
        lines = f"lines through {', '.join(caches)} and {memory}"
        nodes = self._platform.file.nodes_clock
        clock = f"clock.{nodes}" if nodes else "their clock"
        modelled = {
            "access to a register": "the processor's way to the registers, as the twin has it",
            "copy between kernel and user, more than 64 B": lines,
            "work of the program on its data": f"{lines}, as it tells",
            "burst of the logic": f"its port, the caches behind it, and {memory}",
            "nodes and router": f"cycles of {clock}, which are those that are counted",
        }
        return {"guest": {"costs": charged, "modelled": modelled, "driver": dict(_DRIVER)}}


def _quantity(quantity: Quantity) -> dict[str, object]:
    return {"value": quantity.value, "unit": quantity.unit, "source": quantity.source}


def opened(asked: Asked) -> Uml | Client:
    platform = asked.loaded()
    if any(one.kind == "microcontroller" for one in platform.components.values()):
        return Client(platform, asked.seed)
    return Uml(platform, asked.seed)


def made_of() -> list[Path]:
    return [*verilator.sources(), *guest.sources(), *programs.sources()]
