# SPDX-License-Identifier: Apache-2.0
"""Blocks of key columns in a TOML file: each column has one value or a list."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from weighbridge.dataset.schema import ANSWERED_BY, AXES, KEY, Value
from weighbridge.dataset.values import given
from weighbridge.errors import InputError
from weighbridge.tomlsource import near

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
    cells = raw if isinstance(raw, list) else [raw]
    if not cells:
        raise ValueError("has no value")
    try:
        return [given(column, cell) for cell in cells]
    except InputError as error:
        raise ValueError(str(error)) from error


#: A TOML table of columns, each with one value or a list.
Block = Annotated[
    dict[str, Annotated[list[Value], BeforeValidator(_cells)]], BeforeValidator(_labelled)
]

#: A block that may say of which platforms of its study it is.
PlacedBlock = Annotated[
    dict[str, Annotated[list[Value], BeforeValidator(_placed_cells)]], BeforeValidator(_labelled)
]
