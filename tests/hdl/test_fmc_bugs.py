# SPDX-License-Identifier: Apache-2.0
"""Faults that the published bridge had, put back one by one: a proof and a bench see each of them.

The numbers are those of the commits that mended them (github.com/azonenberg/antikernel-ipcores and
misc-devboards); three more are what else its author, or the protocol, warns of.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools import HDL
from tools.logic import prove

from .conftest import rtl


@dataclass(frozen=True)
class Bug:
    """What is wrong: in a module, each expression behind a text becomes another one.

    proof: the task that no longer goes through;  bench, case: what of hdl/fmc/tb fails
    """

    module: str
    changes: tuple[tuple[str, str, str], ...]
    proof: str
    bench: str
    case: str


BUGS = {
    "b6e5a09: asked twice, where the answer is a clock late": Bug(
        "apb_slice",
        (
            ("assign down_psel = ", "psel && !done", "psel"),
            ("assign down_penable = ", "penable && !done", "penable"),
        ),
        "apb_slice/up",
        "apb_slice_bench",
        "each_transfer_once",
    ),
    "a6aed36: PSEL rises again while the answer is held": Bug(
        "apb_slice",
        (("assign down_psel = ", "psel && !done", "psel"),),
        "apb_slice/up",
        "apb_slice_bench",
        "each_transfer_once",
    ),
    "1c7e3a4: PSEL and PENABLE are swapped": Bug(
        "apb_slice",
        (
            ("assign down_psel = ", "psel_reg", "penable_reg"),
            ("assign down_penable = ", "penable_reg", "psel_reg"),
        ),
        "apb_slice/down",
        "apb_slice_bench",
        "each_transfer_once",
    ),
    "5cf2ab7: the next address reaches PADDR": Bug(
        "fmc_bridge",
        (
            (
                "assign paddr = ",
                "{word_reg, 2'b00}",
                "{state_reg == First ? at_reg[ADDR_W-2:2] : word_reg, 2'b00}",
            ),
        ),
        "fmc_bridge/single",
        "fmc_bridge_bench",
        "every_stall_and_gap",
    ),
    "290ce09: a write turns into a read": Bug(
        "fmc_bridge",
        (("assign pwrite = ", "pwrite_reg", "pwrite_reg && state_reg != Dispatch"),),
        "fmc_bridge/single",
        "fmc_bridge_bench",
        "every_stall_and_gap",
    ),
    "09cd36b: bytes behind a frame whose length is no multiple of 4": Bug(
        "eth_transmit",
        (("stored_reg + LenW'(4) : ", "length_reg", "stored_reg + LenW'(4)"),),
        "eth_transmit/prove",
        "fmc_bench",
        "frames_go_out_as_written",
    ),
    "data overwrite those that wait": Bug(
        "fmc_bridge",
        (("wire writes_wait = ", "busy || next_valid_reg || closed_reg", "1'b0"),),
        "fmc_bridge/single",
        "fmc_bridge_bench",
        "every_stall_and_gap",
    ),
    "a read gives what was read before": Bug(
        "fmc_bridge",
        (
            (
                "wire reads_wait = ",
                "state_reg == Dispatch || state_reg == Wait",
                "state_reg == Dispatch",
            ),
        ),
        "fmc_bridge/ahead",
        "fmc_bridge_bench",
        "every_stall_and_gap",
    ),
    "an address without anything hangs the bus": Bug(
        "apb_split",
        (("assign pready = penable && ", "(mine == '0 || ready)", "ready"),),
        "apb_split/prove",
        "fmc_bench",
        "an_address_without_anything_answers",
    ),
}
#: The number of the one that is on; 0: none.
CHOICE = """
  reg [3:0] bug_reg = 4'd0;
  initial void'($value$plusargs("bug=%d", bug_reg));
"""
MODULES = sorted({bug.module for bug in BUGS.values()})
SOURCES = {module: HDL / "fmc" / "rtl" / f"{module}.sv" for module in MODULES}


def changed(text: str, prefix: str, old: str, new: str) -> str:
    assert text.count(prefix + old) == 1, prefix + old
    return text.replace(prefix + old, prefix + new)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The logic with all of them in it: +bug=N puts the N-th on."""
    directory = tmp_path_factory.mktemp("bugs")
    texts = {module: path.read_text() for module, path in SOURCES.items()}
    for number, bug in enumerate(BUGS.values(), 1):
        text = texts[bug.module]
        for prefix, old, new in bug.changes:
            # Up to the statement's end: what stands there may have another bug in it by now.
            begin = text.index(prefix + ("" if f"{prefix}(bug_reg" in text else old)) + len(prefix)
            end = text.index(";", begin)
            text = f"{text[:begin]}(bug_reg == 4'd{number} ? {new} : {text[begin:end]}){text[end:]}"
        texts[bug.module] = text
    for module, text in texts.items():
        head, rest = text.split("\n);\n", 1)
        (directory / f"{module}.sv").write_text(f"{head}\n);\n{CHOICE}{rest}")
    return [directory / path.name if path.stem in SOURCES else path for path in rtl()]


@pytest.mark.parametrize("name", BUGS)
def test_a_bench_sees_it(simulate, parts, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    bug = BUGS[name]
    monkeypatch.setenv("COCOTB_TEST_FILTER", bug.case)
    with pytest.raises(AssertionError, match=rf"^\['{bug.case}"):
        simulate(
            "fmc_parts", bug.bench, sources=parts, plusargs=[f"+bug={list(BUGS).index(name) + 1}"]
        )


def test_without_one_there_is_nothing_to_see(simulate, parts) -> None:
    simulate("fmc_parts", "apb_slice_bench", sources=parts)


@pytest.mark.parametrize("name", BUGS)
def test_a_proof_sees_it(tmp_path: Path, name: str) -> None:
    bug = BUGS[name]
    source = SOURCES[bug.module]
    text = source.read_text()
    for change in bug.changes:
        text = changed(text, *change)
    (tmp_path / source.name).write_text(text)
    [task] = [task for task in prove.tasks() if str(task) == bug.proof]
    verdict = prove.run(
        task, replaced={source.name: tmp_path / source.name}, work=tmp_path / "work"
    )
    assert verdict.status in ("FAIL", "UNKNOWN"), verdict
    shutil.rmtree(tmp_path / "work")
