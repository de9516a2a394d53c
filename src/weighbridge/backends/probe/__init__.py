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

__all__ = ["Facts", "Plan", "Settings", "Way", "Window", "measure"]

#: Starts a probe on the text of a plan and yields the lines of its output as they come; leaving the
#: block ends the probe, wherever it runs.
Way = Callable[[str], AbstractContextManager[Iterator[bytes]]]


def measure(plan: Plan, way: Way, facts: Facts) -> Generator[tuple[int, Measured | str]]:
    """The points of a plan with their samples, each as soon as the probe is through with it.

    A point that could not be asked, or of which a broken stream says nothing, has a reason instead.
    facts: is told what the stream says of the probe, its clock and its machine.
    """
    yield from plan.refused.items()
    left = dict(plan.asked)
    if left:
        with way(plan.text) as lines:
            for number, one in measured(lines, plan.asked, facts):
                del left[number]
                yield number, one
    for number in left:
        yield number, facts.complaint or "the probe has ended before it measured this point"
