# SPDX-License-Identifier: Apache-2.0
"""A platform that extends another, and what a file may leave out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform
from weighbridge.platforms.kinds import KINDS
from weighbridge.platforms.model import Platform


def written(directory: Path, name: str, text: str) -> Path:
    path = directory / f"{name}.toml"
    path.write_text(f'schema = 1\nname = "{name}"\n{text}')
    return path


def seconds(platform: Platform) -> float:
    path = replace(platform.paths()[0], size_bytes=4096)
    return Twin(platform).predict(path).seconds


def test_a_board_is_what_it_changes_of_another(tmp_path: Path) -> None:
    slow = '{ value = 400, unit = "MHz", source = "its crystal" }'
    board = written(tmp_path, "board", f'extends = "cyclonev"\nclock.mpu = {slow}\n')
    own, base = load_platform(str(board)), load_platform("cyclonev")
    assert own.name == "board"
    assert own.clock_mhz("mpu") == 400
    assert own.components == base.components
    assert seconds(own) != seconds(base)


def test_what_was_measured_on_another_is_not_inherited(tmp_path: Path) -> None:
    own = load_platform(str(written(tmp_path, "board", 'extends = "cyclonev"\n')))
    assert any(load_platform("cyclonev").error(path) for path in load_platform("cyclonev").paths())
    assert not any(own.error(path) for path in own.paths())


def test_an_extension_may_be_extended_in_turn(tmp_path: Path) -> None:
    written(tmp_path, "part", 'extends = "pcie"\ntitle = "A part"\n')
    board = load_platform(str(written(tmp_path, "board", 'extends = "part"\n')))
    assert (board.name, board.title) == ("board", "A part")


@pytest.mark.parametrize("base", ['"nothing"', '"board"', "7", '"../board"'])
def test_it_extends_a_platform_that_is_there(tmp_path: Path, base: str) -> None:
    path = written(tmp_path, "board", f"extends = {base}\n")
    with pytest.raises(InputError, match=r"it extends .*line 3"):
        load_platform(str(path))


def test_what_a_file_leaves_out_is_the_default_of_its_kind() -> None:
    platform = load_platform("atom-virtex5")
    parameters = {one.name: one for one in platform.parameters()}
    bridges = [name for name, one in platform.components.items() if one.kind == "bridge"]
    for name in bridges:
        wake = parameters[f"{name}.wake_cycles"]
        assert (wake.value, wake.source) == (0, "default")


def test_every_field_says_what_it_is() -> None:
    for name, kind in KINDS.items():
        for field in kind.numbers.values():
            assert field.meaning, name
            assert field.standard is None or not field.fault(field.standard)


@pytest.mark.parametrize("software", ["3", "[1]", '"linux"', "{ linux = 3 }"])
def test_software_that_is_no_table_is_refused(tmp_path: Path, software: str) -> None:
    path = written(tmp_path, "board", f'extends = "cyclonev"\nsoftware = {software}\n')
    with pytest.raises(InputError, match=r"software.* line 4"):
        load_platform(str(path))
