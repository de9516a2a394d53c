# SPDX-License-Identifier: Apache-2.0
"""Memory, its nodes and its pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from weighbridge.survey.sysroot import Sysroot, chosen, members, numbered

_NODES = "/sys/devices/system/node"
_HUGE = "/sys/kernel/mm/hugepages"


@dataclass(frozen=True, slots=True)
class Node:
    """A NUMA node: its processors, its bytes, and how far each node is (10 is itself)."""

    cpus: tuple[int, ...]
    bytes: int | None
    distances: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """transparent: when the kernel gives huge pages by itself. reserved: bytes of a huge page ->
    pages that are set aside."""

    bytes: int | None
    free: int | None
    transparent: str | None
    reserved: dict[int, int]
    nodes: tuple[Node, ...]


def memory(root: Sysroot) -> Memory:
    """What /proc/meminfo and /sys say of memory."""
    said = root.text("/proc/meminfo")
    reserved = {}
    for name in root.names(_HUGE):
        match = re.fullmatch(r"hugepages-(\d{1,12})kB", name)
        pages = root.number(f"{_HUGE}/{name}/nr_hugepages")
        if match and pages is not None:
            reserved[int(match[1]) << 10] = pages
    return Memory(
        bytes=_kilobytes(said, "MemTotal"),
        free=_kilobytes(said, "MemAvailable"),
        transparent=chosen(root.text("/sys/kernel/mm/transparent_hugepage/enabled")),
        reserved=reserved,
        nodes=tuple(_node(root, name) for name in numbered(root.names(_NODES), "node")),
    )


def _node(root: Sysroot, name: str) -> Node:
    said = root.text(f"{_NODES}/{name}/meminfo")
    distances = (root.text(f"{_NODES}/{name}/distance") or "").split()
    return Node(
        cpus=tuple(members(root.text(f"{_NODES}/{name}/cpulist"))),
        bytes=_kilobytes(said, "MemTotal"),
        distances=tuple(int(one) for one in distances if one.isdecimal()),
    )


def _kilobytes(text: str | None, name: str) -> int | None:
    match = re.search(rf"\b{name}:\s+(\d{{1,15}}) kB", text or "")
    return int(match[1]) << 10 if match else None
