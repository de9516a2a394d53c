# SPDX-License-Identifier: Apache-2.0
"""Writes how far the twin is from what was published, platform by platform and group by group.

    python -m tools.model_errors

A group is all paths of one system, master and route; its error is what nine of ten of its sound
published points are met within. Every figure is computed anew each time, so that what a change
leaves as it was leaves the file as it was; beside the figures stands the date on which one changed.
"""

from __future__ import annotations

import argparse
import tomllib
from datetime import date

import numpy as np

from tools import ROOT
from weighbridge.analysis.compare import Comparison, compare, counts
from weighbridge.backends.walk import Question, answers
from weighbridge.dataset.files import write_text
from weighbridge.dataset.published import published_platforms, published_rows
from weighbridge.dataset.table import point_of

FOLDER = ROOT / "src/weighbridge/platforms/accuracy"
GROUP = ("os", "master", "route")


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


def written(found: Comparison, today: date) -> str:
    """The file of a platform's errors."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by `make errors`: nine of ten points of a group are met within its error.",
        f"date = {today}",
        f"points = {found.total.n}",
        f"unanswered = {found.unanswered}",
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


def renewed(platform: str, today: date) -> tuple[str, bool]:
    """The file as it has to be today, and whether it is: then with the date that it has."""
    file = FOLDER / f"{platform}.toml"
    known = file.read_text("utf-8") if file.is_file() else ""
    found = measured(platform)
    same = written(found, tomllib.loads(known)["date"]) if known else ""
    return (known, True) if same and same == known else (written(found, today), False)


def main() -> None:
    """Writes what has changed, and says so."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    FOLDER.mkdir(exist_ok=True)
    for platform in published_platforms():
        text, same = renewed(platform, date.today())
        if not same:
            write_text(text, FOLDER / f"{platform}.toml")
        print(f"{platform}: {'as it was' if same else 'written'}")


if __name__ == "__main__":
    main()
