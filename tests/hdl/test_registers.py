# SPDX-License-Identifier: Apache-2.0
"""What is generated from the descriptions of registers is what is committed, and is right."""

import subprocess
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("systemrdl")
from tools import registers

root = Path(__file__).parents[2]
sources = sorted(registers.SOURCES.glob("*.rdl"))


def test_generated_files_are_up_to_date() -> None:
    for file, content in registers.generated().items():
        assert (root / file).read_text() == content, f"{file}: make registers"


SMALL = """
enum colour { red = 1; blue = 2; };
addrmap one_page {
    default regwidth = 32; default sw = rw; default hw = na;
    reg { field { encode = colour; } colour[5:4] = 2; field {} on[0:0] = 1; } state[3] @ 0x20;
    regfile { layout = "lane"; reg { field {} words[31:0] = 0; } sent @ 0x4; } left @ 0x100;
};
addrmap small { one_page one @ 0x0; };
"""


def test_a_second_description_needs_only_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its generated files, in the language that it is in, gives the same numbers."""
    described = (registers.SOURCES / "datra.rdl").read_text()
    properties = described[described.index("property extension") : described.index("// ---- all")]
    (tmp_path / "small.rdl").write_text(properties + SMALL)
    monkeypatch.setattr(registers, "SOURCES", tmp_path)
    made = registers.generated()
    for file, content in made.items():
        (tmp_path / file.name).write_text(content)
    values = {
        "ONE_STATE(2)": 0x28,
        "ONE_STATE_COLOUR": 0x30,
        "ONE_STATE_ON": 1,
        "ONE_STATE_RESET": 0x21,
        "ONE_LEFT": 0x100,
        "ONE_LANE_SENT": 4,
        "COLOUR_BLUE": 2,
    }
    checks = "".join(
        f"_Static_assert(SMALL_{name} == {value});\n" for name, value in values.items()
    )
    checks += "_Static_assert(FIELD_GET(SMALL_ONE_STATE_COLOUR, 0x21U) == SMALL_COLOUR_BLUE);\n"
    checks += "_Static_assert(FIELD_PREP(SMALL_ONE_STATE_COLOUR, 2U) == 0x20);\n"
    (tmp_path / "use.c").write_text(f'#include "small-registers.h"\n{checks}')
    checks = "".join(
        f"static_assert({name.lower()} == {value});\n" for name, value in values.items()
    )
    checks += "static_assert(get(one_state_colour, 0x21) == colour_blue);\n"
    checks += "static_assert(put(one_state_colour, 2) == 0x20);\n"
    head = '#include "small_registers.hpp"\nusing namespace small_registers;\n'
    (tmp_path / "use.cpp").write_text(head + checks)
    for command in (["gcc", "-std=c2x"], ["g++", "-std=c++20"]):
        use = tmp_path / ("use.c" if command[0] == "gcc" else "use.cpp")
        flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", use]
        subprocess.run([*command, *flags], check=True)
    monkeypatch.syspath_prepend(tmp_path)
    module = vars(import_module("small"))
    for name, value in values.items():
        called = name.partition("(")
        got = module[called[0].lower()](2) if called[1] else module[name]
        assert got == value, name
    package = made[Path("hdl/registers/small_registers.sv")]
    for line in (
        "logic [15:0] ONE_STATE = 16'h0020;",
        "logic [15:0] ONE_STATE_STEP = 16'h0004;",
        "int unsigned ONE_STATE_COLOUR_LOW = 4;",
        "int unsigned ONE_STATE_COLOUR_WIDTH = 2;",
        "logic [31:0] ONE_STATE_RESET = 32'h00000021;",
    ):
        assert f"  localparam {line}\n" in package
