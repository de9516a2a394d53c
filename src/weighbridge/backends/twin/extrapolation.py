# SPDX-License-Identifier: Apache-2.0
"""Transfers longer than a prefix: what the prefix takes, and as many further steps as are left.

A path says from which size on nothing new happens to its state, and after how many bytes it
repeats itself. A transfer that is longer by whole steps takes the time of its prefix and for each
step what the first one behind the prefix takes, phase by phase. The time grows with the size as it
does inside the prefix, and at a whole step the two pieces of the curve meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from weighbridge.backends.twin.explanation import Explanation, Hop, Phase
from weighbridge.dataset.schema import Point


@dataclass(frozen=True, slots=True)
class Reach:
    """Bytes of the shortest prefix and of a step; no more than both together is simulated."""

    prefix: int
    step: int

    def split(self, size_bytes: int) -> tuple[int, int]:
        """The prefix of a transfer and the steps behind it; no steps for one that is simulated."""
        steps = (size_bytes - self.prefix) // self.step
        if size_bytes <= self.prefix + self.step:
            return size_bytes, 0
        return size_bytes - steps * self.step, steps


def extended(
    point: Point,
    reach: Reach,
    answer: Callable[[Point], Explanation],
    ceiling: Callable[[Point], float],
    bounded: bool = True,
) -> Explanation:
    """The answer to a point; what `answer` says where it is not longer than can be simulated.

    bounded: by the ceiling, which what is left out of a step (a refresh, say) may not beat.
    """
    size, steps = reach.split(point.size_bytes)
    if not steps:
        return answer(point)
    head = answer(replace(point, size_bytes=size))
    short = answer(replace(point, size_bytes=reach.prefix))
    long = answer(replace(point, size_bytes=reach.prefix + reach.step))
    phases = []
    for phase in head.phases:
        low, high = _phase(short, phase), _phase(long, phase)
        seconds = phase.seconds + steps * max(0.0, high.seconds - low.seconds)
        hops = tuple(_hop(hop, low, high, steps) for hop in phase.hops)
        phases.append(replace(phase, seconds=seconds, hops=hops))
    whole = head.seconds + steps * max(0.0, long.seconds - short.seconds)
    least = ceiling(point)
    if bounded and not head.posted:
        whole = max(whole, least)
    return replace(
        head,
        point=point,
        seconds=whole,
        ceiling_seconds=least,
        phases=_summing(phases, whole),
        samples=(),
        simulated_bytes=reach.prefix + reach.step,
    )


def _summing(phases: list[Phase], seconds: float) -> tuple[Phase, ...]:
    """The phases; the longest of them takes what rounding leaves of the whole."""
    longest = max(range(len(phases)), key=lambda number: phases[number].seconds)
    others = sum(phase.seconds for number, phase in enumerate(phases) if number != longest)
    phases[longest] = replace(phases[longest], seconds=seconds - others)
    return tuple(phases)


def _phase(answer: Explanation, like: Phase) -> Phase:
    """The phase of an answer that has the same name, or an empty one."""
    return next(
        (phase for phase in answer.phases if phase.name == like.name),
        replace(like, seconds=0.0, hops=()),
    )


def _hop(hop: Hop, low: Phase, high: Phase, steps: int) -> Hop:
    def of(phase: Phase) -> Hop:
        nothing = replace(hop, transactions=0, bytes=0, busy=0.0, waiting=0.0)
        return next((one for one in phase.hops if one.name == hop.name), nothing)

    less, more = of(low), of(high)
    return replace(
        hop,
        transactions=hop.transactions + steps * max(0, more.transactions - less.transactions),
        bytes=hop.bytes + steps * max(0, more.bytes - less.bytes),
        busy=hop.busy + steps * max(0.0, more.busy - less.busy),
        waiting=hop.waiting + steps * max(0.0, more.waiting - less.waiting),
    )
