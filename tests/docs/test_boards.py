# SPDX-License-Identifier: Apache-2.0
"""The pages of boards/ name addresses, sizes and clocks as the platform files and programs do."""

from __future__ import annotations

import re

import pytest

from tools import ROOT, board_program
from weighbridge.platforms import load_platform
from weighbridge.platforms.model import Platform
from weighbridge.quantities import format_size

PAGES = {one.parent.name: one for one in sorted((ROOT / "boards").glob("*/README.md"))}
FIRMWARE = [name for name, page in PAGES.items() if "\n## Firmware\n" in page.read_text("utf-8")]
ADDRESS = re.compile(r"0x[0-9A-F]{4}_?[0-9A-F]{4}\b")
RAM = re.compile(r"(?:ram|flash) +\(\w+\) +: ORIGIN = (\w+), LENGTH = (\d+)([KM])")


def said(platform: Platform) -> set[int]:
    """What a platform's file has of addresses, and where its program lies."""
    file = platform.file
    found = {one.base for one in file.peripheral.values()}
    found |= {link.window for link in file.link.values() if link.window is not None}
    return found | {start for start, _ in regions(platform)}


def regions(platform: Platform) -> list[tuple[int, int]]:
    """Where the program of a platform is linked: addresses and bytes."""
    small = any(one.kind == "microcontroller" for one in platform.components.values())
    script = ROOT / "firmware" / ("stm32h7" if small else "cortex-a9") / "program.ld"
    scale = {"K": 1 << 10, "M": 1 << 20}
    return [
        (int(start, 16), int(count) * scale[unit])
        for start, count, unit in RAM.findall(script.read_text("utf-8"))
    ]


def test_there_is_a_page_for_each_board_with_firmware() -> None:
    assert {"cyclonev", "zynq7000", "stm32h7-fmc"} <= set(FIRMWARE)


@pytest.mark.parametrize("name", FIRMWARE)
def test_addresses_are_those_of_the_platform(name: str) -> None:
    platform = load_platform(name)
    text = PAGES[name].read_text("utf-8")
    named = {int(one.replace("_", ""), 16) for one in ADDRESS.findall(text)}
    loaded = {int(one, 16) for one in re.findall(r"(?:fatload mmc \S+|bootelf) (0x\w+)", text)}
    assert named - loaded <= said(platform)
    if platform.file.memory is not None:
        assert len(loaded) == 1
    for address in loaded:
        # The boot loader's copy overlaps nothing of the program, and lies in the memory.
        assert all(not start <= address < start + count for start, count in regions(platform))
        assert address < platform.memory_bytes
    memory = platform.file.fabric_memory
    if memory is not None:
        assert f"a memory of {format_size(int(memory.value * 1024))} at" in text
    assert "tried on hardware" in text


@pytest.mark.parametrize("name", FIRMWARE)
def test_its_program_is_made_by_the_command(
    name: str, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PAGES[name].read_text("utf-8").replace("\\\n", "")
    (made, *_) = re.findall(r"^ {4}python -m tools\.board_program (.*)$", text, re.M)
    words = [str(tmp_path / "card") if one == "card" else one for one in made.split()]
    assert board_program.main(words) == 0
    capsys.readouterr()
    for file in re.findall(r"card/([\w.]+)", text):
        assert (tmp_path / "card" / file).stat().st_size > 0
