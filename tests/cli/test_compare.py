# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from weighbridge.dataset.runs import MANIFEST

Weighbridge = Callable[..., tuple[int, str, str]]
PUBLISHED = Path(__file__).parents[2] / "../shared/data/cyclonev.csv"

HEADER = (
    "platform,study,board,os,master,link,ports,cache_level,buffer,fpga_mhz,direction,"
    "size_bytes,seconds,quality"
)
ROW = "cyclonev,hps-to-fpga,1,linux,cpu,HF32,1,9,user,100,cpu_to_fpga"


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """Five rows of one curve: three count, one is suspect, one is on a link nobody has."""
    file = tmp_path / "measured.csv"
    file.write_text(
        f"{HEADER}\n{ROW},64,1e-6,ok\n{ROW},128,2e-6,ok\n{ROW},256,4e-6,ok\n"
        f"{ROW},512,1e-9,timer-floor\n{ROW.replace('HF32', 'HF99')},64,1e-6,ok\n"
    )
    return file


def test_the_twin_against_a_file(weighbridge: Weighbridge, measured: Path) -> None:
    status, out, err = weighbridge("compare", "twin", measured)
    assert (status, err) == (0, "")
    assert "3 rows compared, 1 skipped for their quality, 1 could not be answered" in out
    assert "noise floor of hps-to-fpga: median 0.15, p90 1.40" in out
    assert max(map(len, out.splitlines())) <= 100


def test_plain_data(weighbridge: Weighbridge, measured: Path) -> None:
    plain = json.loads(weighbridge("compare", "twin", measured, "--json")[1])
    assert (plain["n"], plain["skipped"], plain["unanswered"]) == (3, 1, 1)
    by = {"study": "hps-to-fpga", "os": "linux", "master": "cpu", "route": None}
    assert [group["by"] for group in plain["groups"]] == [by]
    assert len(plain["worst"]) == 3
    plain = json.loads(
        weighbridge("compare", "twin", measured, "--json", "--all-quality", "--by", "size")[1]
    )
    assert (plain["n"], plain["skipped"]) == (4, 0)
    assert [group["by"] for group in plain["groups"]] == [
        {"size_bytes": size} for size in (128, 256, 512, 64)
    ]


def test_the_twin_as_the_reference(weighbridge: Weighbridge, measured: Path) -> None:
    there = json.loads(weighbridge("compare", "twin", measured, "--json")[1])["worst"]
    plain = json.loads(weighbridge("compare", measured, "twin", "--json")[1])
    assert (plain["n"], plain["skipped"], plain["unanswered"]) == (3, 1, 1)
    times = {(pair["a_seconds"], pair["b_seconds"]) for pair in there}
    assert {(pair["b_seconds"], pair["a_seconds"]) for pair in plain["worst"]} == times


def test_a_run_is_the_twin_that_made_it(weighbridge: Weighbridge, measured: Path) -> None:
    weighbridge("run", "cyclonev/hps-to-fpga", "--points", measured, "-o", "run")
    direct = weighbridge("compare", "twin", measured, "--json")[1]
    assert weighbridge("compare", "run", measured, "--json")[1] == direct


def test_several_side_by_side(weighbridge: Weighbridge, measured: Path) -> None:
    slower = measured.with_name("slower.csv")
    slower.write_text(f"{HEADER}\n{ROW},64,2e-6,ok\n{ROW},256,5e-6,ok\n")
    status, out, _ = weighbridge("compare", "twin", slower, measured)
    assert status == 0
    # What all have, the reference first.
    table = out[out.rindex("Side by side") :]
    assert "all of platform=cyclonev study=hps-to-fpga os=linux" in table
    assert re.findall(r"(\d+ B) +(\S+ us) .* (\S+ us) +(\S+) *\n", table) == [
        ("64 B", "1 us", "2 us", "+100.00"),
        ("256 B", "4 us", "5 us", "+25.00"),
    ]
    plain = json.loads(weighbridge("compare", "twin", slower, measured, "--json")[1])
    assert list(plain) == ["twin", str(slower)]
    assert [plain[name]["n"] for name in plain] == [3, 2]


def test_one_source_is_not_enough(weighbridge: Weighbridge) -> None:
    status, _, err = weighbridge("compare", "twin")
    assert status == 2
    assert "nothing to be compared with" in err


def test_where(weighbridge: Weighbridge, measured: Path) -> None:
    where = ("--where", "size=64", "--where", "size_bytes=128B", "--where", "link=HF32")
    plain = json.loads(weighbridge("compare", "twin", measured, "--json", *where)[1])
    assert (plain["n"], plain["skipped"], plain["unanswered"]) == (2, 0, 0)


def test_a_value_that_is_not_there_is_told(weighbridge: Weighbridge, measured: Path) -> None:
    where = ("--where", "size=64", "--where", "size=2", "--where", "link=HF32")
    status, out, err = weighbridge("compare", "twin", measured, "--json", *where)
    assert (status, err) == (0, "weighbridge: note: no row has size_bytes '2'\n")
    assert json.loads(out)["n"] == 1


