# SPDX-License-Identifier: Apache-2.0
"""The trace file: Chrome's format, one component a track, and nothing that overlaps on a track."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from weighbridge.advice.paths import candidates
from weighbridge.advice.timeline import MOST_SLICES, timeline
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Explanation, Twin
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform, platform_names


def explanations(platform: str) -> list[tuple[Twin, Explanation]]:
    """A traced answer for one path of each master, both ways."""
    twin = Twin(load_platform(platform))
    answers: dict[object, tuple[Twin, Explanation]] = {}
    for direction in ("cpu_to_fpga", "fpga_to_cpu"):
        for point in candidates(twin.platform, direction, 2000):
            kind = (point.os, point.master, point.route, direction)
            if kind not in answers:
                try:
                    answers[kind] = (twin, twin.explain(point, trace_slices=20_000))
                except Unanswered:
                    continue
    return list(answers.values())


def checked(events: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The slices by track, once every event is of the format and its track is named."""
    names: dict[int, str] = {}
    tracks: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        assert event["pid"] == 1
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name", "thread_sort_index")
            if event["name"] == "thread_name":
                assert event["tid"] not in names
                names[event["tid"]] = event["args"]["name"]
            continue
        assert event["ph"] == "X"
        assert event["name"]
        assert event["ts"] >= 0
        assert event["dur"] >= 0
        tracks[event["tid"]].append(event)
    assert set(tracks) == set(names)
    assert len(set(names.values())) == len(names)
    return tracks


@pytest.mark.parametrize("platform", platform_names())
def test_slices_on_a_track_follow_one_another_and_add_up(platform: str, tmp_path: Path) -> None:
    answers = explanations(platform)
    assert answers
    for twin, explanation in answers:
        drawn = timeline(twin, explanation)
        drawn.write(tmp_path / "trace.json")
        written = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))
        assert written == drawn.events
        tracks = checked(written["traceEvents"])
        busy: defaultdict[str, float] = defaultdict(float)
        for slices in tracks.values():
            assert len({one["cat"] for one in slices}) == 1
            end = 0.0
            for one in slices:
                assert one["ts"] >= end - 1e-9 * max(1, end)
                end = one["ts"] + one["dur"]
                busy[one["cat"]] += one["dur"] * 1e-6
        transfers = written["otherData"]["transfers"]
        assert math.isclose(busy.pop("phase") / transfers, explanation.seconds, rel_tol=1e-6)
        if not written["otherData"]["dropped"]:
            # An engine that starts accesses takes none.
            hops = [hop for hop in explanation.hops if hop.name != explanation.point.master]
            for hop in hops:
                assert math.isclose(
                    busy[hop.name] / transfers,
                    hop.busy,
                    rel_tol=1e-6,
                    abs_tol=1e-12 * hop.transactions,
                )
            assert set(busy) == {hop.name for hop in hops}


def test_a_trace_is_bounded() -> None:
    twin = Twin(load_platform("cyclonev"))
    point = candidates(
        twin.platform, "fpga_to_cpu", 2 << 20, "linux", where={"master": ["cpu"], "link": ["LW32"]}
    )[0]
    drawn = timeline(twin, twin.explain(point, trace_slices=MOST_SLICES))
    assert drawn.accesses == MOST_SLICES
    assert drawn.dropped > 0
    assert drawn.events["otherData"]["dropped"] == drawn.dropped
    assert len(json.dumps(drawn.events)) < 25e6


def test_what_was_not_traced_has_no_timeline() -> None:
    twin = Twin(load_platform("cyclonev"))
    point = candidates(twin.platform, "cpu_to_fpga", 64)[0]
    with pytest.raises(InputError, match="no trace"):
        timeline(twin, twin.explain(point))
