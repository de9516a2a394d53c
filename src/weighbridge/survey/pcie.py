# SPDX-License-Identifier: Apache-2.0
"""The PCI Express tree: what each device's link does and could do, its windows and its driver."""

from __future__ import annotations

import re
from dataclasses import dataclass
from struct import unpack_from

from weighbridge.survey.sysroot import Sysroot

DEVICES = "/sys/bus/pci/devices"
#: domain:bus:device.function, as sysfs names a device.
ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")

#: Of configuration space (PCI Express base specification, 7.5).
_STATUS, _CAPABILITIES, _EXPRESS = 0x06, 0x34, 0x10
_LIST = 0x10
_ASPM = {0: "off", 1: "L0s", 2: "L1", 3: "L0s and L1"}
#: Flags of a line of `resource` (include/linux/ioport.h).
_MEMORY, _PREFETCHABLE = 0x200, 0x2000
#: Bits on the wire for each byte: generation's rate in GT/s -> bits.
_CODED = {2.5: 10.0, 5.0: 10.0, 8.0: 8 * 130 / 128, 16.0: 8 * 130 / 128, 32.0: 8 * 130 / 128}


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it runs: lanes and gigatransfers a second, and at most."""

    width: int
    gigatransfers: float
    width_max: int | None
    gigatransfers_max: float | None

    @property
    def degraded(self) -> bool:
        """Whether it does less than the device could."""
        most = (self.width_max or self.width, self.gigatransfers_max or self.gigatransfers)
        return self.width < most[0] or self.gigatransfers < most[1]

    @property
    def said(self) -> str:
        """What it does, and could, in words."""
        does = f"x{self.width} {self.gigatransfers:g} GT/s"
        could = f"x{self.width_max or self.width} {self.gigatransfers_max or self.gigatransfers:g}"
        return f"{does} of {could} GT/s" if self.degraded else does

    @property
    def bytes_per_second(self) -> float | None:
        """After the line's coding, each way; None of a rate that is not known here."""
        bits = _CODED.get(self.gigatransfers)
        return None if bits is None else self.width * self.gigatransfers * 1e9 / bits


@dataclass(frozen=True, slots=True)
class Bar:
    """A window of a device into its memory."""

    number: int
    bytes: int
    prefetchable: bool


@dataclass(frozen=True, slots=True)
class Device:
    """A device by its address. payload, request: bytes of a packet, as set and at most; parent: the
    address of the bridge above it."""

    address: str
    parent: str | None
    vendor: int | None
    device: int | None
    kind: int | None
    driver: str | None
    enabled: bool
    numa: int | None
    iommu_group: str | None
    link: Link | None
    payload: int | None
    payload_max: int | None
    request: int | None
    aspm: str | None
    bars: tuple[Bar, ...]


def devices(root: Sysroot) -> tuple[Device, ...]:
    """Every device of the machine, by address."""
    return tuple(_device(root, name) for name in root.names(DEVICES) if ADDRESS.fullmatch(name))


def _device(root: Sysroot, address: str) -> Device:
    folder = f"{DEVICES}/{address}"
    place = (root.real(folder) or "").split("/")
    parent = place[-2] if len(place) > 1 and ADDRESS.fullmatch(place[-2]) else None
    express = _express(root.data(f"{folder}/config") or b"")
    numa = root.number(f"{folder}/numa_node")
    return Device(
        address=address,
        parent=parent,
        vendor=root.number(f"{folder}/vendor"),
        device=root.number(f"{folder}/device"),
        kind=root.number(f"{folder}/class"),
        driver=root.target(f"{folder}/driver"),
        enabled=bool(root.number(f"{folder}/enable")),
        numa=numa,
        iommu_group=root.target(f"{folder}/iommu_group"),
        link=_link(root, folder),
        payload=express.get("payload"),
        payload_max=express.get("payload_max"),
        request=express.get("request"),
        aspm=_ASPM.get(express["aspm"]) if "aspm" in express else None,
        bars=tuple(_bars(root.text(f"{folder}/resource") or "")),
    )


def _link(root: Sysroot, folder: str) -> Link | None:
    width = root.number(f"{folder}/current_link_width")
    speed = _gigatransfers(root.text(f"{folder}/current_link_speed"))
    if not width or speed is None:
        return None
    most = root.number(f"{folder}/max_link_width")
    return Link(
        width,
        speed,
        # 255 lanes: a port that has no say.
        most if most and most < 64 else None,
        _gigatransfers(root.text(f"{folder}/max_link_speed")),
    )


def _gigatransfers(text: str | None) -> float | None:
    match = re.match(r"(\d{1,3}(?:\.\d)?) GT/s", text or "")
    return float(match[1]) if match else None


def _bars(text: str) -> list[Bar]:
    found = []
    for number, line in enumerate(text.splitlines()[:6]):
        cells = line.split()
        try:
            start, end, flags = (int(cell, 16) for cell in cells[:3])
        except ValueError:
            continue
        if flags & _MEMORY and 0 < start < end:
            found.append(Bar(number, end - start + 1, bool(flags & _PREFETCHABLE)))
    return found


def _express(config: bytes) -> dict[str, int]:
    """Payload, request and ASPM of configuration space; without privileges only 64 bytes of it
    can be read, and nothing is known."""
    if len(config) < 256 or not unpack_from("<H", config, _STATUS)[0] & _LIST:
        return {}
    at, seen = config[_CAPABILITIES] & ~3, set()
    while at >= 0x40 and at not in seen and at + 0x14 <= len(config):
        seen.add(at)
        if config[at] == _EXPRESS:
            can, does = unpack_from("<I", config, at + 4)[0], unpack_from("<H", config, at + 8)[0]
            return {
                "payload_max": 128 << (can & 7),
                "payload": 128 << (does >> 5 & 7),
                "request": 128 << (does >> 12 & 7),
                "aspm": unpack_from("<H", config, at + 0x10)[0] & 3,
            }
        at = config[at + 1] & ~3
    return {}
