# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

PATH = ("curve", "cyclonev", "master=pl330", "route=acp")
Run = Callable[..., tuple[int, str, str]]


def test_one_screen(weighbridge: Run) -> None:
    status, out, err = weighbridge(*PATH)
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert "PL330 via ACP, HF128, prepared, Linux, fabric at 150 MHz" in lines[0]
    assert len(lines) == 4 + 21
    assert max(map(len, lines)) <= 100
    assert "…" not in out
    assert max(line.count("█") for line in lines) >= 45


def test_sizes_asked_for(weighbridge: Run) -> None:
    words = ("--from", "24", "--to", "96KiB", "--points", "5", "--json")
    plain = json.loads(weighbridge(*PATH, *words)[1])
    sizes = [one["size_bytes"] for one in plain["sizes"]]
    assert (sizes[0], sizes[-1], len(sizes)) == (24, 96 * 1024, 5)
    assert "size_bytes" not in plain["point"]
    for one in plain["sizes"]:
        assert one["rate_mb_per_s"] == pytest.approx(one["size_bytes"] / one["seconds"] / 1e6)


def test_an_svg(weighbridge: Run, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    status, out, _ = weighbridge(*PATH, "--svg", "curve.svg")
    assert (status, out) == (0, "curve: curve.svg\n")
    drawn = ElementTree.parse(tmp_path / "curve.svg").getroot()
    assert drawn.tag.endswith("svg")
    assert "2 MiB" in "".join(drawn.itertext())
    assert [file.name for file in tmp_path.iterdir()] == ["curve.svg"]


def test_an_svg_without_the_extra(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in [name for name in sys.modules if name.startswith("weighbridge.report")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "altair", None)
    assert "pip install 'weighbridge[report]'" in refused(*PATH, "--svg", "curve.svg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "0"), "not positive"),
        (("--to", "-2"), "not positive"),
        (("--to", "2GiB"), "too large"),
        (("--from", "4KiB", "--to", "1KiB"), "--from must not exceed --to"),
        (("--points", "1"), "give 2 to"),
        (("--to", "2TB"), "unknown unit"),
        (("size=64",), "use --from and --to"),
        (("link=HF256",), "allowed: HF128, HF64, HF32, LW32"),
        (("--svg", "missing/curve.svg"), "cannot write"),
    ],
)
def test_bad_input(refused: Callable[..., str], words: tuple[str, ...], said: str) -> None:
    assert said in refused(*PATH, *words)


def test_unknown_platform(refused: Callable[..., str]) -> None:
    assert "cyclonev" in refused("curve", "zx81", "master=cpu")
