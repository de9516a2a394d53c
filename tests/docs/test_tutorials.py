# SPDX-License-Identifier: Apache-2.0
"""What the tutorials show is what their commands answer, down to the figures in the sentences."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tools import ROOT, tutorials
from weighbridge.cli import main
from weighbridge.platforms import load_platform

EXAMPLE = ROOT / "firmware" / "examples" / "copy.c"


@pytest.mark.parametrize("page", tutorials.tutorials(), ids=lambda page: page.stem)
def test_its_answers_are_those_of_today(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.count("\n$ ") >= 3
    now = tutorials.gone_through(text)
    # The first run on a machine says that it builds something.
    now = re.sub(r"^(?:building|compiling) .*, once\n", "", now, flags=re.M)
    assert now == text, "make tutorials writes it anew"


@pytest.mark.parametrize("page", tutorials.tutorials(), ids=lambda page: page.stem)
def test_every_figure_in_a_sentence_is_in_an_answer(page: Path) -> None:
    assert tutorials.strangers(page.read_text("utf-8")) == []


def test_there_is_one_for_each_reader() -> None:
    readers = re.findall(r"^\*\*(\w+)\*\*", (ROOT / "docs/README.md").read_text("utf-8"), re.M)
    assert {page.stem for page in tutorials.tutorials()} == {one.lower() for one in readers}


def test_the_example_has_the_addresses_of_the_platform() -> None:
    said = dict(re.findall(r"^#define (\w+) (0x[0-9A-F]+)u", EXAMPLE.read_text("utf-8"), re.M))
    file = load_platform("cyclonev").file
    assert int(said["PL330"], 16) == file.peripheral["pl330"].base
    assert int(said["CACHE_CONTROLLER"], 16) == file.peripheral["cache_controller"].base
    assert int(said["FABRIC"], 16) == file.link["HF128"].window
    assert int(said["COHERENT"], 16) == file.route["acp"].offset
    cleaning = (ROOT / "firmware/cortex-a9/caches.c").read_text("utf-8")
    assert f"L2_CLEAN_LINE = {said['CLEAN_LINE']}," in cleaning
    assert f"L2_SYNC = {said['SYNC']}," in cleaning


def test_the_steps_of_the_copy_do_what_the_tutorial_claims(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the figures become: the order of the steps is the tutorial's point."""
    board = ["--platform", "cyclonev", "--link", "HF128", "--fpga-mhz", "150", "--json"]
    sources = [EXAMPLE, ROOT / "stack/pl330/pl330_program.c"]
    flags = ["-mcpu=cortex-a9", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-nostdlib"]
    flags += [f"-I{ROOT / 'stack/pl330'}", "-Wl,-Ttext=0x100000", "-Wl,-estart"]
    rates = {}
    for step in ("words", "pairs", "bursts", "preloaded", "straight"):
        program = tmp_path / f"{step}.elf"
        made = ["arm-none-eabi-gcc", *flags, f"-DSTEP={step}", *sources, "-lgcc", "-o", program]
        subprocess.run(made, check=True)
        for how in ("start", "call") if step == "words" else ("call",):
            call = ["--call", "copy"] if how == "call" else []
            assert main(["time", str(program), *board, *call]) == 0
            told = json.loads(capsys.readouterr().out)
            moved = {name: row[1] for name, *row in told["components"]}
            assert moved["hf"] == 65536
            rates[f"{step} {how}"] = 65536 / told["seconds"] / 1e6
    assert rates["words start"] < 20
    assert rates["words start"] < rates["words call"] < rates["bursts call"]
    assert rates["bursts call"] < rates["pairs call"] < 1.05 * rates["preloaded call"]
    assert rates["straight call"] > 900
