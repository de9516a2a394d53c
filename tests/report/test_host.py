# SPDX-License-Identifier: Apache-2.0
"""The page of a machine's caches and memory."""

from __future__ import annotations

from pathlib import Path

from weighbridge.dataset.table import Row
from weighbridge.report import write_report
from weighbridge.report.host import page
from weighbridge.report.parts import Evidence

from .conftest import row, write_csv

L1, L2 = 32 << 10, 1 << 20


def rows(factor: float = 1.0, **more: object) -> list[Row]:
    """A machine of two caches."""
    made = []
    for size in (4 << (10 + step) for step in range(16)):
        ns = 1.0 if size <= L1 else 4.0 if size <= L2 else 100.0
        chain = {"access": "latency", "working_set_bytes": size, "size_bytes": 8}
        made.append({**chain, "load": "idle", "seconds": ns * factor * 1e-9})
        made.append({**chain, "load": "rd", "seconds": 1.2 * ns * factor * 1e-9})
        for access in ("rd", "wr", "cp"):
            seconds = ns * factor * size * 1e-11
            made.append({"access": access, "size_bytes": size, "load": "idle", "seconds": seconds})
    common = {"platform": "host", "study": "memory", "direction": "fpga_to_cpu", **more}
    return [row(**{"backend": "host", **common, **one}) for one in made]  # type: ignore[arg-type]


def _texts(table: object) -> list[list[str]]:
    return [[cell.text for cell in line] for line in table.rows]  # type: ignore[attr-defined]


def test_levels_with_ceiling_model_and_measurement_side_by_side() -> None:
    model = rows(0.9, backend="twin", ceiling_seconds=1e-9)
    levels, curves, trust = page(Evidence.of(rows(), model))
    assert levels.answer
    assert (
        "L1 holds 32 KiB at 1 ns; L2 holds 1 MiB at 4 ns; memory answers a load in 100 ns"
        in levels.lead
    )
    latencies, rates = levels.tables
    assert _texts(latencies)[2] == ["memory", "-", "100 ns", "90 ns", "120 ns"]
    assert list(rates.header) == ["Level", "Ceiling", "Model", "Measured"]
    assert _texts(rates)[0][0] == "L1, read"
    sources = {
        value["source"] for figure in curves.figures for value in figure.chart["data"]["values"]
    }
    assert sources == {"run", "reference", "ceiling"}
    assert "80 of 80 rows are ok" in trust.lead


def test_disturbed_rows_are_drawn_and_named(tmp_path: Path) -> None:
    ours = rows()
    ours[0] |= {"quality": "unstable", "doubt": "the medians of its 5 blocks span 14%"}
    ours[1] |= {"quality": "integrity-failed", "seconds": None}
    write_csv(ours, tmp_path / "rows.csv")
    write_report([tmp_path / "rows.csv"], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "The machine that this runs on" in text
    assert "unstable: the medians of its 5 blocks span 14%" in text
    assert "78 of 79 rows are ok" in text
    # No FPGA is there, and nobody has answered what was measured.
    assert "79 points, measured (host)" in text
    assert "From processor to FPGA" not in text
    assert "both directions" not in text
