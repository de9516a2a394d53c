# SPDX-License-Identifier: Apache-2.0
"""A guest of User-Mode Linux and the device processes behind it, from their start to their end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weighbridge.errors import InputError

BUSYBOX: Final = Path("/bin/busybox")
#: How an init begins: with what programs look for.
MOUNTS: Final = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox grep -q ' /dev ' /proc/mounts || /bin/busybox mount -t devtmpfs dev /dev
"""


@dataclass
class Machine:
    """The guest's kernel and its cards' processes; the first card counts into `report`."""

    kernel: subprocess.Popen[str]
    cards: list[subprocess.Popen[str]]
    report: Path
    late: bool = False  #: killed, as its time was over


def core(number: int = 0) -> list[str]:
    """What makes a command run on one core: an access wakes the other process there at once."""
    cores = sorted(os.sched_getaffinity(0))
    one = str(cores[number % len(cores)])
    return ["taskset", "-c", one] if shutil.which("taskset") else []


def check() -> None:
    """Raises InputError if the guests' only program is not installed."""
    if not BUSYBOX.exists():
        raise InputError("a guest needs busybox", mend="apt install busybox-static")


def plant(root: Path) -> None:
    """Makes a directory the root of a guest: busybox with all its tools, and where to mount."""
    for folder in ("bin", "proc", "sys", "dev", "tmp"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(BUSYBOX, root / "bin")
    listed = subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True)
    for tool in listed.stdout.split():
        link = root / "bin" / tool
        if not link.exists() and not link.is_symlink():
            link.symlink_to("busybox")


@contextmanager
def booted(
    kernel: Path,
    devices: Sequence[Sequence[str | Path]],
    sockets: Sequence[Path],
    root: Path,
    home: Path,
    *,
    limit: float,
    memory: str,
    pinned: Sequence[str] = (),
    boot: Sequence[str] = (),
    output: int | None = None,
) -> Iterator[Machine]:
    """A guest that runs /init of its root. At the end of the block nothing of it runs any more.

    kernel:  the directory that stack/uml/build.py prints
    devices: the commands whose processes are behind the guest; the first one's input and errors
             are pipes, and its output is `output`, as subprocess has it
    sockets: at which they wait for the guest
    home:    an empty directory with a short name, as sockets are in it
    limit:   seconds after which the guest is killed;  memory: of the guest, as "64M"
    pinned:  what core() gives;  boot: further words of the kernel's command line
    """
    behind: list[subprocess.Popen[str]] = []
    front = None
    try:
        pipe = subprocess.PIPE
        first = [*pinned, *devices[0]]
        behind.append(subprocess.Popen(first, stdin=pipe, stdout=output, stderr=pipe, text=True))
        for device in devices[1:]:
            command = [*pinned, *device]
            behind.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True))
        while not all(one.exists() for one in sockets) and behind[0].poll() is None:
            time.sleep(0.002)
        front = subprocess.Popen(
            [
                *(*pinned, str(kernel / "linux"), f"uml_dir={home}", f"mem={memory}"),
                *("root=/dev/root", "rootfstype=hostfs", f"rootflags={root}", "rw"),
                *("init=/init", "quiet", "con=null", "con0=null,fd:1", *boot),
            ],
            env={"TMPDIR": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        machine = Machine(front, behind, home / "report")

        def late() -> None:
            machine.late = True
            os.killpg(machine.kernel.pid, signal.SIGKILL)

        clock = threading.Timer(limit, late)
        clock.start()
        try:
            yield machine
        finally:
            clock.cancel()
    finally:
        for one in behind:
            one.kill()
            one.wait()
        if front is not None and front.poll() is None:
            os.killpg(front.pid, signal.SIGKILL)
            front.wait()


@contextmanager
def started(
    kernel: Path,
    device: Path,
    root: Path,
    home: Path,
    *,
    limit: float,
    memory: str,
    pinned: Sequence[str] = (),
    boot: Sequence[str] = (),
    options: Sequence[str | Path] = (),
    first: Sequence[str | Path] = (),
    cards: int = 1,
    simulated: bool = False,
    tree: Path | None = None,
) -> Iterator[Machine]:
    """booted() with the Verilated logic as its cards.

    device:    the program uml_device
    options:   of every device;  first: of the first one
    simulated: the guest's clock is the logic's
    tree:      device tree in which the logic is, not on PCI; SOCKET in it is the device's
    """
    sockets = [home / f"pci{card}" for card in range(cards)]
    calendar, report = home / "calendar", home / "report"
    where = [f"virtio_uml.device={socket}:1234" for socket in sockets]
    every: list[str | Path] = [*(["--platform"] if tree else []), *options]
    if tree:
        (home / "dts").write_text(tree.read_text().replace("SOCKET", str(sockets[0])))
        compiler = kernel / "build" / "scripts" / "dtc" / "dtc"
        blob = home / "dtb"
        made = ("-q", "-I", "dts", "-O", "dtb", "-o", str(blob), str(home / "dts"))
        subprocess.run([compiler, *made], check=True)
        where = [f"dtb={blob}"]
    if simulated:
        where.append(f"time-travel=ext:{calendar}")
        every += ["--calendar", calendar]
    devices = [[device, sockets[0], "--report", report, *every, *first]]
    devices += [[device, socket, *every] for socket in sockets[1:]]
    with booted(
        kernel,
        devices,
        [*sockets, *([calendar] if simulated else [])],
        root,
        home,
        limit=limit,
        memory=memory,
        pinned=pinned,
        boot=(*where, *boot),
    ) as machine:
        yield machine
