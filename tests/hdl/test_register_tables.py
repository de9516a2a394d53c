# SPDX-License-Identifier: Apache-2.0
"""Offsets and bits of registers stand in hdl/registers alone, but for two tables, which agree.

What the bench of the original's driver and the proofs know of registers was written by hand from
the original and from what the logic is to do. A generator that is wrong would be wrong everywhere
else alike: here it is seen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("systemrdl")
from tools import registers

root = Path(__file__).parents[2]
names = registers.read(registers.SOURCES / "datra.rdl")
offset = {name: place.offset for name, place in names.places.items()}

# ---- the two tables ------------------------------------------------------------------------------

DRIVER = root / "hdl" / "datra" / "tb" / "original_driver.py"
#: What the bench of the original's driver calls a register.
SAME = {
    **{"TYPE": "NODE_TYPE", "VERSION": "NODE_VERSION", "QUEUES": "NODE_QUEUES"},
    **{"STATUS": "CPU_IRQ_STATUS", "SET": "CPU_IRQ_SET", "CLEAR": "CPU_IRQ_CLEAR"},
    **{"USER": "CPU_USER_SIGNAL", "FREE": "CPU_FREE", "FREE_ABOVE": "CPU_FREE_ABOVE"},
    **{"AVAILABLE": "CPU_AVAILABLE", "AVAILABLE_ABOVE": "CPU_AVAILABLE_ABOVE"},
    **{"TO_USER": "DMA_TO_LOGIC_SIGNAL", "RESULT_ADDRESS": "DMA_FROM_LOGIC_RESULT"},
    **{"RESULT_USER": "DMA_FROM_LOGIC_RESULT_SIGNAL"},
    **{"RESULT_BYTES": "DMA_FROM_LOGIC_RESULT_BYTES"},
    **{f"TO_{one}": f"DMA_TO_LOGIC_{one}" for one in ("CONTROL", "STATUS", "ADDRESS", "BYTES")},
    "TO_RESULT": "DMA_TO_LOGIC_RESULT",
    **{f"FROM_{one}": f"DMA_FROM_LOGIC_{one}" for one in ("CONTROL", "STATUS", "ADDRESS", "BYTES")},
    **{"ENABLE": "CONTROL_BACKPLANE_SET", "DISABLE": "CONTROL_BACKPLANE_CLEAR"},
    **{"PENDING": "CONTROL_IRQ_PENDING", "REARM": "CONTROL_IRQ_REARM"},
}
#: Of that table: where the bench has its rings in memory.
MEMORY = {"TO_RING", "FROM_RING", "RING_BYTES"}


def constants(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names and numbers of a module's assignments, side by side where there are several."""
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        pairs = (
            zip(target.elts, value.elts, strict=False)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            else [(target, value)]
        )
        for one, number in pairs:
            if isinstance(one, ast.Name) and isinstance(number, ast.Constant):
                assert isinstance(number.value, int), one.id
                yield one.id, number.value


def test_the_drivers_bench_agrees() -> None:
    table = dict(constants(ast.parse(DRIVER.read_text())))
    assert {name: table[name] for name in SAME} == {
        name: offset[same] for name, same in SAME.items()
    }
    assert set(SAME) | MEMORY == set(table)


def in_proof(page: str, text: str) -> set[int]:
    """Offsets that a proof compares an address with."""
    text = re.sub(r"//.*", "", text)

    def all_of(pattern: str) -> set[int]:
        return {int(digits, 16) for digits in re.findall(pattern, text)}

    found = all_of(r"\b(?:at|bus_address) (?:==|>=|<=) 1[16]'h(\w+)")
    found |= {4 * word for word in all_of(r"\bword == (?:9|10)'h(\w+)")}
    found |= {4 * word for word in all_of(r"bus_address\[10:2\] == 9'h(\w+)")}
    found |= {16 * row for row in all_of(r"word\[9:2\] == 8'h(\w+)")}
    if page == "CONTROL":
        found |= all_of(r"32'h(\w+) \+ 4 \* k")
    if page == "DMA":
        bases = re.findall(r"offset \+ \(d == 0 \? 11'h(\w+) : 11'h(\w+)\)", text)
        for name, pair in zip(("page", "block"), bases, strict=True):
            own = all_of(rf"\b{name}\([di], 11'h(\w+)\)")
            found |= {int(base, 16) + one for base in pair for one in own}
            # Of one direction alone.
            for one in all_of(rf"\b{name}\(1, 11'h(\w+)\)"):
                found.add(int(pair[1], 16) + one)
    return found


def described(page: str) -> set[int]:
    """Offsets of a page, of arrays all that differ by what a proof tells apart."""
    found = set()
    for name, place in names.places.items():
        if name.startswith(f"{page}_") and not name.startswith(f"{page}_WINDOW"):
            found.add(place.offset)
    return found


