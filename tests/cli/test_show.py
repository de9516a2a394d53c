# SPDX-License-Identifier: Apache-2.0
"""weighbridge show, through main()."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weighbridge.cli import main


def test_draws_and_lists_numbers_with_sources(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "board.svg"
    assert main(["show", "cyclonev", "--json", "--fitted", "-o", str(drawing)]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert 0 < len(numbers) <= 120
    assert all(number["source"].startswith("fitted") for number in numbers)
    assert drawing.read_text().startswith("<svg")


def test_no_number_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.toml"
    file.write_text(
        'schema = 1\nextends = "cyclonev"\nname = "p"\n[component.acp]\n'
        'window = { value = 2147483680, unit = "B", source = "made up" }\n'
    )
    for platform, told in (("cyclonev", ["2", "GiB"]), (str(file), ["2147483680", "B"])):
        assert main(["show", platform]) == 0
        lines = map(str.split, capsys.readouterr().out.splitlines())
        assert next(line[1:3] for line in lines if line[:1] == ["acp.window"]) == told


def test_marks_the_path_of_a_point(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawing = tmp_path / "board.svg"
    point = ["os=linux", "master=pl330", "route=acp", "link=HF32", "fpga_mhz=75"]
    assert main(["show", "cyclonev", *point, "-o", str(drawing)]) == 0
    assert "block diagram" in capsys.readouterr().out
    text = drawing.read_text()
    assert "box on" in text
    assert "PL330 via ACP, HF32" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cyclone6"], "unknown platform 'cyclone6'"),
        (["cyclonev", "os=linux", "master=gpu", "-o", "x.svg"], "gpu"),
        (["cyclonev", "master=cpu"], "give its file with -o"),
        (["cyclonev", "--set", "l2.bytes=-1 KiB"], "-1"),
        (["cyclonev", "-o", "/nowhere/at/all.svg"], "cannot write"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["show", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
