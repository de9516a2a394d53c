# SPDX-License-Identifier: Apache-2.0
"""Writes how far the twin is from what was measured, platform by platform and group by group.

    python -m tools.model_errors

The error of a group, all paths of one system, master and route, is what nine of ten of its sound
published points are met within. Its interval is what nine of ten of new curves lie in: it is
earned on curves that took no part in it (weighbridge.analysis.intervals). Every figure is computed
anew each time, so that what a change leaves as it was leaves the file as it was; beside the figures
stands the date on which one changed.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping
from datetime import date

import numpy as np

from tools import ROOT
from tools.measurements import Compared, compared, digest, measured_platforms, measured_rows
from weighbridge.analysis.compare import compare
from weighbridge.analysis.intervals import Band, bands
from weighbridge.dataset.files import write_text
from weighbridge.platforms.evidence import GROUPS, Group, groups, path_words, rounded_factor

FOLDER = ROOT / "src/weighbridge/platforms/accuracy"
GROUP = ("os", "master", "route")
#: One prediction of so many goes into the digest of what the twin told.
SAMPLED = 40


def written(found: Compared, today: date) -> str:
    """The file of a platform's errors and intervals."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by `make errors`: nine of ten points of a group are met within its error, and",
        "# nine of ten measured times lie in its interval, low to high times the predicted one.",
        f"date = {today}",
        f"points = {len(found.rows)}",
        f"unanswered = {found.unanswered}",
        f'data = "{digest(measured_rows(found.platform))}"',
        f'told = "{found.told(SAMPLED)}"',
    ]
    sizes = [int(row["size_bytes"] or 0) for row in found.rows]
    lines.append(f"sizes = [{min(sizes)}, {max(sizes)}]")
    lines += _errors(found)
    curves = [found.curve(row) for row in found.rows]
    own = [groups(row) for row in found.rows]
    lines += interval_lines("fitted", bands(found.residuals, curves, own))
    paths: dict[str, set[float]] = {}
    for row in found.all_rows:
        paths.setdefault(path_words(row), set()).add(float(row["fpga_mhz"] or 0))
    lines += [
        "",
        "# Paths -> the fabric's clocks at which they were measured, in MHz.",
        "[measured]",
    ]
    lines += [f'"{words}" = {sorted(paths[words])}' for words in sorted(paths)]
    return "\n".join(lines) + "\n"


def _errors(found: Compared) -> list[str]:
    lines = []
    for key, group in compare(found.predicted, found.rows, GROUP).groups:
        assert group.median is not None
        assert group.p90 is not None
        lines += ["", "[[accuracy]]"]
        lines += [f'{name} = "{value}"' for name, value in key.items() if value is not None]
        source = f"measured: {group.n} published points, median {100 * group.median:.2f} %"
        value = np.format_float_positional(group.p90, precision=4)
        lines.append(f'error = {{ value = {value}, unit = "", source = "{source}" }}')
    return lines


def interval_lines(
    evidence: str, found: Mapping[Group, Band], platform: str | None = None
) -> list[str]:
    """The tables of a file for groups' intervals."""
    lines = []
    for group, band in sorted(found.items(), key=lambda item: [str(cell) for cell in item[0]]):
        lines += ["", "[[interval]]", f'evidence = "{evidence}"']
        if platform is not None:
            lines.append(f'platform = "{platform}"')
        lines += [
            f'{name} = "{cell}"'
            for name, cell in zip(GROUPS, group, strict=False)
            if cell is not None
        ]
        lines.append(f"low = {rounded_factor(band.low)}")
        lines.append(f"high = {rounded_factor(band.high)}")
        lines += [f"points = {band.points}", f"curves = {band.curves}"]
        if band.covered is not None:
            lines.append(f"covered = {band.covered:.3f}")
    return lines


def renewed(platform: str, today: date) -> tuple[str, bool]:
    """The file as it has to be today, and whether it is: then with the date that it has."""
    file = FOLDER / f"{platform}.toml"
    known = file.read_text("utf-8") if file.is_file() else ""
    found = compared(platform)
    same = written(found, tomllib.loads(known)["date"]) if known else ""
    return (known, True) if same and same == known else (written(found, today), False)


def main() -> None:
    """Writes what has changed, and says so."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    FOLDER.mkdir(exist_ok=True)
    for platform in measured_platforms():
        text, same = renewed(platform, date.today())
        if not same:
            write_text(text, FOLDER / f"{platform}.toml")
        print(f"{platform}: {'as it was' if same else 'written'}")


if __name__ == "__main__":
    main()
