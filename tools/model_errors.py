# SPDX-License-Identifier: Apache-2.0
"""Writes how far the twin is from what was published, platform by platform and group by group.

    tools/model_errors.py          every platform whose figures are stale
    tools/model_errors.py --all    every platform

A group is all paths of one system, master and route; its error is what nine of ten of its sound
published points are met within. Beside the figures stand the date and digests of what they depend
on: the platform, the engine, the twin and the data. A comment, a docstring or the form of a source
is no part of them.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import numpy as np

from tools import ROOT
from weighbridge.analysis.compare import Comparison, compare, counts
from weighbridge.backends import DEFAULT_SEED
from weighbridge.backends.walk import Question, answers
from weighbridge.dataset.files import write_text
from weighbridge.dataset.published import published_platforms, published_rows
from weighbridge.dataset.table import Row, point_of
from weighbridge.platforms import load_platform

PACKAGE = ROOT / "src/weighbridge"
FOLDER = PACKAGE / "platforms/accuracy"
GROUP = ("os", "master", "route")
#: What a platform file says for readers only.
_SAID = frozenset(("source", "title", "adds", "unchecked", "accuracy"))
_CPP_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def digests(platform: str) -> dict[str, str]:
    """What the errors of a platform depend on, each part under its name."""
    file = load_platform(platform).file.model_dump(mode="json", exclude_defaults=True)
    return {
        "platform": _digest(json.dumps(_unsaid(file), sort_keys=True)),
        "engine": _digest(*map(bare_cpp, _sources(ROOT / "engine", "*.[ch]pp"))),
        "twin": _digest(
            str(DEFAULT_SEED),
            *map(bare_python, _sources(PACKAGE / "backends/twin", "*.py")),
            *map(bare_python, _sources(PACKAGE / "platforms", "*.py")),
        ),
        "data": _digest(*map(_known, published_rows([platform]))),
    }


def stale(platform: str) -> list[str]:
    """The parts that have changed since the errors of a platform were computed."""
    file = FOLDER / f"{platform}.toml"
    known = tomllib.loads(file.read_text("utf-8"))["digest"] if file.is_file() else {}
    return [part for part, digest in digests(platform).items() if known.get(part) != digest]


def measured(platform: str) -> Comparison:
    """The twin against every sound published point of a platform."""
    rows = [row for row in published_rows([platform]) if counts(row, all_quality=False)]
    points = dict(enumerate(dict.fromkeys(map(point_of, rows))))
    predicted = [
        outcome.row()
        for chunk in answers(points, Question("twin"), processes=2)
        for _, outcome in chunk
        if not isinstance(outcome, str)
    ]
    return compare(predicted, rows, GROUP)


def written(platform: str, found: Comparison, today: date) -> str:
    """The file of a platform's errors."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by `make errors`: nine of ten points of a group are met within its error.",
        f"date = {today}",
        f"points = {found.total.n}",
        f"unanswered = {found.unanswered}",
        "",
        "[digest]",
        *(f'{part} = "{digest}"' for part, digest in digests(platform).items()),
    ]
    for key, group in found.groups:
        assert group.median is not None
        assert group.p90 is not None
        lines += ["", "[[accuracy]]"]
        lines += [f'{name} = "{value}"' for name, value in key.items() if value is not None]
        source = f"measured: {group.n} published points, median {100 * group.median:.2f} %"
        value = np.format_float_positional(group.p90, precision=4)
        lines.append(f'error = {{ value = {value}, unit = "", source = "{source}" }}')
    return "\n".join(lines) + "\n"


def _sources(folder: Path, pattern: str) -> list[str]:
    return [path.read_text("utf-8") for path in sorted(folder.rglob(pattern))]


def _known(row: Row) -> str:
    """What a row says; a column that the schema has gained since says nothing."""
    return json.dumps(
        {name: value for name, value in row.items() if value is not None}, sort_keys=True
    )


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _unsaid(node: object) -> object:
    if isinstance(node, dict):
        return {key: _unsaid(inner) for key, inner in node.items() if key not in _SAID}
    return [_unsaid(inner) for inner in node] if isinstance(node, list | tuple) else node


def bare_cpp(text: str) -> str:
    """A source of C++ without its comments and blanks."""
    return "".join(_CPP_COMMENT.sub(lambda match: match[1] or " ", text).split())


def bare_python(text: str) -> str:
    """A source of Python as its tree, without its comments, docstrings and form."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body: list[ast.stmt] = getattr(node, "body", [])
        if isinstance(body, list) and body and _is_text(body[0]):
            del body[0]
    return ast.dump(tree)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


def update(platforms: Iterable[str], everything: bool) -> None:
    """Compute and write what is stale, or everything, and say what was done."""
    FOLDER.mkdir(exist_ok=True)
    for platform in platforms:
        file = FOLDER / f"{platform}.toml"
        changed = stale(platform)
        if not changed and not everything:
            print(f"{platform}: as it was")
            continue
        found = measured(platform)
        write_text(written(platform, found, date.today()), file)
        print(f"{platform}: {found.total.n} points, {', '.join(changed) or 'nothing'} changed")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="what is not stale, too")
    update(published_platforms(), parser.parse_args().all)


if __name__ == "__main__":
    main()
