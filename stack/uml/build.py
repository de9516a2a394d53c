#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the User-Mode Linux kernel that the driver is tested in, once for its inputs.

    stack/uml/build.py [--debug] [--jobs N] [--check]

Prints the directory of the build, which holds `linux` (the kernel, a program), `build` (to build
modules against) and `source`. It is kept under ~/.cache/weighbridge, named by a hash of the
patches, the configuration, the version of Debian's kernel source and that of the compiler. What
goes on is said on standard error. Exit code 2, with one line, if something is missing; with --check
that is all it looks for.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = "linux-source-6.12"
ARCHIVE = Path("/usr/src") / f"{PACKAGE}.tar.xz"
#: Counts up when the steps below give another result.
LAYOUT = 1
#: What the build calls for, and the Debian package that has it.
NEEDS = {
    "gcc": "gcc",
    "make": "make",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "patch": "patch",
    "/sbin/depmod": "kmod",
    "xz": "xz-utils",
    "perl": "perl",
    "/usr/include/gelf.h": "libelf-dev",
    str(ARCHIVE): PACKAGE,
}
#: Sources that this configuration does not compile. Kconfig files stay: they are all read.
UNUSED = (
    *(f"*/drivers/{name}/*.[ch]" for name in ("gpu", "media", "staging", "infiniband", "scsi")),
    *("*/drivers/net/*/*.[ch]", "*/sound/*.[ch]", "*/tools/testing/*", "*/Documentation/*/*"),
    *("*/arch/arm*.[chS]", "*/arch/powerpc/*.[chS]", "*/arch/mips/*.[chS]", "*/boot/dts/*.dts*"),
)


class Failure(Exception):
    """What is wrong, on one line."""


def say(text: str) -> None:
    print(f"uml kernel: {text}", file=sys.stderr, flush=True)


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_needs() -> None:
    absent = [
        package
        for probe, package in NEEDS.items()
        if not (Path(probe).exists() if probe.startswith("/") else shutil.which(probe))
    ]
    if absent:
        raise Failure(f"please install, then try again (Debian's names): {' '.join(absent)}")


def inputs(debug: bool) -> tuple[list[Path], list[Path]]:
    """The patches and the pieces of configuration, in the order in which they are applied."""
    pieces = [HERE / "kernel.config", *([HERE / "kernel-debug.config"] if debug else [])]
    return sorted((HERE / "patches").glob("*.patch")), pieces


def key(debug: bool) -> str:
    """A hash over all that the build is made of."""
    patches, pieces = inputs(debug)
    version = output("dpkg-query", "-W", "-f", "${Version}", PACKAGE)
    content = hashlib.sha256(f"{LAYOUT} {version}".encode())
    content.update(output("gcc", "--version").encode())
    for file in (*patches, *pieces):
        content.update(file.name.encode() + file.read_bytes())
    return content.hexdigest()[:16]


class Build:
    """One build in its directory; what was begun and not finished goes on where it stopped."""

    def __init__(self, root: Path, debug: bool, jobs: int) -> None:
        self.source, self.objects, self.log = root / "source", root / "build", root / "log"
        self.patches, self.pieces = inputs(debug)
        self.jobs = jobs
        # A make above this one must not pass its flags on, nor a configured compiler.
        hidden = ("MAKE", "MFLAGS", "CFLAGS", "CXXFLAGS", "LDFLAGS", "ARCH", "O", "KBUILD")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        self.environment |= {"ARCH": "um", "SUBARCH": "x86_64", "LC_ALL": "C"}

    def run(self, *command: str | Path, directory: Path | None = None) -> None:
        with self.log.open("ab") as log:
            done = subprocess.run(
                command, cwd=directory, env=self.environment, stdout=log, stderr=log, check=False
            )
        if done.returncode != 0:
            lines = self.log.read_text(errors="replace").splitlines()
            errors = [line for line in lines if "error: " in line or "***" in line] or lines[-1:]
            raise Failure(f"{Path(command[0]).name} failed: {errors[0].strip()} (log: {self.log})")

    def make(self, *arguments: str) -> None:
        self.run("make", "-C", self.source, f"O={self.objects}", *arguments)

    def unpack(self) -> None:
        if self.source.exists():
            return
        say("unpacks and patches the source")
        fresh = self.source.with_name("unpacked")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        excluded = [f"--exclude={pattern}" for pattern in UNUSED]
        self.run("tar", "-xf", ARCHIVE, "-C", fresh, "--strip-components=1", *excluded)
        for patch in self.patches:
            self.run("patch", "-d", fresh, "-p1", "--no-backup-if-mismatch", "-i", patch)
        fresh.rename(self.source)

    def configure(self) -> None:
        self.objects.mkdir(exist_ok=True)
        self.make("allnoconfig")
        merge = self.source / "scripts" / "kconfig" / "merge_config.sh"
        self.run(merge, "-m", "-O", ".", ".config", *self.pieces, directory=self.objects)
        self.make("olddefconfig")
        chosen = (self.objects / ".config").read_text().splitlines()
        wanted = {
            line.partition("=")[0]: line  # the last piece to speak of an option holds
            for piece in self.pieces
            for line in piece.read_text().splitlines()
            if line.startswith("CONFIG_")
        }
        for line in wanted.values():
            if line not in chosen:
                raise Failure(f"the kernel does not take {line}")

    def compile(self) -> None:
        say(f"compiles with {self.jobs} jobs, some minutes of processor time, once")
        self.make(f"-j{self.jobs}", "linux", "modules")

    def drop_intermediate(self) -> None:
        """Leaves what modules are built against: a fifth of the size."""
        for file in self.objects.rglob("*.o"):
            if "scripts" not in file.parts and "tools" not in file.parts:
                file.unlink()
        for file in (*self.objects.rglob("*.a"), self.objects / "vmlinux"):
            file.unlink(missing_ok=True)
        kept = {"include", "scripts", "arch", "tools"}
        for folder in self.source.iterdir():
            if folder.is_dir() and folder.name not in kept:
                shutil.rmtree(folder)
        for folder in (self.source / "arch").iterdir():
            if folder.is_dir() and folder.name not in ("um", "x86"):
                shutil.rmtree(folder)


def built(debug: bool, jobs: int) -> Path:
    """The directory of the finished build."""
    check_needs()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weighbridge"
    root = caches / f"uml{'-debug' if debug else ''}-{key(debug)}"
    root.mkdir(parents=True, exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two may ask at once
        stamp = root / "built"
        if not stamp.exists():
            begun = time.monotonic()
            build = Build(root, debug, jobs)
            build.log.unlink(missing_ok=True)
            build.unpack()
            build.configure()
            build.compile()
            shutil.copy(build.objects / "linux", root / "linux")
            subprocess.run(["strip", "--strip-debug", root / "linux"], check=True)
            build.drop_intermediate()
            stamp.write_text(f"{time.monotonic() - begun:.0f} s\n")
            say(f"built in {stamp.read_text().strip()}")
    return root


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--debug", action="store_true", help="KASAN, lockdep, DMA-API checks")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--check", action="store_true", help="only that nothing is missing")
    given = parser.parse_args()
    try:
        if given.check:
            check_needs()
        else:
            print(built(given.debug, given.jobs))
    except Failure as fault:
        say(str(fault))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
