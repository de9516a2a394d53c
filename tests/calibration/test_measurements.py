# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable

from weighbridge.calibration.measurements import curves_of, folds
from weighbridge.dataset.table import Row
from weighbridge.platforms import load_platform

PLATFORM = load_platform("cyclonev")


def test_one_curve_of_five_is_held_out_whole(measure: Callable[..., list[Row]]) -> None:
    rows = measure({}, (256, 1024, 4096))
    parts = folds(PLATFORM, rows, 10_000, 1)
    assert len(parts.fit) + len(parts.held_out) == len(rows)
    assert (curves_of(parts.fit), curves_of(parts.held_out)) == (26, 6)
    assert not {one.curve for one in parts.fit} & {one.curve for one in parts.held_out}
    assert folds(PLATFORM, rows, 10_000, 1) == parts
    assert folds(PLATFORM, rows, 10_000, 2) != parts


def test_both_folds_are_thinned_alike(measure: Callable[..., list[Row]]) -> None:
    rows = measure({}, (256, 1024, 4096))
    parts = folds(PLATFORM, rows, 39, 1)
    assert (len(parts.fit), len(parts.held_out)) == (39, 9)


def test_a_single_curve_is_all_there_is(measure: Callable[..., list[Row]]) -> None:
    rows = [row for row in measure({}, (256, 1024)) if row["study"] == "s"][:2]
    parts = folds(PLATFORM, rows, 100, 1)
    assert (len(parts.fit), parts.held_out) == (2, ())


def test_what_is_left_out_is_counted(measure: Callable[..., list[Row]]) -> None:
    rows = measure({}, (256,))
    rows[0] |= {"backend": "board", "quality": "timer-floor"}
    rows[1] |= {"link": "HF256"}
    rows[2] |= {"buffer": "nobody's"}
    parts = folds(PLATFORM, rows, 100, 1)
    assert (parts.skipped, parts.unanswered) == (1, 2)
    assert len(parts.fit) + len(parts.held_out) == len(rows) - 3
