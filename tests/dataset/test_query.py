# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from weighbridge.dataset.query import query
from weighbridge.dataset.runs import RESULTS, new_manifest, write_run
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


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT content FROM read_text('/etc/hostname')",
        "FROM '/etc/hostname'",
        "COPY results TO '{here}/leak.csv'",
        "ATTACH '{here}/leak.db'",
        "EXPORT DATABASE '{here}/leak'",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "INSTALL httpfs",
        "FROM sources",
        "CALL enable_logging(storage = 'file', storage_path = '{here}/leak')",
        "PRAGMA enable_profiling = 'json'",
        "SELECT repeat('x', 2000000000)",
        "SELECT '\ud800'",
    ],
)
def test_sql_from_elsewhere_reaches_nothing(sources: list[Path], tmp_path: Path, sql: str) -> None:
    there = sorted(file.name for file in tmp_path.iterdir())
    with pytest.raises(InputError, match="the query") as refusal:
        query(sql.format(here=tmp_path), sources, safe=True)
    assert "\n" not in str(refusal.value)
    assert sorted(file.name for file in tmp_path.iterdir()) == there
    assert query("SELECT count(*) FROM results", sources, safe=True).rows == [(2,)]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("DELETE FROM results", "DELETE"),
        ("SELECT 1; DROP TABLE results", "DROP"),
        ("INSERT INTO results SELECT * FROM results", "INSERT"),
        ("CREATE TABLE mine AS FROM results", "CREATE"),
        ("EXPLAIN ANALYZE DELETE FROM results", "EXPLAIN"),
    ],
)
def test_sql_from_elsewhere_only_reads(sources: list[Path], sql: str, kind: str) -> None:
    with pytest.raises(InputError, match=f"{kind} does not only read in the query"):
        query(sql, sources, safe=True)
    query(sql, sources)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH few AS (FROM results LIMIT 1) SELECT * FROM few",
        "DESCRIBE results",
        "SUMMARIZE results",
        "SHOW TABLES",
        "VALUES (1); FROM results",
        "PIVOT results ON link USING median(seconds) GROUP BY size_bytes",
    ],
)
def test_all_that_reads_is_answered(sources: list[Path], sql: str) -> None:
    assert query(sql, sources, safe=True).rows


def test_sql_from_elsewhere_may_not_take_for_ever(sources: list[Path]) -> None:
    endless = "SELECT count(*) FROM range(1000000000000)"
    with pytest.raises(InputError, match=r"it takes more than 0.2 s in the query"):
        query(endless, sources, safe=True, seconds=0.2)
    with pytest.raises(InputError, match="more than 1000000 rows"):
        query("FROM range(1000001)", sources, safe=True)


def test_a_cut_table_is_told(sources: list[Path]) -> None:
    table = sources[0] / RESULTS
    table.write_bytes(table.read_bytes()[:300])
    for safe in (False, True):
        with pytest.raises(InputError, match="not a whole Parquet file"):
            query("FROM results", sources, safe=safe)
