# SPDX-License-Identifier: Apache-2.0
"""The library, its command and its Python binding, in a guest on the RTL."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from .conftest import Boot, Run, call, root

#: The guest sees the host's files, and its interpreter with them.
python = """
mkdir -p /host && mount -t hostfs -o / none /host && mount -t devtmpfs dev /host/dev || exit 1
chroot /host /usr/bin/env -i LIBDATRA=LIBRARY PYTHONPATH=PACKAGES PYTHONDONTWRITEBYTECODE=1 \\
  OPENBLAS_NUM_THREADS=1 PYTHON ROOT/stack/examples/loop.py || failed=1
"""

script = """
for way in fifo ring coherent streaming standalone capture
do echo == $way; loop $way || failed=1; done
echo == refused; loop backwards; echo $?
echo == info; datra info || failed=1
echo == route; datra route clear && datra route 0.1 3.2 && datra route 3.2 0.0 && datra route
echo == wrong; datra route 0.9 3.2; echo $?; datra route 1; echo $?; datra regs 99; echo $?
echo == stat; datra stat || failed=1
echo == regs; datra regs && datra regs 0 && datra regs 1 || failed=1
echo == python
PYTHON
exit ${failed:-0}
"""


@pytest.fixture(scope="module")
def run(boot: Boot, tmp_path_factory: pytest.TempPathFactory) -> Run:
    work = tmp_path_factory.mktemp("library")
    shutil.copytree(root / "stack", work / "stack")
    library = work / "stack" / "lib"
    flags = ["CFLAGS=-O2 -Werror", "LDFLAGS="]
    call("make", "-C", library, *flags, "libdatra.so.0")
    call("make", "-C", library, *flags, "LDFLAGS=-static", "datra")
    example = work / "stack" / "examples" / "loop.c"
    options = ["-static", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{library}"]
    call("gcc", *options, "-o", work / "loop", example, library / "libdatra.a")
    packages = f"{library}:{Path(numpy.__file__).parents[1]}"
    run_python = python.replace("LIBRARY", str(library / "libdatra.so.0"))
    run_python = run_python.replace("PACKAGES", packages).replace("ROOT", str(work))
    run_python = run_python.replace("PYTHON ", f"{Path(sys.executable).resolve()} ")
    text = script.replace("\nPYTHON\n", run_python)
    return boot(text, programs=[library / "datra", work / "loop"], memory="256M", limit=100)


@pytest.fixture(scope="module")
def sections(run: Run) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in run.output.splitlines():
        if line.startswith("== "):
            found[line[3:]] = []
        elif found:
            found[list(found)[-1]].append(line)
    return found


def test_examples(run: Run, sections: dict[str, list[str]]) -> None:
    run.check()
    for way in ("fifo", "ring", "coherent", "streaming", "standalone", "capture"):
        assert sections[way] == ["1024 words came back"]
    assert sections["refused"][-1] == "2"
    ways = ["fifo", "ring", "blocks 2", "blocks 3", "standalone", "dma-buf"]
    assert sections["python"][:6] == ways


def test_command(sections: dict[str, list[str]]) -> None:
    kinds = [line.split()[1] for line in sections["info"][1:]]
    assert kinds == ["CPU", "DMA", "ICAP", "fixed", "fixed", "fixed"]
    assert sections["route"] == ["0.1 3.2", "3.2 0.0"]
    wrong = sections["wrong"]
    assert wrong[0] == "datra: IOCSROUTE: connect 0.9 to 3.2: Invalid argument"
    assert [wrong[1], wrong[3], wrong[5]] == ["2", "2", "2"]
    moved = {line.split()[0]: line.split()[1:] for line in sections["stat"][1:]}
    assert moved["datraw0"][0] == "4096"
    assert moved["datrad0"][0] in ("to", "from")
    assert any(line.startswith("030 version") and "07df0104" in line for line in sections["regs"])
    assert any("57424431" in line for line in sections["regs"])


def test_manual_pages(tmp_path: Path) -> None:
    """Every function, ioctl and parameter has its place in a page; `make install` installs them."""
    library, linux = root / "stack" / "lib", root / "stack" / "linux"
    declared = (library / "datra.h").read_text()
    numbers = (linux / "datra-ioctl.h").read_text()
    pages = {page.name: page.read_text() for page in (library / "man").iterdir()}
    functions = re.findall(r"\b(datra_\w+)\(", re.sub(r"/\*.*?\*/", "", declared, flags=re.S))
    assert len(functions) > 30
    assert [name for name in functions if f"{name}()" not in pages["libdatra.3"]] == []
    ioctls = re.findall(r"define (DATRA_IOC\w+)\s+_IO\w*\(DATRA_IOC_MAGIC, 0x5", numbers)
    assert len(ioctls) == 8
    assert [name for name in ioctls if name not in pages["datra.4"]] == []
    parameters = re.findall(
        r"module_param(?:_named)?\((\w+)", "".join(f.read_text() for f in linux.glob("*.c"))
    )
    assert [name for name in parameters if name not in pages["datra.4"]] == []

    shutil.copytree(root / "stack", tmp_path / "stack")
    call("make", "-C", tmp_path / "stack" / "lib", "install", f"DESTDIR={tmp_path}", "PREFIX=/usr")
    installed = {path.name for path in (tmp_path / "usr" / "share" / "man").rglob("*.[134]")}
    assert installed == set(pages)
    if not shutil.which("groff"):
        pytest.skip("the pages are there; groff, which looks at their markup, is not")
    for page in (library / "man").iterdir():
        said = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, check=False
        )
        assert said.stderr == b""
