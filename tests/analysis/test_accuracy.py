# SPDX-License-Identifier: Apache-2.0
"""The twin against the published study: the bars it must stay under, on every ok point."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weighbridge.cli import main

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "cyclonev.csv"


SPINE = ("hps-to-fpga", "cache-levels")


def compare(
    capsys: pytest.CaptureFixture[str], *arguments: str, names: tuple[str, ...] = SPINE
) -> dict[str, object]:
    if not DATA.exists():
        pytest.skip(f"the published measurements are not here ({DATA})")
    studies = [part for name in names for part in ("--where", f"study={name}")]
    assert main(["compare", "twin", str(DATA), *studies, *arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


def test_all_points_and_every_group(capsys: pytest.CaptureFixture[str]) -> None:
    answer = compare(capsys, "--by", "study,os,master,route")
    assert answer["unanswered"] == 0
    assert answer["n"] == 4176
    assert answer["median"] <= 0.015  # type: ignore[operator]
    assert answer["p90"] <= 0.06  # type: ignore[operator]
    groups = answer["groups"]
    assert isinstance(groups, list)
    assert len(groups) == 8
    for group in groups:
        assert group["median"] <= group["baseline_median"], group["by"]
        assert group["p90"] <= group["baseline_p90"], group["by"]


def test_small_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [part for i in range(1, 9) for part in ("--where", f"size_bytes={2**i}")]
    answer = compare(capsys, *sizes)
    assert answer["median"] <= 0.03  # type: ignore[operator]
    assert answer["p90"] <= 0.10  # type: ignore[operator]


def test_fabric_masters_are_predicted_better_than_by_a_line_a_curve(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = compare(capsys, names=("fpga-to-hps",))
    assert answer["unanswered"] == 0
    assert answer["median"] <= 0.015 < answer["baseline_median"]  # type: ignore[operator]
    assert answer["p90"] <= 0.08 < answer["baseline_p90"]  # type: ignore[operator]
    groups = answer["groups"]
    assert isinstance(groups, list)
    for group in groups:
        assert group["median"] <= group["baseline_median"], group["by"]
        assert group["p90"] <= group["baseline_p90"], group["by"]
