# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import pytest

from tools.write_published import write
from weighbridge.dataset.published import (
    citations,
    published_file,
    published_path,
    published_platforms,
    published_rows,
)
from weighbridge.dataset.schema import Point
from weighbridge.dataset.table import read_notes, read_rows
from weighbridge.studies import load_study

ROOT = Path(__file__).parents[2]
SOURCES = [
    ROOT / "../shared/data/cyclonev.csv",
    ROOT / "../shared/data/zynq7000.csv",
    ROOT / "docs/datra-table.csv",
]


def writer(path: Path) -> object:
    """The version of the library that wrote a file."""
    sql = "SELECT created_by FROM parquet_file_metadata(?)"
    return duckdb.connect().execute(sql, [str(path)]).fetchall()


def test_the_files_are_what_the_tool_makes_of_the_data(tmp_path: Path) -> None:
    if not all(source.exists() for source in SOURCES):
        pytest.skip("the published measurements (shared/data) are not here")
    made = write(SOURCES, tmp_path)
    assert [path.stem for path in made] == published_platforms()
    for path in made:
        shipped = published_file(path.stem)
        assert read_rows(path) == read_rows(shipped), "run: make published"
        assert read_notes(path) == read_notes(shipped), "run: make published"
        # Another version of the library may write the same rows in other bytes.
        if writer(path) == writer(shipped):
            assert path.read_bytes() == shipped.read_bytes(), "run: make published"


def test_what_is_shipped() -> None:
    rows = published_rows()
    assert len(rows) == 9183 + 1092 + 48
    assert {row["backend"] for row in rows} == {"published"}
    qualities = Counter(str(row["quality"] or "ok") for row in rows)
    assert qualities["ok"] == 7993 + 1026 + 48
    assert qualities["hf64-behaves-as-32-bit"] == 336
    assert sum(published_file(name).stat().st_size for name in published_platforms()) < 1_000_000
    assert published_rows(["nobody's"]) == []


def test_every_study_is_cited() -> None:
    for platform in published_platforms():
        studies = {str(row["study"]) for row in published_rows([platform])}
        cited = citations(platform)
        assert cited == {name: load_study(f"{platform}/{name}").source for name in studies}
    assert citations("nobody's") == {}


def test_a_path_finds_its_measurements_by_its_columns() -> None:
    path = Point(
        platform="cyclonev",
        study="",
        direction="cpu_to_fpga",
        size_bytes=1,
        os="linux",
        master="pl330",
        route="acp",
        link="HF128",
        ports=1,
        buffer="kernel_cached",
        cache_level=9,
        prepared=True,
        fpga_mhz=150.0,
    )
    found = published_path(path)
    sizes = [row["size_bytes"] for row in found]
    # Two of the 21 sizes were left out.
    assert len(sizes) == 19
    assert sizes == sorted(set(sizes), key=int)  # type: ignore[arg-type]
    assert {(row["study"], row["quality"]) for row in found} == {("hps-to-fpga", "ok")}
