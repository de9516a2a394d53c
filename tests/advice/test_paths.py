# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest

from weighbridge.advice.paths import candidates, command_words, point_of
from weighbridge.errors import InputError
from weighbridge.platforms import Platform, load_platform


@pytest.fixture(scope="module")
def platform() -> Platform:
    return load_platform("cyclonev")


def test_what_is_not_said_is_filled_in(platform: Platform) -> None:
    point = point_of(platform, ["master=pl330", "route=acp"], 64)
    assert (point.os, point.link, point.prepared, point.fpga_mhz) == ("linux", "HF128", True, 150)
    assert (point.cache_level, point.buffer) == (9, "kernel_cached")
    assert (point.direction, point.size_bytes) == ("cpu_to_fpga", 64)


def test_what_is_said_decides_the_rest(platform: Platform) -> None:
    assert point_of(platform, ["cache_level=0", "master=cpu"], 64).os == "baremetal"
    point = point_of(platform, ["os=baremetal", "master=pl330", "route=sdramc"], 64)
    assert (point.cache_level, point.memory_attribute) == (0, "strongly_ordered")
    point = point_of(platform, ["clock=75MHz", "size=3000", "master=cpu"], None)
    assert (point.fpga_mhz, point.size_bytes) == (75, 3000)


def test_the_processor_may_have_any_caches_on(platform: Platform) -> None:
    point = point_of(platform, ["os=baremetal", "master=cpu", "cache_level=5"], 64)
    assert (point.cache_level, point.memory_attribute) == (5, "shareable")
    words = ["os=baremetal", "master=cpu", "memory_attribute=nonshareable"]
    assert point_of(platform, words, 64).memory_attribute == "nonshareable"


def test_the_words_of_every_path_mean_it(platform: Platform) -> None:
    for path in platform.paths():
        asked = replace(path, size_bytes=96, direction="fpga_to_cpu", fpga_mhz=75)
        assert point_of(platform, command_words(asked), 96) == asked


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["os=linux"], "several paths are meant; add master=cpu or master=pl330"),
        (["master=pl330"], "several paths are meant; add route=acp or route=sdramc"),
        (["colour=red"], "unknown key 'colour'; known: os, master"),
        (["link=HF256"], "no path has link 'HF256'; allowed: HF128, HF64, HF32, LW32"),
        (["master=cpu", "route=acp"], "with master=cpu; allowed: none"),
        (["master=pl330", "route=acp", "cache_level=5"], "allowed: 9"),
        (["master=cpu", "cache_level=14"], "no path has cache_level '14'"),
        (["master=cpu", "prepared=maybe"], "not true or false"),
        (["master=cpu", "direction=up"], "not a direction"),
        (["master=cpu", "clock=fast"], "not a clock"),
        (["master=cpu", "memory_attribute=shareable"], "allowed: none"),
        (["master=cpu", "size=2"], "two sizes"),
        (["master=cpu", "master=pl330"], "two values"),
        (["master"], "not KEY=VALUE"),
        (["master="], "not KEY=VALUE"),
    ],
)
def test_what_cannot_be_meant_is_refused(platform: Platform, words: list[str], said: str) -> None:
    with pytest.raises(InputError) as refused:
        point_of(platform, words, 64)
    assert said in str(refused.value)


def test_a_size_is_needed(platform: Platform) -> None:
    with pytest.raises(InputError, match="no size"):
        point_of(platform, ["master=cpu"], None)


def test_candidates_are_narrowed(platform: Platform) -> None:
    everything = candidates(platform, "cpu_to_fpga")
    assert len(everything) == len(platform.paths())
    chosen = candidates(
        platform,
        "fpga_to_cpu",
        size_bytes=8,
        os="linux",
        fpga_mhz=100,
        where={"link": ["HF32", "LW32"], "prepared": [True, None]},
    )
    assert len(chosen) == 6
    assert {(one.direction, one.size_bytes, one.fpga_mhz) for one in chosen} == {
        ("fpga_to_cpu", 8, 100)
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"direction": "write"}, "not a direction"),
        ({"os": "dos"}, "no path has os 'dos'; allowed: baremetal, linux"),
        ({"where": {"link": ["HF256"]}}, "no path has link 'HF256'"),
        ({"where": {"board": ["1"]}}, "not told apart by 'board'"),
        ({"where": {"master": ["cpu"], "prepared": [True]}}, "no path meets all"),
    ],
)
def test_candidates_that_cannot_be(
    platform: Platform, options: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        candidates(platform, **{"direction": "cpu_to_fpga", **options})  # type: ignore[arg-type]
