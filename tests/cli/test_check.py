# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import weighbridge as package
from weighbridge.platforms import load_platform, platform_names

PACKAGE = Path(package.__file__).parent
STUDY = PACKAGE / "studies/cyclonev/cache-levels.toml"
PLATFORM = PACKAGE / "platforms/cyclonev.toml"


def test_what_comes_along_has_no_fault(weighbridge: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = weighbridge("check", STUDY, PLATFORM)
    assert (status, err) == (0, "")
    assert "study cyclonev/cache-levels, 630 points, no fault" in out
    assert "platform cyclonev" in out


def test_every_fault_has_its_line(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    text = STUDY.read_text()
    (tmp_path / "s.toml").write_text(
        text.replace("title", "titel", 1)
        .replace('"2 B"', '"-2 B"')
        .replace("buffer =", "bufer =", 1)
    )
    status, _, err = weighbridge("check", "s.toml", "absent.toml")
    assert status == 2
    lines = err.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("weighbridge: error: ") for line in lines)
    assert sum("s.toml, line " in line for line in lines) == 3
    assert "cannot read absent.toml" in lines[-1]


#: A file that extends another may end anywhere: what it lacks, the other has.
WHOLE = [
    name for name in platform_names() if "\nextends = " not in load_platform(name).path.read_text()
]


@pytest.mark.parametrize("name", WHOLE)
def test_a_cut_platform_is_never_right(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path, name: str
) -> None:
    """Wherever a file ends before its paths, what is left out is named with what is torn."""
    lines = load_platform(name).path.read_text().splitlines(keepends=True)
    paths = lines.index("[[path]]\n")
    schema = next(number for number, line in enumerate(lines) if line.startswith("schema")) + 1
    for number in range(schema, paths, 7):
        (tmp_path / "cut.toml").write_text("".join(lines[:number]))
        status, out, err = weighbridge("check", "cut.toml")
        assert (status, out) == (2, "")
        told = err.splitlines()
        assert len(told) == len(set(told))
        # A file that ends within its first lines lacks fields that all the rest depends on.
        said = ("no path in cut.toml", "missing field", "TOML syntax")
        assert any(words in line for words in said for line in told)


def test_a_torn_table_hides_no_other_fault(
    weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    text = PLATFORM.read_text()
    (tmp_path / "cut.toml").write_text(text[: text.index("[link.HF64]")] + "[link.HF64]\n")
    told = weighbridge("check", "cut.toml")[2].splitlines()
    assert sum("missing field 'link.HF64." in line for line in told) == 3
    assert sum("no path in cut.toml" in line for line in told) == 1


def test_a_study_must_fit_its_platform(refused: Callable[..., str], tmp_path: Path) -> None:
    text = STUDY.read_text()
    (tmp_path / "s.toml").write_text(text.replace('"HF32"', '"HF256"'))
    line = text.splitlines().index('link = "HF32"') + 1
    assert f"cyclonev has no link 'HF256' in s.toml, line {line}; allowed: " in refused(
        "check", "s.toml"
    )
    (tmp_path / "s.toml").write_text(text.replace('"HF32"', '["HF256", "HF256"]'))
    assert "no link 'HF256'" in refused("check", "s.toml")
    (tmp_path / "s.toml").write_text(text.replace('"cyclonev"', '"cyclonex"'))
    assert "unknown platform 'cyclonex'" in refused("check", "s.toml")
