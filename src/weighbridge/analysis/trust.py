# SPDX-License-Identifier: Apache-2.0
"""Whether a measured point can be trusted: what its samples tell of mistakes and disturbances.

A check looks at one point's samples, and at what is around it; it gives a quality by name and a
sentence that says what was seen. The first check that finds something names the point: mistakes
before disturbances, and of these the worst first. `suspicion.py` looks at whole tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from weighbridge.analysis.statistics import UNSTABLE, Statistics
from weighbridge.dataset.samples import Measured, Sample, Surroundings
from weighbridge.dataset.schema import Point
from weighbridge.quantities import format_time

OK: Final = "ok"
#: Disturbances: the measurement was made as it should be; its time is true, of a bad moment.
DISTURBANCES: Final = (
    *("page-faults", "migrated", "preempted", "steal", "frequency-change", "warm-up"),
    *("interrupted", "unstable", "alone", "aspm", "link-degraded"),
)

#: Steps of the timer that a batch must last, so that a step is 0.1 % of it.
_STEPS: Final = 1000
#: Times this much shorter than the ceiling are rounding, not wonders.
_ROUNDING: Final = 1e-6
#: Bytes moved may differ so much from those asked for, as a fraction.
_MISCOUNT: Final = 0.01
#: A disturbance of so many samples moves the median.
_MANY, _SOME, _FEW = 0.25, 0.10, 0.02
#: Traffic that moves nothing beside so many batches does not run beside them at all.
_NEARLY_ALL: Final = 0.9
#: A gap disturbs a batch if it is so much of its time.
_GAP: Final = 0.05
#: A gap longer than this, in ns, is no interrupt: the processor did something else.
_AWAY: Final = 100_000.0
#: How far clocks, and the ends of a block, may be apart, as fractions.
_CLOCK, _WARM = 0.10, 0.10
#: Samples of a block whose begin and end can be told apart, and the share of blocks that agree.
_TELLING, _AGREE = 8, 0.8

_NS: Final = 1e-9


class Doubt(NamedTuple):
    """A quality, and what was seen in a sentence; the sentence is empty where all is well."""

    quality: str
    seen: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the checks look at."""

    point: Point
    measured: Measured
    statistics: Statistics
    around: Surroundings

    @property
    def samples(self) -> Sequence[Sample]:
        return self.measured.samples

    def share(self, wanted: Callable[[Sample], bool]) -> float:
        """The fraction of samples that something is true of."""
        return sum(map(wanted, self.samples)) / len(self.samples)


def judged(evidence: Evidence) -> Doubt:
    """The worst that the samples of a point tell; OK if nothing."""
    for check in _CHECKS:
        if doubt := check(evidence):
            return doubt
    return Doubt(OK)


def _timer_floor(evidence: Evidence) -> Doubt | None:
    """Mistake 4: the timer is measured. Half of the steps are asked for: batches are rounded."""
    timer = evidence.measured.timer
    if timer is None or not timer.resolution_ns:
        return None
    batch = float(np.median([sample.batch_ns for sample in evidence.samples]))
    steps = batch / timer.resolution_ns
    if steps >= _STEPS / 2:
        return None
    took, step = format_time(batch * _NS), format_time(timer.resolution_ns * _NS)
    return Doubt("timer-floor", f"a batch takes {took}, {steps:.3g} steps of the timer's {step}")


def _miscounted(evidence: Evidence) -> Doubt | None:
    """Mistake 3: bytes are counted that did not move. A chain of loads moves what it is given."""
    if "order" in evidence.measured.asked:
        return None
    asked = evidence.point.size_bytes
    moved = {sample.bytes / sample.count for sample in evidence.samples}
    wrong = [one for one in moved if abs(one / asked - 1) > _MISCOUNT]
    if not wrong:
        return None
    return Doubt("bytes-miscounted", f"{wrong[0]:.0f} B moved where {asked} B were asked for")


def _alone(evidence: Evidence) -> Doubt | None:
    """What is called loaded is not: traffic waits for the loop's processor, or for any at all."""
    moved = [one.traffic_bytes for one in evidence.samples if one.traffic_bytes is not None]
    share = moved.count(0) / len(moved) if moved else 0.0
    if share <= _NEARLY_ALL:
        return None
    return Doubt("alone", f"in {share:.0%} of the batches nothing ran beside it")


def _too_fast(evidence: Evidence) -> Doubt | None:
    """Mistake 2: faster than the link; a posted store may be, for nobody has waited for its end."""
    ceiling = evidence.around.ceiling_seconds
    if ceiling is None or evidence.statistics.median >= ceiling * (1 - _ROUNDING):
        return None
    times = ceiling / evidence.statistics.median
    if evidence.point.completion == "posted":
        return Doubt("posted", f"{times:.3g} times the link's rate: the end was not waited for")
    return Doubt("faster-than-ceiling", f"{times:.3g} times what widths and clocks allow")


