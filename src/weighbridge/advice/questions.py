# SPDX-License-Identifier: Apache-2.0
"""What choices there are, which is best for a purpose and how to connect it, in a paragraph."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

from weighbridge.advice.crossovers import Crossover, largest
from weighbridge.advice.purpose import Purpose
from weighbridge.advice.ranking import Ranked, far_end
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.dataset.words import worded
from weighbridge.errors import InputError
from weighbridge.platforms.kinds import UNITS
from weighbridge.quantities import about, format_rate, format_time

#: Factors of the asked clock at which the fabric is tried.
_FASTER = 1.25
_SERIAL = ("lanes", "generation")
#: A gain worth a word.
_WORTH = 0.02


def paragraph(
    twin: Twin, ranking: Sequence[Ranked], turns: Sequence[Crossover], purpose: Purpose
) -> list[str]:
    """The three answers and what would change them, a sentence or two each."""
    best = ranking[0]
    return [
        _choices(twin, ranking),
        _best(ranking, purpose),
        f"Connect it: {connection(twin, best.point)}.",
        _changes(twin, ranking, turns, purpose),
    ]


def connection(twin: Twin, point: Point) -> str:
    """The port into the fabric with its width and clock, and the buffer it asks for."""
    file = twin.platform.file
    names = far_end(point).split("+")
    ports = []
    for name in names:
        link = file.link.get(name) or file.fabric_link.get(name)
        if link is None:
            continue
        component = twin.platform.components[link.component]
        if "lanes" in component.numbers:
            lanes, generation = (component.numbers[field].value for field in _SERIAL)
            ports.append(f"{component.title}, {lanes:g} lanes of generation {generation:g}")
            continue
        bits = round(link.width.value * UNITS["bytes"][link.width.unit] * 8)
        clock = twin.platform.clock_mhz(component.clock, point.fpga_mhz)
        ports.append(f"{component.title} ({name}), {bits} bit at {clock:g} MHz")
    words = [" and ".join(ports)]
    if point.route is not None:
        words.append(f"memory through {point.route}")
    if point.buffer is not None:
        words.append(f"a {str(point.buffer).replace('_', ' ')} buffer")
    return ", ".join(words)


def _choices(twin: Twin, ranking: Sequence[Ranked]) -> str:
    masters: dict[str, dict[str, None]] = {}
    for one in ranking:
        component = twin.platform.components[str(one.point.master)]
        masters.setdefault(component.title, {})[str(one.point.link)] = None
    ways = "; ".join(f"{title} by {', '.join(links)}" for title, links in masters.items())
    return f"Choices: {len(ranking)} paths. {ways}."


def _best(ranking: Sequence[Ranked], purpose: Purpose) -> str:
    best = ranking[0]
    size = best.point.size_bytes
    text = f"{best.path}, {format_rate(size, best.seconds)}, bound by {best.bound_by}"
    if not best.holds:
        asked = [] if purpose.rate is None else [format_rate(purpose.rate, 1)]
        if purpose.latency is not None:
            asked.append(format_time(purpose.latency))
            text += f", {format_time(best.latency)}"
        return f"No path holds {' and '.join(asked)}; the fastest is {text}."
    text = f"Best: {text}"
    other = next((one for one in ranking if _way(one) != _way(best)), None)
    if other is not None and other.rank == best.rank:
        text += f"; as fast, within the model's own error, as {_named(other, best)}"
    elif other is not None:
        factor = other.seconds / best.seconds
        text += f"; {factor:.3g} times the rate of the next other way, {_named(other, best)}"
    return text + "."


def _named(other: Ranked, best: Ranked) -> str:
    """A path beside the best one; with its system where it is of another."""
    if other.point.os in (None, best.point.os):
        return other.path
    return f"{other.path}, {worded('os', other.point.os)}"


def _way(one: Ranked) -> tuple[object, ...]:
    point = one.point
    return (point.os, point.master, point.route, point.buffer, point.cache_level)


def _changes(
    twin: Twin, ranking: Sequence[Ranked], turns: Sequence[Crossover], purpose: Purpose
) -> str:
    """Sizes from which another path wins, a faster fabric, and data that are used."""
    best = ranking[0]
    said = []
    size = best.point.size_bytes
    before = [turn for turn in turns if turn.from_bytes <= size]
    after = [turn for turn in turns if turn.from_bytes > size]
    # The best path may win at other sizes as well, where here another one is as fast.
    below = [(turn, last) for last, turn in pairwise(before) if last.path != best.path]
    above = [turn for turn in after if turn.path != best.path]
    if below:
        turn, last = below[-1]
        said.append(f"below {about(turn.from_bytes)} {last.path} is faster")
    if above:
        said.append(f"from {about(above[0].from_bytes)} on {above[0].path} is faster")
    if not said:
        said.append(f"no other size up to {about(largest(twin, [one.point for one in ranking]))}")
    if best.point.fpga_mhz is not None:
        faster = replace(best.point, fpga_mhz=best.point.fpga_mhz * _FASTER)
        gain = _gain(twin, best, faster, purpose)
        if gain is not None and gain > _WORTH:
            said.append(f"a fabric clock a quarter faster gains {100 * gain:.0f} %")
        elif gain is not None:
            said.append("a faster fabric clock gains nothing")
    if purpose.consume == "none":
        used = _gain(twin, best, best.point, replace(purpose, consume="cpu_stream"))
        if used is not None:
            share = format_rate(size, best.seconds / (1 + used))
            said.append(f"with the processor touching every byte it moves {share}")
    return f"What would change this: {'; '.join(said)}."


def _gain(twin: Twin, best: Ranked, point: Point, purpose: Purpose) -> float | None:
    """Relative gain of rate; None where it cannot be asked."""
    with suppress(Unanswered, InputError):
        return best.seconds / purpose.cost(twin, point).seconds - 1
    return None
