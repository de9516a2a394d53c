# SPDX-License-Identifier: Apache-2.0
"""The page of a study for which none was written: made of its files and its rows."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weighbridge.cli import app
from weighbridge.dataset.table import Row
from weighbridge.errors import InputError
from weighbridge.report import write_report
from weighbridge.report.parts import Evidence, Section
from weighbridge.report.study import study_page

from .conftest import modelled, row, some_of, write_csv


def rows(**more: str) -> list[Row]:
    return [
        row(
            platform="zynq7000",
            study="datra-dma",
            os="linux",
            master="datra_dma",
            link=link,
            buffer=buffer,
            direction=direction,
            size_bytes=size,
            fpga_mhz=mhz,
            seconds=size / 5e8,
            **more,
        )
        for link, buffer, direction, size, mhz in product(
            ("HP", "ACP"), ("coherent", "streaming"), ("cpu_to_fpga", "fpga_to_cpu"),
            (4096, 65536), (75.0, 100.0),
        )
    ]  # fmt: skip


def page(name: str, ours: list[Row], theirs: list[Row] | None = None) -> list[Section]:
    return study_page(name, Evidence.of(ours, theirs or []))


def test_the_answer_comes_first_with_the_path_and_its_share_of_the_ceiling() -> None:
    fast = [
        {
            **one,
            "seconds": size / (6e8 if one["link"] == "HP" else 3e8),
            "ceiling_seconds": size / 8e8,
        }
        for one in rows()
        if (size := int(str(one["size_bytes"])))
    ]
    answer = page("datra-dma", fast)[0]
    assert answer.answer
    assert answer.title == "The answer: Datra's DMA node, both ways at once"
    assert (
        "from processor to FPGA 600 MB/s, 75\N{NO-BREAK SPACE}% of its ceiling (HP" in answer.lead
    )
    first = answer.tables[0].rows[0]
    assert first[0].text.startswith("HP")
    assert "checked against a measurement" in answer.lead


def test_a_page_is_at_the_clock_that_the_platform_declares() -> None:
    at = {75.0: 5e8, 100.0: 7e8}
    told = [
        {**one, "seconds": int(str(one["size_bytes"])) / at[float(str(one["fpga_mhz"]))]}
        for one in rows()
    ]
    # 150 MHz is the platform's, which these rows lack: their highest counts.
    assert "fabric at 100 MHz" in page("datra-dma", told)[0].lead
    told += [{**one, "fpga_mhz": 150.0, "seconds": 1e-3} for one in told]
    assert "fabric at 150 MHz" in page("datra-dma", told)[0].lead


def test_each_varied_property_has_a_figure_with_its_name_in_words() -> None:
    sections = {section.id: section for section in page("datra-dma", rows(), rows())}
    titles = [figure.title for figure in sections["effects-datra-dma"].figures]
    assert titles == ["By buffer", "By link"]
    assert [figure.title for figure in sections["clock-datra-dma"].figures]


def test_charts_have_the_ceiling_of_their_paths_once() -> None:
    ours = [{**one, "ceiling_seconds": int(str(one["size_bytes"])) / 8e8} for one in rows()]
    chart = page("datra-dma", ours)[1].figures[0].chart
    ceilings = [value for value in chart["data"]["values"] if value["source"] == "ceiling"]
    assert {value["rate"] for value in ceilings} == {800.0}
    # One of two sizes in each panel, though four paths have it.
    assert len(ceilings) == 4
    assert "ceiling" in [layer["name"] for layer in chart["spec"]["layer"]]


def test_one_size_is_drawn_as_dots() -> None:
    ours = [one for one in rows() if one["size_bytes"] == 4096]
    figure = page("datra-dma", ours)[1].figures[0]
    assert figure.chart["spec"]["layer"][0]["mark"]["type"] == "point"


def test_a_study_of_any_platform_makes_a_page(tmp_path: Path) -> None:
    data = write_csv(rows(), tmp_path / "run.csv")
    out = tmp_path / "report.html"
    write_report([data], out, reference=[data])
    html = out.read_text(encoding="utf-8")
    assert "zynq7000: moving bytes" in html
    assert html.index('id="answer-datra-dma"') < html.index('id="study-datra-dma"')


def test_a_study_and_platform_that_nobody_declared_make_a_page() -> None:
    own = [{**one, "platform": "mine", "study": "own"} for one in rows()]
    answer = page("own", own)[0]
    assert answer.title == "The answer: own"
    assert "datra dma" in answer.lead


def test_a_page_says_how_its_run_was_made(tmp_path: Path) -> None:
    command = ["run", "stm32h7-fmc/udp-transmit", "--set", "fmc.gap_cycles=2"]
    done = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    out = tmp_path / "report.html"
    write_report([tmp_path / "run"], out)
    text = out.read_text(encoding="utf-8")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))
    for fact in (
        manifest["finished"],
        manifest["weighbridge"],
        manifest["identity"]["platform"],
        "fmc.gap_cycles = 2",
    ):
        assert fact in text


@pytest.mark.parametrize("name", modelled())
def test_every_delivered_study_makes_a_page(name: str, tmp_path: Path) -> None:
    """Of a few of its sizes; each path, clock and direction is there."""
    answered = some_of(name)
    out = tmp_path / "report.html"
    write_report([write_csv(answered, tmp_path / "run.csv")], out)
    html = out.read_text(encoding="utf-8")
    assert "<figure" in html
    assert 'class="answer"' in html


def test_working_sets_are_an_axis_where_sizes_are_not(tmp_path: Path) -> None:
    chain = [
        row(
            platform="atom-virtex5", study="memory-latency", os="linux", master=master,
            direction="fpga_to_cpu", size_bytes=4, working_set_bytes=working_set, seconds=1e-7,
            p25=9e-8, p75=1.1e-7,
        )
        for master, working_set in product(("atom", "microblaze"), (8192, 1 << 20))
    ]  # fmt: skip
    text = str(page("memory-latency", chain)[1].figures[0].chart)
    assert "Working set" in text
    assert "90 ns to 110 ns" in text


def test_a_run_without_rows_is_refused(tmp_path: Path) -> None:
    empty = write_csv([], tmp_path / "empty.csv")
    with pytest.raises(InputError):
        write_report([empty], tmp_path / "report.html")
