#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the modules for every kernel that is here, and lets the kernel's own tools look at them.

    stack/linux/check.py [--quick] [NAME...]

    headers   against each /usr/src/linux-headers-*-amd64, W=1, and sparse if it is there
    arm       cross, for a 6.12 of armhf (Cyclone V, Zynq-7000); its tree is prepared once
    arm64     cross, for a 6.12 of arm64; likewise
    style     checkpatch of the 6.12 source
    binding   the device-tree binding, its example and docs/linux.md's, by dt-schema

A line for each: `ok`, `FAILED` and why, or `skipped` and what to install. --quick leaves out what
has to be unpacked first, and all headers but the oldest. Exit code 1 if one has failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: The modules, and what is compiled into one and is no module itself.
MODULES = {"linux": "datra.ko", "study": "weighbridge-study.ko"}
SHARED = ("pl330",)
SOURCE = Path("/usr/src/linux-source-6.12.tar.xz")
CACHES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weighbridge"
#: What modules are not built against; Kconfig and Makefiles stay, they are all read.
UNUSED = (
    *(f"linux-source-6.12/{name}/*.[ch]" for name in ("drivers", "sound", "net", "fs", "samples")),
    *("*/Documentation/*/*", "*/tools/testing/*", "*/arch/powerpc/*.[chS]", "*/arch/mips/*.[chS]"),
)
CROSS = {
    "arm": ("multi_v7_defconfig", "arm-linux-gnueabihf-"),
    "arm64": ("defconfig", "aarch64-linux-gnu-"),
}
#: Told to those who have the module in the kernel's tree; ours builds against several kernels.
ACCEPTED = "LINUX_VERSION_CODE,CONSTANT_COMPARISON"
QUICK = ("headers", "binding")


class Skipped(Exception):
    """What is not there."""


class Failed(Exception):
    """What is wrong, in some lines."""


def run(*command: str | Path, directory: Path | None = None) -> str:
    hidden = ("MAKE", "MFLAGS", "CFLAGS", "LDFLAGS", "ARCH", "CROSS", "KBUILD")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed((done.stdout + done.stderr)[-2000:])
    return done.stdout + done.stderr


def modules(tree: Path, scratch: Path, *options: str) -> None:
    """Builds them against a kernel's tree; a warning is a failure."""
    for name in (*MODULES, *SHARED):
        shutil.rmtree(scratch / name, ignore_errors=True)
        shutil.copytree(HERE.parent / name, scratch / name)
    # Where the kernel itself has not been built, its symbols are not known.
    unresolved = re.compile(r"undefined!|Module.symvers is missing|unresolved symbol warnings")
    for name, product in MODULES.items():
        said = run("make", "-C", tree, f"M={scratch / name}", "W=1", *options, "modules")
        wrong = [
            line
            for line in said.splitlines()
            if re.search("(warning|WARNING|error):", line) and not unresolved.search(line)
        ]
        if wrong:
            raise Failed("\n".join(wrong[:20]))
        if not (scratch / name / product).exists():
            raise Failed(f"there is no {product}")


def headers(scratch: Path, quick: bool) -> str:
    trees = sorted(Path("/usr/src").glob("linux-headers-*[0-9]*-amd64"))
    if not trees:
        raise Skipped("linux-headers-amd64")
    if quick:
        trees = trees[:1]
    sparse = ["C=1"] if shutil.which("sparse") else []
    for tree in trees:
        modules(tree, scratch, *sparse)
    versions = ", ".join(tree.name.removeprefix("linux-headers-") for tree in trees)
    return f"{versions}, {'sparse' if sparse else 'no sparse here'}"


