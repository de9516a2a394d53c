# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from weighbridge.dataset.importer import Imported, Map, import_file, load_map
from weighbridge.dataset.table import Row
from weighbridge.errors import InputError, InputErrors

MAP = """\
skip = ["operator"]
[constants]
platform = "cyclonev"
study = "mine"
[columns]
bytes = { to = "size_bytes", unit = "KiB" }
"time (us)" = { to = "seconds", unit = "us" }
dir = { to = "direction", values = { WR = "cpu_to_fpga", RD = "fpga_to_cpu" } }
[integrity]
column = "crc"
good = ["ok"]
"""
HEADER = "bytes,time (us),dir,crc,operator\n"


class Judge:
    """A ceiling of 640 MB/s for every link but one; writes of up to 64 B are posted."""

    def ceiling(self, row: Row) -> float | str:
        return "no such link" if row["link"] == "none" else int(row["size_bytes"] or 0) / 640e6

    def posted(self, row: Row) -> bool:
        return int(row["size_bytes"] or 0) <= 64


JUDGE = Judge()


def imported(path: Path, content: str, map_text: str = MAP) -> Imported:
    (path / "map.toml").write_text(map_text)
    (path / "data.csv").write_text(content)
    return import_file(path / "data.csv", load_map(path / "map.toml"), JUDGE)


def qualities(imported: Imported) -> list[object]:
    return [row["quality"] for row in imported.rows]


def test_columns_units_words_and_constants(tmp_path: Path) -> None:
    (row,) = imported(tmp_path, f"{HEADER}64,128,WR,ok,me\n").rows
    assert row["size_bytes"] == 65536
    assert row["seconds"] == pytest.approx(128e-6)
    assert (row["direction"], row["platform"], row["study"]) == ("cpu_to_fpga", "cyclonev", "mine")
    assert (row["backend"], row["statistic"], row["quality"]) == ("board", "median", "ok")
    assert row["ceiling_seconds"] == pytest.approx(102.4e-6)


def test_what_cannot_be_true_is_marked(tmp_path: Path) -> None:
    content = (
        f"{HEADER}64,128,WR,ok,me\n64,128,WR,BAD,me\n64,100,WR,ok,me\n64,0,WR,ok,me\n"
        "64,-3,WR,ok,me\n0.0625,0.01,WR,ok,me\n"
    )
    found = imported(tmp_path, content)
    assert qualities(found) == [
        "ok",
        "integrity-failed",
        "faster-than-ceiling",
        "non-positive-time",
        "non-positive-time",
        "posted",
    ]
    # A failed or impossible measurement is an outcome, never a number.
    assert [row["seconds"] is None for row in found.rows] == [False, True, False, True, True, False]


def test_a_write_said_to_be_posted_may_beat_the_ceiling(tmp_path: Path) -> None:
    map_text = MAP.replace("[columns]", 'completion = "posted"\n[columns]')
    assert qualities(imported(tmp_path, f"{HEADER}64,100,WR,ok,me\n", map_text)) == ["posted"]


def test_a_stated_quality_is_kept(tmp_path: Path) -> None:
    content = "quality," + HEADER + "timer-floor,64,1,WR,ok,me\n"
    assert qualities(imported(tmp_path, content)) == ["timer-floor"]


def test_rows_that_no_ceiling_is_known_for_are_told(tmp_path: Path) -> None:
    found = imported(tmp_path, "link," + HEADER + "none,64,1,WR,ok,me\n")
    assert qualities(found) == ["ok"]
    assert found.unjudged == {"no such link": 1}


def test_rates_become_times(tmp_path: Path) -> None:
    map_text = MAP.replace(
        '"time (us)" = { to = "seconds", unit = "us" }',
        '"rate" = { to = "seconds", unit = "MB/s" }',
    )
    content = HEADER.replace("time (us)", "rate") + "64,512,WR,ok,me\n64,0,WR,ok,me\n"
    found = imported(tmp_path, content, map_text)
    assert found.rows[0]["seconds"] == pytest.approx(128e-6)
    assert qualities(found) == ["ok", "non-positive-time"]


