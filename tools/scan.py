# SPDX-License-Identifier: Apache-2.0
"""Every path of every platform, over sizes and clocks: no answer that physics forbids: `make scan`.

    python tools/scan.py                        all of it: 60 sizes from 2 B to 4 MiB, six clocks
    python tools/scan.py --platform pcie        one platform
    python tools/scan.py --platform cyclonev --first 30   taken up at its 31st path

Each answer is held against the ceiling of its widths and clocks, which posted writes alone may
pass, and its phases against their sum. For one size in ten (--each) the same is asked as advise,
curve and run do, which must say the same, as a stream, and without what bounds it, which leaves
every other component the time that it is busy. A finding is told with the command that shows it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from math import isclose

from weighbridge.advice.curves import curve
from weighbridge.advice.paths import command_words
from weighbridge.advice.purpose import Purpose
from weighbridge.advice.reasons import bound
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Explanation, Twin
from weighbridge.dataset.schema import Point
from weighbridge.dataset.values import DIRECTIONS
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform, platform_names

CLOCKS = (30, 75, 100, 150, 250, 333)
SIZES = [round(2 * (1 << 21) ** (step / 59)) for step in range(60)]
#: Floating point over some ten phases.
ROUNDING = 1e-9


@cache
def twin(name: str) -> Twin:
    return Twin(load_platform(name))


def asked(path: Point) -> Iterator[Point]:
    """A path both ways, as each kind of answer that it has, at the clocks that it can have."""
    own = twin(path.platform).platform.file.clock.values()
    clocks = CLOCKS if any(clock.axis == "fpga_mhz" for clock in own) else (None,)
    for direction in DIRECTIONS:
        try:
            flows = twin(path.platform).flows(replace(path, direction=direction))
        except Unanswered:
            continue  # a path of one direction
        for flow, mhz in product(flows, clocks):
            axes = tuple(sorted((dict(path.axes) | {"flow": flow}).items()))
            yield replace(path, direction=direction, fpga_mhz=mhz, axes=axes)


def answered(point: Point) -> Explanation | None:
    """The twin's answer; None where it has none."""
    try:
        return twin(point.platform).explain(point)
    except (Unanswered, InputError):
        return None


def forbidden(answer: Explanation) -> Iterator[str]:
    """What physics forbids: faster than widths and clocks, or phases that are not all of it."""
    seconds, ceiling = answer.seconds, answer.ceiling_seconds
    if not 0 < seconds < float("inf"):
        yield f"{seconds} s"
    within = seconds >= ceiling * (1 - ROUNDING)
    if not within and not answer.posted:
        yield f"{ceiling / seconds:.9g} of the ceiling"
    if not within and answer.quality != "posted":
        yield f"{ceiling / seconds:.9g} of the ceiling, not marked"
    if within and answer.quality == "posted" and seconds >= ceiling:
        yield "marked as above a ceiling that it is below"
    if any(phase.seconds < 0 for phase in answer.phases):
        yield "a phase of a negative time"
    if any(min(hop.busy, hop.waiting) < 0 for hop in answer.hops):
        yield "a component that is busy or waits for a negative time"
    total = sum(phase.seconds for phase in answer.phases)
    if not isclose(total, seconds, rel_tol=ROUNDING):
        yield f"phases of {total} s in {seconds} s"


def too_fast_without(answer: Explanation) -> Iterator[str]:
    """A what-if that does not leave every other resource its time."""
    found = bound(twin(answer.point.platform), answer)
    if found.name != answer.bound_by:
        yield f"bound by {found.name}, and by {answer.bound_by}"
    if not 0 <= found.seconds_without <= answer.seconds:
        yield f"{found.seconds_without} s without what bounds {answer.seconds} s"
    for hop in answer.hops:
        least = min(hop.busy, answer.seconds) * (1 - ROUNDING)
        if hop.title != found.name and found.seconds_without < least:
            yield f"{found.seconds_without} s where {hop.name} is busy for {hop.busy} s"
    # What overlaps with the processor's own work is not shorter than that.
    beside = answer.overlaps and answer.bounds()[0].component
    if beside and found.seconds_without < answer.processor_seconds * 0.99:
        yield f"{found.seconds_without} s beside {answer.processor_seconds} s of the processor"


def disagreeing(answer: Explanation) -> Iterator[str]:
    """Commands that give another time for the same point, each asked of a twin of its own."""
    point, platform = answer.point, twin(answer.point.platform).platform
    said = {
        "run": Twin(platform).predict(point).seconds,
        "curve": curve(Twin(platform), point, [max(1, point.size_bytes // 2), point.size_bytes])[
            -1
        ].seconds,
    }
    purpose = Purpose(consume=str(dict(point.axes).get("consume", "none")))
    other = Twin(platform)
    if purpose.fits(point) and purpose.asked(other, point) == point:
        said["advise"] = purpose.cost(other, point).seconds
    for command, seconds in said.items():
        if seconds != answer.seconds:
            yield f"{command} says {seconds} s, explain {answer.seconds} s"


def streamed(point: Point) -> Iterator[str]:
    """A stream of blocks that passes the ceiling, one way or both ways at once."""
    for purpose in (Purpose(stream=True), Purpose(stream=True, duplex=True)):
        if not purpose.fits(point):
            continue
        try:
            cost = purpose.cost(twin(point.platform), point)
        except (Unanswered, InputError):
            continue
        if cost.seconds < cost.answer.ceiling_seconds * (1 - ROUNDING) and not cost.answer.posted:
            share = cost.answer.ceiling_seconds / cost.seconds
            yield f"a stream{' both ways' if purpose.duplex else ''} at {share:.9g} of the ceiling"


def main() -> int:
    parser = argparse.ArgumentParser(description="The full scan of all platforms.")
    parser.add_argument("--platform", choices=platform_names(), action="append")
    parser.add_argument("--first", type=int, default=0, help="number of a platform's first path")
    parser.add_argument("--each", type=int, default=10, help="sizes of which one is asked in full")
    own = parser.parse_args()
    began = time.monotonic()
    points = full = findings = 0
    for name in own.platform or platform_names():
        paths = twin(name).platform.paths()
        for number, path in list(enumerate(paths))[own.first :]:
            for point, (step, size) in product(asked(path), enumerate(SIZES)):
                answer = answered(replace(point, size_bytes=size))
                if answer is None:
                    continue
                points += 1
                wrong = list(forbidden(answer))
                if step % own.each == number % own.each:
                    full += 1
                    wrong += [
                        *too_fast_without(answer),
                        *disagreeing(answer),
                        *streamed(answer.point),
                    ]
                findings += bool(wrong)
                if wrong:
                    words = " ".join(command_words(answer.point))
                    print(f"{'; '.join(wrong)}\n  weighbridge explain {name} {words} --size {size}")
            print(
                f"{name}, path {number + 1} of {len(paths)}: {points} points, {full} of them in "
                f"full, {findings} findings, {time.monotonic() - began:.0f} s",
                flush=True,
            )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
