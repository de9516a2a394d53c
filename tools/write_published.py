# SPDX-License-Identifier: Apache-2.0
"""Writes the published measurements that the package carries, a Parquet file for each platform.

    tools/write_published.py FOLDER... [-o FOLDER]

Reads every CSV file in the result schema that is given; the same files give the same bytes. Each
study's citation, the `source` of its file, stands in the Parquet file beside the rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from weighbridge.dataset.schema import COLUMNS
from weighbridge.dataset.table import Row, read_rows, write_parquet
from weighbridge.studies import load_study

PACKAGED = Path(__file__).parents[1] / "src/weighbridge/dataset/published"


def write(sources: list[Path], folder: Path) -> list[Path]:
    """The files written into `folder`: the rows of all sources by platform, in their order."""
    rows = [row | {"backend": "published"} for source in sources for row in read_rows(source)]
    written = []
    for platform in sorted({str(row["platform"]) for row in rows}):
        own: list[Row] = [row for row in rows if row["platform"] == platform]
        studies = dict.fromkeys(str(row["study"]) for row in own)
        notes = {study: load_study(f"{platform}/{study}").source for study in studies}
        written.append(folder / f"{platform}.parquet")
        # A column that nobody has filled would change the file when the schema gains one.
        filled = [name for name in COLUMNS if any(row[name] is not None for row in own)]
        write_parquet(own, written[-1], notes, filled)
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sources", nargs="+", type=Path, help="CSV files in the result schema")
    parser.add_argument("-o", "--output", type=Path, default=PACKAGED)
    chosen = parser.parse_args()
    for path in write(chosen.sources, chosen.output):
        print(f"{path}: {path.stat().st_size} B")


if __name__ == "__main__":
    main()
