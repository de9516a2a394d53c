# SPDX-License-Identifier: Apache-2.0
"""Writes docs/platform-file.md, what a platform file may say: `make pages`."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from tools import ROOT
from weighbridge.platforms.kinds import CLOCK, KINDS, UNITS, Field, Kind
from weighbridge.platforms.model import (
    Accuracy,
    BufferKind,
    CacheLevel,
    FabricLink,
    Link,
    PathFamily,
    Peripheral,
    Route,
)
from weighbridge.quantities import format_size, format_time

PAGE = ROOT / "docs/platform-file.md"

_HEAD = """\
# The platform file

<!-- Made by tools/platform_page.py of what the engine declares: `make pages` writes it anew. -->

A platform is one TOML file: the parts of a system, how they are wired, what its software costs,
and where each number comes from. `weighbridge check FILE.toml` names every fault of it with its
line; every command that takes a platform takes the path of such a file. This one is whole:

```toml
{toy}```

## A number

`{{ value = 800, unit = "MHz", source = "data sheet, table 3" }}`. A number without a source is
refused. A source that begins with `fitted` says that the number was fitted to measurements;
`elsewhere = {{ value, source }}` is what it is without them. A number that is left out and has a
default, below, takes it, and `weighbridge show` says so.

Units: {units}.

## What another platform says

`extends = "cyclonev"` takes everything from another platform, a file beside this one or one that
ships, and this file says what differs. Tables are merged; a number, a list of paths, or a
component whose kind differs is replaced. What was measured of the other platform's error is not
inherited.

## Clocks

`[clock]` has a frequency for each name, {clock}. A clock with `axis = "fpga_mhz"` is the one that
a question may set; one with `divided_from = "pll"` runs at the highest frequency that a whole
divider gives and that is not above it. `reference_clock` names the clock whose period counts in
whole ticks, `nodes_clock` that of this project's nodes in the fabric where it is not their bus's.

## At the top

Beside `schema`, `name`, `title` and `reference_clock`: `memory`, the bytes of the processor's
memory, which no transfer exceeds; `fabric_memory`, the bytes of memory behind a link, needed where
a `processor` or a `pl330` copies into the fabric: a longer transfer goes over the same bytes
again; `backend`, who answers where nothing else is asked for.

## Components

`[component.NAME]` has a `title`, a `kind`, a `clock`, and `to`, the components that it leads to.
The kinds below are all there are; each asks for its fields. A master starts accesses and takes
none.
"""

#: What the components are that `to` names, in the engine's order.
_ORDER = {
    "processor": ": the first on its way to memory, then the first on its way to the fabric",
    "core": ": the first on its way to memory, then the first on its way to devices",
    "coherency_port": ", both caches: the first level, then the second",
    "fabric_dma": ": its ports into the processor's half, the bridge first",
}

_TABLES = """
## The other tables

"""
_MODELS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("[link.NAME]", Link),
    ("[fabric_link.NAME]", FabricLink),
    ("[route.NAME]", Route),
    ("[buffer.NAME]", BufferKind),
    ("[[cache_level]]", CacheLevel),
    ("[[path]]", PathFamily),
    ("[peripheral.NAME]", Peripheral),
    ("[[accuracy]]", Accuracy),
)


def page() -> str:
    """The page as Markdown."""
    toy = (ROOT / "tests/platforms/toy.toml").read_text()
    units = "; ".join(
        f"{dimension} in {', '.join(f'`{unit}`' if unit else '`` (none)' for unit in factors)}"
        for dimension, factors in UNITS.items()
    ).replace("``", '`""`')
    head = _HEAD.format(toy=toy, units=units, clock=_allowed(CLOCK))
    kinds = "".join(_section(name, kind) for name, kind in KINDS.items())
    return head + kinds + _TABLES + _table(("table", "fields", "says"), map(_model, _MODELS))


def _section(name: str, kind: Kind) -> str:
    leads = {None: "It leads to any number of components.", 0: ""}.get(
        kind.neighbours,
        f"`to` names {kind.neighbours} component{'s' if kind.neighbours != 1 else ''}"
        f"{_ORDER.get(name, '')}.",
    )
    said = " ".join(filter(None, ("A master." if kind.master else "", leads)))
    rows: list[tuple[str, ...]] = [
        (f"`{field}`", number.dimension, _allowed(number), _default(number), number.meaning)
        for field, number in kind.numbers.items()
    ]
    rows += [
        (f"`{field}`", "choice", ", ".join(f"`{w}`" for w in words), "", kind.meanings[field])
        for field, words in kind.choices.items()
    ]
    rows += [
        (f"`{field}`", "flag", "`true`, `false`", "", kind.meanings[field]) for field in kind.flags
    ]
    table = _table(("field", "dimension", "allowed", "default", "meaning"), rows)
    costs = [
        (f"`{field}`", _allowed(number), _default(number), number.meaning)
        for field, number in kind.costs.items()
    ]
    driven = "The software that drives it, `[software.OS]`:\n\n" + _table(
        ("cost", "allowed", "default", "meaning"), costs
    )
    parts = [f"\n### `{name}`\n", said + "\n" if said else "", table if rows else ""]
    return "\n".join(filter(None, [*parts, driven if costs else ""]))


def _model(one: tuple[str, type[BaseModel]]) -> tuple[str, ...]:
    name, model = one
    fields = ", ".join(f"`{field}`" for field in model.model_fields)
    return f"`{name}`", fields, " ".join((model.__doc__ or "").split())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _allowed(field: Field) -> str:
    unit = {"cycles": " cycles", "frequency": " MHz"}.get(field.dimension, "")
    if field.among:
        return ", ".join(f"{one:g}" for one in field.among)
    if field.dimension == "bytes":
        ends = f"{format_size(int(field.least))} to {format_size(int(field.most))}"
    elif field.dimension == "time":
        ends = f"{format_time(field.least * 1e-9)} to {format_time(field.most * 1e-9)}"
    else:
        ends = f"{field.least:g} to {field.most:g}{unit}"
    return ends + (", a power of two" if field.power else "")


def _default(field: Field) -> str:
    return "" if field.standard is None else f"{field.standard:g}"


if __name__ == "__main__":
    PAGE.write_text(page())
