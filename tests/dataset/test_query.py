# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from weighbridge.dataset.query import query
from weighbridge.dataset.runs import new_manifest, write_run
from weighbridge.dataset.schema import COLUMNS
from weighbridge.errors import InputError


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    table = tmp_path / "measured.csv"
    table.write_text("link,size_bytes,seconds\nHF32,64,2e-6\n")
    row = dict.fromkeys(COLUMNS) | {"link": "HF32", "size_bytes": 64, "seconds": 1e-6}
    write_run(tmp_path / "it's a run", [row], new_manifest({}, ["weighbridge"], backend="twin"))
    return [tmp_path / "it's a run", table]


def test_results_of_all_runs_are_one_view(sources: list[Path]) -> None:
    answer = query("SELECT run, seconds FROM results ORDER BY seconds", sources)
    assert answer.columns == ["run", "seconds"]
    assert answer.rows == [(str(sources[0]), 1e-6), (str(sources[1]), 2e-6)]


def test_runs_are_a_view_of_their_own(sources: list[Path]) -> None:
    answer = query("SELECT run, backend FROM runs ORDER BY backend NULLS LAST", sources)
    assert answer.rows == [(str(sources[0]), "twin"), (str(sources[1]), None)]


@pytest.mark.parametrize("sql", ["SELEC 1", "SELECT nothing FROM results", "FROM absent", ""])
def test_faulty_sql_is_one_line(sources: list[Path], sql: str) -> None:
    with pytest.raises(InputError, match="the query") as refusal:
        query(sql, sources)
    assert "\n" not in str(refusal.value)
