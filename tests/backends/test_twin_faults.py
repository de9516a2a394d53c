# SPDX-License-Identifier: Apache-2.0
"""The published programs' faults, reproduced on purpose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from weighbridge.backends import DEFAULT_SEED
from weighbridge.backends.twin import Twin, faults
from weighbridge.backends.twin.fabric import Fabric
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point
from weighbridge.dataset.table import point_of, read_rows
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study

TWIN = Twin(load_platform("cyclonev"))
FABRIC = Fabric(Hardware(TWIN.platform, DEFAULT_SEED))
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "cyclonev.csv"


def faulty(point: Point, name: str) -> Point:
    return replace(point, axes=tuple(sorted((*point.axes, ("fault", name)))))


@pytest.mark.skipif(not PUBLISHED.exists(), reason="needs ../shared/data/cyclonev.csv")
def test_overwritten_controllers_are_those_that_were_found() -> None:
    """Every published point that is marked, and no other, and the rate that was published."""
    errors = []
    for number, row in enumerate(read_rows(PUBLISHED)):
        if (row["study"], row["os"]) != ("fpga-to-hps", "baremetal"):
            continue
        point = faulty(point_of(row, str(number)), faults.BEATS_BECOME_32_BIT)
        marked = row["quality"] == faults.BEATS_BECOME_32_BIT
        narrow = str(row["link"]).startswith(("FH32", "FS32"))
        if narrow or row["quality"] == "suspected-rerun":
            continue  # beats of 32 bit become no narrower
        assert (FABRIC.beat_bytes(point) == 4) == marked, row
        if marked:
            assert row["seconds"] is not None
            errors.append(abs(TWIN.predict(point).seconds / float(row["seconds"]) - 1))
    errors.sort()
    assert len(errors) == 65
    assert errors[len(errors) // 2] < 0.05


def test_a_lock_that_is_missed_does_nothing_under_linux_only() -> None:
    study = load_study("cyclonev/l2-lockdown")
    where = ["size_bytes=1MiB", "direction=fpga_to_cpu", "lock_cpu_ways=7", "lock_acp_ways=0",
             "lock_when=before", "dummy_traffic=false"]  # fmt: skip
    for os, same in (("linux", True), ("baremetal", False)):
        (locked,) = study.points([*where, f"os={os}", f"fault={faults.CPU_LOCK_MISSED}"])
        free = replace(
            locked,
            axes=tuple((k, 0 if k == "lock_cpu_ways" else v) for k, v in locked.axes),
        )
        times = TWIN.predict(locked).seconds, TWIN.predict(free).seconds
        assert (times[0] == times[1]) == same


def test_four_ways_are_left_locked_only_where_nothing_was_to_be_locked_after() -> None:
    study = load_study("cyclonev/l2-lockdown")
    where = ["size_bytes=1MiB", "direction=cpu_to_fpga", "lock_acp_ways=0", "dummy_traffic=false"]

    def seconds(*more: str) -> float:
        (point,) = study.points([*where, *more])
        return TWIN.predict(point).seconds

    left = f"fault={faults.FOUR_WAYS_LEFT_LOCKED}"
    bare = ["os=baremetal", "lock_when=after"]
    assert seconds(*bare, "lock_cpu_ways=0", left) == seconds(*bare, "lock_cpu_ways=4")
    for same in (
        [*bare, "lock_cpu_ways=1"],
        ["os=baremetal", "lock_when=before", "lock_cpu_ways=0"],
        ["os=linux", "lock_when=after", "lock_cpu_ways=0"],
    ):
        assert seconds(*same, left) == seconds(*same)


def test_no_point_has_a_fault_that_nobody_asked_for() -> None:
    study = load_study("cyclonev/fpga-to-hps")
    assert all("fault" not in dict(point.axes) for point in study.points())
    asked = study.points(["fault=beats-become-32-bit", "link=FS128", "size_bytes=1MiB"])
    assert {dict(point.axes)["fault"] for point in asked} == {"beats-become-32-bit"}
    with pytest.raises(InputError, match="unknown fault 'lost'"):
        study.points(["fault=lost"])
