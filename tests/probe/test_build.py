# SPDX-License-Identifier: Apache-2.0
"""What is built: small, static, and a core that asks an operating system only by platform.h."""

import re
import subprocess

from .conftest import Probe, root

#: Freestanding C libraries have them.
STANDARD = {
    "memchr",
    "memcmp",
    "memcpy",
    "memset",
    "strchr",
    "strcmp",
    "strcpy",
    "strlen",
    "strncmp",
}
CORE = [
    "plan",
    "run",
    "words",
    "json",
    "sum",
    "statistics",
    "sequence",
    "timer",
    "job",
    "chase",
    "sweep",
    "vectors",
    "copy",
    "window",
]


def test_size(any_probe: Probe) -> None:
    assert any_probe.path.stat().st_size < 200 * 1024
    said = subprocess.run(
        ["readelf", "-ld", any_probe.path], capture_output=True, text=True, check=True
    ).stdout
    assert ("INTERP" in said) == (any_probe.name == "host")
    assert ("NEEDED" in said) == (any_probe.name == "host")


def test_core_asks_platform_alone(probe: Probe) -> None:
    """The core's undefined names are its own, platform.h's, or of any C library."""
    names = subprocess.run(
        ["nm", probe.path.with_name("libprobe.a")], capture_output=True, text=True, check=True
    ).stdout
    members = dict(re.findall(r"^(\w+)\.o:\n((?:.+\n)*)", names, re.MULTILINE))
    assert set(CORE) <= set(members)
    defined = {
        line.split()[-1]
        for name in CORE
        for line in members[name].splitlines()
        if line.split()[-2] in "TRDB"
    }
    asked = {
        line.split()[-1]
        for name in CORE
        for line in members[name].splitlines()
        if line.split()[-2] == "U"
    }
    face = (root / "probe" / "platform.h").read_text()
    platform = set(re.findall(r"\b(platform_\w+)\(", face)) | {"platform_kernel", "lines_emit"}
    assert asked - defined <= STANDARD | platform


def test_library_is_all_of_the_program(probe: Probe) -> None:
    """The library and main.c are the program: nothing else belongs to it."""
    probe_room = root / "probe"
    sources = [str(file.relative_to(probe_room)) for file in probe_room.rglob("*.c")]
    made = (probe_room / "Makefile").read_text()
    assert [name for name in sources if name not in made] == []
