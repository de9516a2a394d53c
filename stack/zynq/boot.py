#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boots a Zynq guest under QEMU with the study's module and program, and runs commands in it.

    boot.py [options] COMMAND...

Each COMMAND is one of stack/zynq/init.c's, as 'run /weighbridge-study /plan'. What programs write
is this command's output. QEMU's board has no FPGA and no timing: no rate from here is a result.
Exit status: 0 every command's was 0; 1 one's was not; 2 bad arguments; 124 time over; 125 the guest
has failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

try:
    from weighbridge.compiling import complaint
    from weighbridge.errors import InputError
    from weighbridge.kept import kept
except ImportError as absent:
    print(
        f"boot: {absent}; run it by the Python that `make run` or `make test` sets up, "
        ".venv/bin/python stack/zynq/boot.py",
        file=sys.stderr,
    )
    sys.exit(2)

HERE = Path(__file__).resolve().parent
STACK = HERE.parent
CROSS = "arm-linux-gnueabihf-"
MODULE, PROGRAM = "weighbridge-study.ko", "weighbridge-study"
#: What guests have beside what is given: the study's device in a window that QEMU has.
OVERLAYS = (HERE / "guest.dtso", HERE / "zynq7000.dtso")
BAD, LATE, BROKEN = 2, 124, 125
#: The guest's first program ends with it.
END = "-- end"


def say(text: str) -> None:
    print(f"boot: {text}", file=sys.stderr, flush=True)


def call(*command: str | Path, directory: Path | None = None) -> str:
    """What a command says; InputError if it is not there or fails."""
    if shutil.which(command[0]) is None:
        raise InputError(f"{command[0]} is not installed")
    hidden = ("MAKE", "MFLAGS", "CFLAGS", "LDFLAGS", "ARCH", "KBUILD", "CROSS")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise InputError(f"{Path(command[0]).name} fails: {complaint(done.stderr)}")
    return done.stdout + done.stderr


def kernel(debug: bool) -> Path:
    """The directory of the guest's kernel; built if it is not there, in some minutes."""
    asked = [sys.executable, str(HERE / "build.py"), *(["--debug"] if debug else [])]
    done = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise InputError("the guest's kernel is not there, see above")
    return Path(done.stdout.strip())


def module(tree: Path) -> Path:
    """The directory of the module for a kernel, and of what its build has `said`."""
    rooms = ("study", "pl330")
    sources = [file for room in rooms for file in sorted((STACK / room).glob("*.[ch]"))]
    sources += [STACK / "study" / "Kbuild", STACK / "study" / "Makefile"]

    def make(scratch: Path) -> Path:
        for room in rooms:
            shutil.copytree(STACK / room, scratch / "made" / room)
        work = scratch / "made" / "study"
        options = ["ARCH=arm", f"CROSS_COMPILE={CROSS}", "W=1", f"M={work}"]
        (work / "said").write_text(call("make", "-C", tree / "build", *options, "modules"))
        return work

    return kept("study-module", sources, tree.name, make)


def compiled(name: str, sources: list[Path], *flags: str) -> Path:
    """A static program for the guest; .h files of `sources` count, and are not compiled."""
    units = [file for file in sources if file.suffix == ".c"]

    def make(scratch: Path) -> Path:
        strict = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-D_GNU_SOURCE"]
        call(f"{CROSS}gcc", *strict, *flags, "-s", "-o", scratch / name, *units)
        return scratch / name

    return kept(f"study-{name}", sources, " ".join(flags), make)


def program() -> Path:
    """The program that walks plans."""
    probe = STACK.parent / "probe"
    ours = [file for kind in ("*.c", "*.h") for file in sorted((STACK / "study/walk").glob(kind))]
    theirs = sorted((probe / "lines").glob("*.[ch]"))
    shared = [STACK / "study" / "study-ioctl.h", STACK / "pl330" / "pl330_registers.h"]
    return compiled("walk", [*ours, *theirs, *shared], "-pthread", f"-I{probe}")


