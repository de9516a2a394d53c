# SPDX-License-Identifier: Apache-2.0
"""The microcontroller's firmware, executed on the logic behind its bus."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from weighbridge.backends import Unanswered, open_backend
from weighbridge.backends.elf import microcontroller, programs
from weighbridge.backends.elf.datagrams import fault
from weighbridge.backends.elf.microcontroller import Microcontroller, Run
from weighbridge.backends.elf.programs import microcontroller_firmware
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

FIRMWARE = Path(__file__).parents[2] / "firmware" / "stm32h7"
#: Step, MHz of the bus, published Mbit/s, and how busy the bus was in percent where that is said.
PUBLISHED = {
    "125 MHz": ("checksum_carry", 125.0, 284, None),
    "carry": ("checksum_carry", 137.5, 286, 48),
    "deferred": ("checksum_deferred", 137.5, 311, 52),
    "mdma": ("mdma", 137.5, 327, 62),
    "unrolled": ("mdma_unrolled", 137.5, 528, 100),
}
#: Cycles of a predicted jump, and of an access over the switches: fitted on `deferred` and `mdma`.
FITTED = {"branch_taken": 1.7, "register_access": 21.5}
PAGE = Path(__file__).parents[2] / "docs" / "fmc.md"


def told(head: str) -> dict[str, list[float]]:
    """Of the page's table that begins so: each cell's first number, by the row's first cell."""
    text = PAGE.read_text()
    assert text.count(head) == 1
    rows = text[text.index(head) :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {
        row[0].replace("`", ""): [
            float(found[0]) for cell in row[1:] if (found := re.findall(r"[\d.]+", cell))
        ]
        for row in cells
    }


def row_of(step: str, mhz: float) -> str:
    return f"{step}, 125 MHz" if mhz == 125 else step


def point(step: str, mhz: float = 137.5, size: int = 1450) -> Point:
    return Point(
        platform="stm32h7-fmc",
        study="",
        os="baremetal",
        master="mdma" if step.startswith("mdma") else "cpu",
        link="FMC16",
        fpga_mhz=mhz,
        direction="cpu_to_fpga",
        size_bytes=size,
        axes=(("firmware", step),),
    )


@pytest.fixture(scope="module")
def backend() -> Microcontroller:
    return Microcontroller(load_platform("stm32h7-fmc"))


def executed(backend: Microcontroller, asked: Point, lines: str, **given: Any) -> Run:
    """What becomes of the firmware of a point's step when it is given these lines."""
    hardware = backend._hardware
    step = str(dict(asked.axes)["firmware"])
    program = microcontroller_firmware(microcontroller.header(hardware, asked), step)
    return microcontroller.run(hardware, asked, program, lines, **given)


def mbit(run: Run, size: int = 1450) -> float:
    """Of a flow whose first datagrams are not counted."""
    frames = run.frames[11:]
    return 8e-6 * size * (len(frames) - 1) / (frames[-1].seconds - frames[0].seconds)


def test_five_steps_without_a_number_fitted_to_them(backend: Microcontroller) -> None:
    """In the published order. The last is the bus's; the others are somebody else's program's."""
    found = {}
    page = told("| step, 1450 bytes | published | executed, unfitted |")
    for name, (step, mhz, published, _) in PUBLISHED.items():
        found[name] = 8e-6 * 1450 / backend.predict(point(step, mhz)).seconds
        assert found[name] == pytest.approx(published, rel=0.10)
        assert page[row_of(step, mhz)][:2] == [published, pytest.approx(found[name], abs=0.1)]
    assert list(found.values()) == sorted(found.values())
    assert found["unrolled"] == pytest.approx(528, rel=0.01)


@pytest.mark.parametrize("name", PUBLISHED)
def test_with_two_numbers_fitted_all_steps_are_as_published(
    backend: Microcontroller, name: str
) -> None:
    step, mhz, published, busy = PUBLISHED[name]
    run = executed(backend, point(step, mhz), "blast 1450 40\n", numbers=FITTED)
    assert run.stopped == ""
    assert mbit(run) == pytest.approx(published, rel=0.02)
    page = told("| step, 1450 bytes | published | executed, unfitted |")
    assert page[row_of(step, mhz)][2] == pytest.approx(mbit(run), abs=0.1)
    counted = json.loads(run.output)
    # A word each for the length, the commit and four bytes; the last write takes the counters.
    assert counted["apb_writes"] == pytest.approx(375 * counted["datagrams"], abs=1)
    assert counted["apb_reads"] == 2 * counted["datagrams"]
    if busy is not None:
        share = (counted["fmc_selected"] + counted["fmc_gap"]) / counted["bus_cycles"]
        assert 100 * share == pytest.approx(busy, abs=2)


@pytest.mark.parametrize("step", ["checksum_carry", "mdma_wide", "mdma_queued"])
@pytest.mark.parametrize("size", [17, 18, 19, 20, 63, 256, 1471, 1472])
def test_every_byte_of_every_length(backend: Microcontroller, step: str, size: int) -> None:
    assert backend.predict(point(step, size=size)).seconds > 0


def test_the_engine_has_the_times_of_the_logic(backend: Microcontroller) -> None:
    """Of nearly every access; and the rate is the same, whoever of them says the times."""
    asked = point("mdma_unrolled")
    by_logic = executed(backend, asked, "blast 1450 40\n")
    by_twin = executed(backend, asked, "blast 1450 40\n", options={"times": "twin"})
    assert by_logic.report["apart"] < 0.01 * by_logic.report["accesses"]
    assert by_logic.report["logic_seconds"] == pytest.approx(
        by_logic.report["twin_seconds"], rel=0.005
    )
    assert mbit(by_twin) == pytest.approx(mbit(by_logic), rel=0.005)


def test_beyond_the_published_design(backend: Microcontroller) -> None:
    """A register stage less: seven clocks a write; the processor is still fast enough."""
    shorter = microcontroller.logic(backend._hardware, ROOT_UP=0)
    run = executed(backend, point("mdma_unrolled"), "blast 1450 40\n", library=shorter)
    assert mbit(run) == pytest.approx(607.6, rel=0.01)
    page = told("| 1450 bytes, Mbit/s | bound | twin | executed |")
    assert page["mdma_unrolled, a register stage less"][2] == pytest.approx(mbit(run), abs=0.1)


@pytest.mark.parametrize(("slices", "bound"), [("1", 705.8), ("0", 846.6)])
@pytest.mark.parametrize("step", ["mdma_wide", "mdma_queued"])
def test_eight_bytes_a_burst(step: str, slices: str, bound: float) -> None:
    """Twelve clocks for them, and ten with a register stage less; each byte is checked.

    A second frame under way gains nothing: the bus is busy all the time without it.
    """
    backend = Microcontroller(load_platform("stm32h7-fmc", {"apb.response_slices": slices}))
    result = backend.predict(point(step))
    twin = 8e-6 * 1450 / backend._twin.predict(point(step)).seconds
    executed = 8e-6 * 1450 / result.seconds
    assert 8e-6 * 1450 / result.ceiling_seconds == pytest.approx(bound, rel=0.001)
    assert executed == pytest.approx(bound, rel=0.015)
    assert twin == pytest.approx(executed, rel=0.015)
    logic = "a register stage less" if slices == "0" else "the measured logic"
    page = told("| 1450 bytes, Mbit/s | bound | twin | executed |")
    assert page[f"{step}, {logic}"][:3] == pytest.approx([bound, twin, executed], abs=0.1)


def test_the_page_says_what_the_twin_predicts(backend: Microcontroller) -> None:
    """Rate, writes a second, and how busy the bus is: seven or eight clocks of each write."""
    page = told("| firmware | Mbit/s, measured | predicted |")
    assert len(page) == 5
    for row, numbers in page.items():
        step, *at = row.split(", ")
        seconds = backend._twin.predict(point(step, 125.0 if at else 137.5)).seconds
        assert numbers[1] == pytest.approx(8e-6 * 1450 / seconds, abs=0.1)
        if not at:
            clocks = 8 if step.startswith("mdma") else 7
            assert numbers[3] == pytest.approx(375e-6 / seconds, abs=0.01)
            assert numbers[5] == pytest.approx(375 * clocks / 1.375e6 / seconds, abs=0.1)


def test_a_run_is_the_same_every_time(backend: Microcontroller) -> None:
    assert backend.predict(point("mdma")) == backend.predict(point("mdma"))


@pytest.mark.parametrize("lines", ["blast 15 40\n", "blast 1473 40\n", "blast 1450 4\n", "x\n"])
def test_what_the_firmware_refuses(backend: Microcontroller, lines: str) -> None:
    run = executed(backend, point("mdma"), lines)
    assert "error" in json.loads(run.output)
    assert run.frames == []


@pytest.mark.parametrize("change", [{"size_bytes": 15}, {"size_bytes": 2000}, {"os": "linux"}])
def test_what_has_no_answer(backend: Microcontroller, change: dict[str, Any]) -> None:
    with pytest.raises(Unanswered):
        backend.predict(replace(point("mdma"), **change))


def test_the_backend_is_found_by_the_platform() -> None:
    assert isinstance(open_backend("elf", "stm32h7-fmc", {}, 1), Microcontroller)


#: What is left out or wrong in a program: file, words, words instead, and what stops the run.
FAULTS = {
    "list not cleaned": (
        "transmit.c",
        "\tclean(&nodes[0], sizeof(nodes[0]));\n",
        "",
        "stale: the MDMA reads",
    ),
    "not aligned": (
        "transmit.c",
        "FIFO(FMC_TRANSMIT_LENGTH) = bytes;",
        "FIFO(FMC_TRANSMIT_LENGTH + 1) = bytes;",
        "faults: a device takes none that is not aligned",
    ),
    "halves the wrong clock": (
        "board.c",
        "FMC_BTR1 = (BUS_DIVISION - 1) << 20;",
        "FMC_BTR1 = 2u << 20;",
        "the memory bus's clock is set to 91.666667 MHz",
    ),
    "a wait that is not looked at": (
        "board.c",
        "1u << 13 | ",
        "",
        "the FMC's WAITEN is not 1",
    ),
    "the MDMA by the wrong port": (
        "transmit.c",
        "#define FROM_TCM (1u << 16)",
        "#define FROM_TCM 0u",
        "by the wrong port",
    ),
    "window as normal memory": (
        "board.c",
        "MPU_RASR = 1u << 28",
        "MPU_RASR = 1u << 28 | 1u << 17",
        "is normal memory by the MPU",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_a_board_would_not_forgive_stops_the_run(
    backend: Microcontroller, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, words, instead, why = FAULTS[name]
    home = tmp_path / "home"
    shutil.copytree(FIRMWARE, home / "firmware" / "stm32h7")
    shutil.copytree(FIRMWARE.parents[1] / "stack" / "linux", home / "stack" / "linux")
    source = home / "firmware" / "stm32h7" / file
    assert words in source.read_text()
    source.write_text(source.read_text().replace(words, instead))
    step = "checksum_carry" if name == "not aligned" else "mdma"
    header = microcontroller.header(backend._hardware, point(step))
    with monkeypatch.context() as patch:
        patch.setattr(programs, "_home", lambda: home)
        program = microcontroller_firmware.__wrapped__(header, step)
    run = microcontroller.run(backend._hardware, point(step), program, "blast 100 8\n")
    assert why in run.stopped


def interrupts(backend: Microcontroller, line: str) -> Run:
    """A program of its own, which takes exceptions."""
    asked = point("mdma")
    header = microcontroller.header(backend._hardware, asked)
    source = Path(__file__).with_name("interrupts_m7.c")
    program = microcontroller_firmware(header, "mdma", main=source)
    return microcontroller.run(backend._hardware, asked, program, f"{line}\n")


def test_exceptions_come_in_their_order(backend: Microcontroller) -> None:
    """One within the other, one after the other, a call, and what masks hold back."""
    run = interrupts(backend, "order")
    assert (run.stopped, run.output) == ("", "lhmp|s|-h|h-p|\n")


def test_a_tick_wakes_the_core_and_is_taken(backend: Microcontroller) -> None:
    """Twenty of 10,000 cycles each; the handler sees its own number."""
    run = interrupts(backend, "tick")
    assert (run.stopped, run.output) == ("", "200 15\n")


def test_the_end_of_a_list_interrupts(backend: Microcontroller) -> None:
    run = interrupts(backend, "mdma")
    assert (run.stopped, run.output, len(run.frames)) == ("", "1\n", 2)


@pytest.mark.parametrize(
    ("line", "why"),
    [("none", "exception 56 has no handler"), ("process", "process stack")],
)
def test_exceptions_that_a_board_would_not_survive_stop_the_run(
    backend: Microcontroller, line: str, why: str
) -> None:
    assert why in interrupts(backend, line).stopped


def test_a_wrong_frame_is_found(backend: Microcontroller, tmp_path: Path) -> None:
    """Each bit of a frame, but for those that no check covers: addresses of Ethernet."""
    run = executed(backend, point("mdma", size=20), "blast 20 5\n")
    frame = run.frames[0].data
    assert fault(frame, 20, 1) == ""
    for bit in range(8 * 12, 8 * (42 + 20)):
        changed = bytearray(frame)
        changed[bit // 8] ^= 1 << bit % 8
        assert fault(bytes(changed), 20, 1) != ""


CHECKSUMS = """
#include <stdio.h>
#include <string.h>
#include "checksum.h"
static unsigned char data[65536];
int main(void) {
  for (int round = 0; round < 2; round++) {
    unsigned state = 1;
    for (int i = 0; i < 65536; i++)
      data[i] = round ? (unsigned char)((state = state * 1103515245u + 12345u) >> 16) : 0xFF;
    for (unsigned bytes = 0; bytes < 65536; bytes += bytes < 3000 ? 1 : 97) {
      unsigned long long sum = 0xFFFF;
      for (unsigned i = 0; i < bytes; i++) sum += (unsigned)data[i] << (i % 2 ? 0 : 8);
      unsigned one = checksum_carry(data, bytes, 0xFFFF);
      if (one % 0xFFFF != sum % 0xFFFF || one != checksum_deferred(data, bytes, 0xFFFF) ||
          one != checksum_folded(data, bytes, 0xFFFF))
        return printf("%u bytes: %x\\n", bytes, one), 1;
    }
  }
  return 0;
}
"""


def test_three_checksums_agree(tmp_path: Path) -> None:
    (tmp_path / "board.h").write_text("")
    (tmp_path / "main.c").write_text(CHECKSUMS)
    program = tmp_path / "program"
    flags = ["-O2", "-Wall", "-Wno-attributes", f"-I{tmp_path}", f"-I{FIRMWARE}"]
    sources = [tmp_path / "main.c", FIRMWARE / "checksum.c"]
    subprocess.run(["gcc", *flags, *sources, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
