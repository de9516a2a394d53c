# SPDX-License-Identifier: Apache-2.0
"""Every whole-number parameter of every module has its range, which elaboration keeps.

slang elaborates each module by itself with each parameter at none and far too large: a line that
names the module and the parameter refuses it. Synthesis sees the same checks as simulation.
"""

import re
from pathlib import Path

import pytest
from pyslang import Bag, DiagnosticEngine, ast, syntax

from tools.logic.slang import modules
from tools.logic.yosys import ToolError, read, yosys

#: None of these is as good as any: a node without queues.
MAY_BE_NONE = {("node_page", "INPUTS"), ("node_page", "OUTPUTS")}
PARAMETER = re.compile(r"^ +parameter int unsigned (\w+)", re.M)
#: Parts of a module: slang makes each of them, and of many more it takes minutes.
PARTS = {"DMA_NODES": 130, "N": 1100, "NODES": 130, "SINKS": 130, "SOURCES": 130}
COUNTED_BY_MILLIONS = {"BYTES", "CLOCK_HZ", "HOLDOFF", "PATIENCE", "RAM_BYTES"}

CASES = [
    (path.stem, name)
    for path in modules()
    for name in PARAMETER.findall(path.read_text().split("\n);\n")[0])
]


TREES = [syntax.SyntaxTree.fromFile(str(path)) for path in modules()]


def elaborated(top: str, name: str, value: int) -> str:
    """What slang says of a module with one parameter set."""
    options = ast.CompilationOptions()
    options.topModules, options.paramOverrides = {top}, [f"{name}={value}"]
    options.errorLimit = 0
    design = ast.Compilation(Bag([options]))
    for tree in TREES:
        design.addSyntaxTree(tree)
    return DiagnosticEngine.reportAll(design.sourceManager, design.getAllDiagnostics())


@pytest.mark.parametrize(("top", "name"), CASES)
def test_a_parameter_has_its_range(top: str, name: str) -> None:
    most = 2**31 - 1 if name in COUNTED_BY_MILLIONS else 100_000
    for value in (0, PARTS.get(name, most)):
        if value == 0 and (top, name) in MAY_BE_NONE:
            continue
        # A module may leave the check to those that it hands the parameter to.
        said = elaborated(top, name, value)
        assert re.search(rf"\$fatal encountered: \w+: .*\b{value}\b", said), said[-2000:]


def test_there_are_all() -> None:
    assert len(CASES) > 100


@pytest.mark.parametrize(
    ("top", "name", "value"), [("frame_pack", "LEN_W", 26), ("dma_core", "DATA_W", 256)]
)
def test_synthesis_refuses_too(top: str, name: str, value: int, tmp_path: Path) -> None:
    """A length that was cut without a word, and a width that ended the simulator."""
    with pytest.raises(ToolError, match="FATAL"):
        yosys(tmp_path, read(top, {name: value}))
