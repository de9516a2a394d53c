# SPDX-License-Identifier: Apache-2.0
"""One vocabulary: options and KEY=VALUE words mean the same in every command that has either."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]

DMA = ("zynq7000", "master=datra_dma", "link=HP", "buffer=coherent", "--size", "64KiB")


def _plain(weighbridge: Run, *words: str) -> Any:
    status, out, err = weighbridge(*words, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize("command", ["advise", "explain", "curve", "sensitivity"])
def test_an_option_and_a_word_mean_the_same(weighbridge: Run, command: str) -> None:
    path = ("cyclonev", "master=cpu", "link=HF32")
    size = () if command == "curve" else ("--size", "256")
    short = ("--to", "64") if command == "curve" else ()
    if command == "sensitivity":
        short = ("--parameters", "1", "--processes", "1")
    said = [
        _plain(weighbridge, command, *path, *size, *short, *words)
        for words in (
            ("--direction", "fpga_to_cpu", "--os", "baremetal", "--fpga-mhz", "75"),
            ("direction=fpga_to_cpu", "os=baremetal", "fpga_mhz=75"),
            ("direction=fpga-to-cpu", "--os", "baremetal", "fpga-mhz=75MHz"),
        )
    ]
    assert said[0] == said[1] == said[2]
    point = said[0]["paths"][0]["point"] if command == "advise" else said[0]["point"]
    assert (point["direction"], point["os"], point["fpga_mhz"]) == ("fpga_to_cpu", "baremetal", 75)


@pytest.mark.parametrize(
    "words",
    [
        ("consume=cpu_stream",),
        ("consume=cpu-stream",),
        ("--consume", "cpu_stream"),
        ("--consume", "cpu-stream"),
    ],
)
def test_a_hyphen_or_an_underscore(weighbridge: Run, words: tuple[str, ...]) -> None:
    way = ("direction=fpga_to_cpu",)
    explained = _plain(weighbridge, "explain", *DMA, *way, *words)
    assert explained["point"]["consume"] == "cpu_stream"
    advised = _plain(weighbridge, "advise", *DMA, *way, *words)
    assert {one["point"]["consume"] for one in advised["paths"]} == {"cpu_stream"}


def test_a_hyphen_in_the_values_of_a_platform(weighbridge: Run) -> None:
    one, other = (
        _plain(
            weighbridge, "explain", "stm32h7-fmc", f"firmware={word}", "master=mdma", "size=1KiB"
        )
        for word in ("mdma-unrolled", "mdma_unrolled")
    )
    assert one == other
    counts = {
        weighbridge("run", "cyclonev/cache-levels", "--where", f"direction={way}", "-o", way)[
            1
        ].split()[1]
        for way in ("cpu-to-fpga", "cpu_to_fpga")
    }
    assert len(counts) == 1


def test_words_choose_among_the_paths(weighbridge: Run) -> None:
    words = ("size=64KiB", "direction=cpu_to_fpga", "os=linux")
    by_word = _plain(weighbridge, "advise", "cyclonev", *words, "link=HF32", "link=HF64")
    by_option = _plain(
        weighbridge, "advise", "cyclonev", *words, "--where", "link=HF32", "--where", "link=HF64"
    )
    assert by_word == by_option
    assert {one["point"]["link"] for one in by_word["paths"]} == {"HF32", "HF64"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("advise", "cyclonev", "--direction", "cpu_to_fpga"), "no size; give one, as in --size"),
        (("advise", "cyclonev", "--size", "64"), "no direction; give one, as in --direction"),
        (("advise", "cyclonev", "size=64", "--size", "65", "direction=cpu_to_fpga"), "two values"),
        (
            ("explain", "cyclonev", "master=cpu", "size=64", "os=linux", "--os", "baremetal"),
            "two values for 'os'",
        ),
        (("explain", "cyclonev", "master=cpu", "size=64", "--direction", "up"), "not a direction"),
        (("explain", "stm32h7-fmc", "master=cpu", "size=64", "consume=cpu-stream"), "consume"),
        (("explain", "pcie", "--size", "64", "--fpga-mhz", "7"), "no clock of the fabric can be"),
        (
            ("advise", "pcie", "size=64", "direction=cpu_to_fpga", "fpga_mhz=7"),
            "no clock of the fabric can be chosen here; leave fpga_mhz out",
        ),
        (
            ("show", "cyclonev", "--set", "sdram.clock=1GHz", "--set", "sdram.clock=2GHz"),
            "two values for 'sdram.clock' in --set",
        ),
        (("show", "cyclonev", "-o", "x.png"), "a diagram is an SVG file, x.png is not"),
        (
            ("explain", "cyclonev", "master=cpu", "size=64", "--trace", "x.txt"),
            "a trace is a JSON file, x.txt is not",
        ),
    ],
)
def test_what_contradicts_or_lacks_is_refused(
    refused: Callable[..., str], words: tuple[str, ...], said: str
) -> None:
    assert said in refused(*words)
