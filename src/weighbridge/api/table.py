# SPDX-License-Identifier: Apache-2.0
"""What every answer with rows can become: Arrow, a data frame, a file, text, a notebook's table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.dataset.schema import Value
from weighbridge.errors import InputError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from weighbridge.dataset.export import Columns

#: Rows that a notebook or a prompt shows: half from the start, half from the end.
SHOWN = 20


class Table(ABC):
    """An answer that is a table, or has one. The units stand in the names of the columns."""

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """The table by columns; None where a cell does not apply."""

    @abstractmethod
    def heading(self) -> str:
        """What the answer is to, in a line or a few."""

    def cells(self) -> dict[str, list[str]]:
        """The columns that a person is shown, as text."""
        return {name: [_text(value) for value in cells] for name, cells in self.columns().items()}

    def to_arrow(self) -> pyarrow.Table:
        """The table for Arrow; InputError where pyarrow is not installed."""
        table: pyarrow.Table = _needed("pyarrow", "to_arrow()").table(self.columns())
        return table

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a DataFrame of pandas; InputError where pandas is not installed."""
        frame: pandas.DataFrame = _needed("pandas", "to_pandas()").DataFrame(self.columns())
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The table as a DataFrame of polars; InputError where polars is not installed."""
        made = _needed("polars", "to_polars()").DataFrame
        frame: polars.DataFrame = made(self.columns(), infer_schema_length=None)
        return frame

    def write(self, path: str | Path) -> None:
        """Write the table as .csv, .parquet or .json; InputError for another name."""
        from weighbridge.dataset.export import write_columns

        write_columns(self.columns(), Path(path))

    def __repr__(self) -> str:
        cells = self.cells()
        rows = [list(cells), *_some(cells)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        right = _numeric(cells)
        lines = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in rows
        ]
        return "\n".join([self.heading(), *lines])

    def _repr_html_(self) -> str:
        cells = self.cells()
        styles = [
            f"text-align:{'right' if number else 'left'};padding:0 0.6em;white-space:nowrap"
            for number in _numeric(cells)
        ]
        head = "".join(
            f'<th style="{style}">{escape(name)}</th>'
            for name, style in zip(cells, styles, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="{style}">{escape(cell)}</td>'
                for cell, style in zip(row, styles, strict=True)
            )
            + "</tr>"
            for row in _some(cells)
        )
        heading = escape(self.heading()).replace("\n", "<br>")
        return (
            f'<table><caption style="text-align:left;white-space:nowrap">{heading}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def told_apart(columns: Columns) -> dict[str, list[Value]]:
    """The columns in which a row says anything at all."""
    return {
        name: list(cells)
        for name, cells in columns.items()
        if any(cell is not None for cell in cells)
    }


def _some(cells: dict[str, list[str]]) -> list[tuple[str, ...]]:
    """The rows, or their two ends with a row between that says how many are left out."""
    rows = list(zip(*cells.values(), strict=True))
    if len(rows) <= SHOWN:
        return rows
    half = SHOWN // 2
    left_out = (f"({len(rows) - 2 * half} more)", *("" for _ in list(cells)[1:]))
    return [*rows[:half], left_out, *rows[-half:]]


def _numeric(cells: dict[str, list[str]]) -> list[bool]:
    return [bool(column) and all(_starts_as_number(c) for c in column) for column in cells.values()]


def _starts_as_number(cell: str) -> bool:
    return cell.lstrip("-+")[:1].isdigit() or cell in ("", "-")


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _needed(package: str, wanted_by: str) -> Any:
    try:
        return import_module(package)
    except ImportError:
        raise InputError(
            f"{wanted_by} needs {package}, which is not installed", mend=f"pip install {package}"
        ) from None