def archive(files: Mapping[str, Path | bytes]) -> bytes:
    """An initramfs: a cpio archive of the form newc, with directories to mount on."""
    made = bytearray()

    def entry(name: str, mode: int, data: bytes) -> None:
        word = name.encode() + b"\0"
        fields = [1, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(word), 0]
        made.extend(b"070701" + b"".join(b"%08x" % field for field in fields) + word)
        for part in (b"", data):
            made.extend(part)
            made.extend(b"\0" * (-len(made) % 4))

    for folder in ("dev", "proc", "sys"):
        entry(folder, 0o040755, b"")
    for name, source in files.items():
        entry(name, 0o100755, source if isinstance(source, bytes) else source.read_bytes())
    entry("TRAILER!!!", 0, b"")
    return bytes(made)


def device_tree(board: Path, overlays: list[Path], home: Path) -> Path:
    """A board's tree with overlays applied, in their order."""
    blobs = []
    for number, overlay in enumerate(overlays):
        if not overlay.is_file():
            raise InputError(f"there is no overlay {overlay}")
        blobs.append(home / f"{number}.dtbo")
        call("dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", blobs[-1], overlay)
    call("fdtoverlay", "-i", board, "-o", home / "tree.dtb", *blobs)
    return home / "tree.dtb"


def last(*files: Path) -> str:
    """The last line of the first file that has one: the kernel's, else the emulator's."""
    for file in files:
        if file.exists() and (lines := file.read_text(errors="replace").splitlines()):
            return lines[-1]
    return "nothing"


def run(given: argparse.Namespace, home: Path) -> int:
    """Boots, and gives the exit status."""
    tree = kernel(given.debug)
    files: dict[str, Path | bytes] = {
        "init": compiled("init", [HERE / "init.c"]),
        MODULE: module(tree) / MODULE,
        PROGRAM: program(),
        "commands": "".join(f"{command}\n" for command in given.command).encode(),
    }
    for name in given.file:
        source, _, path = name.partition(":")
        if not Path(source).is_file():
            raise InputError(f"there is no file {source} to copy")
        files[(path or Path(source).name).lstrip("/")] = Path(source)
    (home / "initrd").write_bytes(archive(files))
    blob = device_tree(tree / "board.dtb", given.overlay or list(OVERLAYS), home)
    messages = given.messages or home / "messages"
    guest = subprocess.Popen(
        [
            *("qemu-system-arm", "-M", "xilinx-zynq-a9", "-m", "256M", "-display", "none"),
            *("-monitor", "none", "-no-reboot", "-serial", f"file:{messages}", "-serial", "stdio"),
            *("-kernel", tree / "zImage", "-dtb", blob, "-initrd", home / "initrd"),
            *("-append", "console=ttyPS0 quiet panic=-1"),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=(home / "complaints").open("w"),
        text=True,
        errors="replace",
    )
    late = threading.Event()

    def kill() -> None:
        late.set()
        guest.kill()

    clock = threading.Timer(given.timeout, kill)
    clock.start()
    assert guest.stdout is not None
    ended = failed = False
    try:
        for line in guest.stdout:
            ended = ended or line.strip() == END
            failed = failed or (line.startswith("-- ") and line.split()[1] not in ("0", "end"))
            print(line.rstrip("\r\n"), flush=True)
        guest.wait()
    finally:
        clock.cancel()
        guest.kill()
        guest.wait()
    if late.is_set():
        say(f"killed after {given.timeout:g} s, see --timeout")
        return LATE
    if not ended:
        say(f"the guest has not come to its end; said last: {last(messages, home / 'complaints')}")
        return BROKEN
    return int(failed)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="boot.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--file", action="append", default=[], metavar="SOURCE[:PATH]", help="into the guest")
    add(
        "--overlay",
        action="append",
        type=Path,
        metavar="FILE.dtso",
        help="of the device tree, in order; default: "
        + ", ".join(str(overlay.relative_to(STACK.parent)) for overlay in OVERLAYS),
    )
    add("--debug", action="store_true", help="a kernel with lockdep and checks of DMA")
    add("--messages", type=Path, metavar="FILE", help="receives what the guest's kernel says")
    add("--timeout", type=float, default=600, metavar="S", help="seconds; default 600")
    add("command", nargs="+", help="one of init.c's, as 'load /weighbridge-study.ko'")
    given = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="weighbridge-") as name:
            return run(given, Path(name))
    except InputError as fault:
        say(str(fault))
        return BAD


if __name__ == "__main__":
    sys.exit(main())
