# SPDX-License-Identifier: Apache-2.0
"""PL330 microcode through the binding: any program survives text -> bytes -> text, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge import _engine

SIZES = st.sampled_from([8, 16, 32, 64, 128])  # bits of a beat
WORDS = st.integers(0, 2**32 - 1).map(hex)
SMALL = st.integers(0, 31)
COUNTER = st.sampled_from(["lc0", "lc1"])


@st.composite
def burst(draw: st.DrawFn, side: str) -> str:
    """One half of CCR in assembly text; `side` is S or D."""
    beats, bits = draw(st.integers(1, 16)), draw(SIZES)
    step, protection = draw(st.sampled_from(["AI", "AF"])), draw(st.integers(0, 7))
    cache = draw(st.integers(0, 7))
    return f"{side}B{beats} {side}S{bits} {side}{step} {side}P{protection} {side}C{cache}"


INSTRUCTIONS = st.one_of(
    st.sampled_from(["DMAEND", "DMAKILL", "DMANOP", "DMARMB", "DMAWMB", "DMASTZ"]),
    st.builds("{}{}".format, st.sampled_from(["DMALD", "DMAST"]), st.sampled_from(["", "S", "B"])),
    st.builds(
        "{}{} {}".format, st.sampled_from(["DMALDP", "DMASTP"]), st.sampled_from("SB"), SMALL
    ),
    st.builds("DMAFLUSHP {}".format, SMALL),
    st.builds("DMAWFP {}, {}".format, SMALL, st.sampled_from(["single", "burst", "periph"])),
    st.builds("DMASEV {}".format, SMALL),
    st.builds("DMAWFE {}{}".format, SMALL, st.sampled_from(["", ", invalid"])),
    st.builds("DMALP {}, {}".format, COUNTER, st.integers(1, 256)),
    st.builds(
        "DMALPEND{} {}, {}".format,
        st.sampled_from(["", "S", "B"]),
        st.sampled_from(["lc0", "lc1", "forever"]),
        st.integers(0, 255),
    ),
    st.builds(
        "{} {}, {}".format,
        st.sampled_from(["DMAADDH", "DMAADNH"]),
        st.sampled_from(["SAR", "DAR"]),
        st.integers(0, 0xFFFF).map(hex),
    ),
    st.builds("DMAMOV {}, {}".format, st.sampled_from(["SAR", "DAR"]), WORDS),
    st.builds(
        "DMAMOV CCR, {} {}{}".format,
        burst("S"),
        burst("D"),
        st.sampled_from(["", " ES16", " ES32", " ES64", " ES128"]),
    ),
    st.builds("DMAGO {}, {}{}".format, st.integers(0, 7), WORDS, st.sampled_from(["", ", ns"])),
)


@given(st.lists(INSTRUCTIONS, max_size=20))
def test_text_survives_assembly(lines: list[str]) -> None:
    assert _engine.disassemble(_engine.assemble("\n".join(lines))) == lines


@given(st.binary(max_size=12))
def test_bytes_are_refused_or_survive(code: bytes) -> None:
    try:
        lines = _engine.disassemble(code)
    except ValueError:
        return
    assert _engine.assemble("\n".join(lines)) == code


def test_bad_bytes_name_their_offset() -> None:
    with pytest.raises(ValueError, match="byte 1: no such opcode"):
        _engine.disassemble(b"\x18\xff")


@given(st.integers(1, 256 * 1024), st.integers(0, 7))
def test_copy_program_moves_every_byte(size: int, offset: int) -> None:
    moved = iterations = 0
    burst_bytes = 0
    for line in _engine.disassemble(_engine.build_copy(offset, 0xC000_0000 + offset, size)):
        mnemonic, *operands = line.replace(",", "").split()
        if mnemonic == "DMAMOV" and operands[0] == "CCR":
            burst_bytes = int(operands[1][2:]) * int(operands[2][2:]) // 8
        elif mnemonic == "DMALP":
            iterations = int(operands[1])
        elif mnemonic == "DMALPEND":
            iterations = 0
        elif mnemonic == "DMALD":
            moved += burst_bytes * max(iterations, 1)
    assert moved == size


# The study's table: the length in bytes of the program that its driver builds.
@pytest.mark.parametrize(
    ("sizes", "length"),
    [
        ([2, 4, 8, 16, 32, 64, 128], 21),
        ([1 << n for n in range(8, 16)], 25),
        ([64 << 10], 31),
        ([128 << 10], 43),
        ([256 << 10], 67),
    ],
)
def test_copy_program_has_the_studys_length(sizes: list[int], length: int) -> None:
    assert {len(_engine.build_copy(0, 0xC000_0000, size)) for size in sizes} == {length}
