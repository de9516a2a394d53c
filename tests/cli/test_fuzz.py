# SPDX-License-Identifier: Apache-2.0
"""Whatever is typed, a command answers or says in a line what is wrong; no trace is shown."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from weighbridge.cli import COMMANDS, built

Run = Callable[..., tuple[int, str, str]]
TOY = Path(__file__).parents[1] / "platforms/toy.toml"

#: Anything that a shell can pass; no slash, so that nothing is written outside of this directory.
ODD = st.text(
    st.one_of(
        st.characters(exclude_characters="\0/", exclude_categories=["Cs"]),
        st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF),  # a byte that is no UTF-8
        st.sampled_from("=-.:,'\"\\%*[]{}\x1b\n\u202e"),
    ),
    max_size=12,
)
WORDS = (
    "toy.toml", "pcie", "zx81", "pcie/dma-sweep", "rows.csv", "twin", "run", ".", "", "-",
    "size=64", "size=0", "size=1e99", "size=64 KiB", "direction=cpu_to_fpga",
    "direction=fpga-to-cpu", "os=baremetal", "os=device", "master=engine", "master=cpu",
    "link=WIDE", "link=", "consume=cpu-stream", "access=latency", "fpga_mhz=50", "fpga_mhz=1e9",
    "bus.width=8bit", "bus.width=-1", "engine.start=0 ns", "median=0.5", "median=nan",
    "64B", "100%", "-1", "0", "3", "nan", "1MB/s", "5us", "-5us", "x.svg", "x.toml", "x.csv",
    "SELECT 1", "FROM results", "FROM nothing", "study,os", "fault=none", "quality=ok",
)  # fmt: skip
#: Options that make a command take long, or that start others.
SLOW = {"--backend", "--processes", "--points", "--parameters"}


def _options(name: str) -> list[str]:
    texts = [text for one in built(name).params for text in one.opts if text.startswith("-")]
    return sorted({*texts, "-h", "--", "--bogus"} - SLOW)


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command with options and words in any order, rather more often sensible than not."""
    # The page serves until it is interrupted; tests/explore draws its questions.
    name = draw(st.sampled_from(sorted(set(COMMANDS) - {"explore"})))
    word = st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), ODD)
    some = st.one_of(
        word.map(lambda text: [text]),
        st.tuples(st.sampled_from(_options(name)), word).map(list),
    )
    first = draw(st.sampled_from([["toy.toml"], ["pcie"], ["rows.csv"], []]))
    return [name, *first, *(text for part in draw(st.lists(some, max_size=5)) for text in part)]


@settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(line=lines())
@example(line=["frobnicate"])
@example(line=["advise", "toy.toml", "size=64", "direction=cpu_to_fpga", "consume=cpu-stream"])
@example(line=["explain", "toy.toml", "master=engine", "size=64", "direction=fpga_to_cpu"])
@example(line=["--completion", "\udcff"])
@example(line=["curve", "toy.toml", "master=engine", "link=NARROW", "--to", "4"])
@example(line=["query", "SELECT '\x1b[31m'", "rows.csv"])
def test_it_answers_or_says_why_not(
    line: list[str], weighbridge: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    shutil.copy(TOY, tmp_path)
    (tmp_path / "rows.csv").write_text(
        "platform,study,os,master,link,firmware,fpga_mhz,direction,size_bytes,seconds\n"
        "toy,s,baremetal,engine,WIDE,mdma_unrolled,50,cpu_to_fpga,64,1e-6\n"
    )
    status, out, err = weighbridge(*line)
    assert status in (0, 1, 2)
    assert "Traceback" not in out + err
    assert "\x1b" not in out + err
    said = err.splitlines()
    if status == 2:
        assert said
        assert all(one.startswith("weighbridge: ") for one in said)
        # Only these name every fault that a file has.
        assert len(said) == 1 or line[0] in ("check", "import", "run", "search")
    elif status == 1:
        assert line[0] in ("advise", "compare", "calibrate")
    else:
        assert out or line[0] in ("query", "check")
