# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from weighbridge.dataset.table import read_rows
from weighbridge.platforms import load_platform

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
    found = "1 ok, 1 faster-than-ceiling, 1 non-positive-time, 1 ok as far as can be told"
    assert out.startswith(f"run: 4 rows ({found})\n1 held")
    rows = read_rows(tmp_path / "run")
    assert [row["quality"] for row in rows[:2]] == ["ok", "faster-than-ceiling"]
    assert rows[0]["ceiling_seconds"] == 4096 / 400e6
    assert weighbridge("compare", "twin", "run")[0] == 0

    assert "already exists" in refused(*command)
    assert "unknown column 'bytes', 'us'" not in refused("import", "map.toml", "-o", "x")
    status, _, err = weighbridge("import", "mine.csv", "-o", "x")
    assert status == 2
    unknown, absent = err.splitlines()
    assert """unknown column 'bytes' (perhaps "bytes" = "size_bytes"), 'us' (""" in unknown
    (tmp_path / "odd.csv").write_text("zzz,qqq\n1,2\n")
    odd = refused("import", "odd.csv", "-o", "x").splitlines()[0]
    assert "unknown column 'zzz', 'qqq' in odd.csv" in odd
    assert len(odd) < 200
    assert len(refused("run", "cyclonev/hps-to-fpga", "--points", "odd.csv")) < 300
    assert "no platform, study, direction, size_bytes in mine.csv, line 3" in absent
    assert "cannot read" in refused("import", "absent.csv", "-o", "x")
    assert not (tmp_path / "x").exists()


def test_slow_rows_and_repeated_ones_are_named(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    rows = ["4096,50,HF32,100", "4096,51,HF32,100", "4096,50000,HF32,100", "64,9,HF32,100"]
    (tmp_path / "mine.csv").write_text("bytes,us,link,fpga_mhz\n" + "\n".join(rows) + "\n")
    status, out, _ = weighbridge("import", "mine.csv", "--map", "map.toml", "-o", "run")
    assert status == 0
    assert "implausibly-slow: line 4; is the unit right?" in out
    assert "the same point and board again: line 3 (as line 2), line 4 (as line 2)\n" in out
    assert [row["quality"] for row in read_rows(tmp_path / "run")] == [
        "ok", "ok", "implausibly-slow", "ok",
    ]  # fmt: skip


def test_every_fault_has_its_row(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    rows = ["64,fast,HF32,100", "64,9,HF32", "-64,9,HF32,100", "64,9,HF32,100", "x,y,HF32,100"]
    (tmp_path / "mine.csv").write_text("bytes,us,link,fpga_mhz\n" + "\n".join(rows) + "\n")
    status, out, err = weighbridge("import", "mine.csv", "--map", "map.toml", "-o", "run")
    assert (status, out) == (2, "")
    assert [line.removeprefix("weighbridge: error: ") for line in err.splitlines()] == [
        "'fast' is not a number in mine.csv, line 2, column us",
        "3 cells for 4 columns in mine.csv, line 3",
        "'-64' is not positive in mine.csv, line 4, column bytes (size_bytes)",
        "'y' is not a number in mine.csv, line 6, column us",
        "'x' is not a number in mine.csv, line 6, column bytes (size_bytes)",
    ]
    assert not (tmp_path / "run").exists()
    lines = "".join(f"64,{number}x,HF32,100\n" for number in range(99))
    (tmp_path / "mine.csv").write_text("bytes,us,link,fpga_mhz\n" + lines)
    err = weighbridge("import", "mine.csv", "--map", "map.toml", "-o", "run")[2]
    assert err.count("\n") == 21
    assert "more faults follow in mine.csv; mend these first" in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("64,x,HF32,100\n" * 99, "'x' is not a number in mine.csv, lines 2, 3, 4, 5, 6, 7, 8, 9, "
         "10, 11 and 89 more, column us"),
        ('64,"1,5",HF32,100\n', "'1,5' is not a number in mine.csv, line 2, column us; write a "
         "point for its decimal comma"),
        ('64,1,HF32,"66,6"\n', "'66,6' is not a number in mine.csv, line 2, column fpga_mhz; write "
         "a point for its decimal comma"),
    ],
)  # fmt: skip
def test_what_rows_share_is_told_once(
    refused: Callable[..., str], tmp_path: Path, rows: str, expected: str
) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    (tmp_path / "mine.csv").write_text("bytes,us,link,fpga_mhz\n" + rows)
    said = refused("import", "mine.csv", "--map", "map.toml", "-o", "run")
    assert said == f"weighbridge: error: {expected}\n"


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_a_table_without_commas_is_told(
    refused: Callable[..., str], tmp_path: Path, sign: str, name: str
) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    rows = ("bytes", "time (us, median)", "link"), ("64", "1,5", "HF32")
    (tmp_path / "mine.csv").write_text("\n".join(map(sign.join, rows)))
    said = refused("import", "mine.csv", "--map", "map.toml", "-o", "run")
    assert f"its cells are separated by {name} in mine.csv; save it with commas" in said


