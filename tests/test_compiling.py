# SPDX-License-Identifier: Apache-2.0
"""What does not compile is said in one line, the one that helps."""

from pathlib import Path

import pytest

from weighbridge.compiling import compiled, complaint, needed
from weighbridge.errors import InputError


def test_the_first_complaint_and_not_what_stands_around_it(tmp_path: Path) -> None:
    source = tmp_path / "errors.c"
    source.write_text("int f(void) {\n  return one;\n}\n")
    with pytest.raises(InputError) as caught:
        compiled("the program", ["gcc", "-c", source, "-o", tmp_path / "out.o"], "mend it")
    told = str(caught.value)
    assert told.startswith(f"the program does not compile: {source}:2:10: error: ")
    assert "\n" not in told
    assert "mend it" in told


def test_what_is_not_linked_is_named(tmp_path: Path) -> None:
    source = tmp_path / "main.c"
    source.write_text("int other(void);\nint main(void) { return other(); }\n")
    with pytest.raises(InputError, match="undefined reference to `other'"):
        compiled("the program", ["gcc", source, "-o", tmp_path / "out"])


def test_what_compiles_gives_what_it_printed() -> None:
    assert compiled("it", ["gcc", "-dumpmachine"]).strip()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("%Warning-WIDTH: top.sv:3:1: wide\n%Error: Exiting", "%Warning-WIDTH: top.sv:3:1: wide"),
        ("\ncc: killed\n", "cc: killed"),
        ("", "it says nothing"),
    ],
)
def test_other_tools(said: str, told: str) -> None:
    assert complaint(said) == told


def test_a_tool_that_is_not_there() -> None:
    needed("sh", "the test")
    with pytest.raises(InputError, match="the test needs no-such-tool, which is not installed"):
        needed("no-such-tool", "the test")
