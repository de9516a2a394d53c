# SPDX-License-Identifier: Apache-2.0
"""The twin against what was measured of the fabric's ports on two boards of Zynq UltraScale+."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tools import ROOT
from tools.port_errors import Errors, errors, measured_tests, together

TABLE = ROOT / "../shared/data/zynqmp.csv"


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, ...], Errors]:
    if not Path(TABLE).is_file():
        pytest.skip(f"no {TABLE}")
    return errors(measured_tests(TABLE, frozenset()))


@pytest.mark.parametrize(
    ("platform", "tests", "bars"),
    [
        ("zynqmp-ultra96", 1800, ((0.025, 0.10), (0.05, 0.35), (0.015, 0.10))),
        ("zynqmp-zcu102", 300, ((0.02, 0.12), (0.05, 0.50), (0.04, 0.30))),
    ],
)
def test_sums_streams_and_points_are_as_near_as_the_document_says(
    found: dict[tuple[str, ...], Errors],
    platform: str,
    tests: int,
    bars: tuple[tuple[float, float], ...],
) -> None:
    total = together(group for key, group in found.items() if key[0] == platform)
    assert len(total.sums) >= tests
    for found_, bar in zip((total.sums, total.streams, total.points), bars, strict=True):
        assert (np.quantile(found_, (0.5, 0.9)) <= bar).all()


def test_seven_of_ten_starved_streams_are_found_and_of_twenty_named_three_are_not(
    found: dict[tuple[str, ...], Errors],
) -> None:
    total = together(found.values())
    assert total.starved > 140
    assert total.found >= 0.7 * total.starved
    assert total.named_wrong <= 0.15 * (total.found + total.named_wrong)