def test_a_time_that_is_no_number_is_doubted_row_by_row(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """docs/import.md: zero, negative or no number."""
    text = "bytes,us,link,fpga_mhz\n64,nan,HF32,100\n128,9,HF32,100\n"
    for unit in (MAP, MAP.replace('"us" }', '"MB/s" }')):
        (tmp_path / "map.toml").write_text(unit)
        (tmp_path / "mine.csv").write_text(text)
        status, out, err = weighbridge(
            "import", "mine.csv", "--map", "map.toml", "-o", f"run{len(unit)}"
        )
        assert (status, err) == (0, "")
        assert "2 rows (1 non-positive-time, 1 ok)" in out
        assert "non-positive-time: line 2" in out
        doubted, sound = read_rows(tmp_path / f"run{len(unit)}")
        assert (doubted["seconds"], sound["quality"]) == (None, "ok")
    (tmp_path / "mine.csv").write_text(text.replace("64,nan", "nan,9"))
    err = weighbridge("import", "mine.csv", "--map", "map.toml", "-o", "x")[2]
    assert "'nan' is not finite in mine.csv, line 2, column bytes (size_bytes)" in err


def test_rows_of_a_platform_file_of_ones_own(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    own = load_platform("cyclonev").path.read_text().replace('"cyclonev"', '"mine"', 1)
    (tmp_path / "mine.toml").write_text(own)
    (tmp_path / "map.toml").write_text(MAP.replace('"cyclonev"', '"mine"'))
    (tmp_path / "mine.csv").write_text("bytes,us,link,fpga_mhz\n4096,5,HF32,100\n")
    command = ("import", "mine.csv", "--map", "map.toml", "-o")
    out = weighbridge(*command, "one")[1]
    assert out.startswith("one: 1 rows (1 ok as far as can be told)\n1 held against no ceiling: ")
    assert "no twin of platform 'mine'; a file of yours: --platform FILE" in out
    out = weighbridge(*command, "two", "--platform", "mine.toml")[1]
    assert out == "two: 1 rows (1 faster-than-ceiling)\nfaster-than-ceiling: line 2\n"


def test_a_platform_that_nobody_knows_makes_no_time_ok(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """What no path anywhere takes or carries is doubted, and the name that was meant is offered."""
    (tmp_path / "map.toml").write_text(MAP.replace('"cyclonev"', '"cyclonv"'))
    rows = [f"4096,{us},HF32,100" for us in ("50", "1e-30", "1e-5", "1e12", "1e6")]
    (tmp_path / "mine.csv").write_text("bytes,us,link,fpga_mhz\n" + "\n".join(rows) + "\n")
    out = weighbridge("import", "mine.csv", "--map", "map.toml", "-o", "run")[1]
    assert "5 rows (2 faster-than-ceiling, 2 ok as far as can be told, 1 implausibly-slow)" in out
    assert "no twin of platform 'cyclonv'; did you mean 'cyclonev'?" in out
    assert [row["quality"] for row in read_rows(tmp_path / "run")] == [
        "ok", "faster-than-ceiling", "faster-than-ceiling", "implausibly-slow", "ok",
    ]  # fmt: skip
