# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from weighbridge.analysis.statistics import Statistics


def _blocks(seed: int, shifts: tuple[float, ...], each: int = 40) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    return [list(100 + shift + rng.normal(0, 1, each)) for shift in shifts]


def test_figures_are_those_of_all_samples() -> None:
    found = Statistics.of([[1, 2, 3, 4], [5, 6, 7, 8, 100]])
    assert (found.median, found.n, found.blocks) == (5, 9, 2)
    assert [found.figures[name] for name in ("min", "p25", "p75", "max")] == [1, 3, 7, 100]
    # A sample that strays is counted, and stays.
    assert (found.outliers_mild, found.outliers_severe) == (0, 1)
    # Of two blocks four fifths of the way between them.
    assert found.block_spread == pytest.approx(0.8 * (7 - 2.5) / 5)


def test_the_interval_holds_the_median_about_as_often_as_it_says() -> None:
    """Five blocks that differ more than their samples: an interval of samples would be far too
    narrow, and hold the middle of the blocks in one case of four."""
    held = 0
    for seed in range(60):
        shifts = tuple(np.random.default_rng(1000 + seed).normal(0, 2, 5))
        found = Statistics.of(_blocks(seed, shifts))
        assert found.figures["low95"] <= found.median <= found.figures["high95"]
        held += found.figures["low95"] <= 100 <= found.figures["high95"]
    assert held >= 42


def test_more_blocks_of_the_same_kind_are_hardly_further_apart() -> None:
    """The range of all of them would grow by half from 5 to 15."""

    def spread(blocks: int) -> float:
        found = []
        for seed in range(40):
            shifts = tuple(np.random.default_rng(seed).normal(0, 2, blocks))
            found.append(Statistics.of(_blocks(seed, shifts)).block_spread)
        return float(np.median(found))

    assert spread(5) < spread(15) < 1.4 * spread(5)


def test_the_same_samples_give_the_same_interval() -> None:
    blocks = _blocks(1, (0, 1, 2, 3, 4))
    assert Statistics.of(blocks) == Statistics.of(blocks)


def test_blocks_of_unlike_lengths() -> None:
    blocks = _blocks(2, (0, 0, 0, 0, 0))
    blocks[3] = blocks[3][:7]
    found = Statistics.of(blocks)
    assert found.n == 167
    assert 99 < found.figures["low95"] < found.figures["high95"] < 101


def test_too_few_blocks_have_no_interval() -> None:
    assert "low95" not in Statistics.of(_blocks(3, (0, 0, 0, 0))).figures
