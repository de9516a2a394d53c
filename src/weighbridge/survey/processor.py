# SPDX-License-Identifier: Apache-2.0
"""Processors, their caches, their clocks and who decides them."""

from __future__ import annotations

from dataclasses import dataclass

from weighbridge.survey.sysroot import Sysroot, members, numbered

_CPUS = "/sys/devices/system/cpu"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache as the first processor sees it. bytes: of one; cpus: how many processors share it."""

    level: int
    kind: str
    bytes: int
    line: int | None
    ways: int | None
    cpus: int


@dataclass(frozen=True, slots=True)
class Processor:
    """The processors of a machine. Clocks are MHz; None is what the machine does not tell."""

    model: str | None
    cpus: int
    cores: int | None
    sockets: int | None
    mhz: float | None
    mhz_max: float | None
    governor: str | None
    driver: str | None
    hypervisor: str | None
    isolated: tuple[int, ...]
    vulnerable: tuple[str, ...]
    caches: tuple[Cache, ...]


def processor(root: Sysroot) -> Processor:
    """What /proc/cpuinfo and /sys/devices/system/cpu say."""
    information = _information(root.text("/proc/cpuinfo") or "")
    names = numbered(root.names(_CPUS), "cpu")
    first = f"{_CPUS}/{names[0]}" if names else f"{_CPUS}/cpu0"
    cores = {root.text(f"{_CPUS}/{name}/topology/core_cpus_list") for name in names} - {None}
    sockets = {root.text(f"{_CPUS}/{name}/topology/physical_package_id") for name in names} - {None}
    counted = members(root.text(f"{_CPUS}/online"))
    return Processor(
        model=next((information[key] for key in _MODEL if key in information), None),
        cpus=len(counted) or len(names) or 1,
        cores=len(cores) or None,
        sockets=len(sockets) or None,
        mhz=_number(information.get("cpu MHz")),
        mhz_max=_mega(root.number(f"{first}/cpufreq/cpuinfo_max_freq")),
        governor=root.text(f"{first}/cpufreq/scaling_governor"),
        driver=root.text(f"{first}/cpufreq/scaling_driver"),
        hypervisor=_hypervisor(root, information),
        isolated=tuple(members(root.text(f"{_CPUS}/isolated"))),
        vulnerable=tuple(_vulnerable(root)),
        caches=tuple(_caches(root, first)),
    )


#: Of /proc/cpuinfo; what a kernel for ARM says of its board is better than nothing.
_MODEL = ("model name", "Model", "cpu model", "Processor", "Hardware")


def _information(text: str) -> dict[str, str]:
    """The first processor's lines, and those that are of none."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon and value.strip():
            found.setdefault(key.strip(), value.strip())
    return found


def _hypervisor(root: Sysroot, information: dict[str, str]) -> str | None:
    if "hypervisor" in information.get("flags", "").split():
        return (
            root.text("/sys/hypervisor/type") or root.text("/sys/class/dmi/id/sys_vendor") or "yes"
        )
    return root.text("/sys/hypervisor/type")


def _vulnerable(root: Sysroot) -> list[str]:
    """What the kernel mitigates, or does not: both cost time at each call."""
    folder = f"{_CPUS}/vulnerabilities"
    said = {name: root.text(f"{folder}/{name}") or "" for name in root.names(folder)}
    return [f"{name}: {text}" for name, text in said.items() if text[:12] != "Not affected"]


def _caches(root: Sysroot, cpu: str) -> list[Cache]:
    found = []
    for name in numbered(root.names(f"{cpu}/cache"), "index"):
        folder = f"{cpu}/cache/{name}"
        level, size = root.number(f"{folder}/level"), _size(root.text(f"{folder}/size"))
        if level is None or size is None:
            continue
        kind = (root.text(f"{folder}/type") or "unified").lower()
        shared = members(root.text(f"{folder}/shared_cpu_list"))
        line = root.number(f"{folder}/coherency_line_size")
        ways = root.number(f"{folder}/ways_of_associativity")
        found.append(Cache(level, kind, size, line, ways, len(shared) or 1))
    return found


def _size(text: str | None) -> int | None:
    if not text:
        return None
    digits, unit = text.rstrip("KMG"), _UNITS.get(text[-1], 1)
    return int(digits) * unit if digits.isdecimal() and len(digits) < 12 else None


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


def _mega(kilo: int | None) -> float | None:
    return None if kilo is None else kilo / 1000
