# SPDX-License-Identifier: Apache-2.0
"""Builds a guest's kernel of Debian's kernel source, once for its inputs.

A build is kept under ~/.cache/weighbridge, named by a hash of the patches, the configuration, the
version of Debian's kernel source and that of the compiler. What goes on is said on standard error.
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = "linux-source-6.12"
ARCHIVE = Path("/usr/src") / f"{PACKAGE}.tar.xz"
#: What every build calls for, and the Debian package that has it.
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
#: Sources that no guest's configuration compiles. Kconfig files stay: they are all read.
UNUSED = (
    *(f"*/drivers/{name}/*.[ch]" for name in ("gpu", "media", "staging", "infiniband", "scsi")),
    *("*/drivers/net/*/*.[ch]", "*/sound/*.[ch]", "*/tools/testing/*", "*/Documentation/*/*"),
    *("*/arch/powerpc/*.[chS]", "*/arch/mips/*.[chS]"),
)


class Failure(Exception):
    """What is wrong, on one line."""


@dataclass(frozen=True)
class Recipe:
    """What one kernel is built of.

    name:      of the build's directory, which a hash follows
    layout:    counts up when the steps give another result
    compiler:  whose version counts;  needs: packages beside NEEDS, by what to look for
    arguments: of each make: architecture, cross compiler
    patches, pieces: of source and configuration, in the order in which they are applied
    unused:    sources that it does not compile, beside UNUSED
    targets:   of make
    finish:    copies what is wanted of the objects into the build's directory
    arch:      directories of the source's arch/ that building modules needs
    """

    name: str
    layout: int
    compiler: str
    arguments: Sequence[str]
    pieces: Sequence[Path]
    targets: Sequence[str]
    finish: Callable[[Path, Path], None]
    arch: Sequence[str]
    patches: Sequence[Path] = ()
    unused: Sequence[str] = ()
    needs: Mapping[str, str] = field(default_factory=dict)


def say(text: str) -> None:
    print(f"{Path(sys.argv[0]).resolve().parent.name} kernel: {text}", file=sys.stderr, flush=True)


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_needs(recipe: Recipe) -> None:
    absent = [
        package
        for probe, package in {**NEEDS, **recipe.needs}.items()
        if not (Path(probe).exists() if probe.startswith("/") else shutil.which(probe))
    ]
    if absent:
        raise Failure(f"please install, then try again (Debian's names): {' '.join(absent)}")


def key(recipe: Recipe) -> str:
    """A hash over all that the build is made of."""
    version = output("dpkg-query", "-W", "-f", "${Version}", PACKAGE)
    content = hashlib.sha256(f"{recipe.layout} {version}".encode())
    content.update(output(recipe.compiler, "--version").encode())
    for file in (*recipe.patches, *recipe.pieces):
        content.update(file.name.encode() + file.read_bytes())
    return content.hexdigest()[:16]


class Build:
    """One build in its directory; what was begun and not finished goes on where it stopped."""

    def __init__(self, recipe: Recipe, root: Path, jobs: int) -> None:
        self.source, self.objects, self.log = root / "source", root / "build", root / "log"
        self.recipe = recipe
        self.jobs = jobs
        # A make above this one must not pass its flags on, nor a configured compiler.
        hidden = ("MAKE", "MFLAGS", "CFLAGS", "CXXFLAGS", "LDFLAGS", "ARCH", "O", "KBUILD", "CROSS")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        self.environment |= dict(word.split("=", 1) for word in recipe.arguments)
        self.environment |= {"LC_ALL": "C"}

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
        excluded = [f"--exclude={pattern}" for pattern in (*UNUSED, *self.recipe.unused)]
        self.run("tar", "-xf", ARCHIVE, "-C", fresh, "--strip-components=1", *excluded)
        for patch in self.recipe.patches:
            self.run("patch", "-d", fresh, "-p1", "--no-backup-if-mismatch", "-i", patch)
        fresh.rename(self.source)

    def configure(self) -> None:
        self.objects.mkdir(exist_ok=True)
        self.make("allnoconfig")
        pieces = self.recipe.pieces
        merge = self.source / "scripts" / "kconfig" / "merge_config.sh"
        self.run(merge, "-m", "-O", ".", ".config", *pieces, directory=self.objects)
        self.make("olddefconfig")
        chosen = (self.objects / ".config").read_text().splitlines()
        wanted = {
            line.partition("=")[0]: line  # the last piece to speak of an option holds
            for piece in pieces
            for line in piece.read_text().splitlines()
            if line.startswith("CONFIG_")
        }
        for line in wanted.values():
            if line not in chosen:
                raise Failure(f"the kernel does not take {line}")

    def compile(self) -> None:
        say(f"compiles with {self.jobs} jobs, some minutes of processor time, once")
        self.make(f"-j{self.jobs}", *self.recipe.targets)

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
            if folder.is_dir() and folder.name not in self.recipe.arch:
                shutil.rmtree(folder)


def built(recipe: Recipe, jobs: int) -> Path:
    """The directory of the finished build."""
    check_needs(recipe)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weighbridge"
    root = caches / f"{recipe.name}-{key(recipe)}"
    root.mkdir(parents=True, exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two may ask at once
        stamp = root / "built"
        if not stamp.exists():
            begun = time.monotonic()
            build = Build(recipe, root, jobs)
            build.log.unlink(missing_ok=True)
            build.unpack()
            build.configure()
            build.compile()
            recipe.finish(build.objects, root)
            build.drop_intermediate()
            stamp.write_text(f"{time.monotonic() - begun:.0f} s\n")
            say(f"built in {stamp.read_text().strip()}")
    return root


def parser(description: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    made.add_argument("--check", action="store_true", help="only that nothing is missing")
    return made


def main(recipe: Recipe, given: argparse.Namespace) -> int:
    """Builds, and prints the directory; the exit status."""
    try:
        if given.check:
            check_needs(recipe)
        else:
            print(built(recipe, given.jobs))
    except Failure as fault:
        say(str(fault))
        return 2
    return 0
