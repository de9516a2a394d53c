# SPDX-License-Identifier: Apache-2.0
"""A system that nobody has thought of is a file: a toy platform, from here to advice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.cli import main
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

TOY = """
schema = 1
name = "toy"
title = "A made-up controller with a made-up fabric"
reference_clock = "core"

[clock]
core = { value = 100, unit = "MHz", source = "made up" }
bus = { value = 50, unit = "MHz", source = "made up", axis = "fpga_mhz" }

[component.cpu]
title = "controller"
kind = "microcontroller"
clock = "core"
to = ["bus"]
frame = { value = 100, unit = "cycles", source = "made up" }
fill_word = { value = 10, unit = "cycles", source = "made up" }
fill_word_unrolled = { value = 1, unit = "cycles", source = "made up" }
checksum_halfword = { value = 2, unit = "cycles", source = "made up" }
carry_halfword = { value = 1, unit = "cycles", source = "made up" }
copy_word = { value = 8, unit = "cycles", source = "made up" }

[component.engine]
title = "DMA"
kind = "mdma"
clock = "core"
to = ["bus"]
start = { value = 100, unit = "ns", source = "made up" }
node = { value = 50, unit = "ns", source = "made up" }
word = { value = 10, unit = "ns", source = "made up" }

[component.bus]
title = "memory bus"
kind = "parallel_bus"
clock = "bus"
to = ["apb"]
width = { value = 8, unit = "bit", source = "made up" }
address_cycles = { value = 2, unit = "cycles", source = "made up" }
latency_cycles = { value = 1, unit = "cycles", source = "made up" }
wait_cycles = { value = 1, unit = "cycles", source = "made up" }
read_cycles = { value = 0, unit = "cycles", source = "made up" }
gap_cycles = { value = 1, unit = "cycles", source = "made up" }

[component.apb]
title = "peripheral bus"
kind = "apb"
clock = "bus"
to = ["sink"]
request_slices = { value = 0, unit = "", source = "made up" }
response_slices = { value = 0, unit = "", source = "made up" }

[component.sink]
title = "sink"
kind = "ram"
clock = "bus"

[link.NARROW]
component = "bus"
window = 0x1000
width = { value = 8, unit = "bit", source = "made up" }
[link.WIDE]
component = "bus"
window = 0x1000
width = { value = 32, unit = "bit", source = "made up" }

[[path]]
title = "controller, {link}"
os = "baremetal"
master = "cpu"
link = ["NARROW", "WIDE"]
firmware = "checksum_deferred"
[[path]]
title = "DMA, {link}"
os = "baremetal"
master = "engine"
link = ["NARROW", "WIDE"]
firmware = "mdma_unrolled"
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.toml"
    path.write_text(TOY)
    return path


def point(link: str, mhz: float = 50, size: int = 1000) -> Point:
    return Point(
        platform="toy",
        study="",
        direction="cpu_to_fpga",
        size_bytes=size,
        os="baremetal",
        master="engine",
        link=link,
        fpga_mhz=mhz,
        axes=(("firmware", "mdma_unrolled"),),
    )


def test_width_and_clock_do_what_they_say(toy: Path) -> None:
    twin = Twin(load_platform(str(toy)))
    # Two clocks of address, one of latency, four or one of data, one of gap: 8 against 5.
    ratio = twin.ceiling(point("NARROW")) / twin.ceiling(point("WIDE"))
    assert ratio == pytest.approx(8 / 5)
    seconds = {link: twin.predict(point(link)).seconds for link in ("NARROW", "WIDE")}
    assert seconds["NARROW"] / seconds["WIDE"] == pytest.approx(ratio, rel=0.02)
    assert twin.predict(point("NARROW", 25)).seconds == pytest.approx(
        2 * seconds["NARROW"], rel=0.02
    )
    for link, time in seconds.items():
        assert time >= twin.ceiling(point(link))


def test_every_command_takes_the_file(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def plain(*words: str) -> dict[str, object]:
        assert main([*words, "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        return answer if isinstance(answer, dict) else {"": answer}

    asked = ("--size", "1000", "--direction", "cpu_to_fpga")
    paths = plain("advise", str(toy), *asked, "--stream", "--rate", "1MB/s")["paths"]
    assert isinstance(paths, list)
    best = paths[0]["point"]
    assert (best["master"], best["link"]) == ("engine", "WIDE")
    words = ("master=engine", "link=NARROW", "--size", "1000")
    explained = plain("explain", str(toy), *words)
    assert explained["bound_by"] == "memory bus"
    plain("curve", str(toy), "master=engine", "link=NARROW")
    plain("show", str(toy), "-o", str(tmp_path / "toy.svg"))
    assert main(["check", str(toy)]) == 0
