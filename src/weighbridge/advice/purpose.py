# SPDX-License-Identifier: Apache-2.0
"""What a transfer is for: one block or a stream, what is done with the data, what it must hold.

A path's answer says how long a block takes and for how much of that the processor is busy. From
these follow the period of a stream, the processor's share and a block's latency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Explanation, Twin
from weighbridge.backends.twin.program import CONSUME
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError

_OTHER_WAY = {"cpu_to_fpga": "fpga_to_cpu", "fpga_to_cpu": "cpu_to_fpga"}


@dataclass(frozen=True, slots=True)
class Purpose:
    """What is asked of a path.

    consume: what the processor does with the data, of CONSUME; its cost is part of the time.
    stream: blocks one after another instead of a single one. depth: blocks in flight; from two on
    the processor works on one while a controller moves another. duplex: as much the other way.
    streams: as many share the path. processor: share of its time that is left for this.
    rate: bytes per second to sustain; latency: seconds that a block may take.
    """

    consume: str = "none"
    stream: bool = False
    depth: int = 2
    duplex: bool = False
    streams: int = 1
    processor: float = 1.0
    rate: float | None = None
    latency: float | None = None

    def __post_init__(self) -> None:
        if self.consume not in CONSUME:
            allowed = ", ".join(CONSUME)
            raise InputError(f"consume '{self.consume}'", "--consume", f"allowed: {allowed}")
        if not 0 < self.processor <= 1:
            raise InputError(
                f"a share of {self.processor:g} of the processor", "--processor", "above 0, up to 1"
            )
        for option, value in (("--depth", self.depth), ("--streams", self.streams)):
            if not 1 <= value <= _MOST:
                raise InputError(f"{option} {value}", mend=f"allowed: 1 to {_MOST}")

    def fits(self, path: Point) -> bool:
        """Whether a path serves the purpose: it streams, one way or both ways, as asked."""
        traffic = dict(path.axes).get("traffic")
        return traffic in (None, "duplex" if self.stream and self.duplex else "one_way")

    def asked(self, twin: Twin, point: Point) -> Point:
        """The point with the axes that its own master understands."""
        axes = dict(point.axes)
        if len(flows := twin.flows(point)) > 1:
            axes["flow"] = "steady" if self.stream and "steady" in flows else "single"
        if self.consume != "none" or "consume" in axes:
            axes["consume"] = self.consume
        if self.stream:
            own = {"queue_depth": self.depth, "streams": self.streams}
            axes |= {axis: value for axis, value in own.items() if axis in axes}
        return replace(point, axes=tuple(sorted(axes.items())))

    def cost(self, twin: Twin, point: Point) -> Cost:
        """What a path costs for the purpose; raises Unanswered where it cannot be asked."""
        asked = self.asked(twin, point)
        answer = twin.explain(asked)
        busy = answer.processor_seconds
        waiting = answer.seconds - busy
        # A busy processor takes longer over its own part; a controller does not.
        busy_time = busy / self.processor
        if not self.stream:
            seconds = answer.seconds + (busy_time - busy)
            return Cost(answer, seconds, busy, seconds, answer.bound_by)
        if answer.flow == "steady":
            single = replace(self, stream=False, duplex=False).cost(twin, one_way(point))
            period, busy = self._steady(asked, max(answer.seconds, busy_time), busy, single)
            latency = max(single.seconds, twin.in_flight(asked) * period)
            return Cost(answer, period, busy, latency, answer.bound_by)
        other, both = 0.0, [answer]
        if self.duplex:
            back = replace(asked, direction=_OTHER_WAY[asked.direction])
            reply = twin.explain(back)
            extra = reply.processor_seconds
            busy, busy_time = busy + extra, busy_time + extra / self.processor
            other = reply.seconds - extra
            both.append(reply)
        alone = moving = waiting + other
        # A copy by the processor leaves nothing beside it but the rounding of its sum.
        beside = any(not phase.processor and phase.seconds for phase in answer.phases)
        overlapped = self.depth > 1 and beside
        if overlapped:
            # Beside the processor's part of the next block components go on with this one.
            moving = max(moving, _busiest(both))
        once = max(busy_time, moving) if overlapped else busy_time + moving
        period = once * self.streams
        latency = busy_time + alone + (self.depth - 1 if overlapped else 0) * period
        return Cost(answer, period, busy * self.streams, latency, self._bound(answer, moving))

    def _steady(
        self, asked: Point, period: float, busy: float, single: Cost
    ) -> tuple[float, float]:
        """Seconds from one block to the next, and the processor's, where the twin answers a flow.

        What the path's program is not asked in an axis is said of its answer: others share the
        path in turns, and without a second block in flight each is alone.
        """
        axes = dict(asked.axes)
        if self.duplex and axes.get("traffic") != "duplex" and axes.get("mix") != "read_write":
            raise Unanswered("it is not modelled how both ways at once share the path")
        if self.depth == 1 and "queue_depth" not in axes:
            period = max(period, single.seconds)
        share = 1 if "streams" in axes else self.streams
        return period * share, busy * share

    def _bound(self, answer: Explanation, moving: float) -> str:
        """What bounds blocks one after another.

        moving: seconds for which one block moves while the processor works on another.
        """
        if self.depth == 1 or moving == 0:
            return answer.bound_by
        processors = answer.processor_seconds / self.processor >= moving
        own = [phase for phase in answer.phases if phase.processor == processors]
        return max(own, key=lambda phase: phase.seconds).bound


def _busiest(answers: Sequence[Explanation]) -> float:
    """Seconds for which a component, or a path at its ceiling, is busy with a block each way."""
    busy: dict[str, float] = {}
    for answer in answers:
        for hop in answer.hops:
            busy[hop.name] = busy.get(hop.name, 0.0) + min(hop.busy, answer.seconds)
    ceiling = max((one.ceiling_seconds for one in answers if not one.posted), default=0.0)
    return max(ceiling, *busy.values(), 0.0)


def one_way(point: Point) -> Point:
    """The path of a point where nothing moves the other way."""
    axes = dict(point.axes)
    if "traffic" in axes:
        axes["traffic"] = "one_way"
    return replace(point, axes=tuple(sorted(axes.items())))


#: More blocks or streams than any queue here holds.
_MOST = 64


@dataclass(frozen=True, slots=True)
class Cost:
    """What a block costs: seconds from one to the next, the processor's part, and its latency.

    busy: seconds of the processor in that period, over all streams and directions.
    latency: from the start of a block's first step to its last byte usable, with the queue before
    it full; the twin's own, without what other programs and their interrupts add. bound_by: what
    takes most of the time, in words.
    """

    answer: Explanation
    seconds: float
    busy: float
    latency: float
    bound_by: str

    @property
    def occupancy(self) -> float:
        """Share of the processor's time."""
        return min(1.0, self.busy / self.seconds)

    @property
    def busy_per_byte(self) -> float:
        """Seconds of the processor for each byte moved."""
        return self.busy / self.answer.point.size_bytes
