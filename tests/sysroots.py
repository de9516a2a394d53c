# SPDX-License-Identifier: Apache-2.0
"""Folders that stand for a machine's /: what a kernel shows of it, with a card behind a port."""

from __future__ import annotations

import struct
from pathlib import Path

PORT, CARD = "0000:00:01.0", "0000:01:00.0"
_PCI = "sys/devices/pci0000:00"
#: Bytes of the card's BARs; the third is prefetchable.
BAR0, BAR2 = 64 << 10, 1 << 20


def config(payload: int = 256, payload_max: int = 512, request: int = 512, aspm: int = 0) -> bytes:
    """Configuration space with a power and a PCI Express capability."""
    space = bytearray(4096)
    struct.pack_into("<H", space, 0x06, 0x10)
    space[0x34] = 0x40
    space[0x40:0x42] = bytes((0x01, 0x50))
    space[0x50:0x52] = bytes((0x10, 0x00))
    code = {128 << bits: bits for bits in range(6)}
    struct.pack_into("<I", space, 0x54, code[payload_max])
    struct.pack_into("<H", space, 0x58, code[payload] << 5 | code[request] << 12)
    struct.pack_into("<H", space, 0x60, aspm)
    return bytes(space)


def write(root: Path, name: str, content: str | bytes) -> Path:
    """A file below the root, with the folders above it."""
    path = root / name.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def machine(root: Path, *, card_config: bytes | None = None, enabled: bool = True) -> Path:
    """A board: four cores at their governor's will, two caches, a device tree, a card on x4."""
    write(root, "proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 100\n\nHardware\t: Made-up Board\n")
    write(root, "proc/meminfo", "MemTotal:  1048576 kB\nMemFree: 1 kB\nMemAvailable:  900000 kB\n")
    write(root, "proc/cmdline", "root=/dev/secret isolcpus=3 password=x pcie_aspm=off")
    write(root, "proc/sys/kernel/osrelease", "6.1.0\n")
    write(root, "proc/modules", "uio 1 0 - Live 0x0\ndatra 2 0 - Live 0x0\n")
    write(root, "proc/device-tree/model", "Made-up Board\0")
    write(root, "proc/device-tree/soc/dma@1000/compatible", "arm,pl330\0arm,primecell\0")
    write(root, "proc/device-tree/soc/dma@1000/status", "disabled\0")
    cpus = "sys/devices/system/cpu"
    write(root, f"{cpus}/online", "0-3\n")
    write(root, f"{cpus}/isolated", "3\n")
    for cpu in range(4):
        write(root, f"{cpus}/cpu{cpu}/topology/core_cpus_list", f"{cpu}\n")
        write(root, f"{cpus}/cpu{cpu}/topology/physical_package_id", "0\n")
    write(root, f"{cpus}/cpu0/cpufreq/scaling_governor", "ondemand\n")
    write(root, f"{cpus}/cpu0/cpufreq/cpuinfo_max_freq", "1200000\n")
    for index, (level, kind, size, shared) in enumerate(
        ((1, "Data", "32K", "0"), (1, "Instruction", "32K", "0"), (2, "Unified", "512K", "0-3"))
    ):
        cache = f"{cpus}/cpu0/cache/index{index}"
        write(root, f"{cache}/level", f"{level}\n")
        write(root, f"{cache}/type", f"{kind}\n")
        write(root, f"{cache}/size", f"{size}\n")
        write(root, f"{cache}/shared_cpu_list", f"{shared}\n")
        write(root, f"{cache}/coherency_line_size", "32\n")
        write(root, f"{cache}/ways_of_associativity", "8\n")
    write(root, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
    write(root, "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "5\n")
    write(root, "sys/module/pcie_aspm/parameters/policy", "default [powersave] performance\n")
    write(root, "sys/kernel/iommu_groups/0/type", "DMA\n")
    _device(root, f"{_PCI}/{PORT}", PORT, config(), 0x060400, ())
    card = f"{_PCI}/{PORT}/{CARD}"
    bars = ((0, BAR0, 0x40200), (2, BAR2, 0x14220C))
    _device(root, card, CARD, card_config or config(payload=128), 0x058000, bars)
    write(root, f"{card}/enable", "1\n" if enabled else "0\n")
    write(root, f"{card}/resource0", bytes(BAR0))
    write(root, f"{card}/resource2", bytes(BAR2))
    write(root, f"{card}/resource2_wc", bytes(BAR2))
    return root


def _device(
    root: Path,
    place: str,
    address: str,
    space: bytes,
    kind: int,
    bars: tuple[tuple[int, int, int], ...],
) -> None:
    write(root, f"{place}/config", space)
    write(root, f"{place}/vendor", "0x10ee\n")
    write(root, f"{place}/device", "0x7024\n")
    write(root, f"{place}/class", f"{kind:#08x}\n")
    write(root, f"{place}/numa_node", "-1\n")
    write(root, f"{place}/current_link_width", "4\n")
    write(root, f"{place}/current_link_speed", "5.0 GT/s PCIe\n")
    write(root, f"{place}/max_link_width", "8\n")
    write(root, f"{place}/max_link_speed", "8.0 GT/s PCIe\n")
    lines = ["0x0 0x0 0x0"] * 7
    for number, size, flags in bars:
        start = 0xF0000000 + 0x1000000 * number
        lines[number] = f"{start:#018x} {start + size - 1:#018x} {flags:#018x}"
    write(root, f"{place}/resource", "\n".join(lines) + "\n")
    link = root / "sys/bus/pci/devices" / address
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(Path("../../../..") / place)


def bind(root: Path, address: str, driver: str) -> None:
    """Have a driver own a device."""
    (root / "sys/bus/pci/drivers" / driver).mkdir(parents=True)
    (root / "sys/bus/pci/devices" / address / "driver").symlink_to(f"../../{driver}")
