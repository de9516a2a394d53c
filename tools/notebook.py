# SPDX-License-Identifier: Apache-2.0
"""Executes the notebook of docs/ and stores what its cells say; the test compares with that.

usage: python -m tools.notebook
"""

from __future__ import annotations

import ast
import io
import json
import os
import tempfile
from contextlib import chdir, redirect_stdout
from typing import Any

from tools import ROOT

NOTEBOOK = ROOT / "docs" / "python.ipynb"
#: What a notebook asks an object for, and the key under which it stores the answer.
_SHOWN = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}

Json = dict[str, Any]


def executed(notebook: Json) -> list[list[Json]]:
    """The outputs of the code cells, one after the other in an empty directory."""
    names: Json = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as directory, chdir(directory):
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        return [_outputs(cell, number, names) for number, cell in enumerate(cells, 1)]


def _outputs(cell: Json, number: int, names: Json) -> list[Json]:
    """What a cell prints, and the value of its last expression."""
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[Json] = []
    if printed.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}
        )
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        for method, kind in _SHOWN.items():
            if hasattr(value, method):
                data[kind] = _lines(getattr(value, method)())
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": number,
                "metadata": {},
                "data": data,
            }
        )
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    outputs = iter(executed(notebook))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = next(outputs)
            cell["execution_count"] = sum(
                1
                for one in notebook["cells"][: notebook["cells"].index(cell) + 1]
                if one["cell_type"] == "code"
            )
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(text + "\n", encoding="utf-8")
    print(os.path.relpath(NOTEBOOK))


if __name__ == "__main__":
    main()
