# SPDX-License-Identifier: Apache-2.0
"""A system that nobody has thought of is a file: a toy platform, from here to advice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.cli import main
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

TOY = Path(__file__).with_name("toy.toml")


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return Path(shutil.copy(TOY, tmp_path))


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
