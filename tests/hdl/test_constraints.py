# SPDX-License-Identifier: Apache-2.0
"""Every way between the clocks is constrained, in each vendor's file, and each line is needed.

The ways are those of the netlist that yosys makes; tclsh reads the files with stand-ins for the
vendors' commands. No vendor's tool was run.
"""

import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.logic.constraints import HOME, elaborated, generated
from tools.logic.crossings import Crossing, Netlist, Node, netlist

READER = Path(__file__).with_name("vendor.tcl")


@dataclass(frozen=True)
class Constraint:
    command: str
    value: str
    source: frozenset[str]
    target: frozenset[str]

    def covers(self, source: str, target: str) -> bool:
        return (self.source == {"*"} or source in self.source) and target in self.target


def vivado(node: Node) -> str:
    bit = "" if node.bit is None else f"[{node.bit}]"
    return "/".join((*node.path, f"{node.name}_reg{bit}"))


def quartus(node: Node) -> str:
    bit = "" if node.bit is None else f"[{node.bit}]"
    return "|".join((*node.path, f"{node.name}{bit}"))


NAMED = {"vivado": vivado, "quartus": quartus}


def constraints(vendor: str, file: Path, nodes: frozenset[Node], out: Path) -> list[Constraint]:
    """What a file applies to, as its vendor's tool would read it."""
    names = out / "names"
    names.write_text("\n".join(sorted(map(NAMED[vendor], nodes))))
    done = subprocess.run(
        ["tclsh", READER, vendor, names, file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    def listed(text: str) -> frozenset[str]:
        # Names hold brackets, which Tcl puts in braces.
        return frozenset(word.strip("{}") for word in text.split(" ") if word)

    rows = (line.split("\t") for line in done.stdout.splitlines())
    return [Constraint(row[0], row[1], listed(row[2]), listed(row[3])) for row in rows]


def uncovered(
    vendor: str, given: list[Constraint], crossings: frozenset[Crossing]
) -> Iterator[str]:
    """What is missing: a bound for each way, and for Gray codes a skew of theirs alone."""
    buses: dict[tuple[str, ...], set[Crossing]] = defaultdict(set)
    for crossing in crossings:
        source, target = NAMED[vendor](crossing.source), NAMED[vendor](crossing.target)
        bounds = [
            one
            for one in given
            if one.command in ("set_max_delay", "set_false_path") and one.covers(source, target)
        ]
        if not bounds:
            yield f"{source} -> {target}"
        if "gray" in source:
            buses[(*crossing.source.path, crossing.source.name)].add(crossing)
            if any(one.command == "set_false_path" for one in bounds):
                yield f"{source} -> {target} may take any time"
        if vendor == "vivado":
            clock = crossing.source_clock if "gray" in source else crossing.target_clock
            for one in bounds:
                if one.command == "set_max_delay" and f"period:{clock}" not in one.value:
                    yield f"{source} -> {target}: {one.value}"
    for bus in buses.values():
        names = {(NAMED[vendor](one.source), NAMED[vendor](one.target)) for one in bus}
        skews = [
            one
            for one in given
            if one.command in ("set_bus_skew", "set_max_skew")
            and one.source == {source for source, _ in names}
            and one.target == {target for _, target in names}
        ]
        if not skews:
            yield f"the skew of {sorted(names)[0]}"
        (clock,) = {one.source_clock for one in bus}
        for one in skews:
            if f"period:{clock}" not in one.value and "src_clock_period" not in one.value:
                yield f"the skew of {sorted(names)[0]} is of the other clock"


@pytest.fixture(scope="module")
def wrapper() -> Netlist:
    assert shutil.which("tclsh")
    return elaborated()


def test_generated_files_are_up_to_date(wrapper: Netlist) -> None:
    for name, text in generated(wrapper).items():
        assert text == (HOME / name).read_text(), f"{name}: make ip"


def test_a_register_takes_one_value_of_the_other_clock(wrapper: Netlist) -> None:
    """Of two, a value could be taken that neither side ever had."""
    found: dict[Node, set[Node]] = defaultdict(set)
    for crossing in wrapper.crossings:
        found[crossing.target].add(crossing.source)
    assert len(found) > 400
    assert {len(sources) for sources in found.values()} == {1}


@pytest.mark.parametrize(("vendor", "file"), [("vivado", "datra.xdc"), ("quartus", "datra.sdc")])
def test_every_crossing_is_covered(
    vendor: str, file: str, wrapper: Netlist, tmp_path: Path
) -> None:
    given = constraints(vendor, HOME / file, wrapper.nodes, tmp_path)
    assert list(uncovered(vendor, given, wrapper.crossings)) == []


def test_each_line_is_needed(wrapper: Netlist, tmp_path: Path) -> None:
    lines = (HOME / "datra.xdc").read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("set_"):
            less = tmp_path / "less.xdc"
            less.write_text("\n".join([*lines[:number], *lines[number + 1 :]]))
            given = constraints("vivado", less, wrapper.nodes, tmp_path)
            assert any(uncovered("vivado", given, wrapper.crossings)), line


def test_each_command_for_quartus_is_needed(wrapper: Netlist, tmp_path: Path) -> None:
    text = (HOME / "datra.sdc").read_text()
    for command in ("set_max_delay", "set_max_skew", "set_false_path"):
        less = tmp_path / "less.sdc"
        less.write_text(text.replace(f"{command} ", "list "))
        given = constraints("quartus", less, wrapper.nodes, tmp_path)
        assert any(uncovered("quartus", given, wrapper.crossings)), command


@pytest.mark.parametrize(
    ("top", "ports"),
    [
        ("fifo_async", {"in_": "in_clk", "out_": "out_clk"}),
        (
            "irq_cross",
            {"from_": "from_clk", "level": "from_clk", "pulse": "from_clk", "to_": "to_clk"},
        ),
    ],
)
def test_the_lines_for_an_instance(top: str, ports: dict[str, str], tmp_path: Path) -> None:
    class Clocks(dict[str, str]):
        def __missing__(self, port: str) -> str:
            return next(clock for begin, clock in ports.items() if port.startswith(begin))

    design = netlist(top, {}, Clocks())
    given = constraints("vivado", HOME / f"{top}.xdc", design.nodes, tmp_path)
    assert design.crossings
    assert list(uncovered("vivado", given, design.crossings)) == []


def test_a_stream_in_its_own_clock_is_covered(tmp_path: Path) -> None:
    class Clocks(dict[str, str]):
        def __missing__(self, port: str) -> str:
            return "axis_clk" if "axis" in port else "clk"

    design = netlist("stream_node", {"ASYNC": 1}, Clocks())
    given = constraints("quartus", HOME / "datra.sdc", design.nodes, tmp_path)
    assert design.crossings
    assert list(uncovered("quartus", given, design.crossings)) == []


def test_control_flow_is_refused(wrapper: Netlist, tmp_path: Path) -> None:
    """The file that stood here once had an `if`, and its constraints never applied."""
    file = tmp_path / "old.xdc"
    file.write_text("if {1} {\n  set_false_path -to [get_cells *]\n}\n")
    with pytest.raises(AssertionError, match='invalid command name "if"'):
        constraints("vivado", file, wrapper.nodes, tmp_path)
