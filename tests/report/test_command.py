# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

import pytest

from weighbridge.cli import main


def test_report_and_charts(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, charts = tmp_path / "deep" / "report.html", tmp_path / "charts"
    assert main(["report", str(run), "-o", str(out), "--svg", str(charts)]) == 0
    printed = capsys.readouterr().out
    assert str(out) in printed
    assert f"{len(list(charts.iterdir()))} SVG files" in printed
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "nowhere"), "-o", str(tmp_path / "r.html")]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("weighbridge: error: ")
    assert captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra(
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.startswith("weighbridge.report")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "altair", None)
    assert main(["report", str(run), "-o", str(tmp_path / "r.html")]) == 2
    assert "weighbridge[report]" in capsys.readouterr().err
