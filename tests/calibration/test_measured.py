# SPDX-License-Identifier: Apache-2.0
"""A first model of a machine fitted to rows of its own study, by one command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sysroots import machine, write
from weighbridge.backends.twin import Twin
from weighbridge.cli import main
from weighbridge.dataset.table import write_parquet
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study
from weighbridge.survey import survey
from weighbridge.survey.first_platform import first_platform
from weighbridge.survey.sysroot import Sysroot


def test_what_was_assumed_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = survey(Sysroot(machine(tmp_path / "root")))
    file = write(tmp_path, "m.toml", first_platform(found, "host"))
    real = Twin(load_platform(str(file), {"cpu.load": "2.5 ns", "dram.read_latency": "90 ns"}))
    points = load_study("host/memory").points(["load=idle", "access=latency"])
    rows = [real.predict(point).row() | {"backend": "host"} for point in points]
    write_parquet(rows, tmp_path / "run.parquet")
    free = ("--free", "cpu.load", "--free", "dram.read_latency")
    asked = ("--data", str(tmp_path / "run.parquet"), *free, "--processes", "1", "--json")
    assert main(["calibrate", str(file), *asked]) == 0
    fitted = {one["name"]: one for one in json.loads(capsys.readouterr().out)["parameters"]}
    assert fitted["cpu.load"]["value"] == pytest.approx(2.5, rel=0.01)
    assert fitted["dram.read_latency"]["value"] == pytest.approx(90, rel=0.01)
