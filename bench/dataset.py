# SPDX-License-Identifier: Apache-2.0
"""A run of 10^8 rows, made and asked: `make bench-rows`. It takes 2 GB of disk, and some minutes.

The rows are no model's: a formula of the size and the path gives their times, and a hash stands for
chance. What is measured is the table's way: `weighbridge query` in a process of its own, its wall
time and the most memory it ever had.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from weighbridge.dataset.parts import PART
from weighbridge.dataset.runs import MANIFEST, PARTS, new_manifest
from weighbridge.dataset.schema import COLUMNS
from weighbridge.dataset.table import connect, quoted

#: The query, and the seconds and bytes it may take.
GROUPED = (
    "SELECT link, direction, count(*), min(seconds), max(seconds), avg(seconds) FROM results "
    "WHERE size_bytes >= 1024 GROUP BY link, direction ORDER BY link, direction"
)
QUANTILES = (
    "SELECT link, direction, approx_quantile(seconds, [0.05, 0.5, 0.95]) FROM results "
    "GROUP BY link, direction ORDER BY link, direction"
)
BARS = (
    ("grouped", GROUPED, 3.0),
    ("quantiles", QUANTILES, 20.0),
)
MOST_BYTES = 1 << 30

#: Columns of a row by its number i; the others are empty. A curve has 50 000 sizes.
_CELLS = {
    "platform": "'cyclonev'",
    "study": "'made'",
    "backend": "'made'",
    "direction": "['cpu_to_fpga', 'fpga_to_cpu'][1 + i // 50000 % 2]",
    "link": "['LW32', 'HF32', 'HF64', 'HF128'][1 + i // 100000 % 4]",
    "os": "['linux', 'baremetal'][1 + i // 400000 % 2]",
    "master": "['cpu', 'pl330'][1 + i // 800000 % 2]",
    "fpga_mhz": "50.0 + i // 1600000",
    "size_bytes": "2 + i % 50000",
    "seconds": "1e-6 + (2 + i % 50000) * 1e-9 * (1 + (hash(i) % 1000) / 1e4)",
    "statistic": "'median'",
    "n": "1",
    "bytes_moved": "2 + i % 50000",
    "ceiling_seconds": "(2 + i % 50000) * 1e-10",
    "bound_by": "['SDRAM', 'bridge', 'access latency'][1 + i // 1000 % 3]",
    "quality": "'ok'",
}
_TYPES = {"text": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "flag": "BOOLEAN"}


def make(run: Path, rows: int) -> None:
    """A finished run in parts, of so many rows."""
    shutil.rmtree(run, ignore_errors=True)
    (run / PARTS).mkdir(parents=True)
    columns = ", ".join(
        f'({_CELLS.get(name, "NULL")})::{_TYPES[column.kind]} AS "{name}"'
        for name, column in COLUMNS.items()
    )
    parts = {}
    with connect() as connection:
        for first in range(0, rows, PART):
            end = min(first + PART, rows)
            name = f"{first:012}-{end:012}.parquet"
            connection.execute(
                f"COPY (SELECT {columns} FROM range({first}, {end}) AS made(i)) "
                f"TO {quoted(run / PARTS / name)} (FORMAT parquet, COMPRESSION zstd)"
            )
            parts[name] = end - first
    manifest = new_manifest({}, ["make", "bench-rows"], study={"name": "cyclonev/made"})
    manifest |= {"parts": parts, "points": rows, "answered": rows, "unanswered": {}}
    manifest["finished"] = manifest["started"]
    (run / MANIFEST).write_text(json.dumps(manifest))


def asked(arguments: list[str]) -> tuple[float, float, int]:
    """Seconds, seconds of processor and most bytes in memory of a command in its own process."""
    began = time.monotonic()
    program = "import sys; from weighbridge.cli import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"weighbridge {arguments[0]} ended with {process.returncode}")
    busy = usage.ru_utime + usage.ru_stime
    return time.monotonic() - began, busy, usage.ru_maxrss << 10


def main() -> None:
    """Exit status 1 where a bar is not held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--run", type=Path, default=Path("build/rows"))
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="100,000 rows, and no bar.")
    given = parser.parse_args()
    if given.short:
        given.rows, given.run, given.times = 100_000, Path("build/rows-short"), 1
    manifest = given.run / MANIFEST
    if not manifest.is_file() or json.loads(manifest.read_text())["points"] != given.rows:
        began = time.monotonic()
        make(given.run, given.rows)
        print(f"made {given.rows} rows in {time.monotonic() - began:.0f} s")
    size = sum(file.stat().st_size for file in (given.run / PARTS).iterdir())
    print(f"{given.rows} rows, {size / 1e9:.2f} GB on disk; load {os.getloadavg()[0]:.1f}")
    held = True
    for words, sql, bar in BARS:
        tries = sorted(asked(["query", sql, str(given.run)]) for _ in range(given.times))
        seconds, busy, _ = tries[len(tries) // 2]
        most = max(one[-1] for one in tries)
        held = held and seconds <= bar and most <= MOST_BYTES
        print(
            f"{words:10} {seconds:8.2f} s, median of {given.times}, {busy:.2f} s of processor, "
            f"{most >> 20} MiB (bars: {bar:g} s, {MOST_BYTES >> 20} MiB)",
            flush=True,
        )
    raise SystemExit(not held and not given.short)


if __name__ == "__main__":
    main()