def test_json_lines_and_excel_say_the_same(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    (tmp_path / "map.toml").write_text(MAP)
    mapping = load_map(tmp_path / "map.toml")
    names, cells = HEADER.strip().split(","), [64, 128, "WR", "ok", "me"]
    (tmp_path / "d.jsonl").write_text(json.dumps(dict(zip(names, cells, strict=True))) + "\n\n")
    book = openpyxl.Workbook()
    book.active.append(names)
    book.active.append(cells)
    book.save(tmp_path / "d.xlsx")
    wanted = imported(tmp_path, f"{HEADER}64,128,WR,ok,me\n").rows
    assert import_file(tmp_path / "d.jsonl", mapping, JUDGE).rows == wanted
    assert import_file(tmp_path / "d.xlsx", mapping, JUDGE).rows == wanted
    with pytest.raises(InputError, match=r"no sheet 'raw' in .*there: Sheet"):
        import_file(tmp_path / "d.xlsx", mapping.model_copy(update={"sheet": "raw"}), JUDGE)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("speed," + HEADER + "1,64,128,WR,ok,me\n", "unknown column 'speed'.*line 2"),
        (f"{HEADER}big,128,WR,ok,me\n", "'big' is not a number in .*line 2, column bytes"),
        (f"{HEADER}64,fast,WR,ok,me\n", "'fast' is not a number.*column time"),
        (f"{HEADER}-64,128,WR,ok,me\n", "not positive.*size_bytes"),
        (f"{HEADER}64,128,up,ok,me\n", "'up' is not a direction"),
        (f"{HEADER}64,128,,ok,me\n", "no direction in .*line 2"),
        (f"{HEADER}64,,WR,ok,me\n", "no seconds"),
        (f"{HEADER}64,128\n", "2 cells for 5 columns"),
        ("bytes,time (us),dir,operator\n64,128,WR,me\n", r"no column 'crc' for \[integrity\]"),
        (HEADER, "no rows"),
        ("", "no rows"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path: Path, content: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as refusal:
        imported(tmp_path, content)
    assert "\n" not in str(refusal.value)


def test_files_of_no_kind(tmp_path: Path) -> None:
    for name, complaint in [
        ("d.doc", "unknown kind"),
        ("d.csv", "cannot read"),
        ("d.jsonl", "cannot read"),
        ("d.xlsx", "cannot read"),
    ]:
        with pytest.raises(InputError, match=complaint):
            import_file(tmp_path / name, Map(), JUDGE)
    (tmp_path / "d.jsonl").write_text("{}\n{}\n[1]\n")
    with pytest.raises(InputErrors, match=r"no platform.*line 1.*\nno object in .*line 3$"):
        import_file(tmp_path / "d.jsonl", Map(), JUDGE)
    (tmp_path / "d.jsonl").write_text("{\n")
    with pytest.raises(InputError, match="not a line of JSON"):
        import_file(tmp_path / "d.jsonl", Map(), JUDGE)
    pytest.importorskip("openpyxl")
    (tmp_path / "d.xlsx").write_text("no zip")
    with pytest.raises(InputError, match="not an Excel file"):
        import_file(tmp_path / "d.xlsx", Map(), JUDGE)


def test_every_fault_of_a_map_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "map.toml"
    file.write_text('[constants]\nplatfrm = "x"\n[columns]\na = "secnds"\n[integrty]\nx = 1\n')
    with pytest.raises(InputErrors) as refusal:
        load_map(file)
    said = str(refusal.value)
    assert "platfrm" in said
    assert "line 4" in said
    assert "'integrty'" in said


def test_a_unit_that_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unit of 'time \(us\)': .*--map"):
        imported(tmp_path, f"{HEADER}64,1,WR,ok,me\n", MAP.replace('"us"', '"MHz"'))
    with pytest.raises(InputError, match="column 'os' has no unit"):
        imported(tmp_path, f"{HEADER}64,1,WR,ok,me\n", MAP.replace('"seconds"', '"os"'))
