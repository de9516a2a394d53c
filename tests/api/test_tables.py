# SPDX-License-Identifier: Apache-2.0
"""Every answer becomes Arrow, data frames, files and text with the same numbers."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pytest

import weighbridge as wb
from weighbridge.api.table import SHOWN, Table

PATH = {"os": "linux", "master": "pl330", "route": "acp", "link": "HF128"}

ANSWERS: dict[str, Callable[[], Table]] = {
    "prediction": lambda: wb.predict("cyclonev", size="4KiB", **PATH),
    "predictions": lambda: wb.predict("cyclonev", size=[64, "4KiB"], **PATH),
    "advice": lambda: wb.advise("cyclonev", size=4096, direction="fpga_to_cpu", master="cpu"),
    "explained": lambda: wb.explain("cyclonev", size=4096, **PATH),
    "curve": lambda: wb.curve("cyclonev", points=5, **PATH)[0],
    "curves": lambda: wb.curve("cyclonev", PATH, "master=cpu os=linux", points=5),
    "answers": lambda: wb.run("cyclonev/cache-levels", where="size=4KiB"),
    "compared": lambda: wb.compare("twin", wb.run("cyclonev/cache-levels", where="size=4KiB")),
}


@pytest.fixture(scope="module", params=ANSWERS)
def answer(request: pytest.FixtureRequest) -> Table:
    return ANSWERS[request.param]()


def test_frames_hold_the_columns(answer: Table) -> None:
    columns = answer.columns()
    lengths = {len(cells) for cells in columns.values()}
    assert len(lengths) == 1
    assert lengths.pop() > 0
    assert answer.to_arrow().to_pydict() == columns
    assert answer.to_polars().to_dict(as_series=False) == columns
    frame = answer.to_pandas()
    assert list(frame.columns) == list(columns)
    for name, cells in columns.items():
        assert [None if value != value else value for value in frame[name].tolist()] == cells


def test_files_hold_the_columns(answer: Table, tmp_path: Path) -> None:
    columns = answer.columns()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for suffix in (".csv", ".parquet", ".json"):
        answer.write(tmp_path / f"table{suffix}")
    assert json.loads((tmp_path / "table.json").read_text()) == rows
    found = duckdb.sql(f"FROM '{tmp_path}/table.parquet'")
    assert [dict(zip(columns, row, strict=True)) for row in found.fetchall()] == rows
    with (tmp_path / "table.csv").open(newline="") as file:
        text = list(csv.DictReader(file))
    assert [{n: c or None for n, c in row.items()} for row in text] == [
        {n: _typed(c) for n, c in row.items()} for row in rows
    ]
    with pytest.raises(wb.InputError, match="unknown kind of file"):
        answer.write(tmp_path / "table.xlsx")
    assert not (tmp_path / "table.xlsx").exists()


def _typed(value: object) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_a_person_can_read_it(answer: Table) -> None:
    lines = repr(answer).splitlines()
    rows = len(next(iter(answer.cells().values())))
    heading = answer.heading().count("\n") + 1
    assert lines[:heading] == answer.heading().splitlines()
    assert len(lines) == heading + 1 + min(rows, SHOWN + 1)
    assert "…" not in repr(answer)
    assert not any("object at 0x" in line for line in lines)


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.data: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.data.append(data)


def test_a_notebook_shows_the_same_cells(answer: Table) -> None:
    parser = _Cells()
    parser.feed(answer._repr_html_())
    assert parser.tags <= {"table", "caption", "br", "thead", "tbody", "tr", "th", "td"}
    for name, cells in answer.cells().items():
        assert name in parser.data
        assert set(cells[: SHOWN // 2]) <= set(parser.data)


def test_a_name_means_nothing_to_a_browser() -> None:
    one = wb.predict("cyclonev", size="4KiB", **PATH)
    odd = replace(one, path="<script>alert(1)</script> & co")
    assert "<script" not in odd._repr_html_()
    assert "&lt;script&gt;" in odd._repr_html_()


@pytest.mark.parametrize("package", ["pyarrow", "pandas", "polars"])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    one = wb.predict("cyclonev", size="4KiB", **PATH)
    monkeypatch.setitem(sys.modules, package, None)
    convert = getattr(one, f"to_{package.removeprefix('py')}")
    with pytest.raises(wb.InputError, match=f"needs {package}.*; pip install {package}$"):
        convert()
