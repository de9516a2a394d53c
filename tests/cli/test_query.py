# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable

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
