# SPDX-License-Identifier: Apache-2.0
"""How long points take to answer, learnt of those that have been: for chunks and the time left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from weighbridge.dataset.schema import Point

#: Points that take about as long: who moves the bytes under what system, and the size's octave.
Kind = tuple[str | None, str | None, str | None, str | None, str, int]

#: What a point takes before any is known, seconds; a chunk then has few points.
_FIRST = 0.01
#: How much of what is known of a kind is kept beside what comes: the machine's load changes.
_KEPT = 0.7
#: Seconds of work in a chunk: enough that its way there and back is a small part, and so little
#: that a worker's death costs little.
SHORTEST, LONGEST = 0.3, 5.0
#: Most points of a chunk, whatever they take: what is under way has to fit in memory.
MOST_POINTS = 20_000


def kind(point: Point) -> Kind:
    size = point.size_bytes.bit_length()
    return point.os, point.master, point.route, point.link, point.direction, size


class Costs:
    """What is left to answer, and the seconds of work that it takes."""

    def __init__(self, left: Counter[Kind]) -> None:
        self._left = left
        self._seconds: dict[Kind, float] = {}
        self._octave: dict[int, float] = {}
        self._any = _FIRST

    def learn(self, times: Mapping[Kind, tuple[int, float]]) -> None:
        """A chunk is done: kind -> how many points, and seconds for all of them."""
        for one, (count, seconds) in times.items():
            self._left[one] -= count
            each = seconds / count
            self._seconds[one] = _mixed(self._seconds.get(one), each)
            self._octave[one[-1]] = _mixed(self._octave.get(one[-1]), each)
        if total := sum(count for count, _ in times.values()):
            mean = sum(seconds for _, seconds in times.values()) / total
            self._any = mean if self._any == _FIRST else _mixed(self._any, mean)

    def of(self, one: Kind) -> float:
        """Seconds of work of a point."""
        found = self._seconds.get(one)
        return self._octave.get(one[-1], self._any) if found is None else found

    @property
    def known(self) -> bool:
        """Whether any point has been answered."""
        return bool(self._seconds)

    def left(self) -> float:
        """Seconds of work of all that is left."""
        return sum(count * self.of(one) for one, count in self._left.items())


def _mixed(before: float | None, now: float) -> float:
    return now if before is None else _KEPT * before + (1 - _KEPT) * now


class Chunks:
    """Neighbouring points in chunks of about equal cost, made as they are asked for.

    numbered: the points by ascending number. within: no chunk has points of two multiples of it.
    """

    def __init__(self, numbered: Iterable[tuple[int, Point]], costs: Costs, within: int) -> None:
        self._points: Iterator[tuple[int, Point]] = iter(numbered)
        self._costs, self._within = costs, within
        self._next = next(self._points, None)

    def take(self, workers: int) -> tuple[int, list[Point]] | None:
        """The number of the first point, and the points; None at the end.

        Towards the end chunks are shorter, so that all of the workers are busy until then.
        """
        if self._next is None:
            return None
        aim = min(LONGEST, max(SHORTEST, self._costs.left() / (8 * workers)))
        first, point = self._next
        points, cost = [point], self._costs.of(kind(point))
        for number, point in self._points:
            cost += self._costs.of(kind(point))
            apart = number != first + len(points) or number % self._within == 0
            if apart or cost > aim or len(points) == MOST_POINTS:
                self._next = number, point
                return first, points
            points.append(point)
        self._next = None
        return first, points
