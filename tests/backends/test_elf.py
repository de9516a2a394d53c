# SPDX-License-Identifier: Apache-2.0
"""The programs of firmware/, executed on the platform's components."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from weighbridge.backends import Unanswered
from weighbridge.backends.elf import Elf, board
from weighbridge.backends.elf.machine import Run, described, run
from weighbridge.backends.elf.parameters import core_parameters
from weighbridge.backends.elf.programs import firmware
from weighbridge.backends.twin import Twin
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

POINT = Point(
    platform="cyclonev",
    study="",
    os="baremetal",
    master="cpu",
    link="HF32",
    fpga_mhz=100.0,
    cache_level=13,
    memory_attribute="nonshareable",
    buffer="program",
    direction="cpu_to_fpga",
    size_bytes=4096,
)
END = "\x04"


@pytest.fixture(scope="module")
def elf() -> Elf:
    return Elf(load_platform("cyclonev"))


@pytest.fixture(scope="module")
def hardware() -> Hardware:
    return Hardware(load_platform("cyclonev"), 1)


def asked(hardware: Hardware, text: str) -> Run:
    """What becomes of the firmware when it is given these lines."""
    return run(firmware(board.header(hardware)), described(hardware, POINT), f"{text}\n{END}")


def plan(hardware: Hardware, text: str) -> str:
    """What the firmware prints when it is given these lines."""
    done = asked(hardware, text)
    assert done.stopped == ""
    return done.output


@pytest.mark.parametrize(
    ("level", "attribute", "direction"),
    [
        (0, "strongly_ordered", "cpu_to_fpga"),
        (0, "strongly_ordered", "fpga_to_cpu"),
        (6, "nonshareable", "cpu_to_fpga"),
        (13, "nonshareable", "cpu_to_fpga"),
    ],
)
def test_where_the_twin_is_right_the_executed_instructions_agree(
    elf: Elf, level: int, attribute: str, direction: str
) -> None:
    point = replace(POINT, cache_level=level, memory_attribute=attribute, direction=direction)
    twin = Twin(load_platform("cyclonev"))
    assert elf.predict(point).seconds == pytest.approx(twin.predict(point).seconds, rel=0.03)


def test_a_run_is_the_same_every_time(elf: Elf) -> None:
    assert elf.predict(POINT) == elf.predict(POINT)


def test_on_the_other_board(hardware: Hardware) -> None:
    zynq = Elf(load_platform("zynq7000"))
    point = replace(
        POINT,
        platform="zynq7000",
        copy="memcpy",
        link="GP32",
        cache_level=9,
        memory_attribute="shareable",
    )
    assert zynq.predict(point).seconds < zynq.predict(replace(point, cache_level=0)).seconds


@pytest.mark.parametrize("copy", ["libc", "words", "neon"])
@pytest.mark.parametrize("direction", ["cpu_to_fpga", "fpga_to_cpu"])
def test_every_copy_moves_every_byte(hardware: Hardware, copy: str, direction: str) -> None:
    lines = [
        f"id={size} copy={copy} direction={direction} bytes={size} level={level}"
        for size, level in ((1, 13), (2, 9), (3, 6), (31, 13), (33, 8), (577, 13), (300_000, 13))
    ]
    printed = plan(hardware, "\n".join(lines))
    assert printed.count('"outcome":"ok"') == len(lines)


@pytest.mark.parametrize("offset", ["0", "0x80000000"])
@pytest.mark.parametrize("direction", ["cpu_to_fpga", "fpga_to_cpu"])
def test_the_pl330_executes_microcode_out_of_the_programs_memory(
    hardware: Hardware, direction: str, offset: str
) -> None:
    lines = [
        f"id={size} master=pl330 direction={direction} offset={offset} bytes={size} level={level}"
        for size, level in ((2, 9), (64, 0), (136, 13), (4096, 13), (300_000, 9))
        if level >= 6 or offset == "0"
    ]
    printed = plan(hardware, "\n".join(lines))
    assert printed.count('"outcome":"ok"') == len(lines)


def test_its_bursts_take_what_the_twin_says(elf: Elf) -> None:
    twin = Twin(load_platform("cyclonev"))
    point = replace(POINT, master="pl330", link="HF128", route="acp", prepared=True, cache_level=9)
    point = replace(point, memory_attribute="shareable")
    spans = []
    for backend in (elf, twin):
        short, long = (
            backend.predict(replace(point, size_bytes=size)).seconds for size in (16384, 65536)
        )
        spans.append(long - short)
    assert spans[0] == pytest.approx(spans[1], rel=0.02)


@pytest.mark.parametrize(
    ("fault", "direction", "why"),
    [
        ("fault_no_clean", "cpu_to_fpga", "DMA reads a line whose contents are in a cache alone"),
        ("fault_no_invalidate", "fpga_to_cpu", "DMA writes a line that a cache will write over"),
    ],
)
def test_forgotten_maintenance_is_stale(
    hardware: Hardware, fault: str, direction: str, why: str
) -> None:
    line = f"id=1 master=pl330 level=9 memory=nonshareable bytes=4096 direction={direction}"
    assert asked(hardware, line).stopped == ""
    found = asked(hardware, f"{line} {fault}=1").stopped
    assert found.startswith("stale: 0x00")
    assert why in found


def test_a_bad_plan_is_answered_in_a_line(hardware: Hardware) -> None:
    assert "plan line 2, column 6: level=x: give a number from 0" in plan(
        hardware, "# comment\nid=1 level=x\n"
    )
    assert '"outcome":"refused","message":"level: 0 to 13"' in plan(hardware, "id=1 level=14\n")
    assert '"outcome":"refused"' in plan(hardware, "id=1 window=0x12345678\n")


def test_what_no_program_measures_is_refused(elf: Elf) -> None:
    with pytest.raises(Unanswered, match="os=baremetal"):
        elf.predict(replace(POINT, os="linux"))


def test_every_number_of_the_core_has_a_source() -> None:
    parameters = core_parameters()
    assert len(parameters) <= 20
    assert all(one.source for one in parameters.values())


def stopped(hardware: Hardware, tmp_path: Path, code: str, **options: int) -> str:
    """Why a program of these instructions is stopped."""
    source, program = tmp_path / "own.S", tmp_path / "own.elf"
    source.write_text(f".syntax unified\n.arm\n.global _start\n_start:\n{code}\nb .\n")
    flags = ["-mcpu=cortex-a9", "-mfpu=neon", "-nostdlib", "-Wl,-Ttext=0x100000"]
    subprocess.run(["arm-none-eabi-gcc", *flags, source, "-o", program], check=True)
    return run(program, described(hardware, POINT), **options).stopped


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("ldr r0, =0x90000000\nldr r1, [r0]", "a load from 0x90000000, where nothing is modelled"),
        ("ldr r0, =0xFFFEF124\nstr r1, [r0]", "register 0xfffef124 of 'cache controller'"),
        ("mcr p15, 0, r0, c10, c2, 0", "register c10, 0, c2, 0 of the system coprocessor"),
        ("svc 0", "a supervisor call is not modelled"),
        ("udf 0", "the instruction 0xe7f000f0 (udf #0) is not modelled"),
        ("b .", "the limit of 1000 instructions is reached"),
    ],
)
def test_what_is_not_modelled_stops_the_program_in_a_line(
    hardware: Hardware, tmp_path: Path, code: str, why: str
) -> None:
    said = stopped(hardware, tmp_path, code, most=1000)
    assert why in said
    assert " at 0x0010" in said
    assert "\n" not in said