def test_the_proof_of_the_control_page_agrees() -> None:
    proof = in_proof("CONTROL", (root / "hdl/formal/control_page_proof.sv").read_text())
    arrays = {offset["CONTROL_LICENCE_KEY"] + 4}
    zero = {offset["CONTROL_NODE_COUNT_HIGH"]}  # it reads 0, as what is not there
    device = {offset["CONTROL_DEVICE_ID"]}  # 0 where it is proven
    assert proof == (described("CONTROL") | arrays) - zero - device


def test_the_proof_of_the_cpu_node_agrees() -> None:
    proof = in_proof("CPU", (root / "hdl/formal/cpu_node_proof.sv").read_text())
    assert proof - {0x1000} == described("CPU")  # the end of the window


def test_the_proof_of_the_dma_node_agrees() -> None:
    proof = in_proof("DMA", (root / "hdl/formal/dma_node_proof.sv").read_text())
    ring = {
        place.offset + 4 * part
        for name, place in names.places.items()
        if name.startswith("DMA_RING_")
        for part in {"DESCRIPTORS": (0, 1), "STATUSES": (0, 1), "COUNTERS": (0, 4)}.get(
            name.removeprefix("DMA_RING_"), (0,)
        )
    }
    pages = {
        place.offset
        for name, place in names.places.items()
        if name.startswith("DMA_") and not name.startswith("DMA_RING_")
    }
    sides = (offset["DMA_TO_LOGIC_RING"], offset["DMA_FROM_LOGIC_RING"])
    pages |= {side + one for side in sides for one in ring}
    # To the end of a look; and what the proof says for both directions where only one has it.
    end = {offset["DMA_LOOK"] + names.sizes["DMA_LOOK_BYTES"]}
    only_from = {sides[0] + offset["DMA_RING_TIMEOUT"], sides[0] + offset["DMA_RING_CUT"]}
    assert proof - end - only_from == pages - only_from


# ---- nowhere else --------------------------------------------------------------------------------

GENERATED = {root / path for path in registers.generated()}
TABLES = {DRIVER, DRIVER.with_name("driver_bench.py"), *(root / "hdl" / "formal").glob("*.sv")}
#: What has no registers of Datra's: numbers of ioctls, of PCI, and addresses that are any.
WITHOUT = {"axi_slave.sv", "axi_slave_bench.py", "datra-ioctl.h", "pci_function.hpp"}
#: Registers of ARM's and of a chip's own: these files are the one place that declares them.
OTHERS = {root / "stack/pl330", root / "stack/study"}
PLACES = (
    *("stack/**/*.[ch]", "stack/**/*.py", "cosim/*.?pp", "hdl/datra/rtl/*.sv", "hdl/datra/tb/*.py"),
    *("tests/stack/**/*.[ch]", "tests/stack/*.py", "src/weighbridge/backends/uml/*.py"),
)
files = sorted(
    file
    for place in PLACES
    for file in root.glob(place)
    if file not in GENERATED | TABLES and file.name not in WITHOUT and not OTHERS & {*file.parents}
)

#: In a ring, from the page of the DMA node.
rings = {
    offset[ring] + place.offset
    for name, place in names.places.items()
    for ring in ("DMA_TO_LOGIC_RING", "DMA_FROM_LOGIC_RING")
    if name.startswith("DMA_RING_")
}
#: Each offset, from its page or, for the reference configuration, from the card's beginning. Those
#: of a window's first words may be any number, as 64 KiB may.
offsets = {names.sizes["CARD_NODE_PAGE_BYTES"]} | {
    page * names.sizes["CARD_NODE_PAGE_BYTES"] + one
    for page in range(7)
    for one in {
        *rings,
        *(o for name, o in offset.items() if o > 12 and not name.startswith("CARD_")),
    }
}
HEX = r"0[xX][\da-fA-F']+[uUlL]*"
NUMBER = rf"(?:{HEX}|[1-9]\d*[uUlL]*)"


def is_offset(text: str) -> bool:
    return int(text.rstrip("uUlL").replace("'", ""), 0) in offsets


def without_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), text, flags=re.S)
    return re.sub(r"//.*", "", text)


def in_c(text: str) -> Iterator[str]:
    """Of C and C++: definitions, arguments of accesses, masks, and shifts of what was read."""
    text = without_comments(text)
    for name, value in re.findall(rf"#define\s+(\w+)\s+\(?({HEX})", text):
        if is_offset(value):
            yield f"{name} is {value}"
    for group in re.findall(r"\b(?:enum\b[^{;]*\{[^}]*\}|constexpr[^;]*;)", text):
        for name, value in re.findall(rf"(\w+)\s*(?:=|\{{)\s*({HEX})\s*[,;}}]", group):
            if is_offset(value):
                yield f"{name} is {value}"
    inside = r"((?:[^();]|\((?:[^();]|\([^();]*\))*\))*)"
    for call in re.finditer(rf"\b(\w*(?:read|write|get|set|peek|poke))\({inside}\)", text):
        arguments = re.split(r",(?![^()]*\))", call[2])
        # The offset is the last of pread(), else the first or the one after the device.
        chosen = arguments[3:4] if call[1] in ("pread", "pwrite") else arguments[:2]
        if any(is_offset(found) for one in chosen for found in re.findall(rf"\b{HEX}", one)):
            yield call[0]
    yield from re.findall(rf"\b(?:page|window)\([^()]*, {NUMBER}\)", text)
    yield from re.findall(rf"\bring\(\w+\) \+ {NUMBER}", text)
    yield from re.findall(r"\bGENMASK(?:_ULL)?\(\d+, \d+\)", text)
    for call in re.finditer(rf"\b\w*(?:read|peek)\({inside}\)\s*(?:>>|&)\s*{NUMBER}", text):
        yield call[0]


