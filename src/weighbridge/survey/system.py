# SPDX-License-Identifier: Apache-2.0
"""The kernel, what it was told, the IOMMU, and what the device tree describes."""

from __future__ import annotations

from dataclasses import dataclass

from weighbridge.survey.sysroot import Sysroot, chosen

_TREE = "/proc/device-tree"
#: Words of the kernel's command line that decide what is measured; others are nobody's business.
_OPTIONS = (
    *("mitigations", "isolcpus", "nohz_full", "rcu_nocbs", "irqaffinity", "maxcpus", "nosmt"),
    *("iommu", "intel_iommu", "amd_iommu", "swiotlb", "pcie_aspm", "pci", "idle", "cpuidle.off"),
    *("intel_pstate", "amd_pstate", "intel_idle.max_cstate", "processor.max_cstate", "mem"),
    *(
        "transparent_hugepage",
        "hugepages",
        "hugepagesz",
        "default_hugepagesz",
        "clocksource",
        "tsc",
    ),
    *("cma", "nopti", "preempt", "mem_sleep_default", "cpufreq.default_governor"),
)
#: Nodes of a device tree that are told.
_MOST_NODES = 4096


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the device tree that is compatible with something; driver: whoever has it."""

    path: str
    compatible: tuple[str, ...]
    status: str


@dataclass(frozen=True, slots=True)
class System:
    """options: words that the kernel was started with, of those that concern measuring.
    iommu_groups: of devices that share their addresses; 0 without an IOMMU."""

    kernel: str | None
    version: str | None
    options: tuple[str, ...]
    board: str | None
    iommu_groups: int
    aspm_policy: str | None
    clock_source: str | None
    drivers: tuple[str, ...]
    tree: tuple[TreeNode, ...]


def system(root: Sysroot) -> System:
    """What /proc and /sys say of the kernel and the board."""
    modules = (root.text("/proc/modules") or "").splitlines()
    return System(
        kernel=root.text("/proc/sys/kernel/osrelease"),
        version=root.text("/proc/sys/kernel/version"),
        options=tuple(
            word
            for word in (root.text("/proc/cmdline") or "").split()
            if word.partition("=")[0] in _OPTIONS
        ),
        board=root.text(f"{_TREE}/model") or root.text("/sys/class/dmi/id/product_name"),
        iommu_groups=len(root.names("/sys/kernel/iommu_groups")),
        aspm_policy=chosen(root.text("/sys/module/pcie_aspm/parameters/policy")),
        clock_source=root.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        drivers=tuple(sorted(line.split()[0] for line in modules if line.split())),
        tree=tuple(_nodes(root)),
    )


def _nodes(root: Sysroot) -> list[TreeNode]:
    found: list[TreeNode] = []
    waiting = [""]
    looked = 0
    while waiting and len(found) < _MOST_NODES and looked < 10 * _MOST_NODES:
        node = waiting.pop()
        looked += 1
        folder = f"{_TREE}{node}"
        if compatible := root.data(f"{folder}/compatible"):
            names = tuple(compatible.decode(errors="replace").strip("\0").split("\0"))
            status = root.text(f"{folder}/status") or "okay"
            found.append(TreeNode(node or "/", names, status))
        waiting += [f"{node}/{name}" for name in reversed(root.folders(folder))]
    return found
