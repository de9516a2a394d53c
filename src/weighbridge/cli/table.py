# SPDX-License-Identifier: Apache-2.0
"""The one printer of tables: no number is cut, whatever the width.

What does not fit is shortened by the caller's rule, wrapped in words, left out by whole columns,
which a line below names, or stacked: a row becomes its name and, under it, its cells with their
headings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weighbridge.cli.wording import bar, wrapped
from weighbridge.printable import printable

if TYPE_CHECKING:
    from weighbridge.cli.terminal import Screen

#: Narrowest column of words that go on in the next line, and narrowest bar.
_WORDS, _SHORTEST_BAR = 24, 8
_INDENT = "   "


@dataclass(frozen=True, slots=True)
class Column:
    """How a column is printed.

    right: numbers, flush right. lead: names the row where rows are stacked. words: its cells may go
    on in the next line. spare: when it is left out for want of room, the lowest number first; never
    where it is 0. label: what it is called where the heading does not say it. short: makes a cell
    shorter. bar: its cells are fractions, drawn as bars of at most so many columns.
    """

    heading: str
    right: bool = False
    lead: bool = False
    words: bool = False
    spare: int = 0
    label: str = ""
    short: Callable[[str], str] | None = None
    bar: int = 0

    @property
    def name(self) -> str:
        return self.label or self.heading


@dataclass(frozen=True, slots=True)
class Printed:
    """What the reader is not shown: columns left out, and whether cells were shortened."""

    left_out: tuple[str, ...] = ()
    shortened: bool = False


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[str | float, ...]
    style: str = ""


@dataclass(slots=True)
class Table:
    """Rows of cells under columns, in sections where it has any."""

    columns: Sequence[Column]
    _rows: list[_Row | str] = field(default_factory=list)

    def add(self, *cells: str | float, style: str = "") -> None:
        """A row: a text for each column, a fraction for a bar."""
        assert len(cells) == len(self.columns)
        self._rows.append(_Row(cells, style))

    def section(self, title: str) -> None:
        """A line above the rows that follow."""
        self._rows.append(title)

    def print(self, out: Screen) -> Printed:
        """Print the table in the widest form that fits."""
        given = [row.cells for row in self._rows if isinstance(row, _Row)]
        cells = [[_text(cell) for cell in row] for row in given]
        short = [
            [
                one.short(cell) if one.short else cell
                for one, cell in zip(self.columns, row, strict=True)
            ]
            for row in cells
        ]
        forms = [(cells, False), (short, True)] if short != cells else [(cells, False)]
        spare = sorted((one.spare, i) for i, one in enumerate(self.columns) if one.spare)
        for dropped in range(len(spare) + 1):
            absent = {i for _, i in spare[:dropped]}
            kept = [i for i in range(len(self.columns)) if i not in absent]
            for form, shortened in forms:
                widths = self._widths(out, form, kept)
                if widths:
                    self._print_lines(out, form, kept, *widths)
                    names = tuple(one.name for i, one in enumerate(self.columns) if i in absent)
                    if names:
                        out.line(f"not shown in {out.width} columns: {', '.join(names)}", "dim")
                    return Printed(names, shortened)
        self._print_blocks(out, cells)
        return Printed()

    def _widths(
        self, out: Screen, cells: list[list[str]], kept: list[int]
    ) -> tuple[list[int], int] | None:
        """The widths of the columns kept and the gap between them; None where they do not fit."""
        natural = [
            self.columns[i].bar
            or max(map(out.cells, [self.columns[i].heading, *(row[i] for row in cells)]))
            for i in kept
        ]
        for gap in (2, 1):
            over = out.over(sum(natural) + gap * (len(kept) - 1))
            if over <= 0:
                return natural, gap
            for place, i in enumerate(kept):
                one = self.columns[i]
                least = _SHORTEST_BAR if one.bar else _WORDS if one.words else natural[place]
                if gap == 1 and natural[place] - over >= least:
                    return [*natural[:place], natural[place] - over, *natural[place + 1 :]], gap
        return None

    def _print_lines(
        self, out: Screen, cells: list[list[str]], kept: list[int], widths: list[int], gap: int
    ) -> None:
        columns = [self.columns[i] for i in kept]
        if any(one.heading for one in columns):
            headings = zip(columns, widths, strict=True)
            line = [_padded(out, one.heading, width, one.right) for one, width in headings]
            out.raw((" " * gap).join(line).rstrip(), "dim")
        texts = iter(cells)
        for row in self._rows:
            if isinstance(row, str):
                out.line(row, "bold")
                continue
            text = next(texts)
            parts = []
            for i, one, width in zip(kept, columns, widths, strict=True):
                value = row.cells[i]
                drawn = bar(value, width) if isinstance(value, float) else text[i]
                fits = one.bar or out.cells(drawn) <= width
                parts.append([drawn] if fits else wrapped(drawn, width, out.cells))
            for number in range(max(map(len, parts))):
                line = [
                    _padded(out, part[number] if number < len(part) else "", width, one.right)
                    for part, one, width in zip(parts, columns, widths, strict=True)
                ]
                out.raw((" " * gap).join(line).rstrip(), row.style)

    def _print_blocks(self, out: Screen, cells: list[list[str]]) -> None:
        texts = iter(cells)
        for row in self._rows:
            if isinstance(row, str):
                out.line(row, "bold")
                continue
            named = list(zip(self.columns, next(texts), strict=True))
            lead = " ".join(text for one, text in named if one.lead and text not in ("", "-"))
            if lead:
                out.line(lead, row.style, hang=_INDENT)
            pairs = [
                f"{one.name} {text}" for one, text in named if text and not one.lead and not one.bar
            ]
            out.flow(pairs, _INDENT if lead else "", row.style)


def _text(cell: str | float) -> str:
    return "" if isinstance(cell, float) else printable(cell)


def _padded(out: Screen, text: str, width: int, right: bool) -> str:
    space = " " * (width - out.cells(text))
    return space + text if right else text + space
