# SPDX-License-Identifier: Apache-2.0
"""The errors that are printed: as the model is today, and nothing where nobody measured."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tools import model_errors
from tools.model_errors import bare_cpp, bare_python, digests, measured, stale
from weighbridge.advice.ranking import tie_band
from weighbridge.dataset.published import published_platforms
from weighbridge.platforms import load_platform


@pytest.mark.parametrize("platform", published_platforms())
def test_the_errors_are_those_of_todays_model(platform: str) -> None:
    changed = stale(platform)
    assert not changed, f"{', '.join(changed)} of {platform} changed: run `make errors`, commit it"


def test_the_errors_are_what_the_twin_is_off_by() -> None:
    found = measured("zynq7000")
    assert (found.total.n, found.unanswered) == (1074, 0)
    platform = load_platform("zynq7000")
    for key, group in found.groups:
        point = next(p.a for p in found.pairs if all(p.b[c] == v for c, v in key.items()))
        path = replace(platform.paths()[0], **{name: point[name] for name in key})  # type: ignore[arg-type]
        assert platform.error(path) == pytest.approx(group.p90, abs=1e-4)


def test_what_has_changed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = model_errors.FOLDER / "zynq7000.toml"
    monkeypatch.setattr(model_errors, "FOLDER", tmp_path)
    assert stale("zynq7000") == ["platform", "engine", "twin", "data"]
    engine = digests("zynq7000")["engine"]
    (tmp_path / known.name).write_text(known.read_text().replace(engine, "0" * 16))
    assert "engine" in stale("zynq7000")


def test_form_and_words_are_no_part_of_a_source() -> None:
    one = 'int f() { return 1; } // why\n/* long\n */ auto s = "// no comment";\n'
    other = 'int f()\n{\n  return 1;\n}\nauto s = "// no comment"; // other words\n'
    assert bare_cpp(one) == bare_cpp(other)
    assert bare_cpp(one) != bare_cpp(one.replace("1", "2"))
    assert bare_cpp(one) != bare_cpp(one.replace("no comment", "none"))
    one = '"""Doc."""\ndef f(x):\n    """What."""\n    return x + 1  # why\n'
    other = "def f(\n    x,\n):\n    return (x + 1)\n"
    assert bare_python(one) == bare_python(other)
    assert bare_python(one) != bare_python(one.replace("1", "2"))


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
