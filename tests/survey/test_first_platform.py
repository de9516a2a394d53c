# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sysroots import machine, write
from weighbridge.backends.twin import Twin
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study
from weighbridge.survey import Survey, survey
from weighbridge.survey.first_platform import first_platform
from weighbridge.survey.sysroot import Sysroot


def _found(folder: Path) -> Survey:
    return survey(Sysroot(machine(folder / "root")))


def test_the_twin_answers_with_the_caches_that_the_machine_tells(tmp_path: Path) -> None:
    """Every kind of point of the machine's own study; a chain's steps lie at the caches' ends."""
    file = write(tmp_path, "m.toml", first_platform(_found(tmp_path), "host"))
    platform = load_platform(str(file))
    assert platform.clock_mhz("core") == 1200
    twin = Twin(platform)
    points = load_study("host/memory").points(["load=idle"])
    times = {
        dict(point.axes)["working_set_bytes"]: twin.predict(point).seconds
        for point in points
        if dict(point.axes)["access"] == "latency"
    }
    assert times[16 << 10] == pytest.approx(4 / 1.2e9, rel=0.02)
    assert times[16 << 10] < 0.6 * times[256 << 10] < 0.6 * times[8 << 20]
    for access in ("rd", "wr", "cp"):
        point = next(p for p in points if dict(p.axes)["access"] == access)
        result = twin.predict(replace(point, size_bytes=8 << 20))
        assert result.ceiling_seconds is not None
        assert result.seconds >= result.ceiling_seconds


def test_assumptions_have_their_range(tmp_path: Path) -> None:
    text = first_platform(_found(tmp_path), "host")
    assumed = [line for line in text.splitlines() if '"assumed' in line]
    assert len(assumed) > 8
    assert sum(" to " in line or "half to twice" in line for line in assumed) > 8


def test_what_a_machine_tells_is_no_toml(tmp_path: Path) -> None:
    found = _found(tmp_path)
    chip = replace(found.processor, model='x"\n[component.evil]\n\\')
    file = write(tmp_path, "m.toml", first_platform(replace(found, processor=chip), "host"))
    assert "evil" not in load_platform(str(file)).components


def test_no_caches_no_model(tmp_path: Path) -> None:
    found = _found(tmp_path)
    with pytest.raises(InputError, match="does not tell its caches"):
        first_platform(replace(found, processor=replace(found.processor, caches=())), "host")
