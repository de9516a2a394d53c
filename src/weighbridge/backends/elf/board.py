# SPDX-License-Identifier: Apache-2.0
"""What programs on a board have to know of it, from the platform's file: addresses and clocks."""

from __future__ import annotations

from weighbridge.backends import Unanswered
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.dataset.schema import Point
from weighbridge.platforms.model import FabricLink

#: Registers that our programs cannot do without.
NEEDED = ("uart", "private", "cache_controller", "on_chip_ram")
_KIB = 1024
#: How much on-chip memory is mapped; no platform has less.
ON_CHIP_RAM = 64 * _KIB


def check(hardware: Hardware) -> None:
    """Raises Unanswered where the platform's file does not say where a program finds registers."""
    for name in NEEDED:
        if name not in hardware.platform.file.peripheral:
            raise Unanswered(f"{hardware.platform.name} says no peripheral.{name}")
    if hardware.platform.file.fabric_memory is None:
        raise Unanswered(f"{hardware.platform.name} has no fabric_memory")


def windows(hardware: Hardware) -> list[int]:
    """Where the processor finds the fabric's memory, by each of its links."""
    return sorted({link.window for link in hardware.device_links().values()})


def fabric_bytes(hardware: Hardware) -> int:
    """Of the fabric's memory."""
    memory = hardware.platform.file.fabric_memory
    return bytes_of(memory) if memory is not None else 0


def header(hardware: Hardware) -> str:
    """board.h of the programs in firmware/."""
    file = hardware.platform.file
    khz = round(1e3 * hardware.platform.clock_mhz(file.reference_clock))
    own = [kind for kind in file.buffer.values() if not (kind.driver or kind.scattered)]
    # Memory that the second level may hold and the first may not is shared with other masters.
    in_inner = all(kind.inner for kind in own if kind.outer)
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"/* Generated from the platform file of {file.name}. */",
        "#ifndef BOARD_H",
        "#define BOARD_H",
        "#include <stdint.h>",
        f'#define PLATFORM_NAME "{file.name}"',
        f"#define PROCESSOR_KHZ {khz}ull",
        f"#define MEMORY_BYTES {hardware.platform.memory_bytes:#x}u",
        f"#define FABRIC_BYTES {fabric_bytes(hardware):#x}u",
        f"#define FABRIC_WINDOW {windows(hardware)[0]:#x}u",
        f"#define SHAREABLE_IN_L1 {int(in_inner)}",
    ]
    for name, peripheral in file.peripheral.items():
        lines.append(f"#define PERIPHERAL_{name.upper()} {peripheral.base:#x}u")
        if peripheral.kind:
            lines.append(f"#define {name.upper()}_{peripheral.kind.upper()}")
        if peripheral.interrupts:
            numbers = ", ".join(f"{number}u" for number in peripheral.interrupts)
            lines.append(f"#define {name.upper()}_INTERRUPTS {{ {numbers} }}")
    found = ", ".join(f"{window:#x}u" for window in windows(hardware))
    lines += [f"static const uint32_t fabric_windows[] = {{ {found} }};", "#endif"]
    return "\n".join(lines) + "\n"


def controllers(hardware: Hardware, point: Point) -> dict[int, FabricLink]:
    """The DMA controllers in the fabric that a point drives, by number, with their ports.

    Those of the first port that the platform's controllers have begin at 0, the others at 1.
    """
    names = {name for name in str(point.link).split("+") if name}
    links = hardware.platform.file.fabric_link
    if not names or not names <= set(links):
        return {}
    first = hardware.platform.components[hardware.of_kind("fabric_dma")].to[0]
    found: dict[int, FabricLink] = {}
    for name in names:
        if links[name].component == first:
            found[0] = links[name]
    for name in names:
        if links[name].component != first:
            numbers = range(1, (point.ports or 1) - len(found) + 1)
            found |= dict.fromkeys(numbers, links[name])
    return found


def regions(hardware: Hardware, point: Point) -> str:
    """Memory of the emulated board, for the emulator: base:bytes, joined by commas.

    What has controllers in its fabric has their memories there, and none for the processor.
    """
    size = fabric_bytes(hardware)
    peripheral = hardware.platform.file.peripheral
    found = [(0, hardware.platform.memory_bytes)]
    if not controllers(hardware, point):
        found += [(window, size) for window in windows(hardware)]
    found.append((peripheral["on_chip_ram"].base, ON_CHIP_RAM))
    return ",".join(f"{base}:{count}" for base, count in found)
