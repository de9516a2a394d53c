# SPDX-License-Identifier: Apache-2.0
"""The published measurements beside the twin, wherever answers are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from weighbridge.dataset.published import published_rows
from weighbridge.dataset.runs import Run
from weighbridge.dataset.table import read_rows

Weighbridge = Callable[..., tuple[int, str, str]]
CURVE = ("curve", "cyclonev", "os=linux", "master=cpu", "link=LW32", "fpga_mhz=150")


def test_a_study_as_published(weighbridge: Weighbridge, tmp_path: Path) -> None:
    study = ("run", "cyclonev/cache-levels", "--backend", "published", "-o", "run")
    assert weighbridge(*study)[0] == 0
    rows = read_rows(tmp_path / "run")
    measured = [row for row in published_rows(["cyclonev"]) if row["study"] == "cache-levels"]
    assert len(rows) == len(measured) == 462
    manifest = Run.open(tmp_path / "run").manifest
    assert "cache study" in manifest["citations"]["cache-levels"]
    # The reference is what it says of itself.
    status, out, _ = weighbridge("compare", "run", "published", "--fail-above", "max=0")
    assert status == 0
    assert "450 rows compared, 12 skipped for their quality, 0 could not be answered" in out


def test_the_twin_against_all_that_is_published_of_a_study(weighbridge: Weighbridge) -> None:
    where = ("--where", "study=cache-levels", "--where", "os=linux")
    status, out, _ = weighbridge("compare", "twin", "published", *where)
    assert status == 0
    assert "42 rows compared, 0 skipped for their quality, 0 could not be answered" in out
    assert weighbridge("compare", "published", "twin", *where)[0] == 0


def test_a_report_draws_them_unasked(weighbridge: Weighbridge, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    weighbridge("run", "zynq7000/ps-to-pl", "-o", "run")
    assert weighbridge("report", "run", "-o", "r.html")[0] == 0
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    pattern = r'<figure id="figure-([^"]+)">.*?<script type="application/json">(.*?)</script>'
    drawn = {id: json.loads(spec) for id, spec in re.findall(pattern, html, flags=re.DOTALL)}
    marks = drawn["ps-to-pl"]["data"]["values"]
    assert sum(mark["source"] == "reference" for mark in marks) > 100
    # Every sound point is a mark of its own in the picture of the error.
    assert len(drawn["accuracy-points"]["data"]["values"]) == 1026
    assert "published: UviDTE-FPSoC/Zynq7000-time-measurements" in html


def test_a_curve_has_them_beside_it(weighbridge: Weighbridge, tmp_path: Path) -> None:
    out = weighbridge(*CURVE)[1]
    assert "published" in out.splitlines()[2]
    plain = json.loads(weighbridge(*CURVE, "--json")[1])
    known = [one for one in plain["sizes"] if one["published_seconds"] is not None]
    assert len(known) == 20
    assert all(one["published_seconds"] / one["seconds"] < 1.5 for one in known)
    pytest.importorskip("vl_convert")
    weighbridge(*CURVE, "--svg", "with.svg")
    weighbridge(*CURVE[:-1], "fpga_mhz=149", "--svg", "without.svg")

    def marks(name: str) -> int:
        drawn = ElementTree.parse(tmp_path / name).getroot()
        paths = [node for node in drawn.iter() if node.get("aria-roledescription") == "point"]
        return sum(node.get("stroke-width") == "1.4" for node in paths)

    assert (marks("with.svg"), marks("without.svg")) == (20, 0)
