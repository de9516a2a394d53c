# SPDX-License-Identifier: Apache-2.0
"""Makes names of every register and field out of the descriptions in hdl/registers/*.rdl.

    python tools/registers.py [DIRECTORY]

For each NAME.rdl, below the directory or in the source tree:

    stack/linux/NAME-registers.h           driver, library, programs: BIT, GENMASK, FIELD_GET
    hdl/registers/NAME_registers.sv        a package for the logic
    cosim/NAME_registers.hpp               for harnesses
    src/weighbridge/registers/NAME.py      for benches and tests

and docs/registers.md, the table for readers, of all. They are committed, so that nothing needs
this program to be built; a test compares. Offsets are from the page or window, or, in a register
file with a `layout`, from where that begins. A name is made of those of the address map, less
`_page`, of the register, and of the field.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddressableNode, AddrmapNode, MemNode, RegfileNode, RegNode

from tools import ROOT

SOURCES = ROOT / "hdl" / "registers"
TABLE = Path("docs/registers.md")

INTRODUCTION = """\
# Registers

Generated from hdl/registers/*.rdl. Accesses are 32 bits wide, little endian. Registers in
italics are extensions of ours, in places that the original leaves free. r: read, w: write; ! has an
effect beyond the value: a read that takes something, a bit that sets, clears or starts something.
"""


@dataclass(frozen=True)
class Place:
    """A register, a memory or a block of registers: byte offset, byte steps of its arrays."""

    name: str
    offset: int
    steps: tuple[int, ...] = ()


@dataclass
class Names:
    """What one description gives names to: upper case, words joined by `_`."""

    places: dict[str, Place] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # bytes of memories
    fields: dict[str, tuple[int, int]] = field(default_factory=dict)  # highest and lowest bit
    resets: dict[str, int] = field(default_factory=dict)  # of registers, if not 0
    kinds: dict[str, dict[str, int]] = field(default_factory=dict)  # enumerations


@cache
def describe(source: Path, top: str) -> AddrmapNode:
    """The description of an address map, elaborated."""
    compiler = RDLCompiler()
    compiler.compile_file(str(source))
    return compiler.elaborate(top_def_name=top).top


def maps(source: Path) -> Iterator[AddrmapNode]:
    """Each address map of a file but that of its own name, which puts the others together."""
    compiler = RDLCompiler()
    compiler.compile_file(str(source))
    for name, definition in compiler.root.comp_defs.items():
        if type(definition).__name__ == "Addrmap" and name != source.stem:
            yield describe(source, name)


def below(prefix: str, name: str) -> str:
    """A name below another, which it may begin with itself."""
    name = name.upper()
    return name if name.startswith(f"{prefix}_") else f"{prefix}_{name}"


def put(table: dict[str, Place] | dict[str, tuple[int, int]], name: str, value: object) -> None:
    """Notes a fact; whatever has the same name must say the same."""
    if table.setdefault(name, value) != value:  # type: ignore[arg-type]
        raise ValueError(f"{name} is {table[name]} and {value}")


def collect(names: Names, node: AddressableNode, prefix: str, start: int, steps: list[int]) -> None:
    """Notes all below a node, whose own offset is `start` from where `prefix` begins."""
    for child in node.children(unroll=False):
        assert isinstance(child, AddressableNode)
        offset = start + child.raw_address_offset
        own = [*steps, *([child.array_stride] if child.array_stride else [])]
        name = below(prefix, child.inst_name)
        together = str(child.get_property("layout") or "") if has_layout(child) else ""
        if isinstance(child, RegfileNode) and not together:
            collect(names, child, name, offset, own)
            continue
        put(names.places, name, Place(name, offset, tuple(own)))
        if isinstance(child, RegfileNode):
            collect(names, child, below(prefix, together), 0, [])
        elif isinstance(child, MemNode):
            names.sizes[f"{name}_BYTES"] = child.size
        elif isinstance(child, RegNode):
            register(names, child, name, below(prefix, together) if together else name)


def has_layout(node: AddressableNode) -> bool:
    return isinstance(node, RegNode | RegfileNode)


def register(names: Names, node: RegNode, name: str, prefix: str) -> None:
    """Notes the fields of a register, below `prefix`, and what it holds after reset."""
    reset = 0
    for part in node.fields():
        if part.width < node.get_property("regwidth"):  # else the register is the field
            put(names.fields, f"{prefix}_{part.inst_name.upper()}", (part.high, part.low))
        value = part.get_property("reset")
        reset |= (value if isinstance(value, int) else 0) << part.low
        kinds = part.get_property("encode")
        if kinds:
            names.kinds[kinds.type_name] = {key: one.value for key, one in kinds.members.items()}
    if reset:
        names.resets[f"{name}_RESET"] = reset


def read(source: Path) -> Names:
    """All names of a description."""
    names = Names()
    for page in maps(source):
        prefix = page.inst_name.removesuffix("_page").upper()
        collect(names, page, prefix, 0, [])
    return names


# ---- texts ---------------------------------------------------------------------------------------


def notice(source: Path) -> str:
    return f"Generated by tools/registers.py from hdl/registers/{source.name}."


def span(high: int, low: int) -> int:
    """The mask of some bits."""
    return (2 << high) - (1 << low)


def defined(name: str, value: str) -> str:
    """A line of a C header, its value in a column."""
    head = f"#define {name}"
    return head + "\t" * max(1, (55 - len(head)) // 8 + 1) + value


def c_header(source: Path, names: Names) -> str:
    guard = f"{source.stem.upper()}_REGISTERS_H"
    own = source.stem.upper()
    lines = [
        "/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */",
        f"/* {notice(source)} Offsets are in bytes. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#ifdef __KERNEL__",
        "#include <linux/bitfield.h>",
        "#include <linux/bits.h>",
        "#else",
        "/* As the kernel has them, for words of 32 bits. */",
        "#ifndef BIT",
        "#define BIT(bit)\t\t(1U << (bit))",
        "#endif",
        "#ifndef GENMASK",
        "#define GENMASK(high, low)\t((~0U >> (31 - (high))) & (~0U << (low)))",
        "#endif",
        "#ifndef FIELD_GET",
        "#define FIELD_GET(mask, word)\t(((word) & (mask)) / ((mask) & (~(mask) + 1)))",
        "#define FIELD_PREP(mask, value)\t(((value) * ((mask) & (~(mask) + 1))) & (mask))",
        "#endif",
        "#endif",
        "",
        "/* Registers and memories. */",
    ]
    for name, place in names.places.items():
        indices = "ijk"[: len(place.steps)]
        terms = [f"0x{place.offset:02X}"] + [
            f"{step} * ({i})" for step, i in zip(place.steps, indices, strict=True)
        ]
        call = f"({', '.join(indices)})" if indices else ""
        value = " + ".join(terms)
        lines.append(defined(f"{own}_{name}{call}", f"({value})" if indices else value))
    for name, size in names.sizes.items():
        lines.append(defined(f"{own}_{name}", f"0x{size:X}"))
    lines += ["", "/* Fields. */"]
    for name, (high, low) in names.fields.items():
        value = f"BIT({low})" if high == low else f"GENMASK({high}, {low})"
        lines.append(defined(f"{own}_{name}", value))
    lines += ["", "/* After reset, where not 0; with the logic's default parameters. */"]
    lines += [defined(f"{own}_{name}", f"0x{value:X}U") for name, value in names.resets.items()]
    for kind, members in names.kinds.items():
        lines += ["", f"enum {source.stem}_{kind} {{"]
        prefix = f"{own}_{kind.upper()}"
        lines += [f"\t{prefix}_{key.upper()} = {value}," for key, value in members.items()]
        lines += ["};"]
    return "\n".join([*lines, "", "#endif", ""])


