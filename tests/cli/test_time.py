# SPDX-License-Identifier: Apache-2.0
"""weighbridge time: a program of somebody else's, by function, line and component."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from weighbridge.cli import main

LOOP = """
#include <stdint.h>
uint32_t source[4096];
void words(void)
{
    volatile uint32_t *fabric = (volatile uint32_t *)0xC0000000;
    for (unsigned i = 0; i < 4096; i++)
        fabric[i] = source[i];
}
void nothing_there(void) { *(volatile uint32_t *)0x90000000 = 0; }
"""
BOARD = ["--platform", "cyclonev", "--link", "HF32", "--fpga-mhz", "100"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loop")
    (folder / "loop.c").write_text(LOOP)
    flags = ["-mcpu=cortex-a9", "-O2", "-g", "-nostdlib", "-Wl,-Ttext=0x100000", "-Wl,-ewords"]
    made = ["arm-none-eabi-gcc", *flags, folder / "loop.c", "-o", folder / "loop.elf"]
    subprocess.run(made, check=True)
    return folder / "loop.elf"


def test_a_loop_over_words_is_bound_by_the_bridge(
    program: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folded = tmp_path / "stacks"
    asked = ["time", str(program), *BOARD, "--call", "words", "--folded", str(folded), "--json"]
    assert main(asked) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["stopped"] == ""
    components = {name: rest for name, *rest in told["components"]}
    # A 32-bit bridge at 100 MHz: a word is a cycle of 10 ns.
    assert components["hf"][1] == 4 * 4096
    assert told["seconds"] > 4096 * 10e-9
    assert components["l1"][0] >= 4096
    assert next(iter(told["functions"])) == "words"
    assert next(iter(told["lines"])) == "words loop.c:8"
    assert folded.read_text().startswith("words;loop.c:8 ")


def test_it_stops_with_a_line(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["time", str(program), *BOARD, "--call", "nothing_there"]) == 2
    said = capsys.readouterr().err.strip()
    assert "a store to 0x90000000, where nothing is modelled at 0x001" in said
    assert "(nothing_there+" in said
    assert main(["time", str(program), *BOARD, "--call", "gone"]) == 2
    assert "no symbol 'gone'" in capsys.readouterr().err
    assert main(["time", "/bin/true", *BOARD]) == 2
    assert "not a 32-bit little-endian ELF file for ARM" in capsys.readouterr().err
