# SPDX-License-Identifier: Apache-2.0
"""Hostile programs for the emulated processor: `make fuzz-processor`.

    python -m tools.processor_fuzz --seed 1 --count 10000
    python -m tools.processor_fuzz --seed 1 --first 4711 --keep DIR    one of them, kept

An input is a mutated ELF file, an image of random bytes, or a stream of random instructions of one
of the two sets; its number and the seed say which. A finding is a status that is none of 0, 2 and
3, a signal, other than one line for a fault, or more than 10 s of processor time.
"""

from __future__ import annotations

import argparse
import random
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from weighbridge.backends.elf import board
from weighbridge.backends.elf.machine import described
from weighbridge.backends.elf.programs import emulator, firmware
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

#: Instructions that a hostile program executes at most, and seconds of the host's for it.
MOST, SECONDS = 20_000, 60
_BASE: Final = 0x0010_0000
#: Encodings that reach the emulator's own parts, among random ones: coprocessor, loads and stores
#: of several registers, barriers, waits, branches, exclusives.
_ARM: Final = (
    0xEE010F10, 0xEE070F15, 0xEE073F5E, 0xEE190F1D, 0xE8BD8FFF, 0xE92D5FFF, 0xF57FF04F, 0xE320F003,
    0xE320F002, 0xEAFFFFFE, 0xE1932F9F, 0xE1832F90, 0xF4210A8F, 0xECB10B10, 0xE1A0F00E, 0xEF000000,
    0xF1010200, 0xE10F0000, 0xE129F000, 0xF590F000, 0xE5900000, 0xE5800000, 0xE7F000F0, 0xE12FFF1E,
)  # fmt: skip


def elf(code: bytes, base: int = _BASE, entry: int | None = None) -> bytes:
    """An executable of one segment."""
    header = b"\x7fELF\x01\x01\x01" + bytes(9)
    at = base if entry is None else entry
    header += struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, at, 52, 0, 0x5000400, 52, 32, 1, 0, 0, 0)
    segment = struct.pack("<IIIIIIII", 1, 84, base, base, len(code), len(code), 7, 4)
    return header + segment + code


def hostile(seed: int, number: int, sound: bytes) -> bytes:
    """The input of a number; sound: an ELF file that runs."""
    rng = random.Random(f"{seed} {number}")
    kind = number % 4
    if kind == 0:
        data = bytearray(sound)
        for _ in range(rng.randint(1, 12)):
            # Most of what can go wrong is said in the headers.
            at = rng.randrange(rng.choice((52, 52 + 32 * 6, len(data))))
            data[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        return bytes(data[: rng.choice((len(data), len(data), rng.randrange(len(data))))])
    if kind == 1:
        base = rng.choice((_BASE, 0, 0x3FFF_F000, 0xC000_0000, 0xFFFF_0000, rng.getrandbits(32)))
        code = rng.randbytes(rng.randint(1, 4096))
        return elf(code, base, rng.choice((base, base | 1, rng.getrandbits(32))))
    words = []
    for _ in range(rng.randint(4, 400)):
        if rng.random() < 0.5:
            word = rng.choice(_ARM)
            # Other registers, another operand.
            word ^= rng.choice((0, 0, rng.randrange(16) << 12, rng.randrange(16) << 16, 1 << 20))
            words.append(word ^ rng.choice((0, rng.randrange(256))))
        else:
            words.append(rng.getrandbits(32) if kind == 2 else 0xE0000000 | rng.getrandbits(28))
    code = b"".join(struct.pack("<I", word) for word in words)
    return elf(code, entry=_BASE | (kind == 2 and rng.random() < 0.5))


def fault(program: Path, platform: Path) -> tuple[str, str]:
    """What is wrong with how the emulator takes a program, and what it said of it."""
    command: list[str | Path] = [
        emulator(),
        platform,
        program,
        "--most",
        str(MOST),
        "--report",
        program.with_suffix(".json"),
    ]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={},
        )
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS} s", ""
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 2, 3):
        return f"status {done.returncode}", said
    if (done.returncode != 0) != (len(said.splitlines()) == 1) or "\x1b" in said:
        return f"{len(said.splitlines())} lines for status {done.returncode}", said
    return "", said


def findings(seed: int, numbers: range, keep: Path | None = None) -> Iterator[tuple[int, str, str]]:
    """(number, what is wrong, what was said) of each input; nothing wrong is an empty text."""
    hardware = Hardware(load_platform("cyclonev"), 1)
    sound = firmware(board.header(hardware)).read_bytes()
    point = Point(platform="cyclonev", study="", direction="cpu_to_fpga", size_bytes=1, link="HF32")
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as name, ThreadPoolExecutor(2) as pool:
        home = keep or Path(name)
        (home / "platform").write_text(described(hardware, point))

        def one(number: int) -> tuple[int, str, str]:
            program = home / f"{number}.elf"
            program.write_bytes(hostile(seed, number, sound))
            found = fault(program, home / "platform")
            if keep is None:
                program.unlink()
                program.with_suffix(".json").unlink(missing_ok=True)
            return (number, *found)

        yield from pool.map(one, numbers)


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tools.processor_fuzz", description=__doc__)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--count", type=int, default=10_000)
    words.add_argument("--first", type=int, default=0)
    words.add_argument("--keep", type=Path)
    asked = words.parse_args()
    count = 1 if asked.keep else asked.count
    wrong = 0
    kinds: Counter[str] = Counter()
    for number, what, said in findings(
        asked.seed, range(asked.first, asked.first + count), asked.keep
    ):
        kinds[" ".join(said.split()[:3]) or "ran to its end"] += 1
        if what:
            wrong += 1
            print(f"{number}: {what}: {said.strip()[-300:]}", flush=True)
    for kind, times in kinds.most_common(12):
        print(f"{times:7} {kind} ...")
    print(f"{count} inputs of seed {asked.seed}, {wrong} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
