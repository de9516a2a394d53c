# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from weighbridge.advice.paths import command_words, point_of
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.dataset.values import DIRECTIONS, shown
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform, platform_names
from weighbridge.studies import study_names


def test_what_there_is(weighbridge: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = weighbridge("list")
    assert (status, err) == (0, "")
    assert all(name in out for name in (*platform_names(), *study_names()))
    assert max(map(len, out.splitlines())) <= 100


def test_plain_data(weighbridge: Callable[..., tuple[int, str, str]]) -> None:
    plain = json.loads(weighbridge("list", "--json")[1])
    assert [one["name"] for one in plain["studies"]] == study_names()
    assert [one["name"] for one in plain["platforms"]] == platform_names()
    main = next(one for one in plain["studies"] if one["name"] == "cyclonev/hps-to-fpga")
    assert main["axes"]["link"] == ["LW32", "HF32", "HF64", "HF128"]
    assert main["axes"]["fpga_mhz"] == [50, 100, 150, 160, 180, 200]


@pytest.mark.parametrize("name", platform_names())
def test_each_word_can_be_asked(
    weighbridge: Callable[..., tuple[int, str, str]], name: str
) -> None:
    """Each value that is listed is a word of a question that some path answers."""
    (listed,) = json.loads(weighbridge("list", name, "--json")[1])["platforms"]
    platform = load_platform(name)
    twin = Twin(platform)
    paths = platform.paths()
    for axis, values in listed["axes"].items():
        for value in values:
            word = f"{axis}={shown(value)}"
            assert any(_answered(twin, path, axis, word) for path in paths), word


def _answered(twin: Twin, path: Point, axis: str, word: str) -> bool:
    words = [one for one in command_words(path) if one.partition("=")[0] != axis]
    for direction in DIRECTIONS:
        asked = [*(one for one in words if not one.startswith("direction=")), word]
        if axis != "direction":
            asked.append(f"direction={direction}")
        try:
            return twin.predict(point_of(twin.platform, asked, 64)).seconds > 0
        except (InputError, Unanswered):
            pass
    return False


def test_what_is_never_answered_is_not_listed(
    weighbridge: Callable[..., tuple[int, str, str]],
) -> None:
    """Nothing is read back over the microcontroller's bus."""
    (listed,) = json.loads(weighbridge("list", "stm32h7-fmc", "--json")[1])["platforms"]
    assert listed["axes"]["direction"] == ["cpu_to_fpga"]


def test_ports_are_asked_for_as_they_are_listed(
    weighbridge: Callable[..., tuple[int, str, str]],
) -> None:
    asked = ("explain", "cyclonev", "master=fpga_dmac", "route=sdramc", "--size", "64KiB", "--json")
    alone = json.loads(weighbridge(*asked, "link=FS128")[1])
    assert json.loads(weighbridge(*asked, "link=FS128", "ports=1")[1]) == alone
    both = json.loads(weighbridge(*asked, "link=FH128+FS128")[1])
    assert (both["point"]["link"], both["point"]["ports"]) == ("FH128+FS128", 2)
    assert both["seconds"] != alone["seconds"]
    status, out, err = weighbridge(*asked, "link=FH128+FS128", "ports=1")
    assert (status, out) == (2, "")
    assert "ports=1 for the 2 of FH128+FS128" in err
    assert "3 ports at once" in weighbridge(*asked[:-1], "link=FH128+FS128", "ports=3")[1]
