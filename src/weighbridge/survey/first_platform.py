# SPDX-License-Identifier: Apache-2.0
"""A first model of a machine: its caches as it tells them, and what handbooks say of its kind.

The file is a beginning: every number that the machine does not tell is marked as assumed, with the
range it lies in as a rule, and `weighbridge calibrate` fits it to a measured run.
"""

from __future__ import annotations

from collections.abc import Iterator

from weighbridge.errors import InputError
from weighbridge.survey import Survey
from weighbridge.survey.processor import Cache

#: Clock of a core that does not tell it, MHz; cycles of a load, and of each further cache.
_MHZ, _LOAD, _FURTHER = 2000.0, 4, (10, 30, 40)
#: Largest cache that the twin takes.
_LARGEST = 16 << 20
_LINE = 64


def first_platform(found: Survey, name: str) -> str:
    """The text of a platform file for a machine, under a name; InputError without caches."""
    caches = [cache for cache in found.processor.caches if cache.kind != "instruction"]
    if not caches:
        raise InputError("the machine does not tell its caches", mend="a model needs one at least")
    return "\n".join(_lines(found, name, caches)) + "\n"


def _lines(found: Survey, name: str, caches: list[Cache]) -> Iterator[str]:
    chip = found.processor
    mhz = chip.mhz_max or chip.mhz
    source = "told by the system" if mhz else "assumed: not told; 600 to 6000 MHz"
    cycle = 1e3 / (mhz or _MHZ)
    line = caches[0].line or _LINE
    yield "# SPDX-License-Identifier: Apache-2.0"
    yield "#"
    yield "# A first model, made by `weighbridge survey --platform` of what the machine tells:"
    yield f"# {_text(chip.model or 'unknown')}."
    yield "# What is assumed is to be fitted to a measured run: `weighbridge calibrate`."
    yield "schema = 1"
    yield f'name = "{name}"'
    yield f'title = "{_text(chip.model or name)}"'
    yield 'reference_clock = "core"'
    yield ""
    yield "[clock]"
    yield _number("core", round(mhz or _MHZ, 3), "MHz", source)
    yield _number("dram", 1600, "MHz", "assumed: DDR4-3200; 400 to 3200 MHz")
    yield ""
    yield "[component.cpu]"
    yield 'title = "core"'
    yield 'kind = "core"'
    yield 'clock = "core"'
    yield 'to = ["cache1", "devices"]'
    yield _number("load", round(_LOAD * cycle, 4), "ns", "assumed: 4 cycles; 2 to 5")
    yield _number("issue", round(cycle / 2, 4), "ns", "assumed: two a cycle; a tenth to one cycle")
    yield _number("line", line, "B", "told by the system")
    yield _number("outstanding", 10, "", "assumed: line fill buffers; 1 to 48")
    yield _number("prefetch_lines", 0, "", "chains in any order give none; 0 to 32")
    yield _number(
        "hog_line", 10, "ns", "assumed: a page faulted in and cleared in 640 ns; 5 to 50 ns"
    )
    for number, cache in enumerate(caches, 1):
        yield from _cache(
            number, cache, cycle, "dram" if number == len(caches) else f"cache{number + 1}"
        )
    yield ""
    yield "[component.dram]"
    yield 'title = "memory"'
    yield 'kind = "sdram"'
    yield 'clock = "dram"'
    yield _number("width", 64, "bit", "assumed: one channel; 16 to 512 bit")
    yield _number("burst", 8, "", "JEDEC: BL8")
    yield _number("banks", 16, "", "JEDEC DDR4: 16 of x8 devices")
    yield _number("row_bytes", 8, "KiB", "JEDEC DDR4: a rank of x8 devices")
    yield _number("cas_cycles", 22, "cycles", "JEDEC DDR4-3200: CL 22")
    yield _number("precharge", 13.75, "ns", "JEDEC DDR4-3200: tRP")
    yield _number("activate", 13.75, "ns", "JEDEC DDR4-3200: tRCD")
    yield _number("refresh", 350, "ns", "JEDEC: tRFC of 8 Gbit")
    yield _number("refresh_interval", 7.8, "us", "JEDEC: tREFI")
    yield _number("read_latency", 40, "ns", "assumed: to the controller and back; 20 to 150 ns")
    yield _number("write_latency", 20, "ns", "assumed; 10 to 100 ns")
    yield _number("queue", 16, "", "assumed; 4 to 64")
    yield ""
    yield "[component.devices]"
    yield 'title = "devices"'
    yield 'kind = "ram"'
    yield 'clock = "dram"'
    yield ""
    yield "[[path]]"
    yield 'title = "core, {access}"'
    yield 'os = "linux"'
    yield 'master = "cpu"'
    yield 'access = ["latency", "rd", "wr", "cp"]'
    yield 'target = "native"'
    yield 'load = "idle"'


def _cache(number: int, cache: Cache, cycle: float, below: str) -> Iterator[str]:
    level = "outer" if below == "dram" and number > 1 else "inner"
    told = "told by the system"
    size, says = cache.bytes, told
    if size > _LARGEST:
        size, says = _LARGEST, f"{told}: {cache.bytes >> 20} MiB; the twin's caches end here"
    further = _FURTHER[min(number - 2, len(_FURTHER) - 1)] if number > 1 else 0
    ways = cache.ways or 8
    yield ""
    yield f"[component.cache{number}]"
    yield f'title = "L{cache.level}"'
    yield 'kind = "cache"'
    yield 'clock = "core"'
    yield f'to = ["{below}"]'
    yield f'level = "{level}"'
    yield 'replacement = "round_robin"'
    yield _number("bytes", size >> 10, "KiB", says)
    yield _number("ways", ways, "", told if cache.ways else "assumed: not told; 2 to 20")
    yield _number("line", cache.line or _LINE, "B", told if cache.line else "assumed: not told")
    yield _number("prefetch_lines", 0, "", "the core's, where it has one")
    source = f"assumed: {further} cycles; half to twice" if further else "part of the load"
    yield _number("latency", round(further * cycle, 4), "ns", source)
    yield _number("write_latency", 0, "ns", "assumed: hidden by the store buffer")


def _number(name: str, value: float, unit: str, source: str) -> str:
    return f'{name} = {{ value = {value:g}, unit = "{unit}", source = "{source}" }}'


def _text(told: str) -> str:
    """What a machine tells, as it can stand between quotes of TOML."""
    return "".join(sign for sign in told if sign.isprintable() and sign not in '"\\')[:80]
