# SPDX-License-Identifier: Apache-2.0
"""What docs/ says of the Python functions is what they do."""

from __future__ import annotations

import doctest
import json
import os
from pathlib import Path

import pytest

from tools import notebook

DOCS = Path(__file__).parents[2] / "docs"


def test_the_notebook_says_what_its_cells_answer() -> None:
    stored = json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8"))
    assert (stored["nbformat"], stored["nbformat_minor"]) == (4, 5)
    cells = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert len({cell["id"] for cell in stored["cells"]}) == len(stored["cells"])
    for cell, outputs in zip(cells, notebook.executed(stored), strict=True):
        for now, before in zip(outputs, cell["outputs"], strict=True):
            for one in (now, before):
                # Letters are as wide as the fonts of the machine.
                drawn = one.get("data", {}).pop("image/svg+xml", None)
                assert drawn is None or drawn[0].startswith("<svg")
            assert now == before, "run python -m tools.notebook"


def test_the_examples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(
        str(DOCS / "python.md"),
        module_relative=False,
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE,
        encoding="utf-8",
    )
    assert failed == 0
    assert tried > 10
    assert {"trace.json", "curves.png", "advice.csv"} <= set(os.listdir(tmp_path))
