# SPDX-License-Identifier: Apache-2.0
"""tests/hdl/plan.toml names what is there: every module, every proof, every case of a bench."""

import ast
import tomllib
from functools import cache
from pathlib import Path

root = Path(__file__).parents[2]
plan = tomllib.loads((Path(__file__).parent / "plan.toml").read_text())
#: Their decorators make a case of cocotb, or of `driver_bench`.
CASES = ("cocotb", "case")


def functions(path: Path) -> list[ast.AsyncFunctionDef | ast.FunctionDef]:
    body = ast.parse(path.read_text()).body
    return [node for node in body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)]


def of_pytest() -> set[str]:
    """`test_dma::test_latency` of each file here."""
    files = Path(__file__).parent.glob("test_*.py")
    named = {f"{path.stem}::{one.name}" for path in files for one in functions(path)}
    return {name for name in named if "::test_" in name}


@cache
def cases() -> set[str]:
    """`router_bench::flush_under_load` of each bench of cocotb that a test here runs."""
    run = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    return {
        f"{path.stem}::{one.name}"
        for path in root.glob("hdl/*/tb/*_bench.py")
        if f'"{path.stem}"' in run
        for one in functions(path)
        if any(ast.unparse(mark).startswith(CASES) for mark in one.decorator_list)
    }


def proofs() -> set[str]:
    return {path.name for path in root.glob("hdl/formal/*.sby")}


def expanded(name: str) -> set[str]:
    """A bench's `*` is all of its cases."""
    if not name.endswith("::*"):
        return {name}
    return {case for case in cases() if case.startswith(name[:-1])} or {name}


def test_what_is_named_is_there() -> None:
    there = of_pytest() | cases() | proofs()
    for feature, entry in plan.items():
        assert set(entry) == {"modules", "by"}, feature
        assert entry["by"], feature
        for name in entry["by"]:
            assert expanded(name) <= there, f"{feature}: {name}"


def test_what_is_there_is_named() -> None:
    modules = {path.stem for path in root.glob("hdl/*/rtl/*.sv")}
    assert {name for entry in plan.values() for name in entry["modules"]} == modules
    named = {one for entry in plan.values() for name in entry["by"] for one in expanded(name)}
    assert proofs() <= named
    assert cases() <= named
