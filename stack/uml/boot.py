#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boots a Linux guest on the Verilated logic and runs a program in it.

The program's output is this command's, and its exit status too. docs/linux.md is the manual.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    from weighbridge.backends.rtl.verilator import built
    from weighbridge.backends.uml import guest, machine
    from weighbridge.errors import InputError
    from weighbridge.kept import kept
except ImportError as absent:
    print(
        f"boot: {absent}; run it by the Python that `make run` or `make test` sets up, "
        ".venv/bin/python stack/uml/boot.py, or by one with weighbridge[rtl] installed",
        file=sys.stderr,
    )
    sys.exit(2)

STACK = Path(__file__).resolve().parents[1]
#: Of this command's own: bad arguments, the program's time was over, guest or logic has failed.
BAD, LATE, BROKEN = 2, 124, 125
#: Names that stand for things of this checkout.
DRIVER, OURS, ORIGINAL = "datra", "10ee:5742", "10ee:7024"
#: Between two of it is what the program says, and not the kernel's beginning and end.
MARK = "-- the program --"
EXAMPLES = """\
examples:
  boot.py datra info
        the nodes of the logic, by our driver and the command datra
  boot.py --module 'datra fifo_burst=1' ./prog 100
        a program of yours; the words after it are its own
  boot.py --file data.bin:/data/in.bin --root /tmp/guest sh -c './prog </data/in.bin >/data/out.bin'
        a file goes in; what the guest writes stays in /tmp/guest
  boot.py --module 'datra dyplo_names=1' --file bits:/usr/share/bitstreams ./published-program
  make -C "$(boot.py --kernel)/build" M=$PWD ARCH=um SUBARCH=x86_64 modules
  boot.py --module ./other.ko --pci-id original ./prog
        a driver of yours, built for the guest's kernel, on a card with the original's ids
  boot.py --clock logic ./prog
        in simulated time: the guest's clock is the logic's, and each run gives the same

exit status: the program's; 2 bad arguments, 124 time over, 125 guest or logic has failed
"""


