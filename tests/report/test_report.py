# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import altair
import pytest

from weighbridge.dataset.table import read_rows
from weighbridge.errors import InputError
from weighbridge.report import write_report

from .conftest import row, study_rows, write_csv

FIGURES = {
    "curves",
    "bridges-cpu",
    "bridges-dma-linux",
    "bridges-dma-bare-metal",
    "clock-hf128",
    "clock-lw32",
    "systems",
    "caches",
    "masters-bare-metal",
    "masters-linux",
    "preparation-time",
    "preparation-share",
    "cache-levels",
    "accuracy",
    "accuracy-points",
}
#: Drawn only where there is a reference.
JUDGED = {"accuracy", "accuracy-points"}


@pytest.fixture(scope="module")
def html(run: Path, reference: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("report") / "report.html"
    assert write_report([run], out, reference=[reference]) == [out]
    return out.read_text(encoding="utf-8")


def texts(html: str) -> str:
    """What a reader sees: the page without scripts, styles and tags."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", body)


def specs(html: str) -> dict[str, dict[str, object]]:
    """Figure id to the specification of its chart."""
    pattern = r'<figure id="figure-([^"]+)">.*?<script type="application/json">(.*?)</script>'
    return {id: json.loads(spec) for id, spec in re.findall(pattern, html, flags=re.DOTALL)}


def test_every_figure_of_the_study_is_drawn(html: str) -> None:
    assert set(specs(html)) == FIGURES


def test_charts_are_valid_vega_lite(html: str) -> None:
    for spec in specs(html).values():
        few = spec["data"]["values"][:3]  # type: ignore[index]
        altair.Chart.from_dict(spec | {"data": {"values": few}}, validate=True)


def test_fourteen_curves_with_reference_marks(html: str) -> None:
    values = specs(html)["curves"]["data"]["values"]  # type: ignore[index]
    for source, lines, points in (("run", 14, 14 * 21), ("reference", 14, 14 * 21 - 1)):
        chosen = [value for value in values if value["source"] == source]
        assert len(chosen) in (points, points + 1)
        assert len({(value["direction"], value["label"]) for value in chosen}) == lines


def test_answer_comes_first_with_units(html: str) -> None:
    text = texts(html)
    assert text.index("The fastest 64 KiB") < text.index("The fastest of CPU")
    assert "MB/s" in text
    assert "L2 write path" in text
    assert "in the median" in text


def test_best_master_table_has_every_size(html: str) -> None:
    table = re.search(r'<table id="best-master-table">(.*?)</table>', html, re.DOTALL)
    assert table
    assert table[1].count("<tr>") == 22
    assert "2 MiB" in table[1]
    assert "†" not in texts(table[1])


def test_errors_by_group(html: str) -> None:
    table = re.search(r'<table id="error-groups">(.*?)</table>', html, re.DOTALL)
    assert table
    assert "hps-to-fpga, linux, pl330, acp" in table[1]
    assert table[1].count("2\N{NO-BREAK SPACE}%") >= 4
    assert "1 suspected-rerun" in html


def test_page_is_offline_and_small(html: str) -> None:
    # The library's own text aside: it can load data, but no chart here asks it to.
    page = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.findall(r'\b(?:src|href)="(?!#|data:)', page)
    assert not re.findall(r"@import|\burl\(", page)
    assert '"url"' not in page
    assert len(html.encode()) < 3_000_000
    assert html.count("window.vegaEmbed") == 1


def test_words_for_direction(html: str) -> None:
    assert not re.search(r"\b(write|read)s? (to|from) the FPGA", texts(html))


def test_same_input_same_bytes(run: Path, reference: Path, html: str, tmp_path: Path) -> None:
    out = tmp_path / "again.html"
    write_report([run], out, reference=[reference])
    assert out.read_text(encoding="utf-8") == html


def test_svg_of_each_chart(run: Path, tmp_path: Path) -> None:
    written = write_report(
        [run], tmp_path / "r.html", reference=(), svg_directory=tmp_path / "charts"
    )
    # Without a reference there is no error to draw.
    assert {path.stem for path in written[1:]} == FIGURES - JUDGED
    for path in written[1:]:
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_without_reference_says_so(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    write_report([run], out, reference=())
    text = texts(out.read_text(encoding="utf-8"))
    assert "no reference was given" in text
    assert "Nothing here has been checked" in text


def test_absent_sections_name_the_study_to_run(tmp_path: Path) -> None:
    levels = [line for line in study_rows() if line["study"] == "cache-levels"]
    out = tmp_path / "r.html"
    write_report([write_csv(levels, tmp_path / "levels.csv")], out, reference=())
    html = out.read_text(encoding="utf-8")
    assert set(specs(html)) == {"cache-levels"}
    assert "weighbridge run cyclonev/hps-to-fpga" in html


def test_runs_with_holes_are_drawn(tmp_path: Path) -> None:
    holey = [
        line
        for number, line in enumerate(study_rows())
        if number % 7 and not (line["link"] == "HF128" and line["fpga_mhz"] == 50)
    ]
    out = tmp_path / "r.html"
    write_report([write_csv(holey, tmp_path / "holey.csv")], out)
    drawn = specs(out.read_text(encoding="utf-8"))
    assert "curves" in drawn
    assert "clock-hf128" not in drawn


def test_row_without_a_clock_is_no_stumbling_block(run: Path, tmp_path: Path) -> None:
    clockless = row(
        study="hps-to-fpga",
        os="linux",
        master="cpu",
        link="HF128",
        cache_level=9,
        direction="cpu_to_fpga",
        size_bytes=1 << 16,
        seconds=1e-9,
    )
    out = tmp_path / "r.html"
    write_report([run, write_csv([clockless], tmp_path / "odd.csv")], out, reference=())
    assert set(specs(out.read_text(encoding="utf-8"))) == FIGURES - JUDGED


def test_text_of_rows_is_escaped(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    rows = [
        {**line, "bound_by": evil, "quality": "ok"} for line in study_rows() if line["study"] != "x"
    ]
    rows.append(row(study="hps-to-fpga", quality="<b>odd</b>", backend=None, size_bytes=2))
    out = tmp_path / "r.html"
    write_report([write_csv(rows, tmp_path / "<i>run.csv")], out, reference=())
    html = out.read_text(encoding="utf-8")
    assert evil not in html
    assert "<script>alert" not in html
    assert "<b>odd</b>" not in html
    assert "<i>run.csv" not in html
    assert set(specs(html)) == FIGURES - JUDGED


def test_first_run_counts(run: Path, reference: Path, tmp_path: Path) -> None:
    one, both = tmp_path / "one.html", tmp_path / "both.html"
    write_report([run], one)
    write_report([run, reference], both)
    assert specs(one.read_text("utf-8"))["curves"] == specs(both.read_text("utf-8"))["curves"]


def test_nothing_to_draw_is_an_error(tmp_path: Path) -> None:
    other = write_csv([row(study="l2-lockdown", size_bytes=2)], tmp_path / "o.csv")
    with pytest.raises(InputError, match="weighbridge list"):
        write_report([other], tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_two_platforms_are_an_error(run: Path, tmp_path: Path) -> None:
    other = write_csv([row(platform="zynq7000", size_bytes=2, seconds=1e-6)], tmp_path / "o.csv")
    with pytest.raises(InputError, match="several platforms"):
        write_report([run, other], tmp_path / "r.html")


def test_missing_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        write_report([tmp_path / "nowhere"], tmp_path / "r.html")


def test_unwritable_output_is_an_error(run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        write_report([run], tmp_path / "file" / "r.html")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot write"):
        write_report([run], tmp_path / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_published_rows_as_a_run(published: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    write_report([published], out, reference=[published])
    html = out.read_text(encoding="utf-8")
    assert set(specs(html)) >= FIGURES
    assert len(html.encode()) < 4_000_000
    assert len(read_rows(published)) > 9000
