# SPDX-License-Identifier: Apache-2.0
"""What each command prints, at six widths, as files in golden/.

After a change of the printing or of the model, `make golden` writes them anew; look at the
difference before you keep it. They are of a toy platform and of tables by formula, so that most
changes of the model leave them as they are.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from weighbridge.backends.twin import Twin
from weighbridge.cli.wording import wrapped
from weighbridge.platforms import load_platform

Run = Callable[..., tuple[int, str, str]]
GOLDEN = Path(__file__).with_name("golden")
TOY = Path(__file__).parents[1] / "platforms/toy.toml"
#: Columns of the terminal; None is a pipe.
WIDTHS = (40, 60, 80, 100, 200, None)

#: Paths that the toy lacks: long names, and a note that a mark refers to.
MORE = """
[[path]]
title = "DMA with a descriptor for each word, {link}"
os = "baremetal"
master = "engine"
link = ["NARROW", "WIDE"]
firmware = "mdma"
[[path]]
title = "controller with the checksum as it goes along, {link}"
os = "baremetal"
master = "cpu"
link = ["NARROW", "WIDE"]
firmware = "checksum_carry"
"""
ASKED = ("--size", "1000", "--direction", "cpu_to_fpga")
PATH = ("toy.toml", "master=engine", "link=NARROW", "--size", "1000")
SQL = (
    "SELECT link, fpga_mhz, size_bytes, seconds, 12345678901234567890 AS large, "
    "NULL AS nothing, 'a text of several words' AS said FROM results ORDER BY ALL LIMIT 5"
)
COMMANDS = {
    "advise": ("advise", "toy.toml", *ASKED),
    "advise-rate": ("advise", "toy.toml", *ASKED, "--stream", "--rate", "9MB/s"),
    "advise-impossible": ("advise", "toy.toml", *ASKED, "--rate", "9GB/s", "--latency", "1ns"),
    "explain": ("explain", *PATH),
    "curve": ("curve", *PATH[:-2], "--to", "4KiB"),
    "sensitivity": ("sensitivity", *PATH, "--parameters", "4", "--processes", "1"),
    "show": ("show", "toy.toml"),
    "list": ("list", "toy.toml"),
    "compare": ("compare", "a.csv", "b.csv"),
    "compare-side-by-side": ("compare", "a.csv", "c.csv", "b.csv", "--where", "size=64KiB"),
    "calibrate": ("calibrate", "toy.toml", "--data", "toy.csv", "--processes", "1",
                  "--free", "cpu.frame", "--free", "cpu.fill_word"),
    "query": ("query", SQL, "b.csv"),
}  # fmt: skip


def _tables() -> Iterator[tuple[str, str]]:
    """Three tables about the same points: b the reference, a near it, c twice as slow."""
    head = "platform,study,os,master,route,link,cache_level,fpga_mhz,direction,size_bytes,seconds\n"
    lines: dict[str, list[str]] = {"a": [], "b": [], "c": []}
    points = product(("linux", "baremetal"), ("cpu,", "pl330,acp"), ("HF32", "HF128"), (100, 150))
    for number, ((os_, way, link, mhz), size) in enumerate(product(points, (64, 4096, 65536))):
        key = f"cyclonev,hps-to-fpga,{os_},{way},{link},9,{mhz},cpu_to_fpga,{size}"
        seconds = 1e-6 + size / (4e6 * mhz)
        for name, factor in (("a", 1 + 0.01 * (number % 7 - 3)), ("b", 1), ("c", 2)):
            lines[name].append(f"{key},{seconds * factor:.6g}\n")
    for name, rows in lines.items():
        yield f"{name}.csv", head + "".join(rows)


def _measured(toy: Path) -> str:
    """A table of a toy whose controller takes longer than its file says."""
    slow = load_platform(str(toy), {"cpu.frame": "150", "cpu.fill_word": "12"})
    twin = Twin(slow)
    rows = [
        twin.predict(
            replace(path, study="s", fpga_mhz=mhz, direction="cpu_to_fpga", size_bytes=size)
        ).row()
        for path, mhz, size in product(slow.paths(), (25.0, 50.0), (16, 64, 256))
    ]
    said = (
        "platform",
        "study",
        "os",
        "master",
        "link",
        "firmware",
        "fpga_mhz",
        "direction",
        "size_bytes",
    )
    lines = [",".join(str(row[name]) for name in (*said, "seconds")) for row in rows]
    return "\n".join([",".join((*said, "seconds")), *lines, ""])


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The directory in which the commands run, with all that they read."""
    (tmp_path / "toy.toml").write_text(TOY.read_text() + MORE)
    (tmp_path / "toy.csv").write_text(_measured(tmp_path / "toy.toml"))
    for name, text in _tables():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def printed(
    weighbridge: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, int | None], str]:
    """What a command prints in so many columns."""

    def run(name: str, width: int | None) -> str:
        monkeypatch.delenv("COLUMNS", raising=False)
        if width is not None:
            monkeypatch.setenv("COLUMNS", str(width))
        status, out, err = weighbridge(*COMMANDS[name])
        # 1 says no, as no path holds what is asked for.
        assert (status, err) == (int(name == "advise-impossible"), "")
        return out

    return run


