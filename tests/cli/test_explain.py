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
        (("master=cpu", "--size", "64", "--set", "x=1"), "unknown parameter 'x' in --set x=1"),
        (("master=cpu", "--set", "sdram.clock=0"), "'clock.ddr' is 0 MHz in --set sdram.clock=0;"),
        (("master=cpu", "--set", "sdram.clock=x"), "in --set sdram.clock=x; give it in MHz"),
        (("master=cpu", "--set", "sdram.clock=1 V"), "in --set sdram.clock=1 V"),
        (("master=cpu", "--set", "l1.ways=3"), "'l1' in --set l1.ways=3; its sets"),
        (("master=cpu", "--set", "sdram="), "not KEY=VALUE in --set; write it like sdram.clock="),
        (
            ("master=cpu", "--set", "sdram.clock=9MHz", "--set", "clock.ddr=8MHz"),
            "two values for 'clock.ddr' in --set clock.ddr=8MHz",
        ),
    ],
)
def test_bad_input(refused: Callable[..., str], words: tuple[str, ...], said: str) -> None:
    assert said in refused("explain", "cyclonev", *words)


def test_unknown_platform(refused: Callable[..., str]) -> None:
    assert "cyclonev" in refused("explain", "zx81", "master=cpu", "--size", "2")


def test_every_fault_of_what_is_set_is_told(weighbridge: Run) -> None:
    """In the words that it was asked with, whichever check has found it."""
    asked = ("x=1", "sdram.clock=1 parsec", "l1.ways=3", "sdram.banks=-1", "cpu.call=5ns")
    options = [word for one in asked for word in ("--set", one)]
    status, out, err = weighbridge("explain", "cyclonev", "master=cpu", "--size", "64", *options)
    assert (status, out) == (2, "")
    told = err.splitlines()
    assert len(told) == 4
    assert all(any(f"in --set {one}" in line for line in told) for one in asked[:4])


def test_what_was_not_said_is_said(weighbridge: Run) -> None:
    words = ("explain", "cyclonev", "master=pl330", "route=acp", "--size", "64KiB")
    out = weighbridge(*words)[1]
    taken = "os=linux link=HF128 prepared=true fpga_mhz=150 direction=cpu_to_fpga"
    assert f"not said, and so taken: {taken}\n" in out
    filled = json.loads(weighbridge(*words, "--json")[1])["filled"]
    assert filled == {"os": "linux", "link": "HF128", "prepared": True, "fpga_mhz": 150.0,
                      "direction": "cpu_to_fpga"}  # fmt: skip
    # Said, they mean the same, and nothing is left to say.
    told = json.loads(weighbridge(*words, *taken.split(), "--json")[1])
    assert told["filled"] == {}
    assert told["seconds"] == json.loads(weighbridge(*words, "--json")[1])["seconds"]
    assert "not said" not in weighbridge(*words, *taken.split())[1]


def test_a_ring_says_why_a_byte_more_takes_less(weighbridge: Run) -> None:
    """Up to a block of the ring its copy and its transfer follow each other."""
    words = ("explain", "zynq7000", "master=datra_dma", "buffer=ring", "flow=single")
    whole = weighbridge(*words, "--size", "64KiB")[1]
    assert "its copy and its transfer follow each other; above 64 KiB they overlap" in whole
    cut = weighbridge(*words, "--size", "65537")[1]
    assert "2 blocks: the driver copies one while another crosses" in cut
    notes = json.loads(weighbridge(*words, "--size", "64KiB", "--json")[1])["notes"]
    assert len(notes) == 1