def test_what_if(weighbridge: Weighbridge, measured: Path) -> None:
    before = json.loads(weighbridge("compare", "twin", measured, "--json")[1])["worst"]
    after = json.loads(
        weighbridge("compare", "twin", measured, "--json", "--set", "l3.latency=500ns")[1]
    )["worst"]
    assert min(pair["a_seconds"] for pair in after) > min(pair["a_seconds"] for pair in before)


def test_limits_set_the_status(weighbridge: Weighbridge, measured: Path) -> None:
    limit = ("compare", measured, measured, "--fail-above")
    assert weighbridge(*limit, "median=0,p90=0.08")[0] == 0
    status, _, err = weighbridge("compare", "twin", measured, "--fail-above", "max=1e-9,p90=9")
    assert status == 1
    assert err.startswith("weighbridge: above the limit: max ")


def test_nothing_compared_is_an_error_with_the_reason(
    refused: Callable[..., str], measured: Path
) -> None:
    nothing = ("compare", "twin", measured, "--where", "link=HF99")
    assert "1 points could not be answered (link 'HF99' is none of" in refused(*nothing)
    assert "nothing to compare" in refused(*nothing, "--fail-above", "median=1")
    suspect = ("compare", measured, measured, "--where", "size=512")
    assert "all 1 rows are skipped for their quality" in refused(*suspect)
    other = measured.with_name("other.csv")
    other.write_text(f"{HEADER}\n{ROW},96,1e-6,ok\n")
    assert "none of 4 points of B is in A" in refused("compare", other, measured)


def test_the_published_data_is_answered_whole(weighbridge: Weighbridge) -> None:
    if not PUBLISHED.exists():
        pytest.skip(f"no published measurements at {PUBLISHED}")
    studies = ("--where", "study=hps-to-fpga", "--where", "study=cache-levels")
    plain = json.loads(weighbridge("compare", "twin", PUBLISHED.resolve(), "--json", *studies)[1])
    assert (plain["n"], plain["skipped"], plain["unanswered"]) == (4176, 570, 0)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("twin", "rtl"), "no points of their own"),
        (("twin", "absent.csv"), "no such file"),
        (("twin", "measured.csv", "--where", "link=HF256"), "no row has link 'HF256'"),
        (("twin", "measured.csv", "--where", "lnk=HF32"), "unknown key 'lnk'"),
        (("twin", "measured.csv", "--where", "size=64", "--where", "link=HF32", "--where",
          "size_bytes=-2"), "not positive"),
        (("twin", "measured.csv", "--by", "colour"), "unknown key 'colour'"),
        (("twin", "measured.csv", "--fail-above", "mean=1"), "unknown figure 'mean'"),
        (("twin", "measured.csv", "--fail-above", "median=low"), "not a fraction"),
        (("twin", "measured.csv", "--fail-above", "median"), "not KEY=VALUE"),
        (("measured.csv", "measured.csv", "--set", "a=1"), "needs a backend"),
    ],
)  # fmt: skip
def test_bad_input(
    refused: Callable[..., str], measured: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in refused("compare", *arguments)


def test_data_that_cannot_be_compared(
    refused: Callable[..., str], weighbridge: Weighbridge, measured: Path, tmp_path: Path
) -> None:
    text = measured.read_text()
    measured.write_text(text.replace("1e-6,ok", ",ok", 1))
    assert "row 1 has no seconds" in refused("compare", "twin", measured)
    measured.write_text(text.replace("HF32,1", "HF32,one", 1))
    assert "'one' is not a number in" in refused("compare", "twin", measured)
    measured.write_text(text.replace("buffer", "bufer", 1))
    assert "unknown column 'bufer'" in refused("compare", "twin", measured)
    measured.write_text(text.replace("cyclonev", "cyclonex"))
    assert "unknown platform 'cyclonex'" in refused("compare", "twin", measured)
    measured.write_text(text)
    weighbridge("run", "cyclonev/hps-to-fpga", "--points", measured, "-o", "run")
    manifest = tmp_path / "run" / MANIFEST
    manifest.write_text(manifest.read_text().replace('"schema_version": 1', '"schema_version": 9'))
    assert "newer version" in refused("compare", "run", measured)
    manifest.write_text("{")
    assert "truncated run" in refused("compare", "run", measured)


def test_a_backend_is_asked_with_what_is_assumed(
    weighbridge: Weighbridge, refused: Callable[..., str], measured: Path
) -> None:
    def answer(*options: str) -> dict[str, float]:
        plain = json.loads(weighbridge("compare", "twin", measured, "--json", *options)[1])
        return {pair["b_seconds"]: pair["a_seconds"] for pair in plain["worst"]}

    plain, assumed = answer(), answer("--assume", "fpga_mhz=50")
    # The slower fabric answers for the same rows.
    assert plain.keys() == assumed.keys()
    assert all(plain[row] < assumed[row] for row in plain)
    complaint = refused("compare", measured, measured, "--assume", "fpga_mhz=50")
    assert "--assume needs a backend" in complaint
