# SPDX-License-Identifier: Apache-2.0
"""Interrupts of the executed programs, and the PL330's two security states."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from weighbridge.backends import Unanswered
from weighbridge.backends.elf import Elf, board
from weighbridge.backends.elf.machine import Run, described, run
from weighbridge.backends.elf.profile import profile
from weighbridge.backends.elf.programs import firmware
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

END = "\x04"
POINT = Point(
    platform="cyclonev",
    study="",
    os="baremetal",
    master="pl330",
    link="HF32",
    route="sdramc",
    prepared=True,
    fpga_mhz=100.0,
    buffer="program",
    direction="cpu_to_fpga",
    size_bytes=4096,
)
REGISTERS = Path(__file__).parents[2] / "stack/pl330/pl330_registers.h"
#: Links of the boards that have a PL330.
LINKS = {"cyclonev": "HF32", "zynq7000": "GP32"}


def hardware_of(platform: str) -> Hardware:
    return Hardware(load_platform(platform), 1)


def point_on(platform: str) -> Point:
    return Point(
        platform=platform,
        study="",
        direction="cpu_to_fpga",
        size_bytes=1,
        link=LINKS[platform],
        fpga_mhz=100.0,
    )


def asked(text: str, platform: str = "cyclonev", report: bool = False) -> Run:
    """What becomes of the firmware when it is given these lines."""
    hardware = hardware_of(platform)
    program = firmware(board.header(hardware))
    lines = f"{text}\n{END}"
    done = run(program, described(hardware, point_on(platform)), lines, report=report)
    assert done.stopped == ""
    return done


def fault(name: str) -> int:
    found = re.search(rf"PL330_FTR_{name}\s+\(1u << (\d+)\)", REGISTERS.read_text())
    assert found
    return 1 << int(found[1])


def samples(done: Run) -> list[float]:
    return [float(one) for one in re.findall(r'"ns":([\d.]+),"count"', done.output)]


@pytest.mark.parametrize("platform", LINKS)
@pytest.mark.parametrize("security", ["secure", "nonsecure"])
def test_transfers_that_end_with_an_interrupt(platform: str, security: str) -> None:
    window = load_platform(platform).file.link[LINKS[platform]].window
    lines = [
        f"id=1 master=pl330 window={window:#x} completion=interrupt security={security}"
        f" direction={direction} bytes={size} level={level} repetitions=2"
        for direction in ("cpu_to_fpga", "fpga_to_cpu")
        for size, level in ((2, 9), (64, 0), (4096, 13), (300_000, 9))
    ]
    done = asked("\n".join(lines), platform)
    assert done.output.count('"outcome":"ok"') == len(lines)
    assert len(samples(done)) == 2 * len(lines)


def test_an_interrupt_costs_its_way_to_the_handler() -> None:
    line = "id=1 master=pl330 bytes=4096 level=9"
    polled, told = samples(asked(f"{line}\n{line} completion=interrupt"))
    # Some registers of controllers are looked at more, none waits for the next poll.
    assert 0 < told - polled < 2000


def test_a_point_says_how_its_end_is_learnt() -> None:
    elf = Elf(load_platform("cyclonev"))
    point = replace(POINT, completion="interrupt", cache_level=9, memory_attribute="shareable")
    polled, told = (
        elf.predict(replace(point, completion=completion)).seconds
        for completion in ("poll", "interrupt")
    )
    assert 0 < told - polled < 2e-6
    with pytest.raises(Unanswered, match="no program of 'cpu' has interrupt"):
        elf.predict(replace(point, master="cpu", route=None, prepared=None))


def test_a_program_that_is_not_secure_takes_as_long() -> None:
    line = "id=1 master=pl330 bytes=65536 level=9"
    secure, nonsecure = samples(asked(f"{line}\n{line} security=nonsecure"))
    assert nonsecure == pytest.approx(secure, rel=0.01)


@pytest.mark.parametrize("completion", ["poll", "interrupt"])
def test_what_is_not_secure_may_not_do_what_is(completion: str) -> None:
    line = f"id=1 master=pl330 bytes=64 level=9 security=nonsecure completion={completion}"
    done = asked(
        f"{line} fault_secure_start=1\n{line} fault_secure_access=1\n{line}\n"
        "id=2 master=pl330 bytes=64 level=9 fault_secure_access=1 fault_secure_start=1"
    )
    # The load is the first one that is refused.
    load_at = 18
    assert f"manager is at fault: FTRD 0x{fault('DMAGO') | fault('DEBUG'):08x}" in done.output
    assert f"FTR 0x{fault('SECURITY'):08x} at byte 0x{load_at:08x}" in done.output
    # What was at fault runs again, and a controller that is secure may do both.
    assert done.output.count('"outcome":"ok"') == 2


def test_an_event_that_is_secure_is_refused() -> None:
    line = "id=1 master=pl330 bytes=64 level=9 security=nonsecure completion=interrupt"
    done = asked(f"{line} fault_secure_event=1\n{line}")
    # The event, behind three moves, a load, a store and a barrier.
    assert f"FTR 0x{fault('EVENT'):08x} at byte 0x{21:08x}" in done.output
    assert done.output.count('"outcome":"ok"') == 1


@pytest.mark.parametrize(
    ("byte", "value", "cause"),
    [
        (0, 0xFF, "UNDEFINED"),
        # The event's number, behind two moves, the bursts' shape, a load, a store and a barrier.
        (22, 31 << 3, "OPERAND"),
    ],
)
def test_a_fault_is_told_by_its_interrupt(byte: int, value: int, cause: str) -> None:
    line = "id=1 master=pl330 bytes=64 level=9 completion=interrupt"
    wrong = f"fault_wrong_byte={byte + 1} fault_wrong_value={value}"
    done = asked(f"{line} {wrong}\n{line}")
    assert f"FTR 0x{fault(cause):08x} at byte 0x" in done.output
    assert done.output.count('"outcome":"ok"') == 1


def test_the_handler_is_called_from_where_it_interrupts() -> None:
    done = asked("id=1 master=pl330 bytes=4096 level=9 completion=interrupt", report=True)
    program = firmware(board.header(hardware_of("cyclonev")))
    stacks = profile(program, done.report).stacks
    handlers = [stack for stack in stacks if "interrupts_serve" in stack]
    assert handlers
    for stack in handlers:
        assert stack.index("interrupts_await") < stack.index("interrupts_serve")
    # And what was interrupted goes on in its own place.
    assert any(stack[-2:-1] == ("dma_copy",) for stack in stacks)


#: The processor's own region, and the serial port that a byte is written to.
OWN = """
	ldr	r0, =vectors
	mcr	p15, 0, r0, c12, c0, 0
	cpsid	i, #0x12
	ldr	sp, =0x200000
	cps	#0x13
	ldr	r4, =0xFFFEC100
	ldr	r5, =0xFFFED000
	ldr	r6, =0xFFC02000
	mov	r8, #0
	mov	r0, #1
	str	r0, [r4]			@ interface
	str	r0, [r5]			@ distributor
	mov	r0, #0xFF
	str	r0, [r5, #0x100]		@ software's interrupts
	ldr	r0, =0x80808080
	str	r0, [r5, #0x400]
"""
RAISE = "ldr r0, =0x02000003\nstr r0, [r5, #0xF00]\n"
SPIN = "1: cmp r8, #0\nbeq 1b\n"
VECTORS = """
	wfi
	.balign 32
vectors:
	.rept 6
	b	.
	.endr
	push	{r0, lr}
	ldr	r8, [r4, #0xC]
	str	r8, [r4, #0x10]
	add	r0, r8, #0x30
	str	r0, [r6]
	pop	{r0, lr}
	subs	pc, lr, #4
	.ltorg
"""


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        # At the end of a block of a loop that waits for nothing.
        (f"mov r0, #0xF0\nstr r0, [r4, #4]\n{RAISE}cpsie i\n{SPIN}", "3"),
        # Masked by its priority until that is let through.
        (
            f"mov r0, #0x80\nstr r0, [r4, #4]\n{RAISE}cpsie i\nmov r0, #0x4E\nstr r0, [r6]\n"
            f"mov r0, #0xF0\nstr r0, [r4, #4]\n{SPIN}",
            "N3",
        ),
        # Masked in the core it ends the sleep, and is taken when the core lets it.
        (
            f"mov r0, #0xF0\nstr r0, [r4, #4]\n{RAISE}wfi\nmov r0, #0x4E\nstr r0, [r6]\n"
            f"cpsie i\n{SPIN}",
            "N3",
        ),
        # Nothing is raised: the sleep is the program's end.
        ("cpsie i\nwfi\nmov r0, #0x4E\nstr r0, [r6]\n", ""),
    ],
)
def test_the_interrupt_controller(tmp_path: Path, code: str, printed: str) -> None:
    source, program = tmp_path / "own.S", tmp_path / "own.elf"
    source.write_text(f".syntax unified\n.arm\n.global _start\n_start:\n{OWN}{code}{VECTORS}")
    flags = ["-mcpu=cortex-a9", "-nostdlib", "-Wl,-Ttext=0x100000"]
    subprocess.run(["arm-none-eabi-gcc", *flags, source, "-o", program], check=True)
    done = run(program, described(hardware_of("cyclonev"), point_on("cyclonev")), most=100_000)
    assert (done.stopped, done.output) == ("", printed)
