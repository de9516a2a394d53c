# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.sysroots import config, machine

Run = Callable[..., tuple[int, str, str]]


def test_a_machine_on_a_screen(weighbridge: Run, tmp_path: Path) -> None:
    machine(tmp_path / "root", card_config=config(aspm=3))
    status, out, err = weighbridge("survey", "--sysroot", tmp_path / "root")
    assert (status, err) == (0, "")
    assert "Made-up Board, 4 processors" in out
    assert "\n  0000:01:00.0 " in out
    assert "x4 5 GT/s of x8 8 GT/s" in out
    assert "BAR0 64 KiB, BAR2 1 MiB" in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_machine_in_a_file(weighbridge: Run, tmp_path: Path) -> None:
    machine(tmp_path / "root")
    asked = ("survey", "--sysroot", tmp_path / "root")
    assert weighbridge(*asked, "-o", "m.json")[0] == 0
    assert json.loads((tmp_path / "m.json").read_text()) == json.loads(
        weighbridge(*asked, "--json")[1]
    )


def test_faults_are_a_line(refused: Callable[..., str], tmp_path: Path) -> None:
    assert "describes no machine" in refused("survey", "--sysroot", tmp_path)
    assert "No such file" in refused("survey", "-o", "nowhere/m.json")


def test_a_model_is_never_written_over(
    weighbridge: Run, refused: Callable[..., str], tmp_path: Path
) -> None:
    machine(tmp_path / "root")
    asked = ("survey", "--sysroot", tmp_path / "root", "--platform")
    assert weighbridge(*asked, "m.toml")[0] == 0
    (tmp_path / "m.toml").write_text("by hand")
    assert "m.toml already exists" in refused(*asked, "m.toml")
    assert (tmp_path / "m.toml").read_text() == "by hand"
    assert "a platform is a .toml file, m.txt is not" in refused(*asked, "m.txt")
    assert not (tmp_path / "m.txt").exists()
