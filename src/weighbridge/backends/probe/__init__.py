# SPDX-License-Identifier: Apache-2.0
"""Points measured by the probe, however it is reached: points -> plan -> lines -> samples.

A backend that measures says how a plan gets to a probe and the probe's lines come back (`Way`), and
what stands for a window of the point's (`Window`); the rest is here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager

from weighbridge.backends.probe.plan import Plan, Settings, Window
from weighbridge.backends.probe.stream import Facts, measured
from weighbridge.dataset.samples import Measured
from weighbridge.errors import InputError

__all__ = ["Facts", "Plan", "Settings", "Unfinished", "Way", "Window", "measure"]

#: Starts a probe on the text of a plan and yields the lines of its output as they come; leaving the
#: block ends the probe, wherever it runs.
Way = Callable[[str], AbstractContextManager[Iterator[bytes]]]


class Unfinished(InputError):
    """The stream of a probe's lines has ended before the plan."""


def measure(plan: Plan, way: Way, facts: Facts) -> Generator[tuple[int, Measured | str]]:
    """The points of a plan with their samples, each as soon as the probe is through with it.

    A point that cannot be asked has a reason instead. Raises Unfinished where the stream ends
    before all points have ended: the rest can be asked again.
    facts: is told what the stream says of the probe, its clock and its machine.
    """
    yield from plan.refused.items()
    left = dict(plan.asked)
    if left:
        with way(plan.text) as lines:
            for number, one in measured(lines, plan.asked, facts):
                del left[number]
                yield number, one
                if not left:
                    break
    if left:
        why = facts.complaint or "the probe has ended early"
        raise Unfinished(
            f"{why}; {len(left)} of {len(plan.asked)} points are not measured",
            mend="run the same command again: it goes on with them",
        )
