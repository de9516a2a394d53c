# SPDX-License-Identifier: Apache-2.0
"""Makes the C header and the table for readers out of the description of the registers.

    python hdl/registers/generate.py [DIRECTORY]

Writes hdl/registers/datra.h and docs/registers.md below the directory; without one, in the source
tree. Both are committed, so that software builds without the generator.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from systemrdl import RDLCompiler
from systemrdl.node import AddressableNode, AddrmapNode, MemNode, RegNode

root = Path(__file__).parents[2]
source = root / "hdl" / "registers" / "datra.rdl"
header = Path("hdl/registers/datra.h")
table = Path("docs/registers.md")

introduction = """\
# Registers

Generated from hdl/registers/datra.rdl. Accesses are 32 bits wide, little endian. Registers in
italics are extensions of ours, in places that the original leaves free. r: read, w: write; ! has an
effect beyond the value: a read that takes something, a bit that sets, clears or starts something.
"""


def describe(top: str) -> AddrmapNode:
    """The description of an address map, elaborated."""
    compiler = RDLCompiler()
    compiler.compile_file(str(source))
    return compiler.elaborate(top_def_name=top).top


def path(node: AddressableNode) -> list[AddressableNode]:
    """From below its page down to the register."""
    parts: list[AddressableNode] = []
    while not isinstance(node, AddrmapNode):
        parts.insert(0, node)
        assert isinstance(node.parent, AddressableNode)
        node = node.parent
    return parts


def place(node: AddressableNode) -> str:
    """Offset in the page, and the steps of its arrays: `0x610 + 16i + 4j`."""
    offset, steps, letters = 0, "", iter("ijk")
    for part in path(node):
        offset += part.raw_address_offset
        if part.array_dimensions:
            steps += f" + {part.array_stride}{next(letters)}"
    return f"0x{offset:03X}{steps}"


def access(register: RegNode) -> str:
    fields = register.fields()
    letters = "r" * any(field.is_sw_readable for field in fields)
    letters += "w" * any(field.is_sw_writable for field in fields)
    effect = any(field.get_property("onread") or field.get_property("onwrite") for field in fields)
    return letters + "!" * effect


def text(node: AddressableNode) -> str:
    name, description = node.get_property("name"), node.get_property("desc") or ""
    return f"{name}. {description}".replace("\n", " ").strip()


def rows(page: AddressableNode) -> Iterator[str]:
    for child in page.children(unroll=False):
        name = ".".join(part.inst_name for part in path(child))
        if isinstance(child, MemNode):
            letters = "rw!" if child.is_sw_writable else "r"
            yield f"| {place(child)} | {name} | {letters} | | {text(child)} |"
        elif isinstance(child, RegNode):
            if child.get_property("extension"):
                name = f"*{name}*"
            fields = ", ".join(
                f"[{field.high}:{field.low}] {field.inst_name}"
                + (f" = {field.get_property('reset'):#x}" if field.get_property("reset") else "")
                for field in child.fields()
            )
            yield f"| {place(child)} | {name} | {access(child)} | {fields} | {text(child)} |"
        elif isinstance(child, AddressableNode):
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


def document() -> str:
    top = describe("datra")
    lines = [introduction, top.get_property("desc"), ""]
    seen: set[str] = set()
    for page in (*top.children(unroll=False), describe("stream_window")):
        assert isinstance(page, AddrmapNode)
        if page.get_property("name") not in seen:
            lines += section(page)
        seen.add(page.get_property("name"))
    return "\n".join(lines)


def generate(directory: Path) -> None:
    for file in (header, table):
        (directory / file).parent.mkdir(parents=True, exist_ok=True)
    (directory / table).write_text(document())
    command = [sys.executable, "-m", "peakrdl", "c-header", source, "-o", directory / header]
    subprocess.run([*command, "--type-style", "hier", "--std", "gnu11"], check=True)
    made = directory / header
    made.write_text("// SPDX-License-Identifier: Apache-2.0\n" + made.read_text())


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else root)
