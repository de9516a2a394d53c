# SPDX-License-Identifier: Apache-2.0
"""What is behind a microcontroller's memory bus: hdl/fmc."""

from __future__ import annotations

import pytest

pytest.importorskip("systemrdl")
from systemrdl.node import AddressableNode, RegNode

from tools import registers


def described() -> str:
    """Address, access and reset value, `-` where it changes by itself, of every register."""
    top = registers.describe(registers.SOURCES / "fmc.rdl", "fmc")
    lines = []
    for register in top.descendants(unroll=True):
        if not isinstance(register, RegNode):
            continue
        assert isinstance(register, AddressableNode)
        reset = sum(int(one.get_property("reset")) << one.low for one in register.fields())
        fixed = not register.get_property("counts")
        address, access = register.absolute_address, registers.access(register)
        lines.append(f"{address:#x} {access} {hex(reset) if fixed else '-'}")
    return "\n".join(lines)


def test_bridge(simulate) -> None:
    simulate("fmc_parts", "fmc_bridge_bench")


def test_slice(simulate) -> None:
    simulate("fmc_parts", "apb_slice_bench")


def test_all_of_it(simulate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMC_REGISTERS", described())
    simulate("fmc_parts", "fmc_bench")


def test_mac(simulate) -> None:
    simulate("fmc_parts", "mac_transmit_bench")


def test_rgmii(simulate) -> None:
    simulate("fmc_parts", "rgmii_bench")