def sv_package(source: Path, names: Names) -> str:
    name = f"{source.stem}_registers"
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "",
        f"// {notice(source)}",
        "// Offsets in bytes, _STEP between the elements of an array; of fields the lowest bit and",
        "// the width; registers after reset, where not 0, with the logic's default parameters.",
        "",
        "// verilator lint_off UNUSEDPARAM",
        f"package {name};",
    ]

    def word(name: str, value: int) -> None:
        digits = f"16'h{value:04X}" if value < 1 << 16 else f"32'h{value:08X}"
        lines.append(f"  localparam logic [{15 if value < 1 << 16 else 31}:0] {name} = {digits};")

    for key, place in names.places.items():
        word(key, place.offset)
        for letter, step in zip(("STEP", "INNER_STEP"), place.steps, strict=False):
            word(f"{key}_{letter}", step)
    for key, value in names.sizes.items():
        word(key, value)
    for key, (high, low) in names.fields.items():
        lines.append(f"  localparam int unsigned {key}_LOW = {low};")
        lines.append(f"  localparam int unsigned {key}_WIDTH = {high - low + 1};")
    for key, value in names.resets.items():
        lines.append(f"  localparam logic [31:0] {key} = 32'h{value:08X};")
    for kind, members in names.kinds.items():
        for key, value in members.items():
            lines.append(f"  localparam logic [7:0] {kind.upper()}_{key.upper()} = 8'd{value};")
    return "\n".join([*lines, "endpackage", "// verilator lint_on UNUSEDPARAM", ""])


