# SPDX-License-Identifier: Apache-2.0
"""weighbridge search: what it prints, and what it refuses."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from weighbridge.cli import main

TEXT = """\
name = "n"
title = "T"
platform = "cyclonev"

[question]
size = "4 KiB"
direction = "cpu_to_fpga"
os = "baremetal"
master = "fpga_dmac"
route = "sdramc"

[goal]
latency = "9 us"

[over]
link = { values = ["FS32", "FS64", "FS128"], cost = [1, 2, 4] }
fpga_mhz = { values = { from = 40, to = 200, steps = 9 }, cost = 0.03 }
"sdram.clock" = { values = ["300 MHz", "400 MHz"], cost = [2, 3.5] }
"""

#: A path that nobody has measured on any board of its platform's family.
DATRA = 'os = "linux"\nmaster = "datra_dma"\nbuffer = "coherent"\ntraffic = "one_way"'

Captured = pytest.CaptureFixture[str]


def said(folder: Path, text: str, capsys: Captured, *options: str) -> tuple[int, str, str]:
    file = folder / "q.toml"
    file.write_text(text)
    status = main(["search", str(file), *options])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_an_answer(tmp_path: Path, capsys: Captured) -> None:
    status, out, err = said(tmp_path, TEXT, capsys)
    assert (status, err) == (0, "")
    for part in (
        "T: at most 9 us, in blocks of 4 KiB",
        "54 designs of Cyclone V",
        "Its latency has a margin of",
        "nine of ten predictions for such paths were within 8.3 %",
        "What stops a cheaper one:",
        "The cheapest for more and for less latency",
        "never makes a goal worse",
    ):
        assert part in out
    why = out.split("why: ")[1].splitlines()[0]
    assert main(shlex.split(why)[1:]) == 0


def test_the_command_of_a_design_gives_its_latency(tmp_path: Path, capsys: Captured) -> None:
    import json

    _, out, _ = said(tmp_path, TEXT, capsys, "--json")
    best = json.loads(out)["best"][0]
    assert main([*shlex.split(best["why"])[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seconds"] == best["metrics"]["latency"]


def test_all_can_be_tried(tmp_path: Path, capsys: Captured) -> None:
    status, out, _ = said(tmp_path, TEXT, capsys, "--exhaustive")
    assert status == 0
    assert "54 of 54 designs simulated: the best is proved by trying all." in out


def test_a_spent_budget_is_no_proof(tmp_path: Path, capsys: Captured) -> None:
    status, out, _ = said(tmp_path, TEXT, capsys, "--evaluations", "2")
    assert "2 of 54 designs simulated. Not proved:" in out
    assert "cheaper designs were neither tried nor excluded" in out
    assert status in (0, 1)


def test_goals_out_of_reach(tmp_path: Path, capsys: Captured) -> None:
    status, out, err = said(tmp_path, TEXT.replace("9 us", "1 us"), capsys)
    assert (status, err) == (1, "")
    assert "No design keeps the goals." in out
    assert "Nearest of those tried: link FS128, fpga_mhz 200 MHz" in out


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_front_is_drawn(tmp_path: Path, capsys: Captured, suffix: str) -> None:
    picture = tmp_path / f"f.{suffix}"
    status, out, _ = said(tmp_path, TEXT, capsys, "--front", str(picture))
    assert status == 0
    assert f"front: {picture}" in out
    drawn = picture.read_bytes()
    assert b"Latency (us)" in drawn if suffix == "svg" else drawn.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[goal]", "[goals]", r"missing field 'goal'"),
        ('latency = "9 us"', "", "no goal"),
        ('latency = "9 us"', 'latency = "9"', "time '9' has no unit in .*line 13"),
        ('latency = "9 us"', 'rate = "9"', "'9' is not a rate in .*line 13"),
        ('latency = "9 us"', 'processor = "120 %"', "a share of 1.2 in .*line 13"),
        ('latency = "9 us"', 'latancy = "9 us"', "did you mean 'latency'"),
        ("sdram.clock", "sdram.clok", "unknown parameter 'sdram.clok' in .*line 18; did you mean"),
        ('"300 MHz"', '"30 THz"', r"'sdram.clock' of 3e\+07 MHz: it must be .* in .*line 18"),
        ('"300 MHz"', '"300 ns"', "'300 ns' cannot be converted to MHz in .*line 18"),
        ("FS64", "FS65", "no path has link 'FS65'"),
        ("to = 200", "to = 2000", "clock '1020 MHz' is no fabric's in .*line 17"),
        ("to = 200", "to = 20", "'fpga_mhz' goes from 40 to 20 in .*line 17"),
        (", steps = 9", "", "'fpga_mhz' has no steps in .*line 17"),
        ("[1, 2, 4]", "[1, 2]", "2 costs for 3 values in .*line 16"),
        ("[1, 2, 4]", "2", "a cost of words in .*line 16"),
        ("cost = 0.03", 'cost = "valu"', "unknown name 'valu'.* in .*line 17"),
        ("cost = 0.03", 'cost = "1 / (value - 40)"', "has no value"),
        ("cost = 0.03", "cost = inf", "not finite"),
        ("link =", "lnk =", "unknown variable 'lnk' in .*line 16; did you mean 'link'"),
        ("fpga_mhz =", "size_bytes =", "'size_bytes' is given and varied"),
        ("fpga_mhz =", "direction2 =", "unknown variable 'direction2'.*did you mean 'direction'"),
        ('os = "baremetal"', 'os = "baremetal"\nlnk = "x"', "unknown 'lnk' in .*line 9"),
        ('route = "sdramc"', 'route = "sdramc"\nlink = "FS32"', "'link' is given and varied"),
        ('size = "4 KiB"', 'size = "4 KiB"\nstream = "yes"', "'stream' is 'yes' in .*line 7"),
        (
            'size = "4 KiB"',
            'size = "4 KiB"\ndepth = "x"',
            "'depth' is 'x' in .*; give a whole number",
        ),
        ('size = "4 KiB"', 'size = "4 KB"', "unknown unit 'KB'.* in .*line 6"),
        ('size = "4 KiB"', "", "no size"),
        ('os = "baremetal"', 'os = "baremetal"\ndepth = 2', "'depth' is of a stream"),
        ('["FS32", "FS64", "FS128"], cost = [1, 2, 4]', "[]", "over.link.values"),
        ('"cyclonev"', '"cyclonw"', "unknown platform 'cyclonw'"),
        ("steps = 9", "steps = 99999", "designs in .*; at most 200000"),
        ('title = "T"', 'title = "T"\ncost = {formula = "links"}', "unknown name 'links'"),
        ('title = "T"', 'title = "T"\ncost = {formula = "1/0"}', "has no value"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    tmp_path: Path, capsys: Captured, old: str, new: str, complaint: str
) -> None:
    import re

    assert old in TEXT
    status, out, err = said(tmp_path, TEXT.replace(old, new), capsys)
    assert (status, out) == (2, "")
    assert re.search(complaint, err), err
    assert err.startswith("weighbridge: error: ")
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 2


def test_what_nobody_has_measured_is_said_to_be_so(tmp_path: Path, capsys: Captured) -> None:
    text = (
        TEXT.replace('"cyclonev"', '"zynqmp-zcu102"')
        .replace('os = "baremetal"\nmaster = "fpga_dmac"\nroute = "sdramc"', DATRA)
        .replace("cpu_to_fpga", "fpga_to_cpu")
        .replace('["FS32", "FS64", "FS128"], cost = [1, 2, 4]', '["HP", "HPC"], cost = [1, 2]')
        .replace('"sdram.clock" = { values = ["300 MHz", "400 MHz"], cost = [2, 3.5] }', "")
        .replace("9 us", "90 us")
    )
    status, out, err = said(tmp_path, text, capsys)
    assert (status, err) == (0, "")
    assert "Nobody has measured such a path: how far the model is off is unknown." in out
