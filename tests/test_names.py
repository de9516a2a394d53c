# SPDX-License-Identifier: Apache-2.0
"""General code names no platform, study or part of one: it reads what their files declare."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import weighbridge
from weighbridge.dataset.schema import COLUMNS
from weighbridge.platforms import load_platform, machine_names, platform_names
from weighbridge.platforms.kinds import KINDS
from weighbridge.studies import study_names

PACKAGE = Path(weighbridge.__file__).parent
#: Tables of a platform file whose keys are names that the file gives.
TABLES = ("component", "clock", "buffer", "link", "fabric_link", "route")
#: What a program types, as help and messages show it.
EXAMPLE = re.compile(r"(?:^|\n *)weighbridge [a-z]|\bas in |\bwrite it like ")
#: (file, name) -> why it is no name of a platform's there.
EXCEPTIONS = {
    ("backends/__init__.py", "host"): "a backend",
    ("backends/board/transfers.py", "cpu"): "a word of the Linux program's plan",
    ("backends/elf/machine.py", "fabric"): "a word of the description that the emulator reads",
    ("backends/elf/microcontroller.py", "crystal"): "the clock that its firmware starts from",
    ("backends/elf/microcontroller.py", "fmc"): "the top module of the logic",
    ("backends/elf/microcontroller.py", "logic"): "a word of the description that it reads",
    ("backends/probe/plan.py", "cpu"): "a word of the probe's plan",
    ("backends/probe/program.py", "logic"): "the folder of the installed package",
    ("backends/rtl/verilator.py", "logic"): "the folder of the installed package",
    ("backends/uml/__init__.py", "nodes"): "a word of the description file that the guest reads",
    ("backends/uml/client.py", "logic"): "a word of the description that the emulator reads",
    ("cli/advise.py", "cpu"): "the heading of a column",
    ("explore/server.py", "host"): "a header of HTTP",
    ("survey/processor.py", "cpu"): "a folder of the kernel's",
    ("dataset/samples.py", "cpu"): "a word of the probe's samples",
    ("dataset/runs.py", "host"): "a fact of the machine that made a run",
}


def declared() -> dict[str, bool]:
    """Names that the shipped files give -> whether a text may have such a word by chance.

    Kinds of components and columns of results are the vocabulary of general code, and a file may
    well call a part what it is.
    """
    # A study of one word may be called by what it is about: it is named with its platform.
    names = {name.rpartition("/")[2] if "-" in name else name: False for name in study_names()}
    for platform in platform_names():
        names[platform] = False
        raw = tomllib.loads((PACKAGE / "platforms" / f"{platform}.toml").read_text("utf-8"))
        for table in TABLES:
            for name in raw.get(table, {}):
                names.setdefault(name, name.isalpha() and name.islower())
    return {name: plain for name, plain in names.items() if name not in {*KINDS, *COLUMNS}}


def texts(source: str) -> Iterator[tuple[int, str]]:
    """The string literals of a module with their lines, but for its documentation."""
    tree = ast.parse(source)
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documentation
        ):
            yield node.lineno, node.value


def named(source: str, names: dict[str, bool]) -> Iterator[tuple[int, str]]:
    """Lines of a module that name something, and the name.

    An ordinary word counts where it is all of a literal, or the owner or field of a parameter.
    """
    for line, text in texts(source):
        if EXAMPLE.search(text):
            continue
        for name, plain in names.items():
            word = re.escape(name)
            inside = rf".*(?<![\w-]){word}(?![\w-]).*"
            whole = rf"{word}|clock\.{word}|{word}\.\w+"
            if re.fullmatch(whole if plain else inside, text, re.DOTALL):
                yield line, name


def general() -> list[Path]:
    """Modules that are written for no platform; report/PLATFORM/ is written for one."""
    own = {name.replace("-", "_") for name in (*platform_names(), *machine_names())}
    return [
        file
        for file in sorted(PACKAGE.rglob("*.py"))
        if not own & set(file.relative_to(PACKAGE).parts)
    ]


def test_general_code_names_nothing_that_a_file_declares() -> None:
    names = declared()
    found = {
        (file.relative_to(PACKAGE).as_posix(), name): line
        for file in general()
        for line, name in named(file.read_text("utf-8"), names)
    }
    assert {place: line for place, line in found.items() if place not in EXCEPTIONS} == {}
    assert set(EXCEPTIONS) - set(found) == set(), "exceptions that nothing needs"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ('x = "cyclonev"', "cyclonev"),
        ('x = f"lines through l2 of {y}"', "l2"),
        ('x = "clock.nodes"', "nodes"),
        ('y.startswith("FH128")', "FH128"),
        ('x = "zynq7000/datra-ring is a study"', "datra-ring"),
    ],
)
def test_the_search_finds_names(source: str, name: str) -> None:
    assert name in {found for _, found in named(source, declared())}


@pytest.mark.parametrize(
    "source",
    [
        '"""As on the cyclonev."""',
        'EXAMPLES = ("weighbridge list zynq7000",)',
        'x = "more than the fabric can do"',
        'x = "sdram"',
    ],
)
def test_the_search_knows_documentation_examples_and_words(source: str) -> None:
    assert list(named(source, declared())) == []


def test_a_platform_has_what_is_searched_for() -> None:
    assert set(load_platform("cyclonev").components) - set(KINDS) <= set(declared())
