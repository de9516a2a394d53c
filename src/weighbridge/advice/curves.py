# SPDX-License-Identifier: Apache-2.0
"""One path over sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Explanation, Twin
from weighbridge.dataset.schema import Point, Value, columns_in
from weighbridge.dataset.values import shown
from weighbridge.errors import InputError

MAX_POINTS = 1000
#: Sizes above this are whole words, as programs move them.
_BYTEWISE = 16
_WORD = 8
#: Columns whose value is part of every path's name as soon as the paths differ in them.
_NAMED = ("os", "direction", "fpga_mhz")


def sizes_between(first: int, last: int, count: int | None = None) -> list[int]:
    """Sizes from first to last bytes, evenly spaced on a logarithmic axis, both ends included.

    count: how many at most (equal ones are merged); without it the powers of two in between.
    Raises InputError for an empty range or a count that cannot be.
    """
    if first > last:
        raise InputError(f"no size from {first} B to {last} B", mend="--from must not exceed --to")
    if count is None:
        powers = (2**power for power in range(first.bit_length(), last.bit_length()))
        return sorted({first, *powers, last})
    if not 2 <= count <= MAX_POINTS:
        raise InputError(f"{count} points", mend=f"give 2 to {MAX_POINTS}")
    ratio = last / first
    between = (first * ratio ** (step / (count - 1)) for step in range(1, count - 1))
    rounded = (round(size) if size < _BYTEWISE else round(size / _WORD) * _WORD for size in between)
    return sorted({first, last, *(size for size in rounded if first < size < last)})


def curve(
    twin: Twin,
    point: Point,
    sizes: Sequence[int],
    advance: Callable[[], None] = lambda: None,
) -> list[Explanation]:
    """The twin's answers for a point's path at every size up to its largest.

    advance is called after each. Raises Unanswered if there is none at the first size.
    """
    answers: list[Explanation] = []
    for size in sizes:
        try:
            answers.append(twin.explain(replace(point, size_bytes=size)))
        except Unanswered:
            if not answers:
                raise
            break
        advance()
    return answers


def labels(paths: Sequence[tuple[str, Point]]) -> list[str]:
    """Names for paths in one picture: their words, and what tells paths of equal words apart.

    paths: (path in words, point). A system, direction or clock that differs is named for all.
    """
    keys = [point.key() for _, point in paths]
    named = [words for words, _ in paths]
    for column in (
        *_NAMED,
        *(one for one in columns_in(keys) if one not in (*_NAMED, "size_bytes")),
    ):
        alike: dict[str, list[int]] = {}
        for number, label in enumerate(named):
            alike.setdefault("" if column in _NAMED else label, []).append(number)
        for members in alike.values():
            if len({keys[number].get(column) for number in members}) > 1:
                for number in members:
                    named[number] += f", {_worded(column, keys[number].get(column))}"
    return named


def _worded(column: str, value: Value) -> str:
    if column == "fpga_mhz":
        return f"{shown(value)} MHz"
    return shown(value) if column in _NAMED else f"{column}={shown(value)}"