def say(text: str) -> None:
    print(f"boot: {text}", file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="boot.py",
        usage="boot.py [options] PROGRAM [ARGUMENT...]",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    add(
        "--module",
        action="append",
        metavar="'FILE [PARAMETER=VALUE...]'",
        help=f"kernel module to load, in order, given again for more; '{DRIVER}' is this "
        f"checkout's, and the default; 'none' for none",
    )
    add(
        "--file",
        action="append",
        default=[],
        metavar="SOURCE[:PATH]",
        help="copied into the guest, a directory with all in it; default path: /SOURCE's name",
    )
    add("--root", type=Path, metavar="DIR", help="the guest's root directory, which is kept")
    add("--clock", choices=("wall", "logic"), default="wall", help="of the guest; default wall")
    add("--memory", default="128M", metavar="SIZE", help="of the guest, K, M or G; default 128M")
    add(
        "--pci-id",
        default=OURS,
        metavar="VVVV:DDDD",
        help=f"of the card; 'original' for {ORIGINAL}, which the original's driver knows",
    )
    add("--platform", action="store_true", help="the logic is in the device tree, not on PCI")
    add("--debug", action="store_true", help="a kernel with KASAN, lockdep and checks of DMA")
    add("--boot", action="append", default=[], metavar="WORD", help="of the kernel's command line")
    add("--report", type=Path, metavar="FILE", help="receives the device's counts, as JSON")
    add("--core", default="0", metavar="N", help="which guest and device share, or all; default 0")
    add("--timeout", type=float, default=600, metavar="S", help="seconds on the wall; default 600")
    add("--kernel", action="store_true", help="prints the directory of the guest's kernel, no more")
    add("program", nargs="?", help="a file here, or a command of the guest's: busybox has most")
    add("arguments", nargs=argparse.REMAINDER, help="the program's own")
    return made


def kernel(debug: bool) -> Path:
    asked = [sys.executable, str(STACK / "uml" / "build.py"), *(["--debug"] if debug else [])]
    done = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise InputError("the guest's kernel is not there, see above")
    return Path(done.stdout.strip())


def tool() -> Path:
    """The command datra, linked statically."""
    library = STACK / "lib"
    sources = [library / "tool.c", library / "datra.c", library / "datra.h"]
    sources += sorted((STACK / "linux").glob("datra-*.h"))

    def make(scratch: Path) -> Path:
        flags = ["-std=gnu11", "-O2", "-static", f"-I{STACK / 'linux'}"]
        subprocess.run(["gcc", *flags, "-o", scratch / "datra", *sources[:2]], check=True)
        return scratch / "datra"

    return kept("datra-tool", sources, "", make)


def inside(root: Path, path: str) -> Path:
    """Where a path of the guest's is."""
    place = root / path.lstrip("/")
    if not Path(os.path.abspath(place)).is_relative_to(root):
        raise InputError(f"{path} leads out of the guest")
    return place


def put(source: Path, place: Path, root: Path) -> None:
    """Copies a file or directory into the guest, with the libraries that it is linked with."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, place, dirs_exist_ok=True, symlinks=True)
        return
    place.unlink(missing_ok=True)  # it may be a link to busybox
    shutil.copy(source, place)
    with source.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return
    said = subprocess.run(["ldd", source], capture_output=True, text=True, check=False)
    for library in re.findall(r"(/\S+) \(0x", said.stdout):
        copy = inside(root, library)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            shutil.copy(library, copy)


def modules(given: list[str], root: Path, tree: Path) -> list[str]:
    """Copies modules into the guest; the lines that load them."""
    lines = []
    for number, words in enumerate(map(shlex.split, given)):
        if not words:
            raise InputError("--module names no file")
        if words[0] == "none":
            continue
        file = guest.module(tree, STACK) / "datra.ko" if words[0] == DRIVER else Path(words[0])
        if not file.is_file():
            raise InputError(f"there is no module {file}")
        # The kernel itself ignores what it does not know.
        said = subprocess.run(
            ["/sbin/modinfo", "-F", "parm", file], capture_output=True, text=True, check=False
        )
        known = [line.partition(":")[0] for line in said.stdout.splitlines()]
        for word in words[1:]:
            if not re.fullmatch(r"\w+=\S+", word):
                raise InputError(f"a parameter of {file.name} is NAME=VALUE, not {word}")
            if word.partition("=")[0] not in known:
                raise InputError(f"{file.name} has no parameter {word}, but {', '.join(known)}")
        place = f"/modules/{number}/{file.name}"
        put(file, inside(root, place), root)
        load = shlex.join(["insmod", place, *words[1:]])
        lines.append(f"{load} || fail 'the kernel refuses {file.name}'")
    return lines


def plant(given: argparse.Namespace, root: Path, tree: Path) -> None:
    """Puts all into the guest's root that it is to have."""
    machine.plant(root)
    put(tool(), root / "bin" / "datra", root)
    for name in given.file:
        source, _, path = name.partition(":")
        if not Path(source).exists():
            raise InputError(f"there is no file {source} to copy")
        put(Path(source), inside(root, path or Path(source).resolve().name), root)
    program = given.program
    if "/" in program and Path(program).is_file():
        program = f"/bin/{Path(program).name}"
        put(Path(given.program), inside(root, program), root)
        inside(root, program).chmod(0o755)
    elif not os.path.lexists(inside(root, program if "/" in program else f"bin/{program}")):
        raise InputError(
            f"there is no program {program}, neither here nor in the guest",
            mend="name a file here with its directory, as ./prog",
        )
    loads = "\n".join(modules(given.module or [DRIVER], root, tree))
    for old in ("status", "failure", "messages"):
        (root / old).unlink(missing_ok=True)
    (root / "init").write_text(f"""{machine.MOUNTS}
export PATH=/bin:/sbin:/usr/bin HOME=/tmp
finish() {{ dmesg > /messages; poweroff -f; }}
fail() {{ echo "$1: $(dmesg | tail -1)" > /failure; finish; }}
{loads}
echo '{MARK}'
{shlex.join([program, *given.arguments])}
echo $? > /status
echo '{MARK}'
finish
""")
    (root / "init").chmod(0o755)


def run(given: argparse.Namespace, home: Path, tree: Path) -> int:
    """Boots, and gives the exit status."""
    root = (given.root or home / "root").resolve()
    root.mkdir(parents=True, exist_ok=True)
    plant(given, root, tree)
    with machine.started(
        tree,
        built("datra", "uml_device"),
        root,
        home,
        limit=given.timeout,
        memory=given.memory,
        pinned=() if given.core == "all" else machine.core(int(given.core)),
        boot=["virt_pci.max_delay_us=1000000", *given.boot],
        options=["--pci-id", ORIGINAL if given.pci_id == "original" else given.pci_id],
        simulated=given.clock == "logic",
        tree=STACK / "uml" / "platform.dts" if given.platform else None,
    ) as running:
        assert running.kernel.stdout is not None
        last, marks = "", 0
        for line in running.kernel.stdout:
            last = line.strip() or last
            said, mark, _ = line.rstrip("\r\n").rpartition(MARK)
            if marks == 1 and (said or not mark):
                print(said if mark else line.rstrip("\r\n"), flush=True)
            marks += bool(mark)
        running.kernel.wait()
        try:
            _, errors = running.cards[0].communicate(timeout=30)
        except subprocess.TimeoutExpired:
            errors = "the device does not end with its guest"
        for error in errors.splitlines():
            say(error)
        if given.report and running.report.exists():
            shutil.copy(running.report, given.report)
        if running.late:
            say(f"killed after {given.timeout:g} s, see --timeout")
            return LATE
        if (root / "failure").exists():
            say((root / "failure").read_text().strip())
            return BROKEN
        if not (root / "status").exists():
            say(f"the guest has not come to the program's end; it said last: {last}")
            return BROKEN
        status = int((root / "status").read_text())
        return status or (BROKEN if running.cards[0].returncode else 0)


def main() -> int:
    given = parser().parse_args()
    try:
        if not re.fullmatch(r"\d+[KMG]", given.memory):
            raise InputError(f"--memory is a number with K, M or G, not {given.memory}")
        if given.pci_id != "original" and not re.fullmatch(r"[\da-f]{4}:[\da-f]{4}", given.pci_id):
            raise InputError(f"--pci-id is VVVV:DDDD in hexadecimal, not {given.pci_id}")
        if given.core != "all" and not given.core.isdecimal():
            raise InputError(f"--core is a number or all, not {given.core}")
        if not given.kernel and given.program is None:
            raise InputError("no program is given", mend="see boot.py --help")
        machine.check()
        tree = kernel(given.debug)
        if given.kernel:
            print(tree)
            return 0
        # The names of sockets are short.
        with tempfile.TemporaryDirectory(prefix="weighbridge-") as name:
            return run(given, Path(name), tree)
    except InputError as fault:
        say(str(fault))
        return BAD


if __name__ == "__main__":
    sys.exit(main())
