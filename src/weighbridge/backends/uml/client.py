# SPDX-License-Identifier: Apache-2.0
"""Debian's iperf3 in a Linux guest, as the client of a microcontroller's executed firmware.

The guest's network card is the other end of the simulated wire, and its clock is the board's: what
the client says is in simulated time, on a machine of any speed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from weighbridge.backends import DEFAULT_SEED, Unanswered
from weighbridge.backends.elf.datagrams import Captured, captured
from weighbridge.backends.elf.microcontroller import SERVER, Microcontroller, serving
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.backends.uml import guest, machine
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputError
from weighbridge.platforms.model import Platform

#: Datagrams that the client asks for.
_DATAGRAMS: Final = 1000
_MEMORY: Final = "64M"
#: The guest's own address and MAC: with a random MAC no two runs are alike.
_INIT: Final = (
    machine.MOUNTS
    + f"""export PATH=/bin
mount -t tmpfs tmp /tmp
ip link set lo up
ip link set eth0 address 02:00:00:00:00:02
ip address add {SERVER.rpartition(".")[0]}.2/24 dev eth0
ip link set eth0 up
sh /script
echo $? > /proc/exitcode
poweroff -f
"""
)
#: Lines of the kernel's that are in every output.
_KERNELS: Final = ("reboot: ", "Warning: tempdir ")
_LIBRARY: Final = re.compile(r"(/\S+) \(0x")


@dataclass(frozen=True, slots=True)
class Told:
    """What the guest's script has said, the board's frames, and the board's and card's counts."""

    output: str
    frames: list[Captured]
    report: dict[str, Any]


def installed(program: str) -> list[Path]:
    """A program of this machine's and the libraries that it is linked with."""
    path = shutil.which(program)
    if path is None:
        raise InputError(
            f"the uml backend needs {program}, which is not installed",
            mend=f"apt install {program}",
        )
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
    return [Path(path), *(Path(one) for one in _LIBRARY.findall(listed.stdout))]


def run(
    hardware: Hardware,
    point: Point,
    script: str,
    numbers: Mapping[str, float] | None = None,
    library: Path | None = None,
) -> Told:
    """Boots board and guest, and runs a script of the guest's shell, which can call iperf3.

    The board is at SERVER, and serves once it is up.  numbers: of the core, in place of those of
    cortex-m7.toml;  library: the logic, where it is not the platform's
    """
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as name:
        home = Path(name)
        root = home / "root"
        machine.plant(root)
        program, *libraries = installed("iperf3")
        shutil.copy(program, root / "bin")
        for file in libraries:
            copied = root / file.relative_to("/")
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copied)
        for called, text in (("init", _INIT), ("script", script)):
            (root / called).write_text(text)
            (root / called).chmod(0o755)
        card, calendar = home / "card", home / "calendar"
        step = str(dict(point.axes)["firmware"])
        options = {"card": card, "calendar": calendar}
        options |= {"logic": library} if library else {}
        options |= {name: home / name for name in ("capture", "report")}
        board = serving(hardware, point, step, home, numbers, options)
        with machine.booted(
            guest.kernel("network"),
            [board],
            [card, calendar],
            root,
            home,
            limit=guest.LIMIT,
            memory=_MEMORY,
            pinned=machine.core(),
            boot=[f"virtio_uml.device={card}:1", f"time-travel=ext:{calendar}", "norandmaps"],
            output=subprocess.DEVNULL,
        ) as running:
            assert running.kernel.stdout is not None
            output = running.kernel.stdout.read()
            status = running.kernel.wait()
            _, errors = running.cards[0].communicate(timeout=60)
            stopped = running.cards[0].returncode
        if running.late:
            raise InputError(f"uml: the guest has not ended within {guest.LIMIT:.0f} s")
        if stopped != 0 or errors:
            why = (errors.splitlines() or [f"status {stopped}"])[-1]
            raise InputError(f"uml: the board has stopped: {why}")
        if status != 0:
            lines = [line.strip() for line in output.splitlines() if line.strip()]
            panic = [line for line in lines if "panic" in line]
            own = [line for line in lines if not line.startswith(_KERNELS)]
            why = (panic or own[-1:] or [f"status {status}"])[0]
            raise InputError(f"uml: the guest has failed: {why}")
        report = json.loads((home / "report").read_text())
        return Told(output, captured(home / "capture"), report)


def asked(
    hardware: Hardware,
    point: Point,
    options: str,
    numbers: Mapping[str, float] | None = None,
    library: Path | None = None,
) -> dict[str, Any]:
    """What iperf3 says at its end, for options beside the server's address; others as of run()."""
    script = f"iperf3 -J -c {SERVER} {options} || true"
    said = run(hardware, point, script, numbers, library).output
    begins, ends = said.find("{"), said.rfind("}")
    if begins < 0 or ends < 0:
        raise InputError(f"uml: iperf3 has said nothing: {said[-200:]!r}")
    answer = json.loads(said[begins : ends + 1])
    if "error" in answer:
        raise Unanswered(f"uml: iperf3: {answer['error']}")
    return dict(answer["end"])


class Client:
    """Answers a steady flow of datagrams by what the client in the guest has received."""

    name = "uml"

    def __init__(self, platform: Platform, seed: int = DEFAULT_SEED) -> None:
        guest.check()
        installed("iperf3")
        self._hardware = Hardware(platform, seed)
        self._board = Microcontroller(platform, seed)

    def facts(self) -> dict[str, object]:
        """What a run's manifest says of who answered, beside the platform."""
        listed = subprocess.run(["iperf3", "--version"], capture_output=True, text=True, check=True)
        return {"client": listed.stdout.splitlines()[0], "datagrams": _DATAGRAMS}

    def predict(self, point: Point) -> Result:
        """Between two datagrams, by the client's rate; raises Unanswered where one was lost."""
        ceiling = self._board.check(point)
        size = point.size_bytes
        told = asked(self._hardware, point, f"-u -R -l {size} -n {size * _DATAGRAMS}")
        total = told["sum_received"]
        if total["lost_packets"]:
            raise Unanswered(f"uml: {total['lost_packets']} of {total['packets']} datagrams lost")
        return Result(
            point=point,
            seconds=8 * size / total["bits_per_second"],
            backend=self.name,
            statistic="mean",
            bytes_moved=size,
            ceiling_seconds=ceiling,
            n=total["packets"],
        )
