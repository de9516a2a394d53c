# SPDX-License-Identifier: Apache-2.0
"""Blocks of key columns in a TOML file: each column has one value, a list, or a drawn sample."""

from __future__ import annotations

import math
import random
from typing import Annotated

from pydantic import BeforeValidator

from weighbridge.dataset.schema import ANSWERED_BY, AXES, COLUMNS, KEY, Value
from weighbridge.dataset.values import given
from weighbridge.errors import InputError
from weighbridge.tomlsource import near

#: Values of one column that a file may ask to be drawn.
MOST_DRAWN = 100_000

#: Columns that may vary: the key without platform, study, backend and board.
VARIED = [name for name in (*KEY, *AXES) if name not in ("platform", "study", *ANSWERED_BY)]


def _labelled(raw: object) -> object:
    """Hand each column its own name, so that its fault is found at its own place."""
    return {name: (name, cells) for name, cells in raw.items()} if isinstance(raw, dict) else raw


def _cells(labelled: tuple[str, object]) -> list[Value]:
    """A column's value, or list of values, as typed values."""
    column, raw = labelled
    if column not in VARIED:
        raise ValueError(f"unknown column; {near(column, VARIED)}")
    return _given(column, raw)


def _placed_cells(labelled: tuple[str, object]) -> list[Value]:
    """As _cells(), of a block that may be of some of a study's platforms only."""
    return _given(*labelled) if labelled[0] == "platform" else _cells(labelled)


def _given(column: str, raw: object) -> list[Value]:
    if isinstance(raw, dict):
        return [*log_uniform(column, raw)]
    cells = raw if isinstance(raw, list) else [raw]
    if not cells:
        raise ValueError("has no value")
    try:
        return [given(column, cell) for cell in cells]
    except InputError as error:
        raise ValueError(str(error)) from error


def log_uniform(column: str, drawn: dict[str, object]) -> list[int]:
    """The whole numbers that `{ log_uniform = [LOW, HIGH], count = N, seed = S }` stands for.

    They are ascending, and drawn with equal chance for every ratio; a number that is drawn again
    counts once. Both ends are among them. ValueError says what is wrong.
    """
    if drawn.keys() - {"seed"} != {"log_uniform", "count"}:
        raise ValueError("say { log_uniform = [LOW, HIGH], count = N, seed = S }")
    ends, count, seed = drawn["log_uniform"], drawn["count"], drawn.get("seed", 0)
    if COLUMNS[column].kind != "integer" or not isinstance(ends, list) or len(ends) != 2:
        raise ValueError("only a column of whole numbers is drawn, between two of them")
    if not all(isinstance(one, int) and not isinstance(one, bool) for one in (count, seed)):
        raise ValueError("count and seed are whole numbers")
    assert isinstance(count, int)
    assert isinstance(seed, int)
    try:
        low, high = (given(column, end) for end in ends)
    except InputError as error:
        raise ValueError(str(error)) from error
    assert isinstance(low, int)
    assert isinstance(high, int)
    if not 0 < low < high:
        raise ValueError(f"{low} to {high} is no range")
    # Beyond half of all there are, drawing would mostly meet numbers that are drawn already.
    if not 2 <= count <= min(MOST_DRAWN, max(2, (high - low + 1) // 2)):
        most = min(MOST_DRAWN, max(2, (high - low + 1) // 2))
        raise ValueError(f"count is {count}; 2 to {most} of {low} to {high} can be drawn")
    chance = random.Random(seed)
    found = {low, high}
    while len(found) < count:
        found.add(round(low * math.exp(chance.random() * math.log(high / low))))
    return sorted(found)


#: A TOML table of columns, each with one value, a list or a drawn sample.
Block = Annotated[
    dict[str, Annotated[list[Value], BeforeValidator(_cells)]], BeforeValidator(_labelled)
]

#: A block that may say of which platforms of its study it is.
PlacedBlock = Annotated[
    dict[str, Annotated[list[Value], BeforeValidator(_placed_cells)]], BeforeValidator(_labelled)
]
