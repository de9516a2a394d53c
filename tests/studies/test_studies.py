# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from weighbridge.dataset.schema import COLUMNS
from weighbridge.dataset.table import joining_key, read_rows
from weighbridge.errors import InputError, InputErrors
from weighbridge.studies import load_study, noise_floors, study_names

PUBLISHED = Path(__file__).parents[2] / "../shared/data/cyclonev.csv"
MAIN = "cyclonev/hps-to-fpga"
SIZES = 21

MINIMAL = """\
name = "s"
title = "t"
platform = "cyclonev"
description = "d"
source = "me"

[axes]
direction = "cpu_to_fpga"
size_bytes = ["2 B", "64 KiB"]

[[paths]]
master = "cpu"
"""


def test_the_studies_that_come_along() -> None:
    assert "cyclonev/hps-to-fpga" in study_names()
    assert {load_study(name).key for name in study_names()} == set(study_names())
    assert noise_floors()["cyclonev", "hps-to-fpga"][:2] == (0.0015, 0.014)


#: Those that are gone through here; the larger ones are products of the same kind.
LISTED = [name for name in study_names() if name != "cyclonev/sizes-drawn"]


@pytest.mark.parametrize("name", LISTED)
def test_every_point_of_a_study_is_there_once(name: str) -> None:
    points = load_study(name).points()
    assert len(set(points)) == len(points)


def test_a_million_points_are_walked_and_not_kept() -> None:
    study = load_study("cyclonev/sizes-drawn")
    assert sum(1 for _ in study.walk()) == 1_000_000
    sizes = study.allowed()["size_bytes"]
    assert sizes == sorted(set(sizes))
    assert (sizes[0], sizes[-1], len(sizes)) == (2, 65536, 5000)
    # Every ratio is as likely, until all the numbers of an octave are drawn.
    assert set(range(2, 65)) <= set(sizes)
    octaves = [sum(low <= size < 2 * low for size in sizes) for low in (8192, 16384, 32768)]
    assert max(octaves) < 1.3 * min(octaves)


def test_the_studies_cover_what_was_published() -> None:
    if not PUBLISHED.exists():
        pytest.skip(f"no published measurements at {PUBLISHED}")
    asked = {
        joining_key(dict.fromkeys(COLUMNS) | point.key())
        for name in LISTED
        for point in load_study(name).points()
    }
    measured = [row for row in read_rows(PUBLISHED) if f"cyclonev/{row['study']}" in study_names()]
    assert len(measured) > 6000
    assert not [row for row in measured if joining_key(row) not in asked]


def test_sizes_run_fastest_so_that_curves_stay_together() -> None:
    points = load_study(MAIN).points()
    sizes = [point.size_bytes for point in points]
    assert sizes == sorted(set(sizes)) * (len(points) // SIZES)


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (["link=HF128", "os=linux", "master=cpu"], 5 * 2 * SIZES),
        (["link=HF128", "link=LW32", "os=linux", "master=cpu"], 9 * 2 * SIZES),
        (["route=", "os=linux"], 18 * 2 * SIZES),
        (["prepared=true", "route=acp", "os=linux", "fpga_mhz=150"], 4 * 2 * SIZES),
        # 160 MHz is on the grid of two links, and stays there.
        (["fpga_mhz=160MHz", "os=linux", "master=cpu"], 2 * 2 * SIZES),
        # 125 MHz is on no grid: every link takes it.
        (["fpga_mhz=125", "os=linux", "master=cpu"], 4 * 2 * SIZES),
        (["size=96KiB", "size=64KiB", "os=linux", "master=cpu"], 18 * 2 * 2),
        (["study=hps-to-fpga", "platform=cyclonev", "size=2"], 18 * 2 * 11),
    ],
)
def test_where_narrows_and_leaves_the_grid(where: list[str], count: int) -> None:
    assert len(load_study(MAIN).points(where)) == count


@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        ("link=HF256", "unknown link 'HF256' in .*allowed: LW32, HF32, HF64, HF128"),
        ("lnk=HF32", "unknown key 'lnk'.*'link'"),
        ("copy=memcpy", "does not vary 'copy'"),
        ("link", "not KEY=VALUE"),
        ("size=-2", "not positive"),
        ("size=4GiB", "too large"),
        ("size=64KB", "unknown unit"),
        ("fpga_mhz=150 ns", "unknown unit"),
        ("cache_level=3", "unknown cache_level '3'.*allowed: 0, 9"),
        ("prepared=perhaps", "not true or false"),
        ("direction=write", "not a direction"),
        ("study=cache-levels", "unknown study"),
    ],
)
def test_a_condition_nobody_can_meet_is_refused(where: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as refusal:
        load_study(MAIN).points([where])
    assert "\n" not in str(refusal.value)


def test_conditions_that_exclude_each_other() -> None:
    with pytest.raises(InputError, match=r"no point .* has os=linux and cache_level=0"):
        load_study(MAIN).points(["os=linux", "cache_level=0"])


def test_an_unknown_study() -> None:
    with pytest.raises(InputError, match=r"unknown study 'hps-to-fpga'.*'cyclonev/hps-to-fpga'"):
        load_study("hps-to-fpga")
    with pytest.raises(InputError, match="No such file"):
        load_study("absent.toml")


def test_a_study_may_be_any_file(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(MINIMAL)
    points = load_study(file).points()
    assert [(point.master, point.size_bytes) for point in points] == [("cpu", 2), ("cpu", 65536)]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "t"', 'titel = "t"', "unknown field 'titel' in .*line 2; did you mean 'title'"),
        (
            'master = "cpu"',
            'mastr = "cpu"',
            "mastr: unknown column; did you mean 'master'.*line 12",
        ),
        ('"2 B"', '"-2 B"', "not positive.*line 9"),
        ('"2 B"', '"2 parsec"', "unknown unit 'parsec'.*line 9"),
        ("cpu_to_fpga", "write", "not a direction.*line 8"),
        ('direction = "cpu_to_fpga"', "", "no axis 'direction'"),
        ('master = "cpu"', "size_bytes = 4", "'size_bytes' is given twice"),
        ('master = "cpu"', "master = []", "has no value.*line 12"),
        ("[[paths]]", "[[pths]]", "missing field 'paths'"),
        ("[axes]", "[axes", "line 7"),
    ],
)
def test_a_faulty_study_is_refused_by_line(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    file = tmp_path / "s.toml"
    file.write_text(MINIMAL.replace(old, new))
    with pytest.raises(InputError, match=f"(?s){complaint}"):
        load_study(file)


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    text = MINIMAL.replace("title", "titel").replace('"64 KiB"', '"-1"').replace("mas", "mus")
    file.write_text(text)
    with pytest.raises(InputErrors) as refusal:
        load_study(file)
    lines = str(refusal.value).splitlines()
    assert len(lines) == 4
    for number in (2, 9, 12):
        assert f"line {number}" in str(refusal.value)


def test_a_platform_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('name = "s"\nplatform = "nope.toml"\n')
    with pytest.raises(InputError) as said:
        load_study(file)
    told = str(said.value)
    assert told.startswith(f"no platform file 'nope.toml' in {file}, line 2, platform; name a file")
    assert "cyclonev" in told
    assert "ulx3s" not in told
