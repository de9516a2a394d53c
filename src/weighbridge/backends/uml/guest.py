# SPDX-License-Identifier: Apache-2.0
"""Boots a Linux guest with the driver, on the Verilated logic, in simulated time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from weighbridge.backends.rtl.verilator import built, command
from weighbridge.errors import InputError
from weighbridge.kept import kept

#: Seconds of the host's that a guest may take.
LIMIT: Final = 600.0
_BUSYBOX: Final = Path("/bin/busybox")
_INIT: Final = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox grep -q ' /dev ' /proc/mounts || /bin/busybox mount -t devtmpfs dev /dev
/bin/busybox insmod /datra.ko MODULE && /stream ARGUMENTS
/bin/busybox echo $? > /proc/exitcode
/bin/busybox poweroff -f
"""


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
) -> Run:
    """Boots a guest, runs the benchmark program in it, and gives what came of it.

    arguments:   of the program, stack/bench/stream.c
    memory_file: text for the device's --memory
    boot:        parameters of the kernel;  driver: of the driver
    memory:      bytes;  logic: parameters of hdl/datra;  options: further ones of the device
    """
    kernel, program, device = _kernel(), _program(), _device(**logic)
    core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))] if shutil.which("taskset") else []
    # The names of sockets are short.
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as name:
        home = Path(name)
        tree = home / "root"
        for folder in ("bin", "proc", "sys", "dev", "tmp"):
            (tree / folder).mkdir(parents=True)
        shutil.copy(_BUSYBOX, tree / "bin")
        shutil.copy(module(kernel) / "datra.ko", tree)
        shutil.copy(program, tree / "stream")
        given = " ".join(f"{key}={value}" for key, value in driver.items())
        init = _INIT.replace("MODULE", given).replace("ARGUMENTS", " ".join(arguments))
        (tree / "init").write_text(init)
        (tree / "init").chmod(0o755)
        (home / "memory").write_text(memory_file)
        socket, calendar, report = home / "pci", home / "calendar", home / "report"
        behind = subprocess.Popen(
            [
                *(*core, str(device), str(socket), "--report", str(report), "--wait", "60"),
                *("--calendar", str(calendar), "--memory", str(home / "memory"), *options),
            ],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        front = None
        try:
            while not (socket.exists() and calendar.exists()) and behind.poll() is None:
                time.sleep(0.002)
            front = subprocess.Popen(
                [
                    *(*core, str(kernel / "linux"), f"uml_dir={home}", f"mem={memory >> 20}M"),
                    *("root=/dev/root", "rootfstype=hostfs", f"rootflags={tree}", "rw"),
                    *("init=/init", "quiet", "con=null", "con0=null,fd:1", "norandmaps"),
                    *(f"virtio_uml.device={socket}:1234", f"time-travel=ext:{calendar}"),
                    *(f"{key}={value}" for key, value in boot.items()),
                ],
                env={"TMPDIR": str(home)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            clock = threading.Timer(LIMIT, os.killpg, (front.pid, signal.SIGKILL))
            clock.start()
            assert front.stdout is not None
            output = front.stdout.read()
            status = front.wait()
            clock.cancel()
            _, errors = behind.communicate(timeout=60)
        finally:
            behind.kill()
            behind.wait()
            if front is not None and front.poll() is None:
                os.killpg(front.pid, signal.SIGKILL)
                front.wait()
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
    parts = ("bench/*.c", "linux/*.[ch]", "linux/Kbuild", "linux/Makefile", "uml/**/*.*")
    return [file for part in parts for file in sorted(_stack().glob(part))]


def check() -> None:
    """Raises InputError if something is missing that guests are built of or run with."""
    build = _stack() / "uml" / "build.py"
    if not _BUSYBOX.exists():
        raise InputError("the uml backend needs busybox", mend="apt install busybox-static")
    asked = [sys.executable, str(build), "--check"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"the uml backend has no kernel: {done.stderr.strip()}")
    command()


@cache
def _kernel() -> Path:
    """The directory of the guest's kernel; built if it is not there, in some minutes."""
    asked = [sys.executable, str(_stack() / "uml" / "build.py")]
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
def module(kernel: Path) -> Path:
    """The directory of datra.ko for a kernel, and of what its build has `said`."""
    tree = _stack() / "linux"

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
    sources = [tree / "bench" / "stream.c", tree / "linux" / "datra-ioctl.h"]

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
