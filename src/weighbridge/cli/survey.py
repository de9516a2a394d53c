# SPDX-License-Identifier: Apache-2.0
"""weighbridge survey: what a machine says of itself, for people, for a run, for a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weighbridge.cli import options

if TYPE_CHECKING:
    from weighbridge.survey import Survey
    from weighbridge.survey.pcie import Device

EXAMPLES = (
    "weighbridge survey",
    "weighbridge survey -o machine.json --platform machine.toml",
)


def command(
    sysroot: options.Sysroot = "/",
    at: options.At = "",
    ssh: options.Ssh = "ssh",
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write it as JSON, device tree too."),
    ] = None,
    platform: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a first model of it, to be calibrated."),
    ] = None,
    json_: options.Json = False,
) -> None:
    """Processor, caches, memory, PCI Express and kernel, as the system describes them."""
    from weighbridge.cli.terminal import Screen
    from weighbridge.dataset.files import check_writable, write_text
    from weighbridge.errors import InputError
    from weighbridge.survey import survey
    from weighbridge.survey.sysroot import Sysroot

    for file in (out, platform):
        if file is not None:
            check_writable(file)
    if platform is not None:
        if platform.suffix != ".toml":
            raise InputError(f"a platform is a .toml file, {platform} is not", "--platform")
        if platform.exists():
            raise InputError(f"{platform} already exists", "--platform", "choose another name")
    if at:
        import shlex

        from weighbridge.backends.board.described import described

        with described(at, shlex.split(ssh), sysroot) as root:
            found = survey(root)
    else:
        found = survey(Sysroot(sysroot))
    plain = json.dumps(found.plain(), indent=2)
    if out is not None:
        write_text(plain + "\n", out)
        print(f"{out}: written")
    if platform is not None:
        from weighbridge.platforms import machine_names
        from weighbridge.survey.first_platform import first_platform

        # Under the machine's own name: its rows are this platform's.
        write_text(first_platform(found, machine_names()[0]), platform)
        print(f"{platform}: written; next: weighbridge show {platform}")
    if out is not None or platform is not None:
        return
    if json_:
        print(plain)
        return
    from weighbridge.cli.table import Column, Table

    screen = Screen()
    table = Table([Column("", lead=True), Column("", words=True)])
    for name, said in _lines(found):
        table.add(name, said)
    table.print(screen)
    _print_devices(screen, found.devices)


def _lines(found: Survey) -> Iterator[tuple[str, str]]:
    from weighbridge.quantities import format_size

    chip, memory, system = found.processor, found.memory, found.system
    counted = [f"{chip.cpus} processors"]
    counted += [f"{chip.cores} cores"] if chip.cores else []
    counted += [f"{chip.sockets} sockets"] if (chip.sockets or 1) > 1 else []
    yield "processor", f"{chip.model or 'unknown'}, {', '.join(counted)}"
    clock = [f"{chip.mhz:.0f} MHz"] if chip.mhz else []
    clock += [f"{chip.mhz_max:.0f} MHz at most"] if chip.mhz_max else []
    yield "clock", ", ".join(clock) or "not told"
    yield "governor", ", ".join(filter(None, (chip.governor, chip.driver))) or "none to be seen"
    for cache in chip.caches:
        shape = [format_size(cache.bytes)]
        shape += [f"{cache.ways} ways"] if cache.ways else []
        shape += [f"lines of {cache.line} B"] if cache.line else []
        shape += [f"for {cache.cpus} processors"] if cache.cpus > 1 else []
        yield f"L{cache.level} {cache.kind}", ", ".join(shape)
    if not chip.caches:
        yield "caches", "not told; `weighbridge run` of a latency study finds them"
    yield "memory", f"{memory.bytes / 2**30:.3g} GiB" if memory.bytes else "not told"
    if len(memory.nodes) > 1:
        yield "NUMA", f"{len(memory.nodes)} nodes"
    pages = [f"transparent: {memory.transparent or 'not told'}"]
    pages += [f"{n} of {format_size(size)}" for size, n in sorted(memory.reserved.items()) if n]
    yield "huge pages", ", ".join(pages)
    groups = system.iommu_groups
    yield "IOMMU", f"{groups} groups of devices" if groups else "none in use"
    yield "virtual", chip.hypervisor or "no"
    yield "kernel", " ".join(filter(None, (system.kernel, system.version))) or "not told"
    if system.options:
        yield "told", " ".join(system.options)
    if system.board:
        yield "board", system.board
    if system.tree:
        off = sum(node.status not in ("okay", "ok") for node in system.tree)
        yield "device tree", f"{len(system.tree)} nodes, {off} of them off"
    yield "ASPM policy", system.aspm_policy or "not told"


def _print_devices(screen: object, devices: tuple[Device, ...]) -> None:
    from weighbridge.cli.table import Column, Table
    from weighbridge.cli.terminal import Screen
    from weighbridge.quantities import format_size

    assert isinstance(screen, Screen)
    screen.line()
    if not devices:
        screen.line("No PCI device.")
        return
    table = Table(
        [
            Column("PCI device", lead=True),
            Column("id", lead=True),
            Column("driver", lead=True),
            Column("link", lead=True),
            Column("payload", right=True, spare=1),
            Column("request", right=True, spare=2),
            Column("ASPM", lead=True, spare=3),
            Column("windows", words=True),
        ]
    )
    depths: dict[str, int] = {}
    for one in devices:
        depths[one.address] = depths.get(one.parent or "", -1) + 1
        windows = [f"BAR{bar.number} {format_size(bar.bytes)}" for bar in one.bars]
        table.add(
            "  " * depths[one.address] + one.address,
            f"{one.vendor or 0:04x}:{one.device or 0:04x}",
            one.driver or "-",
            one.link.said if one.link else "-",
            f"{one.payload} B" if one.payload else "-",
            f"{one.request} B" if one.request else "-",
            one.aspm or "-",
            ", ".join(windows) or "-",
        )
    table.print(screen)