def cpp_header(source: Path, names: Names) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {notice(source)}",
        "// Offsets are in bytes, fields are masks.",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        f"namespace {source.stem}_registers {{",
        "",
    ]
    for place in names.places.values():
        indices = "ijk"[: len(place.steps)]
        terms = [f"0x{place.offset:02X}U"]
        terms += [f"{step} * {i}" for step, i in zip(place.steps, indices, strict=True)]
        low, value = place.name.lower(), " + ".join(terms)
        if indices:
            arguments = ", ".join(f"unsigned {i}" for i in indices)
            lines.append(f"constexpr unsigned {low}({arguments}) {{ return {value}; }}")
        else:
            lines.append(f"constexpr unsigned {low} = {value};")
    for name, size in names.sizes.items():
        lines.append(f"constexpr unsigned {name.lower()} = 0x{size:X};")
    lines.append("")
    for name, (high, low_bit) in names.fields.items():
        mask = f"0x{span(high, low_bit):X}U"
        lines.append(f"constexpr std::uint32_t {name.lower()} = {mask};")
    lines.append("")
    for name, value_after in names.resets.items():
        lines.append(f"constexpr std::uint32_t {name.lower()} = 0x{value_after:X}U;")
    for kind, members in names.kinds.items():
        lines.append("")
        for key, number in members.items():
            lines.append(f"constexpr std::uint32_t {kind}_{key} = {number};")
    return "\n".join(
        [
            *lines,
            "",
            "/// The value of a field in a word.",
            "constexpr std::uint32_t get(std::uint32_t mask, std::uint32_t word) {",
            "  return (word & mask) / (mask & (~mask + 1));",
            "}",
            "/// A word in which a field has a value.",
            "constexpr std::uint32_t put(std::uint32_t mask, std::uint32_t value) {",
            "  return value * (mask & (~mask + 1)) & mask;",
            "}",
            "",
            f"}}  // namespace {source.stem}_registers",
            "",
        ]
    )


def python_module(source: Path, names: Names) -> str:
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f'"""{notice(source)}',
        "",
        "Offsets are in bytes, fields are masks.",
        '"""',
        "",
    ]
    arrays: list[str] = []
    for place in names.places.values():
        indices = "ijk"[: len(place.steps)]
        terms = [f"0x{place.offset:02X}"]
        terms += [f"{step} * {i}" for step, i in zip(place.steps, indices, strict=True)]
        if indices:
            arguments = ", ".join(f"{i}: int" for i in indices)
            arrays += ["", "", f"def {place.name.lower()}({arguments}) -> int:"]
            arrays += [f"    return {' + '.join(terms)}"]
        else:
            lines.append(f"{place.name} = {terms[0]}")
    lines += [f"{name} = 0x{size:X}" for name, size in names.sizes.items()]
    lines.append("")
    lines += [f"{name} = 0x{span(*bits):X}" for name, bits in names.fields.items()]
    lines.append("")
    lines += [f"{name} = 0x{value:X}" for name, value in names.resets.items()]
    for kind, members in names.kinds.items():
        lines.append("")
        lines += [f"{kind.upper()}_{key.upper()} = {value}" for key, value in members.items()]
    return "\n".join([*lines, *arrays, ""])


