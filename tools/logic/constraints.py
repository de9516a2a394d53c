# SPDX-License-Identifier: Apache-2.0
"""Writes Vivado's constraints of the clock crossings: python -m tools.logic.constraints

Vivado allows no control flow in a file of constraints, and a skew is of one bus: so each queue of
the wrappers, found in their netlist, has lines of its own. The same lines stand in
`fifo_async.xdc` and `irq_cross.xdc`, which `read_xdc -ref` applies to each instance in any design.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tools import HDL
from tools.logic.crossings import Netlist, netlist

HOME = HDL / "datra" / "ip"
#: Both wrappers have the same logic below them, and these clocks.
WRAPPER, CLOCKS = "datra_axi4", ("aclk", "fabric_clk")


class WrapperClocks(dict[str, str]):
    """The clock of each port of a wrapper."""

    def __missing__(self, port: str) -> str:
        return CLOCKS[port.startswith("fabric_")]


def elaborated(wrapper: Path = HOME / f"{WRAPPER}.v") -> Netlist:
    """A wrapper with clocks of their own."""
    return netlist(wrapper.stem, {"ASYNC": 1}, WrapperClocks(), wrapper)


def _between(path: str, source: str, target: str) -> str:
    return f"-from [get_cells -quiet {{{path}{source}}}] -to [get_cells -quiet {{{path}{target}}}]"


def queue(path: str, written: str, read: str) -> list[str]:
    """Of a fifo_async: `path` of its instance with a slash, and the clocks of its two sides."""
    lines = []
    for side, clock in (("write", written), ("read", read)):
        ways = _between(path, f"{side}_gray_reg_reg[*]", f"{side}_sync_reg_reg[*]")
        lines += [
            f"set_max_delay -quiet -datapath_only {ways} ${clock}",
            f"set_bus_skew -quiet {ways} ${clock}",
        ]
    ways = _between(path, "ram_reg*", "data_reg_reg[*]")
    return [*lines, f"set_max_delay -quiet -datapath_only {ways} ${read}"]


def signals(path: str) -> list[str]:
    """Of an irq_cross: the first register of each pair may take either value."""
    return [
        f"set_false_path -quiet -to [get_pins -quiet {{{path}crossing.{name}_sync_reg_reg/D}}]"
        for name in ("to", "from", "level", "toggle", "answer")
    ]


def periods(clocks: Iterable[str]) -> list[str]:
    """A variable for each clock, of the port that it comes in by."""
    return [
        f"set {clock} [get_property -quiet -min PERIOD "
        f"[get_clocks -quiet -of_objects [get_ports -quiet {clock}]]]"
        for clock in clocks
    ]


def file(about: list[str], lines: list[str]) -> str:
    head = [
        "# SPDX-License-Identifier: Apache-2.0",
        "#",
        *(f"# {line}" for line in about),
        "# Written by tools/logic/constraints.py (make ip). Not built here.",
        "",
    ]
    return "\n".join([*head, *lines, ""])


def generated(design: Netlist | None = None) -> dict[str, str]:
    """Each file below hdl/datra/ip and what it contains."""
    whole = periods(CLOCKS)
    resets = set()
    design = design or elaborated()
    for crossing in sorted(design.crossings):
        path = "".join(f"{instance}/" for instance in crossing.target.path)
        name, bit = crossing.target.name, crossing.target.bit
        if (name, bit) == ("write_sync_reg", 0):
            whole += ["", *queue(path, crossing.source_clock, crossing.target_clock)]
        elif name.startswith("crossing.") and path not in resets:
            resets.add(path)
            whole += ["", *signals(path)]
    scope = ["Of each instance, in any design: read_xdc -ref {} {}.xdc, after the clocks."]
    sides = ("in_clk", "out_clk")
    return {
        "datra.xdc": file(
            [
                "With ASYNC 1: Gray-code pointers may skew by less than a cycle of their writer,",
                "queues' data have the reader's cycle, and what is no bus may take any time.",
                "The clocks come first: process this file late, and make no clock groups of them,",
                "which take precedence over all that is below.",
            ],
            whole,
        ),
        "fifo_async.xdc": file(
            [scope[0].format("fifo_async", "fifo_async")], [*periods(sides), "", *queue("", *sides)]
        ),
        "irq_cross.xdc": file([scope[0].format("irq_cross", "irq_cross")], signals("")),
    }


def write(home: Path = HOME) -> None:
    for name, text in generated().items():
        (home / name).write_text(text)


if __name__ == "__main__":
    write()
