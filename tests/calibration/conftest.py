# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.dataset.table import Row
from weighbridge.platforms import load_platform

KIB = 1024
#: Sizes at which a transfer through ACP shows the system call, L1, L2 and the copy alike.
SIZES = tuple(KIB * size for size in (1, 4, 8, 16, 24, 32, 48, 64, 128))


@pytest.fixture
def measure() -> Callable[..., list[Row]]:
    """Rows that a board with these parameters would give, a curve for each link and clock."""

    def rows(overrides: dict[str, str], sizes: tuple[int, ...] = SIZES) -> list[Row]:
        board = load_platform("cyclonev", overrides)
        twin = Twin(board)
        paths = [
            path
            for path in board.paths()
            if path.os == "linux" and path.master == "pl330" and path.link in ("HF128", "HF32")
        ]
        points: list[Point] = [
            replace(path, study="s", fpga_mhz=mhz, direction=direction, size_bytes=size)
            for path, mhz, direction, size in product(
                paths, (75.0, 150.0), ("cpu_to_fpga", "fpga_to_cpu"), sizes
            )
        ]
        return [twin.predict(point).row() for point in points]

    return rows
