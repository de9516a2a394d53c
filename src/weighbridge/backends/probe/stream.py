# SPDX-License-Identifier: Apache-2.0
"""The probe's JSON lines read as they come: nothing that they say is trusted unchecked."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import IO, Any, Final

from weighbridge.backends.probe.lines import LONGEST, PATIENCE, Silence, lines_of
from weighbridge.backends.probe.plan import asking
from weighbridge.dataset import strict_json
from weighbridge.dataset.samples import OUTCOMES, SAMPLE, Measured, Sample, Timer
from weighbridge.errors import InputError

_LARGEST: Final = 2**63
#: What a line of the probe's is about.
_TYPES: Final = ("probe", "machine", "timer", "sample", "point", "end")


@dataclass
class Facts:
    """What a stream says beside its points.

    garbage: lines that are none of the probe's, of a serial line or a cut connection.
    ended:   the probe has said that it is through.
    complaint: why there are no more lines, where whoever reaches the probe knows.
    """

    probe: dict[str, Any] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    timer: Timer | None = None
    garbage: int = 0
    ended: bool = False
    complaint: str = ""

    def plain(self) -> dict[str, object]:
        """For a manifest."""
        timer = self.timer
        said: dict[str, object] = {"probe": self.probe, "machine": self.machine}
        if timer is not None:
            said["timer"] = {name: getattr(timer, name) for name in timer.__slots__}
        return said | ({"garbage_lines": self.garbage} if self.garbage else {})


def said_by(process: IO[bytes] | None, who: str, facts: Facts) -> Iterator[bytes]:
    """The lines of a process's output; where it falls silent they end, and the facts say so."""
    assert process is not None
    try:
        yield from lines_of(process.fileno(), PATIENCE)
    except Silence:
        facts.complaint = f"{who} has said nothing for {PATIENCE:g} s"


def measured(
    lines: Iterable[bytes], asked: Mapping[int, Mapping[str, str]], facts: Facts
) -> Iterator[tuple[int, Measured]]:
    """The points that a stream finishes, in its order, each once.

    lines: with or without their ends; garbage and half lines are counted and left out, and a point
    of which a sample is missing is left out as well.
    asked: the points that may be there, with what was said of each.
    """
    samples: dict[int, list[Sample]] = {number: [] for number in asked}
    for line in lines:
        record = _record(line)
        kind = record.get("type")
        number = _number_of(record)
        if kind == "sample" and number in samples and (sample := _sample(record)) is not None:
            samples[number].append(sample)
        elif kind == "point" and number in samples and record.get("outcome") in OUTCOMES:
            _check(record, number, asked[number])
            taken = tuple(sorted(samples.pop(number), key=lambda one: one.at_ns))
            outcome, message = str(record["outcome"]), str(record.get("message") or "")
            # Neither is the point's own end: it is left, to be asked again.
            if outcome == "interrupted":
                facts.complaint = "the probe was interrupted"
                continue
            if record.get("samples", len(taken)) != len(taken) or (outcome == "ok" and not taken):
                facts.complaint = "samples were lost on the way"
                continue
            yield number, Measured(outcome, taken, message[:500], facts.timer, asked[number])
        elif kind in ("probe", "machine"):
            said = {name: value for name, value in record.items() if name != "type"}
            (facts.probe if kind == "probe" else facts.machine).update(said)
        elif kind == "timer" and (timer := _timer(record)) is not None:
            facts.timer = timer
        elif kind == "end":
            facts.ended = True
        elif line.strip():
            facts.garbage += 1


def is_said(line: bytes) -> bool:
    """Whether a line is one of the probe's."""
    return _record(line).get("type") in _TYPES


def _check(record: Mapping[str, Any], number: int, asked: Mapping[str, str]) -> None:
    """The sum of what the probe was asked, where it says one, is that of this plan's line."""
    expected = f"{zlib.crc32(asking(number, asked).encode()):08x}"
    if record.get("asked", expected) != expected:
        raise InputError(
            f"these are the answers to another plan: its point {number} was asked otherwise",
            mend="give the study, --where and the other options that made that plan",
        )


def _record(line: bytes) -> dict[str, Any]:
    """A line's object; empty for anything else."""
    if len(line) > LONGEST:
        return {}
    try:
        record = strict_json.read(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _number_of(record: Mapping[str, Any]) -> int:
    """The number of the point that a record is about; of none, -1."""
    number = record.get("id")
    return number if isinstance(number, int) and not isinstance(number, bool) else -1


def _sample(record: Mapping[str, Any]) -> Sample | None:
    """None where a field is missing or is no such number."""
    cells: dict[str, Any] = {}
    for name, column in SAMPLE.items():
        value: Any = record.get(name)
        if value is None and not column.needed:
            continue
        if not _number(value) or (column.kind == "integer" and value != int(value)):
            return None
        cells[name] = int(value) if column.kind == "integer" else float(value)
    return Sample(**cells) if cells["ns"] > 0 and cells["count"] > 0 else None


def _timer(record: Mapping[str, Any]) -> Timer | None:
    resolution, overhead = record.get("resolution_ns"), record.get("overhead_ns")
    if not (_number(resolution) and _number(overhead)):
        return None
    name, why = str(record.get("name", ""))[:100], str(record.get("why", ""))[:500]
    return Timer(name, float(resolution or 0), float(overhead or 0), why)


def _number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and 0 <= value < _LARGEST
