# SPDX-License-Identifier: Apache-2.0
"""A table with columns of its own, whose `prepared` holds words: read by a map, and doubted."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from weighbridge.dataset.table import read_rows

DATA = Path(__file__).parents[3] / "shared/data/zynqmp.csv"
MAP = """\
skip = ["latency_cycles", "reads_in_flight", "quality"]
[columns]
prepared = "sync"             # words here, where ours says yes or no
"""


@pytest.mark.skipif(not DATA.is_file(), reason="the published measurements are not here")
def test_a_table_is_read_by_a_map(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    (tmp_path / "words.toml").write_text(MAP.replace('prepared = "sync"', ""))
    status, out, err = weighbridge("import", DATA, "--map", "map.toml", "-o", "run")
    assert (status, err) == (0, "")
    assert out.startswith("run: 7064 rows (")
    with DATA.open(newline="") as file:
        told = [cells["quality"] for cells in csv.DictReader(file)]
    rows = read_rows(tmp_path / "run")
    found = [str(row["quality"]) for row in rows]
    # What its README lists, told by the neighbours alone. `unstable` is of ten repetitions, whose
    # least and most the table does not have.
    assert {found[n] for n, one in enumerate(told) if one == "starved"} == {"starved"}
    wrong = [n for n, one in enumerate(told) if one == "ok" and found[n] == "starved"]
    assert not wrong
    # Without the map's word for it a line for each word says what does not fit, and where.
    status, _, err = weighbridge("import", DATA, "--map", "words.toml", "-o", "other")
    assert status == 2
    assert err
    assert all("column prepared" in line for line in err.splitlines()), err
