# SPDX-License-Identifier: Apache-2.0
"""The machine that this runs on: the probe is a process of it."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from weighbridge.backends import Reach
from weighbridge.backends.host.windows import window
from weighbridge.backends.probe import Facts, Plan, Settings, Window, measure
from weighbridge.backends.probe.program import program, sources
from weighbridge.backends.probe.stream import said_by
from weighbridge.dataset.samples import Measured, Surroundings
from weighbridge.dataset.schema import Point
from weighbridge.survey import survey
from weighbridge.survey.sysroot import Sysroot

__all__ = ["Host"]

_GRACE: Final = 2.0
#: A shared machine drifts over seconds: a point's blocks are spread over more than that.
_GROUP: Final = 64


class Host:
    """Measures points on this machine, in a process of its own."""

    name = "host"

    def __init__(self, seed: int, reach: Reach) -> None:
        cpus = len(os.sched_getaffinity(0))
        self._settings = Settings(seed, seconds=reach.seconds, cpus=cpus, group=_GROUP)
        self._root = Sysroot(reach.sysroot)
        self._survey = survey(self._root)
        self._devices = {device.address: device for device in self._survey.devices}
        self._program = program()
        self._facts = Facts()

    def identity(self) -> dict[str, str]:
        """The machine by its name and its processors."""
        chip = self._survey.processor
        return {"machine": f"{platform.node()}, {platform.machine()}, {chip.cpus} of {chip.model}"}

    def facts(self) -> dict[str, object]:
        return {**self._facts.plain(), "survey": self._survey.plain()}

    def surroundings(self, point: Point) -> Surroundings:
        chip = self._survey.processor
        here = Surroundings(virtual=chip.hypervisor is not None, governor=chip.governor or "")
        device = self._devices.get(str(dict(point.axes).get("device")))
        if device is None or device.link is None:
            return here
        link = device.link
        rate = link.bytes_per_second
        return replace(
            here,
            ceiling_seconds=None if rate is None else point.size_bytes / rate,
            aspm="" if device.aspm in (None, "off") else str(device.aspm),
            degraded=link.said if link.degraded else "",
        )

    def measure(self, points: Mapping[int, Point]) -> Generator[tuple[int, Measured | str]]:
        def place(point: Point) -> Window | None:
            return window(point, self._root, self._devices)

        plan = Plan.of(points, self._settings, place)
        return measure(plan, self._way, self._facts)

    @contextmanager
    def _way(self, text: str) -> Iterator[Iterator[bytes]]:
        with tempfile.TemporaryFile() as plan, tempfile.TemporaryFile() as errors:
            plan.write(text.encode())
            plan.seek(0)
            # In a session of its own: a terminal's Ctrl-C is for this process, and ends it here.
            with subprocess.Popen(
                [self._program, "-"],
                stdin=plan,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            ) as process:
                try:
                    yield said_by(process.stdout, "the probe", self._facts)
                finally:
                    _end(process)
                    errors.seek(0)
                    if process.returncode and (said := errors.read().decode(errors="replace")):
                        self._facts.complaint = said.strip().splitlines()[-1]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the probe and all that it has started, whatever state it is in."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def measuring(seed: int, reach: Reach) -> Host:
    return Host(seed, reach)


def made_of() -> list[Path]:
    return sources()
