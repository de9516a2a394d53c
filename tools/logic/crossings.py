# SPDX-License-Identifier: Apache-2.0
"""Where a netlist crosses from one clock to another: each register with what reaches it.

yosys elaborates the design to single bits; a register's cone of logic is followed back to the
registers, memories and ports that it begins at.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.logic.yosys import read, yosys


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """A register's bit, a memory or a port: instances from the top, its name, its bit."""

    path: tuple[str, ...]
    name: str
    bit: int | None
    kind: str = "register"

    def __str__(self) -> str:
        return "/".join((*self.path, self.name)) + ("" if self.bit is None else f"[{self.bit}]")


@dataclass(frozen=True, slots=True, order=True)
class Crossing:
    """A way from a register, memory or port of one clock into one of another."""

    source: Node
    target: Node
    source_clock: str
    target_clock: str


@dataclass(frozen=True, slots=True)
class Netlist:
    """nodes: all registers and memories, which is what a constraint may name."""

    nodes: frozenset[Node]
    crossings: frozenset[Crossing]


class _Design:
    """A flat module of yosys' JSON; bits are its numbers, constants are text."""

    def __init__(self, module: Mapping[str, Any], ports: Mapping[str, str]) -> None:
        self._clock_of_port = ports
        self._drivers: dict[Any, tuple[str, int]] = {}  # bit -> cell, index in its output
        self._cells: dict[str, Mapping[str, Any]] = module["cells"]
        self._inputs: dict[Any, Node] = {}
        self._outputs: list[tuple[Node, Any]] = []
        self._names: dict[Any, Node] = {}
        self._reached: dict[Any, frozenset[tuple[Node, str]]] = {}
        for name, port in module["ports"].items():
            for index, bit in enumerate(port["bits"]):
                node = Node((), name, index if len(port["bits"]) > 1 else None, "port")
                if port["direction"] == "input":
                    self._inputs[bit] = node
                else:
                    self._outputs.append((node, bit))
        for name, cell in self._cells.items():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    for index, bit in enumerate(bits):
                        self._drivers[bit] = (name, index)
        for name, net in module["netnames"].items():
            *path, own = str(net["attributes"].get("hdlname", name)).split(" ")
            for index, bit in enumerate(net["bits"]):
                found = self._names.get(bit)
                # A register is known by the name that the source gives it, below its own instance.
                if net.get("hide_name") or (found and not own.endswith("_reg")):
                    continue
                if found and found.name.endswith("_reg") and len(found.path) >= len(path):
                    continue
                wide = len(net["bits"]) > 1
                self._names[bit] = Node(tuple(path), own, index if wide else None)

    def _register(self, cell: Mapping[str, Any]) -> Node:
        return self._names[cell["connections"]["Q"][0]]

    def _memory(self, cell: Mapping[str, Any]) -> Node:
        *path, name = str(cell["attributes"].get("hdlname", cell["parameters"]["MEMID"])).split(" ")
        return Node(tuple(path), name.removeprefix("\\"), None, "memory")

    def _clock(self, bit: Any) -> str:
        return self._clock_of_port[self._inputs[bit].name]

    def nodes(self) -> Iterator[Node]:
        for cell in self._cells.values():
            if _is_register(cell):
                yield self._register(cell)
            elif cell["type"] == "$mem_v2":
                yield self._memory(cell)

    def _sources(self, start: Any) -> frozenset[tuple[Node, str]]:
        """Where the logic before a bit begins, with the clocks."""
        waiting = [start]
        while waiting:
            bit = waiting[-1]
            if bit in self._reached:
                waiting.pop()
                continue
            own, before = self._begins(bit)
            missing = [one for one in before if one not in self._reached]
            if missing:
                waiting += missing
                continue
            self._reached[bit] = own.union(*(self._reached[one] for one in before))
            waiting.pop()
        return self._reached[start]

    def _begins(self, bit: Any) -> tuple[frozenset[tuple[Node, str]], list[Any]]:
        """What begins at a bit itself, and the bits that it is worked out of."""
        if isinstance(bit, str):
            return frozenset(), []
        if bit in self._inputs:
            node = self._inputs[bit]
            return frozenset({(node, self._clock_of_port[node.name])}), []
        if bit not in self._drivers:
            return frozenset(), []
        name, index = self._drivers[bit]
        cell = self._cells[name]
        wires = cell["connections"]
        if _is_register(cell):
            return frozenset({(self._register(cell), self._clock(wires["C"][0]))}), []
        if cell["type"] == "$mem_v2":
            width = len(wires["RD_DATA"]) // len(wires["RD_CLK"])
            bits = len(wires["RD_ADDR"]) // len(wires["RD_CLK"])
            read_port = index // width
            written = frozenset({(self._memory(cell), self._clock(wires["WR_CLK"][0]))})
            return written, wires["RD_ADDR"][read_port * bits : (read_port + 1) * bits]
        inputs = [
            one
            for port, bits in wires.items()
            if cell["port_directions"][port] == "input"
            for one in bits
        ]
        return frozenset(), inputs

    def crossings(self) -> Iterator[Crossing]:
        for cell in self._cells.values():
            wires = cell["connections"]
            if _is_register(cell):
                target, clock = self._register(cell), self._clock(wires["C"][0])
                yield from self._into(target, clock, wires["D"])
            elif cell["type"] == "$mem_v2":
                target, clock = self._memory(cell), self._clock(wires["WR_CLK"][0])
                written = wires["WR_ADDR"] + wires["WR_DATA"] + wires["WR_EN"]
                yield from self._into(target, clock, written)
        for node, bit in self._outputs:
            yield from self._into(node, self._clock_of_port[node.name], [bit])

    def _into(self, target: Node, clock: str, bits: list[Any]) -> Iterator[Crossing]:
        for bit in bits:
            for source, other in self._sources(bit):
                if other != clock:
                    yield Crossing(source, target, other, clock)


def _is_register(cell: Mapping[str, Any]) -> bool:
    return str(cell["type"]).startswith("$_DFF_")


def netlist(
    top: str, parameters: Mapping[str, int], ports: Mapping[str, str], *more: Path
) -> Netlist:
    """Elaborates a module.

    ports: the clock of each port, a clock's own name for itself. more: files beside the modules.
    """
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch)
        yosys(
            out,
            read(top, parameters, *more)
            + "proc; flatten; opt_expr; opt_clean; memory_collect; simplemap; opt_expr; opt_clean; "
            + "check -assert; write_json /out/flat.json",
        )
        module = json.loads((out / "flat.json").read_text())["modules"][top]
    design = _Design(module, ports)
    return Netlist(frozenset(design.nodes()), frozenset(design.crossings()))
