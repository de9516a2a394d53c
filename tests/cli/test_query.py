# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

SQL = "SELECT os, count(*) AS n, NULL AS nothing FROM results GROUP BY os"


def test_every_run_here_in_three_forms(
    weighbridge: Callable[..., tuple[int, str, str]], refused: Callable[..., str]
) -> None:
    assert "no runs here" in refused("query", SQL)
    weighbridge("run", "cyclonev/cache-levels", "--where", "os=linux")
    assert "linux" in weighbridge("query", SQL)[1]
    assert json.loads(weighbridge("query", SQL, "--json")[1]) == [
        {"os": "linux", "n": 42, "nothing": None}
    ]
    assert weighbridge("query", SQL, "runs/cyclonev-cache-levels", "--csv")[1] == (
        "os,n,nothing\nlinux,42,\n"
    )
    assert "the query" in refused("query", "SELEC 1")
    assert "no such file" in refused("query", SQL, "absent")


def test_json_is_strict_and_a_terminal_is_left_alone(
    weighbridge: Callable[..., tuple[int, str, str]], refused: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "m.csv").write_text("link,size_bytes,seconds\n\x1b[31mred\x07,64,2e-6\n")
    sql = "SELECT link, 'nan'::DOUBLE AS a, [1, 'inf'::DOUBLE] AS b, 'x'::BLOB AS c FROM results"
    out = weighbridge("query", sql, "m.csv", "--json", "--safe")[1]
    assert "NaN" not in out
    assert json.loads(out) == [{"link": "\x1b[31mred\x07", "a": None, "b": [1, None], "c": "78"}]
    out = weighbridge("query", 'SELECT link, 1 AS "\x1b[2J" FROM results', "m.csv")[1]
    assert "\\x1b[31mred\\x07" in out
    assert "\\x1b[2J" in out
    assert not {"\x1b", "\x07"} & set(out)
    # In a pipe the data are as they are.
    assert "\x1b[31mred" in weighbridge("query", "SELECT link FROM results", "m.csv", "--csv")[1]
    twice = ("query", "SELECT 1 AS a, 2 AS a", "m.csv")
    assert "column 'a' appears twice" in refused(*twice, "--json")
    # What is said of bad data is safe, too.
    (tmp_path / "m.csv").write_text("li\x1b[31mnk,size_bytes\nx,64\n")
    assert "li\\x1b[31mnk" in refused("query", "FROM results", "m.csv")
