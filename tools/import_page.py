# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/import.md, what a map may say and mean: `make pages`."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from tools import ROOT
from tools.generated import replaced
from weighbridge.dataset.importer import Integrity, Map, Target
from weighbridge.dataset.schema import COLUMNS
from weighbridge.dataset.table import REQUIRED

PAGE = ROOT / "docs/import.md"
#: The tables of the map file, and what each may hold.
_TABLES: tuple[tuple[str, type[BaseModel]], ...] = (
    ("", Map),
    ("[columns] ", Target),
    ("[integrity] ", Integrity),
)


def page() -> str:
    """The page as Markdown, with its tables anew."""
    return replaced(PAGE.read_text(), "pages", "".join([*_said(), "\n", *_columns()]))


def _said() -> Iterator[str]:
    yield "| in the map | says |\n| --- | --- |\n"
    for table, model in _TABLES:
        for name, field in model.model_fields.items():
            yield f"| `{table}{name}` | {field.description} |\n"


def _columns() -> Iterator[str]:
    yield "| our column | kind | what it is |\n| --- | --- | --- |\n"
    for name, column in COLUMNS.items():
        needed = "; every row needs it" if name in REQUIRED else ""
        yield f"| `{name}` | {column.kind} | {column.meaning}{needed} |\n"


if __name__ == "__main__":
    PAGE.write_text(page())