# ---- the table for readers -----------------------------------------------------------------------


def path(node: AddressableNode) -> list[AddressableNode]:
    """From below its page down to the register."""
    parts: list[AddressableNode] = []
    while not isinstance(node, AddrmapNode):
        parts.insert(0, node)
        assert isinstance(node.parent, AddressableNode)
        node = node.parent
    return parts


def place_of(node: AddressableNode) -> str:
    """Offset in the page, and the steps of its arrays: `0x610 + 16i + 4j`."""
    offset, steps, letters = 0, "", iter("ijk")
    for part in path(node):
        offset += part.raw_address_offset
        if part.array_dimensions:
            steps += f" + {part.array_stride}{next(letters)}"
    return f"0x{offset:03X}{steps}"


def access(node: RegNode) -> str:
    fields = node.fields()
    letters = "r" * any(one.is_sw_readable for one in fields)
    letters += "w" * any(one.is_sw_writable for one in fields)
    effect = any(one.get_property("onread") or one.get_property("onwrite") for one in fields)
    return letters + "!" * effect


def text(node: AddressableNode) -> str:
    name, description = node.get_property("name"), node.get_property("desc") or ""
    return f"{name}. {description}".replace("\n", " ").strip()


def rows(page: AddressableNode) -> Iterator[str]:
    for child in page.children(unroll=False):
        assert isinstance(child, AddressableNode)
        name = ".".join(part.inst_name for part in path(child))
        if isinstance(child, MemNode):
            letters = "rw!" if child.is_sw_writable else "r"
            yield f"| {place_of(child)} | {name} | {letters} | | {text(child)} |"
        elif isinstance(child, RegNode):
            if child.get_property("extension"):
                name = f"*{name}*"
            fields = ", ".join(
                f"[{one.high}:{one.low}] {one.inst_name}"
                + (f" = {one.get_property('reset'):#x}" if one.get_property("reset") else "")
                for one in child.fields()
            )
            yield f"| {place_of(child)} | {name} | {access(child)} | {fields} | {text(child)} |"
        else:
            yield from rows(child)


def section(page: AddrmapNode) -> list[str]:
    description = page.get_property("desc")
    return [
        f"## {page.get_property('name')}",
        "",
        *([description, ""] if description else []),
        "| offset | register | access | fields, reset if not 0 | |",
        "|---|---|---|---|---|",
        *rows(page),
        "",
    ]


def pages(source: Path) -> Iterator[AddrmapNode]:
    """Those of the reference configuration, as it has them, then what is in none of them."""
    shown: set[str] = set()
    for page in (*describe(source, source.stem).children(unroll=False), *maps(source)):
        assert isinstance(page, AddrmapNode)
        if page.get_property("name") not in shown:
            yield page
        shown.add(page.get_property("name"))


def document(sources: Iterable[Path]) -> str:
    lines = [INTRODUCTION]
    for source in sources:
        lines += [str(describe(source, source.stem).get_property("desc")), ""]
        for page in pages(source):
            lines += section(page)
    return "\n".join(lines)


def generated() -> dict[Path, str]:
    """The text of each file, by its place in the source tree."""
    sources = sorted(SOURCES.glob("*.rdl"))
    made = {TABLE: document(sources)}
    for source in sources:
        names, stem = read(source), source.stem
        made[Path(f"stack/linux/{stem}-registers.h")] = c_header(source, names)
        made[Path(f"hdl/registers/{stem}_registers.sv")] = sv_package(source, names)
        made[Path(f"cosim/{stem}_registers.hpp")] = cpp_header(source, names)
        made[Path(f"src/weighbridge/registers/{stem}.py")] = python_module(source, names)
    return made


def main() -> None:
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    for file, content in generated().items():
        (directory / file).parent.mkdir(parents=True, exist_ok=True)
        (directory / file).write_text(content)


if __name__ == "__main__":
    main()
