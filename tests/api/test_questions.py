# SPDX-License-Identifier: Apache-2.0
"""The functions answer as the command line does, and take what it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import weighbridge as wb
from weighbridge.advice.paths import command_words
from weighbridge.cli import main

PATH = {"os": "linux", "master": "pl330", "route": "acp", "link": "HF128"}


def said(capfd: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """What the command prints with --json."""
    capfd.readouterr()
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def plain(answer: object) -> object:
    """As JSON has it: tuples are lists."""
    return json.loads(json.dumps(answer))


@pytest.mark.parametrize("platform", wb.platform_names())
@pytest.mark.parametrize("direction", ["cpu_to_fpga", "fpga_to_cpu"])
def test_the_command_line_says_the_same(
    capfd: pytest.CaptureFixture[str], platform: str, direction: str
) -> None:
    asked = ("advise", platform, "--size", "1400", "--direction", direction)
    if platform == "stm32h7-fmc" and direction == "fpga_to_cpu":
        with pytest.raises(wb.InputError) as refused:
            wb.advise(platform, size="1400", direction=direction)
        assert main(list(asked)) == 2
        assert str(refused.value) in capfd.readouterr().err
        return
    advice = wb.advise(platform, size="1400", direction=direction)
    printed = said(capfd, *asked)
    assert printed.pop("why").startswith(f"weighbridge explain {platform} ")
    assert printed == plain(advice.to_dict())
    for one in {ranked.point.master: ranked for ranked in advice}.values():
        words = command_words(one.point)
        path = dict(word.split("=", 1) for word in words)
        explained = wb.explain(platform, size=1400, **path)
        assert said(capfd, "explain", platform, *words, "--size", 1400) == plain(
            explained.to_dict()
        )
        predicted = wb.predict(platform, size=1400, **path)
        assert predicted.seconds == explained.seconds
        curve = wb.curve(platform, path, smallest=1024, largest="2KiB")
        assert said(capfd, "curve", platform, *words, "--from", "1KiB", "--to", "2KiB") == plain(
            curve.to_dict()
        )


def test_runs_and_comparisons_are_those_of_the_command_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    study, where = "cyclonev/cache-levels", "size=1KiB"
    answers = wb.run(study, where=where, out=tmp_path / "run")
    assert answers.directory == tmp_path / "run"
    assert answers.rows == wb.run(study, where=where).rows
    again = wb.run(study, where=where, out=tmp_path / "run")
    assert (again.earlier, again.rows) == (len(answers), answers.rows)
    assert main(["run", study, "--where", where, "-o", str(tmp_path / "other")]) == 0
    assert wb.compare(tmp_path / "run", tmp_path / "other").to_dict()["max"] == 0
    changed = wb.compare("twin", answers, set={"sdram.clock": "533MHz"}, by="os")
    asked = ("compare", "twin", tmp_path / "run", "--set", "sdram.clock=533MHz", "--by", "os")
    assert said(capfd, *asked) == plain(changed.to_dict())


def test_arguments_are_text_or_numbers() -> None:
    one = wb.predict("cyclonev", size="64KiB", fpga_mhz="100MHz", prepared=True, **PATH)
    other = wb.predict("cyclonev", size=65536, fpga_mhz=100, prepared="true", **PATH)
    assert one.seconds == other.seconds
    table = wb.predict("cyclonev", size=range(64, 257, 64), **PATH)
    assert [each.point.size_bytes for each in table] == [64, 128, 192, 256]
    assert table[1].seconds == wb.predict("cyclonev", size=128, **PATH).seconds
    own = {"size": "4KiB", "direction": "cpu_to_fpga"}
    ranked = wb.advise("cyclonev", master=["cpu", "pl330"], rate=2e8, processor=0.5, **own)
    assert ranked.ranked == (
        wb.advise(
            "cyclonev", where="master=cpu master=pl330", rate="200MB/s", processor="50%", **own
        ).ranked
    )
    held = wb.advise("cyclonev", latency=1e-5, **own)
    assert held.ranked == wb.advise("cyclonev", latency="10us", **own).ranked


def test_what_if() -> None:
    slower = wb.platform("cyclonev", **{"sdram.clock": "200MHz"})
    again = wb.platform("cyclonev", sdram__clock=200)
    assert slower.clock_mhz("ddr") == again.clock_mhz("ddr") == 200
    path = PATH | {"route": "sdramc", "size": "64KiB"}
    by_set = wb.predict("cyclonev", set={"sdram.clock": "200MHz"}, **path)
    assert by_set == wb.predict(slower, **path)
    assert by_set.seconds > wb.predict("cyclonev", **path).seconds


def test_curves_of_several_paths(tmp_path: Path) -> None:
    curves = wb.curve("cyclonev", "master=cpu", PATH, os="linux", points=5)
    assert [curve.point.master for curve in curves] == ["cpu", "pl330"]
    assert len(set(curves.labels)) == 2
    for curve in curves:
        alone = wb.curve(
            "cyclonev",
            {"master": curve.point.master, "route": curve.point.route},
            os="linux",
            link=curve.point.link,
            points=5,
        )
        assert alone[0] == curve
    curves.draw(tmp_path / "both.svg")
    curves.draw(tmp_path / "both.png")
    text = (tmp_path / "both.svg").read_text(encoding="utf-8")
    assert all(label in text for label in curves.labels)
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(wb.InputError, match="kind of picture"):
        curves.draw(tmp_path / "both.pdf")
    clocks = [{"fpga_mhz": mhz, **PATH} for mhz in range(50, 120, 10)]
    many = wb.curve("cyclonev", *clocks, points=2)
    assert "50 MHz" in many.labels[0]
    with pytest.raises(wb.InputError, match="at most"):
        many.draw(tmp_path / "many.svg")


def test_labels_tell_paths_apart() -> None:
    paths = [{"cache_level": level, "os": "baremetal", "master": "cpu"} for level in (3, 4)]
    labels = wb.curve("cyclonev", *paths, points=2).labels
    assert ["cache_level=3" in labels[0], "cache_level=4" in labels[1]] == [True, True]


def test_a_trace_is_written(tmp_path: Path) -> None:
    explained = wb.explain("cyclonev", size="4KiB", trace=True, **PATH)
    assert explained.trace is not None
    explained.write_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X" and event["cat"] != "phase"]
    assert len(slices) == sum(hop.transactions for _, hops in explained.hops for hop in hops)
    with pytest.raises(wb.InputError, match="no trace"):
        wb.explain("cyclonev", size="4KiB", **PATH).write_trace(tmp_path / "none.json")


def test_the_import_loads_nothing_else() -> None:
    code = (
        "import sys, weighbridge as wb; "
        "heavy = {'numpy', 'pydantic', 'duckdb', 'rich', 'weighbridge._engine'} & set(sys.modules);"
        "assert not heavy, heavy; "
        "assert set(wb.__all__) <= set(dir(wb)); "
        "assert all(getattr(wb, name).__doc__ for name in wb.__all__); "
        "assert not hasattr(wb, 'nothing')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
