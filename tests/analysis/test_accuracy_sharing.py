# SPDX-License-Identifier: Apache-2.0
"""The twin against the published effects of locked cache ways and of the memory's port schedule."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "cyclonev.csv"

#: (direction, lock_when, dummy_traffic, size) and (lock_cpu_ways, lock_acp_ways).
Setting = tuple[str, str, bool, int]
Ways = tuple[int, int]


@cache
def twin() -> Twin:
    return Twin(load_platform("cyclonev"))


def locked(setting: Setting, ways: Ways) -> Point:
    direction, when, dummy, size = setting
    return Point(
        platform="cyclonev",
        study="l2-lockdown",
        direction=direction,
        size_bytes=size,
        os="baremetal",
        master="pl330",
        link="HF128",
        ports=1,
        route="acp",
        memory_attribute="shareable",
        buffer="program",
        cache_level=9,
        prepared=True,
        fpga_mhz=150,
        axes=(
            ("dummy_traffic", dummy),
            ("lock_acp_ways", ways[1]),
            ("lock_cpu_ways", ways[0]),
            ("lock_when", when),
        ),
    )


def scheduled(weight: int | None, priority: str, size: int = 1 << 21) -> Point:
    axes = {"dummy_traffic": True, "sdram_priority": priority, "sdram_weight": weight}
    return Point(
        platform="cyclonev",
        study="sdram-scheduler",
        direction="cpu_to_fpga",
        size_bytes=size,
        os="baremetal",
        master="pl330",
        link="HF128",
        ports=1,
        route="sdramc",
        memory_attribute="strongly_ordered",
        buffer="program",
        cache_level=0,
        prepared=True,
        fpga_mhz=150,
        axes=tuple((name, value) for name, value in axes.items() if value is not None),
    )


def gain(weight: int | None, priority: str) -> float:
    """Per cent of rate over the controller as the preloader leaves it."""
    base = twin().predict(scheduled(None, "default")).seconds
    return 100 * (base / twin().predict(scheduled(weight, priority)).seconds - 1)


@cache
def published() -> dict[Setting, dict[Ways, float]]:
    if not DATA.exists():
        pytest.skip(f"the published measurements are not here ({DATA})")
    found: dict[Setting, dict[Ways, float]] = {}
    with DATA.open() as file:
        for row in csv.DictReader(file):
            if (row["study"], row["os"], row["quality"]) != ("l2-lockdown", "baremetal", "ok"):
                continue
            size = int(row["size_bytes"])
            setting = (row["direction"], row["lock_when"], row["dummy_traffic"] == "true", size)
            ways = (int(row["lock_cpu_ways"]), int(row["lock_acp_ways"]))
            found.setdefault(setting, {})[ways] = float(row["seconds"])
    return found


def effects(setting: Setting, reference: Ways) -> Iterator[tuple[Ways, float, float]]:
    """Of each published lock: its effect in per cent, and the predicted one against a reference."""
    times = published()[setting]
    base = twin().predict(locked(setting, reference)).seconds
    for ways, seconds in times.items():
        if ways != (0, 0):
            predicted = base / twin().predict(locked(setting, ways)).seconds
            yield ways, 100 * (times[0, 0] / seconds - 1), 100 * (predicted - 1)


def allowed(effect: float) -> float:
    """Points: one of a published effect above one, one and a half of the others."""
    return 1 if abs(effect) > 1 else 1.5


def test_effect_of_locked_ways_from_8_kib_on() -> None:
    """Against no lock; after the preparation against the four ways that were left locked there.

    The published run without a lock `after` is 2.6 % slower at 1 MiB than the same transfer in any
    other run (3028 us against 2945 to 2968). See the next test, and the fault of the study.
    """
    told, missed = 0, []
    for setting in published():
        if setting[3] < 8192:
            continue
        reference = (4, 0) if setting[1] == "after" else (0, 0)
        for ways, effect, predicted in effects(setting, reference):
            told += 1
            if abs(predicted - effect) > allowed(effect):
                missed.append((setting, ways, round(effect, 2), round(predicted, 2)))
    assert told == 216
    assert not missed


def test_the_run_without_a_lock_after_the_preparation_had_four_ways_locked() -> None:
    """Of all numbers of ways, at both sizes that exceed the cache, in both directions at once."""
    settings = [s for s in published() if s[1] == "after" and s[3] >= 1 << 20]
    assert len(settings) == 4
    worst = {
        reference: max(
            abs(predicted - effect) / allowed(effect)
            for setting in settings
            for _, effect, predicted in effects(setting, (reference, 0))
        )
        for reference in range(8)
    }
    assert min(worst, key=lambda ways: worst[ways]) == 4
    assert worst[4] < 0.8
    assert worst[0] > 2


def test_the_ways_that_the_processor_may_fill_decide_what_a_transfer_finds() -> None:
    """What the program has checked is in the cache when it is sent again, if there were ways."""
    setting = ("cpu_to_fpga", "before", False, 1 << 20)
    none, one, four, seven = (
        twin().predict(locked(setting, (ways, 0))).seconds for ways in (0, 1, 4, 7)
    )
    assert one == pytest.approx(none, rel=0.01)  # 448 KiB still hold the 256 KiB checked
    assert 1.005 * one < four < seven
    assert seven > 1.05 * none


def test_gain_of_the_memory_ports_schedule_with_dummy_traffic() -> None:
    """Published at 2 MiB: 1.5, 2.0 and 8.1 % for weights of 1, 2 and 16, 10.3 % for priority."""
    weights = {weight: gain(weight, "same") for weight in (1, 2, 4, 8, 16)}
    assert list(weights.values()) == sorted(weights.values())
    assert weights[1] == pytest.approx(1.5, abs=1)
    assert weights[2] == pytest.approx(2.0, abs=1)
    assert weights[16] == pytest.approx(8.1, abs=1)
    assert gain(None, "l3_higher") == pytest.approx(10.3, abs=1)
