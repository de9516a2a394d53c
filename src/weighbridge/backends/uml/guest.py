# SPDX-License-Identifier: Apache-2.0
"""Boots a Linux guest with the driver, on the Verilated logic, in simulated time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from weighbridge.backends.rtl.verilator import built, command
from weighbridge.backends.uml import machine
from weighbridge.errors import InputError
from weighbridge.kept import kept

#: Seconds of the host's that a guest may take.
LIMIT: Final = 600.0
_INIT: Final = (
    machine.MOUNTS
    + """/bin/busybox insmod /datra.ko MODULE && COMMAND
/bin/busybox echo $? > /proc/exitcode
/bin/busybox poweroff -f
"""
)


@dataclass(frozen=True, slots=True)
class Run:
    """What a guest has printed, and what its device has counted."""

    output: str
    counts: Mapping[str, int]


def run(
    arguments: Sequence[str],
    memory_file: str,
    boot: Mapping[str, object],
    driver: Mapping[str, object],
    memory: int,
    logic: Mapping[str, int],
    options: Sequence[str] = (),
    script: str = "",
    programs: Sequence[Path] = (),
) -> Run:
    """Boots a guest, runs the benchmark program in it, and gives what came of it.

    arguments:   of the program, stack/bench/stream.c
    memory_file: text for the device's --memory
    boot:        parameters of the kernel;  driver: of the driver
    memory:      bytes;  logic: parameters of hdl/datra;  options: further ones of the device
    script:      what the guest's shell runs in place of the program, with programs in /bin
    """
    # The names of sockets are short.
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as name:
        home = Path(name)
        tree = home / "root"
        machine.plant(tree)
        linux, program, device = kernel(), _program(), _device(**logic)
        shutil.copy(module(linux) / "datra.ko", tree)
        shutil.copy(program, tree / "stream")
        given = " ".join(f"{key}={value}" for key, value in driver.items())
        for other in programs:
            shutil.copy(other, tree / "bin")
        (tree / "script").write_text(script)
        command = "/bin/busybox sh /script" if script else " ".join(("/stream", *arguments))
        init = _INIT.replace("MODULE", given).replace("COMMAND", command)
        (tree / "init").write_text(init)
        (tree / "init").chmod(0o755)
        (home / "memory").write_text(memory_file)
        with machine.started(
            linux,
            device,
            tree,
            home,
            limit=LIMIT,
            memory=f"{memory >> 20}M",
            pinned=machine.core(),
            boot=("norandmaps", *(f"{key}={value}" for key, value in boot.items())),
            options=("--wait", "60", "--memory", home / "memory", *options),
            simulated=True,
        ) as running:
            assert running.kernel.stdout is not None
            output = running.kernel.stdout.read()
            status = running.kernel.wait()
            _, errors = running.cards[0].communicate(timeout=60)
            behind = running.cards[0]
            report = running.report
        if behind.returncode != 0 or status != 0:
            raise InputError(f"uml: the guest has failed: {_complaint(errors, output, status)}")
        return Run(output, json.loads(report.read_text()))


def _complaint(errors: str, output: str, status: int) -> str:
    """Who complains: the device, the program, or else the guest's last words."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("stream: ")]
    return (errors.splitlines() or own or lines[-1:] or [f"status {status}"])[0]


def sources() -> list[Path]:
    """What the guest's kernel, driver and program are made of."""
    parts = (
        "bench/*.c",
        "linux/*.[ch]",
        "linux/Kbuild",
        "linux/Makefile",
        "uml/**/*.*",
        "guest_kernel.py",
    )
    return [file for part in parts for file in sorted(_stack().glob(part))]


def check() -> None:
    """Raises InputError if something is missing that guests are built of or run with."""
    build = _stack() / "uml" / "build.py"
    machine.check()
    asked = [sys.executable, str(build), "--check"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"the uml backend has no kernel: {done.stderr.strip()}")
    command()


@cache
def kernel(variant: str = "") -> Path:
    """The directory of the guest's kernel; built if it is not there, in some minutes.

    variant: of build.py's
    """
    asked = [sys.executable, str(_stack() / "uml" / "build.py")]
    asked += [f"--{variant}"] if variant else []
    build = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert build.stdout is not None
    assert build.stderr is not None
    said = ""
    for line in build.stderr:
        print(said, end="", file=sys.stderr)
        said = line  # the last one may be the error
    if build.wait() != 0:
        raise InputError(f"the uml backend has no kernel: {said.strip()}")
    return Path(build.stdout.read().strip())


@cache
def module(kernel: Path, stack: Path | None = None) -> Path:
    """The directory of datra.ko for a kernel, and of what its build has `said`.

    stack: that of a checkout, if it is not the one that this package belongs to
    """
    tree = (stack or _stack()) / "linux"

    def make(scratch: Path) -> Path:
        shutil.copytree(tree, scratch / "linux")
        options = ["ARCH=um", "SUBARCH=x86_64", "W=1", f"M={scratch / 'linux'}"]
        said = _call("make", "-C", str(kernel / "build"), *options, "modules")
        (scratch / "linux" / "said").write_text(said)
        return scratch / "linux"

    sources = [*sorted(tree.glob("*.[ch]")), tree / "Kbuild", tree / "Makefile"]
    return kept("datra-module-built", sources, kernel.name, make)


@cache
def _program() -> Path:
    """stack/bench/stream.c, linked statically."""
    tree = _stack()
    sources = [tree / "bench" / "stream.c", *sorted((tree / "linux").glob("datra-*.h"))]

    def make(scratch: Path) -> Path:
        flags = ["-Wall", "-Wextra", "-Werror", "-static", "-O2", f"-I{tree / 'linux'}"]
        _call("gcc", *flags, "-o", str(scratch / "stream"), str(sources[0]))
        return scratch / "stream"

    return kept("datra-stream", sources, "", make)


@cache
def _device(**logic: int) -> Path:
    return built("datra", "uml_device", **logic)


def _stack() -> Path:
    """stack/ of the checkout: an installed package has none."""
    for above in (Path(__file__).parents[4], Path.cwd()):
        if (above / "stack" / "uml" / "build.py").exists():
            return above / "stack"
    raise InputError("the uml backend needs stack/", mend="run it in a checkout of the project")


def _call(*command: str) -> str:
    """What the command says; InputError if it is not there, or fails."""
    if shutil.which(command[0]) is None:
        raise InputError(f"the uml backend needs {command[0]}, which is not installed")
    hidden = ("MAKE", "MFLAGS", "CFLAGS", "LDFLAGS", "ARCH", "KBUILD")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        said = (lines or done.stderr.splitlines() or ["it says nothing"])[0]
        raise InputError(f"{command[0]} fails: {said}")
    return done.stdout + done.stderr