def in_python(text: str) -> Iterator[str]:
    """Constants that are an offset, and numbers in the place of one, or of bits."""
    tree = ast.parse(text)

    def written(node: ast.AST) -> bool:
        """As people write an offset."""
        segment = ast.get_source_segment(text, node) or ""
        return bool(re.fullmatch(HEX, segment)) and is_offset(segment)

    for assigned in tree.body:
        if isinstance(assigned, ast.Assign):
            plain = [assigned.value, *getattr(assigned.value, "elts", [])]
            yield from (ast.unparse(assigned) for value in plain if written(value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func)
            last = called.rsplit(".", 1)[-1]
            if "memor" in called or last not in CALLS:
                continue
            chosen = node.args[1] if CALLS[last] and len(node.args) > 1 else node.args[0]
            if any(written(part) for part in ast.walk(chosen)):
                yield ast.unparse(node)
        # Bits of what was read.
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift | ast.BitAnd):
            read = re.search(r"\bread\(", ast.unparse(node.left))
            if read and isinstance(node.right, ast.Constant):
                yield ast.unparse(node)


#: Accesses, and whether a node comes before the offset.
CALLS = {
    **dict.fromkeys(("read", "write", "peek", "poke", "access"), False),
    **dict.fromkeys(("page", "window", "lane"), True),
}


def in_sv(text: str) -> Iterator[str]:
    """Where a module has a register bus: what something is compared with, and places of bits.

    A register with one field has it in its lowest bits: that is said by a width alone.
    """
    text = without_comments(text)
    if "bus_address" not in text:
        return
    yield from re.findall(r"(?:[=!]=|[<>]=?) *\d+'h[\da-fA-F_]+", text)
    yield from re.findall(r"^ *\d+'h[\da-fA-F_]+:", text, flags=re.M)
    yield from re.findall(r"bus_wdata\[\d+\]|bus_wdata\[\d+:[1-9]\d*\]", text)
    yield from re.findall(r"\b(?:read|value) *= *\{\d+'[bdh]0[^}]*\}", text)
    yield from re.findall(r"\b(?:read|value)\[[\d:]+\] *=", text)


def by_hand(file: Path, text: str) -> list[str]:
    rule = {".py": in_python, ".sv": in_sv}.get(file.suffix, in_c)
    return list(rule(text))


@pytest.mark.parametrize("file", files, ids=lambda file: str(file.relative_to(root)))
def test_no_offset_or_bit_is_written_by_hand(file: Path) -> None:
    assert not by_hand(file, file.read_text())


@pytest.mark.parametrize(
    ("suffix", "line"),
    [
        (".c", "#define NODE_IRQ_MASK 0x20"),
        (".c", "enum { ENABLE = 0x54, DISABLE = 0x58 };"),
        (".c", "value = node_read(node, 0x64);"),
        (".c", "pread(ctl, &marks[0], 4, 0x1230);"),
        (".c", "#define RESULTS GENMASK(31, 24)"),
        (".c", "free = node_read(node, DMA_OF(from, STATUS)) >> 16 & 0xFF;"),
        (".cpp", "bench.write(0x54, 0x7F);"),
        (".cpp", "bench.read(Bench::window(test, 0x14));"),
        (".cpp", "set(ring(d) + 0x18, side.entries - 1);"),
        (".cpp", "constexpr unsigned control = 0x60;"),
        (".py", "ENABLE, DISABLE = 0x54, 0x58"),
        (".py", "MASK_SET = 0x1028"),
        (".py", "x = datra.read(page(0x64))"),
        (".py", "x = datra.read(STATUS) >> 24"),
        (".sv", "wire [7:0] bus_address; wire a = low == 8'h28;"),
        (".sv", "wire bus_address;\n        8'h60: value = control;"),
        (".sv", "wire bus_address; wire run = bus_wdata[1];"),
        (".sv", "wire bus_address; ticks <= bus_wdata[31:16];"),
        (".sv", "wire bus_address; assign value = {30'd0, reset, run};"),
    ],
)
def test_what_is_written_by_hand_is_found(suffix: str, line: str) -> None:
    assert by_hand(Path(f"x{suffix}"), line)
