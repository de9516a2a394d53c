# SPDX-License-Identifier: Apache-2.0
"""A small run of the Cyclone V studies whose times follow one simple law."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import COLUMNS, Value
from weighbridge.dataset.table import Row
from weighbridge.platforms import load_platform, platform_names
from weighbridge.studies import load_study, study_names

SIZES = [2**power for power in range(1, 22)]
DIRECTIONS = ("cpu_to_fpga", "fpga_to_cpu")
SHARED = Path(__file__).parents[2] / ".." / "shared"


def row(**columns: Value) -> Row:
    """A whole row of the schema, ok and answered by the twin unless told otherwise."""
    given: Row = {"platform": "cyclonev", "backend": "twin", "quality": "ok", **columns}
    return {**dict.fromkeys(COLUMNS), **given}


def study_rows() -> Iterator[Row]:
    """hps-to-fpga on HF128 and LW32 at 50 and 150 MHz, and five cache levels.

    The CPU starts at once and is slow; the DMA starts late and is fast, later if its program is
    built first; so the CPU wins small sizes and the DMA large ones.
    """
    masters = [("cpu", None, None), *product(["pl330"], ["acp", "sdramc"], [True, False])]
    axes = product(["linux", "baremetal"], masters, ["HF128", "LW32"], [50.0, 150.0], DIRECTIONS)
    for os, (master, route, prepared), link, mhz, direction in axes:
        levels = [9]
        if os == "baremetal":
            levels = {None: [9, 0], "acp": [9], "sdramc": [0]}[route]
        for level, size in product(levels, SIZES):
            start = {None: 1e-7, "acp": 2e-6, "sdramc": 4e-6}[route]
            start += 3e-6 if prepared is False else 0
            rate = {None: 100e6, "acp": 600e6, "sdramc": 900e6}[route] * mhz / 150
            rate *= (1 if link == "HF128" else 0.2) * (1 if level else 0.5)
            yield row(
                study="hps-to-fpga",
                os=os,
                master=master,
                route=route,
                prepared=prepared,
                link=link,
                cache_level=level,
                fpga_mhz=mhz,
                direction=direction,
                size_bytes=size,
                seconds=start + size / rate,
                bound_by="L2 write path",
                ceiling_seconds=size / 2.4e9,
            )
    for level, direction, size in product([0, 1, 6, 9, 13], DIRECTIONS, SIZES):
        yield row(
            study="cache-levels",
            os="baremetal",
            master="cpu",
            link="HF32",
            cache_level=level,
            fpga_mhz=100.0,
            direction=direction,
            size_bytes=size,
            seconds=1e-7 + size / (50e6 * (level + 1)),
        )


def write_csv(rows: Iterable[Row], path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(COLUMNS))
        writer.writeheader()
        for line in rows:
            texts = {True: "true", False: "false"}
            writer.writerow({k: texts[v] if isinstance(v, bool) else v for k, v in line.items()})
    return path


def modelled() -> list[str]:
    """Studies that the twin can answer; the others are measured, and have a test of their own."""
    return [name for name in study_names() if name.partition("/")[0] in platform_names()]


def some_of(study_name: str) -> list[Row]:
    """The twin's answers to two sizes of a study that comes with the project, on most paths."""
    study = load_study(study_name)
    sizes = study.allowed()["size_bytes"]
    some = [f"size={size}" for size in (sizes[len(sizes) // 2], sizes[-1])]
    twin = Twin(load_platform(study.platform))
    return [twin.predict(point).row() for point in study.points(some)[::3]]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small run as a file."""
    return write_csv(study_rows(), tmp_path_factory.mktemp("runs") / "run.csv")


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Measurements of the same points, each time 2 % above the run's; one is distrusted."""
    rows = [
        {**line, "seconds": float(str(line["seconds"])) * 1.02, "backend": None}
        for line in study_rows()
    ]
    rows[0]["quality"] = "suspected-rerun"
    return write_csv(rows, tmp_path_factory.mktemp("reference") / "reference.csv")


@pytest.fixture(scope="session")
def published() -> Path:
    """The published measurements, where they are at hand."""
    path = SHARED / "data" / "cyclonev.csv"
    if not path.exists():
        pytest.skip("the published measurements (shared/data/cyclonev.csv) are not here")
    return path
