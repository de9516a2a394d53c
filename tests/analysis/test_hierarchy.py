# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random

import pytest

from weighbridge.analysis.hierarchy import Level, levels
from weighbridge.dataset.schema import COLUMNS
from weighbridge.dataset.table import Row

SIZES = [int(4096 * 2 ** (step / 3)) for step in range(46)]


def chain(size: int, ns: float, access: str = "latency", load: str = "idle") -> Row:
    return dict.fromkeys(COLUMNS) | {
        "access": access, "load": load, "working_set_bytes": size, "stride_bytes": 64,
        "seconds": ns * 1e-9, "size_bytes": 8,
    }  # fmt: skip


def copy(size: int, load: str = "idle") -> Row:
    return dict.fromkeys(COLUMNS) | {
        "access": "cp", "load": load, "size_bytes": size, "seconds": size / 1e10
    }  # fmt: skip


def machine(caches: list[tuple[int, float]], memory: float, size: int, noise: float = 0.0) -> float:
    """Time of a load: the misses of a cache that is too small go to the next."""
    rng = random.Random(size)
    time, share = 0.0, 1.0
    for held, ns in [*caches, (1 << 62, memory)]:
        hits = min(1.0, (held / size) ** 2)
        time += share * hits * ns
        share *= 1 - hits
    return time * (1 + noise * abs(rng.gauss(0, 1)))


@pytest.mark.parametrize(
    ("caches", "memory"),
    [
        ([(32 << 10, 1.1), (1 << 20, 3.8), (32 << 20, 14.0)], 110.0),
        ([(32 << 10, 3.0), (512 << 10, 25.0)], 150.0),
        ([(16 << 10, 4.0)], 90.0),
    ],
)
def test_caches_are_found_and_sized(caches: list[tuple[int, float]], memory: float) -> None:
    rows = [chain(size, machine(caches, memory, size)) for size in SIZES]
    *found, last = levels(rows)
    assert [level.seconds * 1e9 for level in found] == pytest.approx(
        [ns for _, ns in caches], rel=0.1
    )
    for level, (held, _) in zip(found, caches, strict=True):
        assert held / 1.3 <= (level.bytes or 0) <= 1.3 * held
    assert last.bytes is None
    assert last.seconds * 1e9 == pytest.approx(memory, rel=0.15)


def test_disturbances_make_no_level() -> None:
    caches, rng = [(32 << 10, 1.1), (1 << 20, 3.8)], random.Random(4)
    rows = []
    for size in SIZES:
        ns = machine(caches, 100.0, size)
        rows.append(chain(size, ns * (3 if rng.random() < 0.2 else 1)))
        rows[-1]["min"] = ns * 1e-9 * (1 + 0.05 * rng.random())
    assert [level.bytes is None for level in levels(rows)] == [False, False, True]


def test_what_each_level_shows() -> None:
    caches = [(32 << 10, 1.1), (1 << 20, 3.8)]
    rows = [chain(size, machine(caches, 100.0, size)) for size in SIZES]
    rows += [chain(size, 200.0, "latency", "rd") for size in (64 << 20,)]
    rows += [chain(size, 300.0, "latency_with_walks") for size in (64 << 20,)]
    rows += [copy(size, load) for size in (8 << 10, 128 << 10, 64 << 20) for load in ("idle", "rd")]
    near, middle, far = levels(rows)
    # Two buffers of a copy share a cache.
    assert [level.rows["cp", "idle"]["size_bytes"] for level in (near, middle, far)] == [
        8 << 10, 128 << 10, 64 << 20,
    ]  # fmt: skip
    assert near.loaded is None
    assert (far.loaded, far.walked) == (pytest.approx(200e-9), pytest.approx(300e-9))
    assert far.rows["cp", "rd"]["load"] == "rd"


def test_nothing_is_made_of_nothing() -> None:
    nothing: list[Level] = []
    assert levels([]) == nothing
    assert levels([copy(64)]) == nothing
    assert len(levels([chain(4096, 1.0)])) == 1