def _file(name: str, width: int | None) -> Path:
    return GOLDEN / f"{name}-{width or 'pipe'}.txt"


@pytest.mark.parametrize("name", COMMANDS)
def test_as_it_was(name: str, printed: Callable[[str, int | None], str]) -> None:
    for width in WIDTHS:
        out, file = printed(name, width), _file(name, width)
        if os.environ.get("WEIGHBRIDGE_GOLDEN") == "write":
            file.parent.mkdir(exist_ok=True)
            file.write_text(out)
        assert out == file.read_text()


def test_each_file_is_of_a_command() -> None:
    assert {file.name for file in GOLDEN.iterdir()} == {
        _file(name, width).name for name, width in product(COMMANDS, WIDTHS)
    }


#: A number with what belongs to it.
NUMBER = re.compile(
    r"(?<![\w.])[+-]?\d[\d.,]*(?:e[+-]?\d+)?"
    r"(?: (?:[kKMGT]?i?(?:B|bit)(?:/s)?|[mun]?s|MHz|%)(?![A-Za-z]))?"
)


def _numbers(text: str) -> Counter[str]:
    return Counter(number.rstrip(".,") for number in NUMBER.findall(text))


def _fractions(numbers: Counter[str]) -> dict[str, int]:
    return {number: count for number, count in numbers.items() if "." in number}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_number_is_cut(name: str) -> None:
    """Each number of a narrow form is one of the pipe's; all are there but in columns left out."""
    whole = _file(name, None).read_text()
    for width in WIDTHS[:-1]:
        text = _file(name, width).read_text()
        assert "…" not in text
        assert "..." not in text
        lines, dropped = re.subn(r"not shown in \d+ columns:\s", "", text)
        there, narrow = _numbers(whole), _numbers(lines)
        assert narrow.keys() <= there.keys()
        if not dropped:
            # Headings, which are there once or with each row, have no fractions.
            assert _fractions(narrow) == _fractions(there)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_fits_is_within_the_width(name: str) -> None:
    """A line is too long only where one word, or a number with its unit, is."""
    for width in WIDTHS[:-1]:
        for line in _file(name, width).read_text().splitlines():
            assert len(line) <= width or len(wrapped(line, 1)) <= 2, line


def test_a_pipe_has_no_width(here: Path) -> None:
    """Prose is one line there, and a table has all its columns."""
    text = _file("advise", None).read_text()
    assert "ns/B" in text
    assert "not shown" not in text
    assert re.search(r"^Best: .*\.$", text, re.M)
    assert re.search(r"^why: weighbridge explain .* --size 1000B$", text, re.M)


@pytest.mark.parametrize("plain", [False, True])
def test_a_terminal_has_its_own_width(
    program: list[str],
    shown: Callable[..., str],
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    plain: bool,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    if plain:
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        monkeypatch.delenv("NO_COLOR", raising=False)
    out = shown([*program, *COMMANDS["explain"]], "stdout", 60, cwd=here)
    assert ("\x1b[1m" in out) is not plain
    assert re.sub(r"\x1b\[\dm", "", out) == _file("explain", 60).read_text()
