# SPDX-License-Identifier: Apache-2.0
"""The errors that are printed: as the model is today, and nothing where nobody measured."""

from __future__ import annotations

import re
import shutil
import tomllib
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from tools import model_errors
from tools.model_errors import measured, renewed, written
from weighbridge.advice.ranking import tie_band
from weighbridge.dataset.published import published_platforms
from weighbridge.platforms import load_platform

#: Each platform's points are asked once, some seconds.
found_once = cache(measured)


@pytest.mark.parametrize("platform", published_platforms())
def test_the_errors_are_those_of_todays_model(platform: str) -> None:
    """Every figure is computed anew: what does not change one changes nothing here."""
    found = found_once(platform)
    known = (model_errors.FOLDER / f"{platform}.toml").read_text()
    today = written(found, tomllib.loads(known)["date"])
    assert today == known, "run `make errors`, look at what has changed, and commit it"
    model = load_platform(platform)
    for key, group in found.groups:
        point = next(p.a for p in found.pairs if all(p.b[c] == v for c, v in key.items()))
        path = replace(model.paths()[0], **{name: point[name] for name in key})  # type: ignore[arg-type]
        assert model.error(path) == pytest.approx(group.p90, abs=1e-4)


def test_a_stale_figure_is_seen_and_the_date_stays_where_none_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = (model_errors.FOLDER / "zynq7000.toml").read_text()
    monkeypatch.setattr(model_errors, "FOLDER", tmp_path)
    monkeypatch.setattr(model_errors, "measured", found_once)
    file, tomorrow = tmp_path / "zynq7000.toml", date(2100, 1, 1)
    file.write_text(known)
    assert renewed("zynq7000", tomorrow) == (known, True)
    figure = re.search(r"value = (0\.\d+)", known)
    assert figure is not None
    file.write_text(known.replace(figure[1], "0.5"))
    text, same = renewed("zynq7000", tomorrow)
    assert not same
    assert "date = 2100-01-01" in text
    assert text.replace("2100-01-01", known.split("date = ")[1][:10]) == known
    file.unlink()
    assert renewed("zynq7000", tomorrow) == (text, False)


def test_nobody_measured_is_not_zero(tmp_path: Path) -> None:
    platform = load_platform("cyclonev")
    linux, bare = (next(p for p in platform.paths() if p.os == os) for os in ("linux", "baremetal"))
    assert 0 < platform.error(linux) < platform.error(bare) < 0.1  # type: ignore[operator]
    nowhere = replace(linux, master="another")
    assert platform.error(nowhere) is None
    assert tie_band(platform, linux, nowhere) == platform.error(linux)
    # A copy is another model, which nobody has held against anything.
    shutil.copy(platform.path, tmp_path / "mine.toml")
    assert load_platform(str(tmp_path / "mine.toml")).error(linux) is None