def cross(arch: str, scratch: Path) -> str:
    configuration, prefix = CROSS[arch]
    if not shutil.which(f"{prefix}gcc"):
        raise Skipped(f"gcc-{prefix.rstrip('-')}")
    if not SOURCE.exists():
        raise Skipped("linux-source-6.12")
    options = [f"ARCH={arch}", f"CROSS_COMPILE={prefix}"]
    stamp = f"{SOURCE.stat().st_size}"
    tree = CACHES / f"linux-{arch}"
    if not (tree / stamp).exists():
        shutil.rmtree(tree, ignore_errors=True)
        fresh = Path(tempfile.mkdtemp(dir=CACHES))
        others = ("arm", "arm64", "x86", "um")
        excluded = [f"--exclude={pattern}" for pattern in UNUSED]
        excluded += [f"--exclude=*/arch/{one}/*.[chS]" for one in others if one != arch]
        excluded += [f"--exclude=*/arch/{one}/boot/dts" for one in others]
        run("tar", "-xf", SOURCE, "-C", fresh, "--strip-components=1", *excluded)
        run("make", "-C", fresh, *options, configuration)
        run("make", "-C", fresh, *options, "modules_prepare")
        (fresh / stamp).touch()
        fresh.rename(tree)
    modules(tree, scratch, *options, "KBUILD_MODPOST_WARN=1")
    return f"{len(MODULES)} modules"


def style(scratch: Path) -> str:
    if not SOURCE.exists():
        raise Skipped("linux-source-6.12")
    names = ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")
    kept = CACHES / f"checkpatch-{SOURCE.stat().st_size}"
    if not kept.exists():
        members = [f"linux-source-6.12/scripts/{name}" for name in names]
        run("tar", "-xf", SOURCE, "-C", scratch, "--strip-components=2", *members)
        kept.mkdir(parents=True)
        for name in names:
            shutil.move(scratch / name, kept / name)
    files = [
        file for name in (*MODULES, *SHARED) for file in sorted((HERE.parent / name).glob("*.[ch]"))
    ]
    said = run(
        *(kept / "checkpatch.pl", "--no-tree", "--terse", "--max-line-length=110"),
        *("--ignore", ACCEPTED, "-f", *files),
        directory=scratch,
    )
    if re.search(r"(ERROR|WARNING):", said):
        raise Failed(said)
    return f"{len(files)} files"


def binding(scratch: Path) -> str:
    file = HERE / "bindings" / "misc" / "weighbridge,datra.yaml"
    for tool, package in (("dt-doc-validate", "dtschema (pip)"), ("dtc", "device-tree-compiler")):
        if not shutil.which(tool):
            raise Skipped(package)
    run("dt-doc-validate", file)
    trees = [run("dt-extract-example", file)]
    text = (HERE.parents[1] / "docs" / "linux.md").read_text()
    for node in re.findall(r"^    ([\w-]+(?:@\w+)? \{\n.*?^    \};)", text, re.M | re.S):
        frame = "intc: interrupt-controller { interrupt-controller; #interrupt-cells = <3>; };"
        cells = "#address-cells = <1>; #size-cells = <1>; interrupt-parent = <&intc>;"
        trees.append(f'/dts-v1/; / {{ compatible = "a"; model = "b"; {cells} {frame} {node} }};')
    if len(trees) < 4:
        raise Failed("docs/linux.md has lost its examples")
    for number, source in enumerate(trees):
        (scratch / "dts").write_text(source)
        blob = scratch / f"{number}.dtb"
        run("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", blob, scratch / "dts")
        said = run("dt-validate", "-l", "datra", "-s", file, blob)
        if "datra@" in said:
            raise Failed(said)
    return f"{len(trees)} device trees"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="what needs no kernel source")
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    checks = {
        "headers": lambda scratch: headers(scratch, given.quick),
        "arm": lambda scratch: cross("arm", scratch),
        "arm64": lambda scratch: cross("arm64", scratch),
        "style": style,
        "binding": binding,
    }
    unknown = [name for name in given.names if name not in checks]
    if unknown:
        parser.error(f"there is no check {unknown[0]}; there are {', '.join(checks)}")
    failed = False
    CACHES.mkdir(parents=True, exist_ok=True)
    for name in given.names or (QUICK if given.quick else checks):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                print(f"ok       {name}: {checks[name](Path(scratch))}", flush=True)
            except Skipped as absent:
                print(f"skipped  {name}: {absent} is not installed", flush=True)
            except Failed as fault:
                print(f"FAILED   {name}:\n{fault}", flush=True)
                failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
