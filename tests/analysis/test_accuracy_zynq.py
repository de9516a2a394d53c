# SPDX-License-Identifier: Apache-2.0
"""The twin against the published Zynq-7000 study: the bars it must stay under."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weighbridge.cli import main

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "zynq7000.csv"


def test_all_points_and_every_group(capsys: pytest.CaptureFixture[str]) -> None:
    if not DATA.exists():
        pytest.skip(f"the published measurements are not here ({DATA})")
    by = ("--where", "study=ps-to-pl", "--by", "os,master,copy,cache_level")
    assert main(["compare", "twin", str(DATA), *by, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["unanswered"] == 0
    assert answer["n"] == 1026
    assert answer["median"] <= 0.015
    assert answer["p90"] <= 0.05
    assert len(answer["groups"]) == 7
    for group in answer["groups"]:
        assert group["median"] <= group["baseline_median"], group["by"]
        assert group["p90"] <= group["baseline_p90"], group["by"]
