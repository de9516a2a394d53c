# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable

import pytest

PATH = ("os=linux", "master=pl330", "route=acp", "link=HF128", "prepared=true")
Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("path", [PATH, ("master=cpu",), ("master=cpu", "cache_level=0")])
@pytest.mark.parametrize("size", ["2", "64KiB", "2MiB"])
def test_one_screen(weighbridge: Run, path: tuple[str, ...], size: str) -> None:
    status, out, err = weighbridge("explain", "cyclonev", *path, "--size", size)
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert "from processor to FPGA in" in lines[0]
    assert "of the ceiling of 2400 MB/s" in lines[0]
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 30
    assert "…" not in out
    assert "\nBound by: " in out


def test_phases_add_up_and_hops_are_in_order(weighbridge: Run) -> None:
    out = weighbridge("explain", "cyclonev", *PATH, "--size", "64KiB", "--json")[1]
    plain = json.loads(out)
    assert plain["point"]["route"] == "acp"
    assert sum(one["seconds"] for one in plain["phases"]) == pytest.approx(plain["seconds"])
    assert sum(one["share"] for one in plain["phases"]) == pytest.approx(1)
    assert plain["rate_mb_per_s"] == pytest.approx(65536 / plain["seconds"] / 1e6)
    moving = [hop for hop in plain["hops"] if hop["phase"].startswith("transfer")]
    path = [hop["component"] for hop in moving]
    assert [name for name in path if name not in ("l1", "sdram")] == [
        "l2",
        "acp",
        "l3",
        "hf",
        "fabric",
    ]
    assert plain["seconds_without_bound"] < plain["seconds"]
    assert plain["bound_by"]
    assert plain["next_bound"]


def test_the_program_of_the_dma(weighbridge: Run) -> None:
    out = weighbridge("explain", "cyclonev", *PATH, "--size", "256KiB", "--program")[1]
    assert out.count("DMALPEND") == 8
    out = weighbridge("explain", "cyclonev", *PATH, "--size", "8", "--program", "--json")[1]
    assert json.loads(out)["program"][-1] == "DMAEND"


def test_an_extrapolation_is_said_to_be_one(weighbridge: Run) -> None:
    words = ("master=pl330", "route=acp", "link=HF64", "--size", "64KiB")
    assert "extrapolated" in weighbridge("explain", "cyclonev", *words)[1]


def test_what_if(weighbridge: Run) -> None:
    words = ("explain", "cyclonev", "master=cpu", "--size", "64KiB", "--json")
    base = json.loads(weighbridge(*words)[1])["seconds"]
    slow = json.loads(weighbridge(*words, "--set", "cpu.ordered_write=100ns")[1])["seconds"]
    assert slow > base


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("master=cpu",), "no size"),
        (("master=cpu", "--size", "0"), "not positive"),
        (("master=cpu", "--size", "-1"), "not positive"),
        (("master=cpu", "--size", "2GiB"), "too large"),
        (("master=cpu", "--size", "9zz"), "unknown unit"),
        (("--size", "64"), "several paths are meant; add master=cpu or master=pl330"),
        (("master=pl330", "--size", "64"), "add route=acp or route=sdramc"),
        (("master=gpu", "--size", "64"), "allowed: cpu, pl330"),
        (("colour=red", "--size", "64"), "unknown key"),
        (("master=cpu", "fpga_mhz=5000", "--size", "64"), "allowed: 1 to 1000 MHz"),
        (("master=cpu", "--size", "64", "--program"), "only a path of a PL330"),
        (("master=cpu", "--size", "64", "--set", "x=1"), "unknown parameter"),
    ],
)
def test_bad_input(refused: Callable[..., str], words: tuple[str, ...], said: str) -> None:
    assert said in refused("explain", "cyclonev", *words)


def test_unknown_platform(refused: Callable[..., str]) -> None:
    assert "cyclonev" in refused("explain", "zx81", "master=cpu", "--size", "2")
