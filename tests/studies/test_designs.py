# SPDX-License-Identifier: Apache-2.0
"""Studies whose points change parameters of their platforms."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

import weighbridge as wb
from weighbridge.dataset.query import query
from weighbridge.dataset.runs import JOURNAL
from weighbridge.dataset.table import point_of, read_rows
from weighbridge.errors import InputError
from weighbridge.report import write_report
from weighbridge.studies import load_study

HEAD = """\
name = "s"
title = "t"
platform = "cyclonev"
description = "d"
source = "me"

[axes]
direction = "cpu_to_fpga"
size_bytes = ["4 KiB", "64 KiB"]
os = "linux"

[[paths]]
master = "fpga_dmac"
route = "sdramc"
link = "FS128"
buffer = "kernel_uncached"
cache_level = 9

[[designs]]
"""
TWO = (
    HEAD.replace('"cyclonev"', '["cyclonev", "zynq7000"]').replace(
        "[[paths]]", '[[paths]]\nplatform = "cyclonev"'
    )
    + """\
"sdram.clock" = ["300 MHz", "400 MHz"]

[[designs]]
platform = "zynq7000"
"HP.width" = "32 bit"
"sdram.clock" = "500 MHz"

[[paths]]
platform = "zynq7000"
master = "datra_dma"
link = "HP"
buffer = "coherent"
completion = "interrupt"
fpga_mhz = 75
traffic = "one_way"
"""
)


def written(folder: Path, text: str) -> Path:
    file = folder / "s.toml"
    file.write_text(text)
    return file


def clocks(file: Path) -> list[float]:
    return [dict(point.design)["sdram.clock"] for point in load_study(file).points(["size=4KiB"])]


def test_lists_are_products_and_blocks_follow_each_other(tmp_path: Path) -> None:
    block = """"sdram.clock" = ["300 MHz", "0.4 GHz"]\n"clock.mpu" = [600, "800 MHz"]\n"""
    file = written(tmp_path, HEAD + block + "\n[[designs]]\n")
    designs = [point.design for point in load_study(file).points(["size=4KiB"])]
    assert designs == [
        (("clock.mpu", mpu), ("sdram.clock", ddr)) for ddr in (300, 400) for mpu in (600, 800)
    ] + [()]


def test_a_range_goes_in_even_steps_or_by_equal_ratios(tmp_path: Path) -> None:
    said = '"sdram.clock" = {from = "200 MHz", to = "800 MHz", steps = 3'
    assert clocks(written(tmp_path, HEAD + said + "}")) == [200, 500, 800]
    assert clocks(written(tmp_path, HEAD + said + ', scale = "log"}')) == [200, 400, 800]


@pytest.mark.parametrize("kind", ["sobol", "latin_hypercube"])
def test_a_sample_fills_its_range_evenly_and_a_seed_repeats_it(tmp_path: Path, kind: str) -> None:
    def drawn(seed: int, count: int = 8) -> list[float]:
        block = (
            f'sample = {{kind = "{kind}", count = {count}, seed = {seed}}}\n'
            '"FS128.width" = ["64 bit", "128 bit"]\n'
            '"sdram.clock" = {from = "200 MHz", to = "600 MHz"}'
        )
        return clocks(written(tmp_path, HEAD + block))

    assert drawn(1) == drawn(1) != drawn(2)
    # One in each eighth of the range.
    assert sorted(int((mhz - 200) // 50) for mhz in drawn(1)) == list(range(8))
    assert len(drawn(1, count=5)) == 5


def test_known_samples_stay_as_they_are(tmp_path: Path) -> None:
    """The bytes of a seed are the same everywhere, and with every later version."""
    sample = '"sdram.clock" = {from = "200 MHz", to = "600 MHz"}\nsample = {count = 3, kind = '
    assert clocks(written(tmp_path, HEAD + sample + '"sobol"}')) == SOBOL
    assert clocks(written(tmp_path, HEAD + sample + '"latin_hypercube"}')) == HYPERCUBE


SOBOL = [314.468, 561.845, 410.373]
HYPERCUBE = [373.462, 576.755, 247.318]


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        ('"sdram.clok" = 400', r"'sdram.clok' in .*s.toml, line 20; did you mean 'sdram.clock'"),
        ('"sdrm.clock" = 400', r"line 20; did you mean 'sdram.clock'"),
        ("clock.mpux = 400", r"'clock.mpux' in .*line 20; did you mean 'clock.mpu'"),
        ("sdram.zzzzzzz = 400", r"line 20; parameters: sdram.width, "),
        ('"sdram.clock" = "30 THz"', r"'sdram.clock' of 3e\+07 MHz: it must be 0.1 to 20000 MHz"),
        ('"sdram.clock" = "400 ns"', r"'400 ns' cannot be converted to MHz in .*line 20"),
        ('"sdram.clock" = []', "'sdram.clock' has no value"),
        ('"sdram.clock" = {from = 1, to = 2}', "'sdram.clock' has no steps"),
        ('"sdram.clock" = {from = 5, to = 2, steps = 3}', "from less to more"),
        ('"sdram.clock" = {from = 0.01, to = 2, steps = 3}', "it must be 0.1 to 20000"),
        ('"FS128.width" = {from = 32, to = 64, steps = 3}', r"goes in steps \(powers of two\)"),
        ('"sdram.clock" = 400\n"clock.ddr" = 300', "are one parameter"),
        ('"fs.width" = 64', "is the width of the link"),
        ("colour = 3", "'colour' is no parameter"),
        ('platform = "zynq7000"', "a block is of platform 'zynq7000'"),
        ('sample = {kind = "sobol", count = 0}\n"sdram.clock" = 400', "designs.0.sample.count"),
        ('sample = {kind = "dice", count = 1}\n"sdram.clock" = 400', "designs.0.sample.kind"),
        ('sample = {kind = "sobol", count = 1}', "a sample of no parameter"),
    ],
)
def test_what_no_platform_has_is_refused_by_line(
    tmp_path: Path, block: str, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        load_study(written(tmp_path, HEAD + block))


def test_conditions_choose_among_designs(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, TWO))
    assert len(study.points(["sdram.clock=400"])) == 4
    assert {point.platform for point in study.points(["HP.width=32"])} == {"zynq7000"}
    assert len(study.points(["HP.width="])) == 8
    with pytest.raises(InputError, match=r"unknown sdram.clock '401'.*allowed: 300, 400"):
        study.points(["sdram.clock=401"])
    with pytest.raises(InputError, match=r"does not vary 'sdram.width'"):
        study.points(["sdram.width=4"])


def test_a_million_points_are_walked_one_by_one(tmp_path: Path) -> None:
    block = "\n".join(
        f'"{name}" = {{from = 200, to = 600, steps = 1000}}' for name in ("clock.ddr", "clock.mpu")
    )
    first = list(islice(load_study(written(tmp_path, HEAD + block)).walk(), 3))
    assert [dict(point.design)["clock.mpu"] for point in first] == [200, 200, 200.4]


def test_designs_of_several_platforms_are_answered_as_set_answers_them(tmp_path: Path) -> None:
    out = tmp_path / "run"
    wb.run(written(tmp_path, TWO), out=out)
    rows = read_rows(out)
    assert len(rows) == 10
    for row in rows:
        point = point_of(row)
        path = {
            name: value
            for name, value in point.key().items()
            if name not in ("platform", "study", "size_bytes") and "." not in name
        }
        changed = {name: repr(value) for name, value in point.design}
        asked = wb.predict(point.platform, size=point.size_bytes, set=changed, **path)
        assert asked.seconds == row["seconds"], point
    assert len({row["seconds"] for row in rows if row["platform"] == "cyclonev"}) == 4
    sql = 'SELECT count(*) FROM results WHERE "sdram.clock" = 500 AND "HP.width" = 32'
    assert query(sql, [out]).rows == [(2,)]
    by = wb.compare(out, "twin", by="sdram.clock").comparisons[str(out)]
    assert [key["sdram.clock"] for key, _ in by.groups] == [300, 400, 500]
    assert by.total.n == 10
    assert by.total.max == 0


def test_an_interrupted_run_of_designs_is_taken_up(tmp_path: Path) -> None:
    file, whole, torn = written(tmp_path, TWO), tmp_path / "whole", tmp_path / "torn"
    wb.run(file, out=whole)
    calls = []

    class _Stop(Exception):
        pass

    def progress(label: str, total: int, known: int):
        from contextlib import contextmanager

        @contextmanager
        def advanced():
            def advance(count: int) -> None:
                calls.append((known, count))
                raise _Stop

            yield advance

        return advanced()

    with pytest.raises(_Stop):
        wb.run(file, out=torn, progress=progress)
    journal = torn / JOURNAL
    kept = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(kept[:3]) + kept[3][:20])
    answers = wb.run(file, out=torn)
    assert answers.earlier == 3
    assert (torn / "results.parquet").read_bytes() == (whole / "results.parquet").read_bytes()


def test_a_run_of_other_designs_is_not_taken_up(tmp_path: Path) -> None:
    out = tmp_path / "run"
    wb.run(written(tmp_path, TWO), out=out)
    with pytest.raises(InputError, match="points differs"):
        wb.run(written(tmp_path, TWO.replace("400 MHz", "401 MHz")), out=out)


def test_what_designs_change_is_not_set_besides(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"designs change 'clock.ddr' themselves in --set"):
        wb.run(written(tmp_path, HEAD + '"sdram.clock" = 400'), set={"clock.ddr": 300})


def test_what_is_measured_has_no_designs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'host' measures what is there"):
        wb.run(written(tmp_path, HEAD + '"sdram.clock" = 400'), backend="host")


def test_a_report_draws_one_platform_and_what_its_designs_change(tmp_path: Path) -> None:
    out = tmp_path / "run"
    wb.run(written(tmp_path, TWO), out=out)
    with pytest.raises(InputError, match="report one at a time with --platform"):
        write_report([out], tmp_path / "r.html")
    write_report([out], tmp_path / "r.html", platform="cyclonev", svg_directory=tmp_path)
    drawn = (tmp_path / "s.svg").read_text()
    assert "sdram.clock 300" in drawn
    assert "sdram.clock 400" in drawn
    with pytest.raises(InputError, match="no row of platform 'pcie'"):
        write_report([out], tmp_path / "r.html", platform="pcie")
