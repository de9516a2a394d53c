# SPDX-License-Identifier: Apache-2.0
"""The map in the document is one, and its tables are whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from weighbridge.dataset import importer

TEXT = (Path(__file__).parents[2] / "docs/import.md").read_text(encoding="utf-8")


def test_the_map_of_the_document(tmp_path: Path) -> None:
    found = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert found
    (tmp_path / "map.toml").write_text(found[1], encoding="utf-8")
    mapping = importer.load_map(tmp_path / "map.toml")
    (tmp_path / "board.csv").write_text(
        "size,mhz,time_us,dir,crc,operator,remark\n4096,100,50,WR,ok,me,\n64,100,9,RD,no,me,\n"
    )

    class Nobody:
        def ceiling(self, row: object) -> str:
            return "nobody knows"

        def posted(self, row: object) -> bool:
            return False

    rows = importer.import_file(tmp_path / "board.csv", mapping, Nobody()).rows
    assert [row["quality"] for row in rows] == ["ok", importer.INTEGRITY]
    assert rows[0]["seconds"] == pytest.approx(50e-6)
    assert rows[0]["board"] == "number 7"


def test_every_quality_is_documented() -> None:
    qualities = (importer.INTEGRITY, importer.IMPOSSIBLE, importer.FASTER, importer.POSTED)
    for quality in (*qualities, importer.SLOW):
        assert f"| `{quality}` |" in TEXT
    assert f"{importer.SLOWEST_CEILINGS:g} times the ceiling's time" in TEXT
