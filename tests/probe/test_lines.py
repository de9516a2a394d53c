# SPDX-License-Identifier: Apache-2.0
"""What reads and writes lines, `probe/lines`: for any system or none, and for any text."""

import subprocess
from pathlib import Path

import pytest

from .conftest import root

LINES = sorted((root / "probe" / "lines").glob("*.c"))
STRICT = ["-std=gnu11", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
#: Compilers and flags of the programs that share the room.
SYSTEMS = {
    "linux": ["gcc"],
    "armhf": ["arm-linux-gnueabihf-gcc"],
    "bare": ["arm-none-eabi-gcc", "-ffreestanding", "--specs=picolibc.specs"],
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_compiles_without_a_warning(system: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*SYSTEMS[system], *STRICT, "-O2", "-c", *LINES],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_needs_nothing_but_strings(tmp_path: Path) -> None:
    """No allocation, no files: else it would not run on bare metal."""
    joined = tmp_path / "lines.o"
    subprocess.run(["gcc", "-O2", "-r", "-nostdlib", "-o", joined, *LINES], check=True)
    told = subprocess.run(["nm", "-u", joined], capture_output=True, text=True, check=True).stdout
    missing = {line.split()[-1] for line in told.splitlines()} - {"__stack_chk_fail"}
    assert missing <= {"lines_emit", "memcpy", "memset", "strchr", "strcmp", "strlen", "strncmp"}


def test_lines_of_chance(tmp_path: Path) -> None:
    """Under the sanitizers of addresses and of undefined behaviour; every kind of fault is met."""
    program = tmp_path / "fuzz"
    sanitize = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    source = root / "tests" / "probe" / "fuzz_lines.c"
    flags = ["-std=gnu11", "-Wall", "-Werror", *sanitize]
    subprocess.run(["gcc", *flags, "-o", program, source, *LINES], check=True)
    done = subprocess.run([program, "1", "60000"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    found = dict(line.split() for line in done.stdout.splitlines())
    for kind in ("none", "word", "key", "twice", "value", "missing", "together"):
        assert int(found[kind]) > 100, found
