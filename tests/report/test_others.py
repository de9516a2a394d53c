# SPDX-License-Identifier: Apache-2.0
"""Studies without a section of their own: one figure by what they vary most."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from weighbridge.errors import InputError
from weighbridge.report import write_report
from weighbridge.report.others import other_studies
from weighbridge.report.parts import Evidence

from .conftest import row, write_csv


def rows(**more: str) -> list[dict[str, object]]:
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


def test_curves_are_told_apart_by_what_varies() -> None:
    (section,) = other_studies(Evidence.of(rows(), []))
    (figure,) = section.figures
    assert section.lead.startswith("32 points. Drawn at ")
    assert figure.title.startswith("datra-dma, by ")
    assert len({"fpga mhz", "link", "buffer"} & set(figure.title.replace(",", "").split())) >= 1
    text = str(figure.chart)
    assert "HP" in text
    assert "500" in text  # MB/s


def test_a_study_of_any_platform_makes_a_page(tmp_path: Path) -> None:
    data = write_csv(rows(), tmp_path / "run.csv")
    out = tmp_path / "report.html"
    write_report([data], out, reference=[data])
    html = out.read_text(encoding="utf-8")
    assert "zynq7000: moving bytes" in html
    assert 'id="study-datra-dma"' in html
    assert "The answer" not in html  # that of the Cyclone V's masters


def test_working_sets_are_an_axis_where_sizes_are_not(tmp_path: Path) -> None:
    chain = [
        row(
            platform="atom-virtex5", study="memory-latency", os="linux", master=master,
            direction="fpga_to_cpu", size_bytes=4, working_set_bytes=working_set, seconds=1e-7,
            p25=9e-8, p75=1.1e-7,
        )
        for master, working_set in product(("atom", "microblaze"), (8192, 1 << 20))
    ]  # fmt: skip
    (section,) = other_studies(Evidence.of(chain, []))
    text = str(section.figures[0].chart)
    assert "Working set" in text
    assert "90 ns to 110 ns" in text


def test_a_run_without_rows_is_refused(tmp_path: Path) -> None:
    empty = write_csv([], tmp_path / "empty.csv")
    with pytest.raises(InputError):
        write_report([empty], tmp_path / "report.html")
