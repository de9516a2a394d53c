# SPDX-License-Identifier: Apache-2.0
"""The twin against the table that Datra publishes for its DMA node: the bars it must stay under."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.dataset.table import point_of, read_rows
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study

KIB = 1024
#: MB/s in each direction by link, buffer and KiB of a block: Datra (formerly Dyplo), Topic Embedded
#: Products, documentation of the driver: 4 blocks, 2 outgoing and 2 incoming, 100 MB, Zynq-7000.
PUBLISHED = {
    ("HP", "coherent"): {4: 487, 16: 597, 64: 599, 256: 599, 1024: 599},
    ("HP", "streaming"): {4: 142, 16: 169, 64: 180, 256: 183, 1024: 184},
    ("ACP", "coherent"): {4: 399, 16: 546, 32: 582, 64: 562, 128: 458, 256: 420, 1024: 290},
    ("ACP", "streaming"): {4: 478, 16: 436, 32: 598, 64: 579, 128: 532, 256: 397, 1024: 288},
}
#: A fault of the table: with larger blocks software weighs less and the caches hold less, each
#: steadily; nothing can make 16 KiB a quarter slower than both 4 KiB and 32 KiB, as only this one
#: figure has it (docs/datra.md).
FAULT = ("ACP", "streaming", 16)

TABLE = Path(__file__).parents[2] / "docs" / "datra-table.csv"


def test_the_file_to_compare_with_is_the_table() -> None:
    """In both directions, as points that the study asks for."""
    asked = set(load_study("zynq7000/datra-dma").points([]))
    rows = read_rows(TABLE)
    assert len(rows) == 2 * sum(map(len, PUBLISHED.values()))
    for row in rows:
        point = point_of(row, "the table")
        assert point in asked
        rate = PUBLISHED[str(point.link), str(point.buffer)][point.size_bytes // KIB]
        assert row["seconds"] == pytest.approx(point.size_bytes / rate / 1e6, rel=1e-5)


def test_the_published_table() -> None:
    twin = Twin(load_platform("zynq7000"))
    for direction in ("cpu_to_fpga", "fpga_to_cpu"):
        errors = {}
        for point in load_study("zynq7000/datra-dma").points([f"direction={direction}"]):
            row = PUBLISHED[str(point.link), str(point.buffer)]
            kib = point.size_bytes // KIB
            if kib in row:
                published = point.size_bytes / row[kib] / 1e6
                error = abs(twin.predict(point).seconds / published - 1)
                errors[point.link, point.buffer, kib] = error
        assert len(errors) == sum(map(len, PUBLISHED.values())) == 24
        assert median(errors.values()) <= 0.03
        assert [key for key, error in errors.items() if error > 0.10] == [FAULT]
