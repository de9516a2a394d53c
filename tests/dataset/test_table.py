# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import csv
import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weighbridge.dataset.schema import COLUMNS, Point
from weighbridge.dataset.table import Row, point_of, read_rows, write_parquet
from weighbridge.dataset.values import DIRECTIONS
from weighbridge.errors import InputError

HEADER = "platform,study,direction,size_bytes,fpga_mhz,prepared,seconds"
LINE = "p,s,cpu_to_fpga,64,150,true,1e-6"


def a_row(**values: Any) -> Row:
    return dict.fromkeys(COLUMNS) | values


def _cells(column: str, kind: str) -> st.SearchStrategy[Any]:
    if column == "direction":
        return st.sampled_from(DIRECTIONS)
    if column == "size_bytes":
        return st.integers(1, 2**30)
    words = st.text(st.characters(exclude_categories=("C",), include_characters='",\n'), min_size=1)
    return (
        st.none()
        | {
            "text": words,
            "integer": st.integers(1, COLUMNS[column].most or 2**30),
            "number": st.floats(1e-300, 1e300),
            "flag": st.booleans(),
        }[kind]
    )


rows = st.lists(
    st.fixed_dictionaries({name: _cells(name, one.kind) for name, one in COLUMNS.items()}),
    min_size=1,
    max_size=4,
)
slow = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@slow
@given(rows)
def test_parquet_keeps_every_row(tmp_path: Path, rows: list[Row]) -> None:
    write_parquet(rows, tmp_path / "t.parquet")
    assert read_rows(tmp_path / "t.parquet") == rows


@slow
@given(rows)
def test_csv_keeps_every_row(tmp_path: Path, rows: list[Row]) -> None:
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {k: str(v).lower() if isinstance(v, bool) else v for k, v in row.items()}
            )
    assert read_rows(tmp_path / "t.csv") == rows


def test_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    rows = [a_row(size_bytes=n, seconds=n * 1e-9, link="HF32") for n in range(1, 5000)]
    for name in ("a", "b"):
        write_parquet(rows, tmp_path / f"{name}.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_an_empty_table_can_be_written(tmp_path: Path) -> None:
    write_parquet([], tmp_path / "t.parquet")
    assert read_rows(tmp_path / "t.parquet") == []


def test_cells_have_types_and_empty_is_none(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"{HEADER}\n{LINE}\np,s,cpu_to_fpga,64,,,\n")
    first, second = read_rows(file)
    assert (first["size_bytes"], first["fpga_mhz"], first["prepared"]) == (64, 150.0, True)
    assert (second["fpga_mhz"], second["prepared"], second["os"]) == (None, None, None)
    assert list(first) == list(COLUMNS)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("size_bytes,secnds\n2,1\n", r"unknown column 'secnds' in .*; 'secnds': .*'seconds'"),
        (f"{HEADER}\n{LINE}\np,s,cpu_to_fpga,64,fast,true,1\n", "'fast' is not .*line 3, column f"),
        (f"{HEADER}\np,s,cpu_to_fpga,-64,150,true,1\n", "not positive in .*line 2, column size_b"),
        (f"{HEADER}\np,s,cpu_to_fpga,99999999999,150,true,1\n", "too large"),
        (f"{HEADER}\np,s,cpu_to_fpga,6.5,150,true,1\n", "not a whole number"),
        (f"{HEADER}\np,s,cpu_to_fpga,64,150,maybe,1\n", "not true or false"),
        (f"{HEADER}\np,s,cpu_to_fpga,64,150,true,nan\n", "not finite"),
        (f"{HEADER}\np,s,cpu_to_fpga,64,150,true,0\n", "not positive"),
        (f"{HEADER}\np,s,write,64,150,true,1\n", "'write' is not a direction"),
        (f"{HEADER}\np,s,cpu_to_fpga\n", "3 cells for 7 columns in .*line 2"),
        ("seconds,seconds\n1,1\n", "appears twice"),
        ("", "empty"),
    ],
)  # fmt: skip
def test_a_faulty_csv_is_refused_by_place(tmp_path: Path, content: str, complaint: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(content)
    with pytest.raises(InputError, match=complaint) as refusal:
        read_rows(file)
    assert "\n" not in str(refusal.value)
    assert str(file) in str(refusal.value)


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_rows(tmp_path / "absent.csv")
    (tmp_path / "t.txt").write_text("x")
    with pytest.raises(InputError, match="unknown kind"):
        read_rows(tmp_path / "t.txt")
    (tmp_path / "t.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_rows(tmp_path / "t.csv")
    write_parquet([a_row(seconds=1.0)] * 100, tmp_path / "t.parquet")
    whole = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="not a whole Parquet file"):
        read_rows(tmp_path / "t.parquet")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "t.parquet"
    write_parquet([a_row(seconds=1.0)], file)
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_parquet([a_row(seconds=2.0)], file)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["t.parquet"]


def test_duckdb_itself_may_find_the_disk_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The temporary file leads to a device that is always full.
    with_name = Path.with_name
    monkeypatch.setattr(Path, "with_name", lambda path, name: _full(with_name(path, name)))

    def _full(temporary: Path) -> Path:
        temporary.symlink_to("/dev/full")
        return temporary

    with pytest.raises(InputError, match="No space left on device"):
        write_parquet([a_row(seconds=2.0)], tmp_path / "t.parquet")
    assert os.listdir(tmp_path) == []


def test_a_point_comes_back_from_its_row() -> None:
    point = Point("p", "s", "cpu_to_fpga", 64, os="linux", axes=(("dummy_traffic", False),))
    assert point_of(a_row(**point.key(), seconds=1.0, backend="x")) == point
    with pytest.raises(InputError, match="without platform, study"):
        point_of(a_row(direction="cpu_to_fpga", size_bytes=2))


@pytest.mark.parametrize("column", ["register_accesses", "interrupts", "simulated_cycles"])
def test_what_is_counted_may_be_none_at_all(tmp_path: Path, column: str) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"{HEADER},{column}\n{LINE},0\n")
    assert read_rows(table)[0][column] == 0
    table.write_text(f"{HEADER},{column}\n{LINE},-1\n")
    with pytest.raises(InputError, match=f"'-1' is negative.*{column}"):
        read_rows(table)
