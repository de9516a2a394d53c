# SPDX-License-Identifier: Apache-2.0
"""What a report is made of: sections with figures and tables, and the evidence they draw from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weighbridge.dataset.table import Row
from weighbridge.report import measures
from weighbridge.report.charts import Spec
from weighbridge.report.measures import Curves, Track


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a table cell, a style name for the page and a note shown on hovering."""

    text: str
    style: str = ""
    note: str = ""


BLANK = Cell("-", "blank", "not in these runs")


def numeric(text: str, note: str = "") -> Cell:
    """A cell that the page sets flush right."""
    return Cell(text, "number", note)


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption; each row as long as the header."""

    id: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its title and what to see in it. `id` also names its SVG file."""

    id: str
    title: str
    caption: str
    chart: Spec


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page. Where it has nothing to show, `missing` says what to do about it.

    answer: it says in a sentence what the rest shows, and is set larger.
    """

    id: str
    title: str
    lead: str
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    missing: str = ""
    answer: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the sections draw from. Rows are those drawn; reference rows may be none."""

    rows: list[Row]
    reference_rows: list[Row]
    run: Curves
    reference: Curves

    @classmethod
    def of(cls, rows: Sequence[Row], reference: Sequence[Row]) -> Evidence:
        """Sort the rows that can be drawn; the first of several for a point counts."""
        ours, theirs = (
            measures.unique([row for row in given if measures.drawn(row)])
            for given in (rows, reference)
        )
        return cls(ours, theirs, measures.curves(ours), measures.curves(theirs))

    def of_studies(self, studies: Sequence[str]) -> Evidence:
        """What concerns these studies."""
        return Evidence.of(
            *(
                [row for row in rows if row["study"] in studies]
                for rows in (self.rows, self.reference_rows)
            )
        )

    def sources(self) -> Iterator[tuple[str, Curves]]:
        """The runs' curves and the reference's, each under its name in the charts."""
        yield "run", self.run
        yield "reference", self.reference

    def ratios(self, above: Track, below: Track) -> tuple[float | None, float | None]:
        """Size-mean rate of one curve over another's: of the runs, and of the reference.

        The reference's is None unless it has every size that the runs have: means over
        different sizes would compare nothing.
        """
        sizes = measures.shared_sizes(self.run.get(above, {}), self.run.get(below, {}))
        ours, theirs = (
            measures.mean_ratio(known.get(above, {}), known.get(below, {}), sizes)
            for _, known in self.sources()
        )
        return ours, theirs


def beside(ours: float | None, theirs: float | None, digits: int) -> Cell:
    """A number of the runs with the reference's in brackets."""
    if ours is None:
        return BLANK
    if theirs is None:
        return numeric(f"{ours:.{digits}f}")
    return numeric(f"{ours:.{digits}f} ({theirs:.{digits}f})", "in brackets: the reference")


def table(
    id: str, caption: str, header: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> tuple[Table, ...]:
    """The table without its blank rows and columns; none where nothing is left."""
    full = [row for row in rows if any(cell is not BLANK for cell in row[1:])]
    kept = [place for place in range(len(header)) if any(row[place] is not BLANK for row in full)]
    if not full:
        return ()
    return (
        Table(
            id,
            caption,
            [header[place] for place in kept],
            [[row[place] for place in kept] for row in full],
        ),
    )


def percent(fraction: float) -> str:
    """A fraction in per cent, two significant digits below 10 %."""
    digits = f"{100 * fraction:.2g}" if fraction < 0.095 else f"{100 * fraction:.0f}"
    return f"{digits}\N{NO-BREAK SPACE}%"
