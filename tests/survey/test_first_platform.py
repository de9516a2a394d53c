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


@pytest.mark.parametrize("held", [2, 8, 16])
def test_the_last_cache_holds_what_it_has_room_for(tmp_path: Path, held: int) -> None:
    file = write(tmp_path, "m.toml", first_platform(_found(tmp_path), "host"))
    last = [name for name in load_platform(str(file)).components if name.startswith("cache")][-1]
    twin = Twin(load_platform(str(file), {f"{last}.bytes": f"{held}MiB", f"{last}.ways": "16"}))
    points = load_study("host/memory").points(["load=idle", "access=latency"])
    times = {dict(one.axes)["working_set_bytes"]: twin.predict(one).seconds for one in points}
    near, far = times[1 << 20], times[128 << 20]
    for working_set, seconds in times.items():
        if working_set >= 1 << 20:
            level = near if working_set <= held << 20 else far
            assert seconds == pytest.approx(level, rel=0.02), working_set


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
