# SPDX-License-Identifier: Apache-2.0
"""A trace as a file for a viewer of traces: Chrome's trace events, which Perfetto opens as well.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU describes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weighbridge.backends.twin import Explanation, Slice, Trace, Twin
from weighbridge.dataset.files import write_text
from weighbridge.errors import InputError
from weighbridge.quantities import format_size

#: Slices of a trace at most: 20 MB, and what a viewer opens at once.
MOST_SLICES = 100_000
#: The one process that the tracks are of, and the track of the phases.
_PROCESS, _PHASES = 1, 0


@dataclass(frozen=True, slots=True)
class Timeline:
    """A trace as `events` (Chrome's JSON object), and what a person is told of it.

    components, accesses: how many are in it; dropped: accesses beyond the limit.
    """

    events: dict[str, Any]
    components: int
    accesses: int
    dropped: int

    def write(self, path: Path) -> None:
        """Write the events; InputError where the file cannot be written."""
        write_text(json.dumps(self.events, separators=(",", ":"), allow_nan=False), path)


def timeline(twin: Twin, explanation: Explanation) -> Timeline:
    """The trace of an explanation that was asked for with one; times are in microseconds.

    Each component is a track, each access a slice as long as it occupies the component; slices that
    overlap lie on lanes of the track. The first track has the phases.
    Raises InputError where there is no trace.
    """
    trace = explanation.trace
    if trace is None:
        raise InputError("no trace was asked for", mend="explain with trace=True")
    point = explanation.point
    title = f"{twin.platform.describe(point)}, {format_size(point.size_bytes)}, {point.direction}"
    phases = ("phases", _phases(explanation, trace))
    said = {"seconds": explanation.seconds, "transfers": trace.transfers}
    return drawn(title, phases, twin.path(point), trace, said)


def drawn(
    title: str,
    first: tuple[str, Iterable[tuple[str, float, float]]],
    path: Sequence[str],
    trace: Trace,
    said: Mapping[str, object],
) -> Timeline:
    """A trace under a title: the first track by its name and its (name, start, seconds), which may
    lie within one another; then the components, those of the path before the others."""
    events = [_named("process_name", _PHASES, title), _named("thread_name", _PHASES, first[0])]
    events += [
        _event("X", _PHASES, name=name, cat="phase", **_span(start, seconds))
        for name, start, seconds in first[1]
    ]
    track = _PHASES
    by_component: dict[str, list[Slice]] = {}
    for one in trace.slices:
        by_component.setdefault(one.component, []).append(one)
    order = [name for name in path if name in by_component]
    order += [name for name in trace.titles if name in by_component and name not in order]
    for name in order:
        slices = by_component[name]
        for number, lane in enumerate(_lanes(slices), 1):
            track += 1
            title = trace.titles[name] + (f", lane {number}" if number > 1 else "")
            events.append(_named("thread_name", track, title))
            events.append(_event("M", track, name="thread_sort_index", args={"sort_index": track}))
            events += [_slice(one, track) for one in lane]
    return Timeline(
        {
            "displayTimeUnit": "ns",
            "otherData": {**said, "dropped": trace.dropped},
            "traceEvents": events,
        },
        len(order),
        len(trace.slices),
        trace.dropped,
    )


def _phases(explanation: Explanation, trace: Trace) -> Iterator[tuple[str, float, float]]:
    if trace.phases:
        yield from trace.phases
        return
    count = f"{trace.transfers:.4g} transfers, " if trace.transfers != 1 else ""
    name = f"{count}{explanation.seconds * 1e6:.4g} us each"
    yield name, 0.0, explanation.seconds * trace.transfers


def _lanes(slices: Sequence[Slice]) -> list[list[Slice]]:
    """The slices in order of time, those that overlap one another apart."""
    lanes: list[list[Slice]] = []
    free: list[int] = []
    for one in sorted(slices, key=lambda one: (one.start, one.busy)):
        begin, end = _picoseconds(one.start), _picoseconds(one.start + one.busy)
        lane = next((number for number, at in enumerate(free) if at <= begin), len(free))
        if lane == len(free):
            lanes.append([])
            free.append(end)
        lanes[lane].append(one)
        free[lane] = end
    return lanes


def _slice(one: Slice, track: int) -> dict[str, Any]:
    kind = "write" if one.write else "read"
    return _event(
        "X",
        track,
        name=f"{kind} {one.bytes} B",
        cat=one.component,
        args={"bytes": one.bytes, "direction": kind, "waiting_us": _picoseconds(one.waiting) / 1e6},
        **_span(one.start, one.busy),
    )


def _span(start: float, seconds: float) -> dict[str, float]:
    # Whole picoseconds, so that rounding makes no two slices overlap.
    begin, end = _picoseconds(start), _picoseconds(start + seconds)
    return {"ts": begin / 1e6, "dur": (end - begin) / 1e6}


def _picoseconds(seconds: float) -> int:
    return round(seconds * 1e12)


def _named(what: str, track: int, name: str) -> dict[str, Any]:
    return _event("M", track, name=what, args={"name": name})


def _event(kind: str, track: int, **fields: Any) -> dict[str, Any]:
    return {"ph": kind, "pid": _PROCESS, "tid": track, **fields}
