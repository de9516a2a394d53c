# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from weighbridge.dataset.table import read_rows

MAP = """\
[constants]
platform = "cyclonev"
study = "hps-to-fpga"
os = "linux"
master = "cpu"
ports = 1
cache_level = 9
buffer = "user"
direction = "cpu_to_fpga"
[columns]
bytes = "size_bytes"
us = { to = "seconds", unit = "us" }
"""


def test_measurements_become_a_run(
    weighbridge: Callable[..., tuple[int, str, str]], refused: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    # HF32 at 100 MHz carries 400 MB/s: 4096 B take 10.24 us at best.
    (tmp_path / "mine.csv").write_text(
        "bytes,us,link,fpga_mhz\n4096,50,HF32,100\n4096,5,HF32,100\n4096,0,HF32,100\n4096,9,X,1\n"
    )
    command = ("import", "mine.csv", "--map", "map.toml", "-o", "run")
    status, out, err = weighbridge(*command)
    assert (status, err) == (0, "")
    assert out.startswith("run: 4 rows (2 ok, 1 faster-than-ceiling, 1 non-positive-time)\n1 held")
    rows = read_rows(tmp_path / "run")
    assert [row["quality"] for row in rows[:2]] == ["ok", "faster-than-ceiling"]
    assert rows[0]["ceiling_seconds"] == 4096 / 400e6
    assert weighbridge("compare", "twin", "run")[0] == 0

    assert "already exists" in refused(*command)
    assert "unknown column 'bytes', 'us'" not in refused("import", "map.toml", "-o", "x")
    assert "unknown column 'bytes'" in refused("import", "mine.csv", "-o", "x")
    assert "cannot read" in refused("import", "absent.csv", "-o", "x")
    assert not (tmp_path / "x").exists()
