# SPDX-License-Identifier: Apache-2.0
"""weighbridge time: a program of somebody else's, by function, line and component."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from weighbridge.backends.elf.lwip import lwip
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
static __attribute__((noinline)) void inner(unsigned i)
{
    ((volatile uint32_t *)0xC0000000)[i] = source[i];
}
void outer(void)
{
    for (unsigned i = 0; i < 64; i++)
        inner(i);
    inner(64);
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


def test_stacks_are_those_of_the_calls(
    program: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stacks, trace = tmp_path / "stacks.json", tmp_path / "trace.json"
    asked = ["time", str(program), *BOARD, "--call", "outer", "--json"]
    assert main([*asked, "--speedscope", str(stacks), "--trace", str(trace)]) == 0
    told = json.loads(capsys.readouterr().out)
    scope = json.loads(stacks.read_text())
    names = [frame["name"] for frame in scope["shared"]["frames"]]
    (sampled,) = scope["profiles"]
    found = {
        tuple(names[i] for i in stack)[:2]: weight
        for stack, weight in zip(sampled["samples"], sampled["weights"], strict=True)
    }
    assert ("outer", "inner") in found
    assert sum(sampled["weights"]) == pytest.approx(told["seconds"] * 1e9, rel=0.01)
    assert sampled["endValue"] == pytest.approx(sum(sampled["weights"]))
    events = json.loads(trace.read_text())["traceEvents"]
    calls = [one for one in events if one["ph"] == "X" and one["name"] == "inner"]
    # The last one is jumped to: to the processor its caller goes on.
    assert len(calls) == 64
    written = [one for one in events if one.get("cat") == "hf" and one["ph"] == "X"]
    assert sum(one["args"]["bytes"] for one in written) == 4 * 65


def test_two_programs_or_two_boards_side_by_side(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["time", str(program), "--platform", "cyclonev", "--fpga-mhz", "100", "--call", "words"]
    assert main([*asked, "--compare", str(program), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["compared"]["seconds"] == told["seconds"]
    assert main([*asked, "--set", "sdram.clock=333MHz", "--compare", str(program)]) == 0
    assert "words" in capsys.readouterr().out
    asked = ["time", str(program), "--platform", "cyclonev", "--call", "words"]
    assert main([*asked, "--link", "HF128", "--compare", "cyclonev:HF32", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["compared"]["seconds"] > 0


def test_what_cannot_be_compared_is_told_first(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["time", str(program), "--platform", "cyclonev", "--call", "words"]
    for words, told in (
        (["--compare", "nowhere"], "nowhere"),
        (["--link", "HF128", "--compare", "zynq7000"], "--compare zynq7000:LINK"),
        (["--compare", "pcie"], "no program can be executed on pcie; platforms: cyclonev"),
    ):
        assert main([*asked, *words]) == 2
        assert told in capsys.readouterr().err
    assert main(["time", "nope", "--platform", "cyclonev"]) == 2
    assert capsys.readouterr().err == "weighbridge: error: no file nope; give an ELF file\n"


#: A frame's worth of bytes, by whichever of lwIP's loops it is compiled with.
CHECKSUM = """
#include "lwip/inet_chksum.h"
static u32_t frame[1500 / 4];
volatile u16_t found;
void checksum(void) { found = inet_chksum(frame, sizeof frame); }
"""
ROOT = Path(__file__).parents[2]


def test_lwips_checksum_compiled_unchanged_is_timed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "checksum.c").write_text(CHECKSUM)
    (tmp_path / "lwipopts.h").write_text("#define NO_SYS 1\n#define LWIP_TCP 0\n")
    inside = ["-isystem", f"{lwip() / 'include'}", f"-I{tmp_path}"]
    inside += ["-isystem", "/usr/lib/picolibc/arm-none-eabi/include"]
    inside.append(f"-I{ROOT / 'firmware/stm32h7/server'}")  # for arch/cc.h
    flags = ["-mcpu=cortex-a9", "-O2", "-g", "-nostdlib", *inside]
    flags += ["-ffunction-sections", "-Wl,--gc-sections", "-Wl,-Ttext=0x100000", "-Wl,-echecksum"]
    sources = [
        tmp_path / "checksum.c",
        *(lwip() / "core" / one for one in ("inet_chksum.c", "def.c")),
    ]
    made = []
    for algorithm in (1, 3):
        made.append(tmp_path / f"checksum-{algorithm}.elf")
        with_it = [*flags, f"-DLWIP_CHKSUM_ALGORITHM={algorithm}"]
        subprocess.run(["arm-none-eabi-gcc", *with_it, *sources, "-o", made[-1]], check=True)
    asked = ["time", str(made[0]), *BOARD, "--call", "checksum", "--compare", str(made[1])]
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["stopped"] == ""
    assert next(iter(told["functions"])) == "lwip_standard_chksum"
    accesses = [
        {name: rest for name, *rest in one["components"]}["l1"][0]
        for one in (told, told["compared"])
    ]
    # The compiler joins the bytes of a pair; the other loop has words.
    assert 750 <= accesses[0] < 1.1 * 750
    assert 375 <= accesses[1] < 1.1 * 375
    assert told["compared"]["seconds"] < told["seconds"]
