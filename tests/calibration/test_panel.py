# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np

from weighbridge.backends.twin import Twin
from weighbridge.calibration.panel import panel
from weighbridge.platforms import load_platform

PLATFORM = load_platform("cyclonev")
POINTS = [replace(path, size_bytes=512) for path in PLATFORM.paths()[:9]]
VARIANTS = [{}, {"l3.latency": 70.0}, {"l3.latency": 50.0, "cpu.call": 10.0}]


def test_processes_change_nothing_but_the_time() -> None:
    counted: list[int] = []
    with panel(PLATFORM, POINTS, 1) as one, panel(PLATFORM, POINTS, 2) as two:
        alone, shared = one.seconds(VARIANTS), two.seconds(VARIANTS, None, counted.append)
    assert np.array_equal(alone, shared)
    assert sum(counted) == len(VARIANTS)
    assert alone[0].tolist() == [Twin(PLATFORM).predict(point).seconds for point in POINTS]


def test_only_the_points_asked_are_answered() -> None:
    among = [[0, 3], [], [8]]
    with panel(PLATFORM, POINTS, 1) as one, panel(PLATFORM, POINTS, 2) as two:
        alone, shared = one.seconds(VARIANTS, among), two.seconds(VARIANTS, among)
        whole = one.seconds(VARIANTS)
    assert np.array_equal(alone, shared, equal_nan=True)
    for row, indices, every in zip(alone, among, whole, strict=True):
        assert np.flatnonzero(~np.isnan(row)).tolist() == indices
        assert row[indices].tolist() == every[indices].tolist()


def test_no_answer_is_not_a_number() -> None:
    points = [POINTS[0], replace(POINTS[0], link="HF256")]
    with panel(PLATFORM, points, 1) as asked:
        assert np.isnan(asked.seconds([{}])).tolist() == [[False, True]]