def _link(evidence: Evidence) -> Doubt | None:
    """Mistake 8: the link sleeps between accesses, or is not what the device could have."""
    around = evidence.around
    if around.aspm:
        return Doubt("aspm", f"the link may sleep between accesses (ASPM {around.aspm})")
    if around.degraded:
        return Doubt("link-degraded", f"the link runs at {around.degraded}")
    return None


def _faults(evidence: Evidence) -> Doubt | None:
    """Mistake 1, seen while it is timed: memory that was not touched before."""
    share = evidence.share(lambda sample: bool(sample.faults))
    if share <= _FEW:
        return None
    most = max(sample.faults or 0 for sample in evidence.samples)
    return Doubt("page-faults", f"{share:.0%} of the batches met page faults, up to {most}")


def _migrated(evidence: Evidence) -> Doubt | None:
    share = evidence.share(lambda sample: sample.cpu_after not in (None, sample.cpu))
    cpus = {sample.cpu for sample in evidence.samples if sample.cpu is not None}
    if share <= _FEW and len(cpus) < 2:
        return None
    if share <= _FEW:
        return Doubt("migrated", f"its batches ran on {len(cpus)} processors")
    return Doubt("migrated", f"{share:.0%} of the batches changed the processor on their way")


def _preempted(evidence: Evidence) -> Doubt | None:
    share = evidence.share(lambda sample: bool(sample.switches))
    if share <= _SOME:
        return None
    return Doubt("preempted", f"{share:.0%} of the batches gave the processor away")


def _stolen(evidence: Evidence) -> Doubt | None:
    """Time is missing from a batch although the processor switched to no other thread here."""
    away = [
        sample.gap_ns
        for sample in evidence.samples
        if (sample.gap_ns or 0) > _AWAY and not sample.switches
    ]
    share = len(away) / len(evidence.samples)
    if share <= _SOME:
        return None
    longest = format_time(max(gap for gap in away if gap) * _NS)
    whose = "another guest's" if evidence.around.virtual else "unknown"
    return Doubt(
        "steal", f"in {share:.0%} of the batches time is missing, up to {longest}, {whose}"
    )


def _clock_changed(evidence: Evidence) -> Doubt | None:
    clocks = [sample.mhz for sample in evidence.samples if sample.mhz]
    if len(clocks) < 2:
        return None
    low, middle, high = (float(one) for one in np.quantile(clocks, (0.25, 0.5, 0.75)))
    if high - low <= _CLOCK * middle:
        return None
    governor = f", governor {evidence.around.governor}" if evidence.around.governor else ""
    return Doubt("frequency-change", f"the clock went from {low:.0f} to {high:.0f} MHz{governor}")


def _cold(evidence: Evidence) -> Doubt | None:
    """Blocks that begin slowly: what is measured first is the warming of caches and clocks."""
    ratios = []
    for block in evidence.measured.blocks():
        if len(block) < _TELLING:
            continue
        quarter = len(block) // 4
        begin, end = (
            float(np.median([sample.ns for sample in part]))
            for part in (block[:quarter], block[-quarter:])
        )
        ratios.append(begin / end)
    if not ratios or float(np.quantile(ratios, 1 - _AGREE)) <= 1 + _WARM:
        return None
    return Doubt("warm-up", f"its blocks begin {np.median(ratios):.2f} times as slow as they end")


def _interrupted(evidence: Evidence) -> Doubt | None:
    share = evidence.share(lambda sample: (sample.gap_ns or 0) > _GAP * sample.batch_ns)
    if share <= _MANY:
        return None
    gaps = [sample.gap_ns for sample in evidence.samples if sample.gap_ns is not None]
    usual = format_time(float(np.median(gaps)) * _NS)
    return Doubt("interrupted", f"{share:.0%} of the batches have a gap, of {usual} as a rule")


def _unstable(evidence: Evidence) -> Doubt | None:
    spread = evidence.statistics.block_spread
    if spread <= UNSTABLE:
        return None
    return Doubt(
        "unstable", f"the medians of its {evidence.statistics.blocks} blocks span {spread:.0%}"
    )


def _emulated(evidence: Evidence) -> Doubt | None:
    if not evidence.around.emulated:
        return None
    return Doubt("emulated", "an emulator ran it: its time is that of no hardware")


_CHECKS: Final = (
    _emulated,
    _timer_floor,
    _miscounted,
    _alone,
    _too_fast,
    _link,
    _faults,
    _migrated,
    _preempted,
    _stolen,
    _clock_changed,
    _cold,
    _interrupted,
    _unstable,
)
