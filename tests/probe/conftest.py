# SPDX-License-Identifier: Apache-2.0
"""Builds the probe, kept by its content, and runs it."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

root = Path(__file__).parents[2]
#: By the name of a build, what runs it here.
RUNNERS: dict[str, list[str]] = {
    "x86_64": [],
    "host": [],
    "aarch64": ["qemu-aarch64-static"],
    "armhf": ["qemu-arm-static"],
}


@dataclass
class Answer:
    """What the probe has written: its lines by type, of a point by number."""

    status: int
    errors: str
    lines: list[dict[str, Any]] = field(repr=False)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["type"] == kind]

    def point(self, number: int = 1) -> dict[str, Any]:
        (found,) = (line for line in self.of("point") if line["id"] == number)
        return found

    def samples(self, number: int = 1) -> list[dict[str, Any]]:
        return [line for line in self.of("sample") if line["id"] == number]

    def median(self, number: int = 1) -> float:
        times = sorted(line["ns"] for line in self.samples(number))
        return float(times[len(times) // 2])


def answer(status: int, output: str, errors: str) -> Answer:
    """Every line is whole, and JSON."""
    assert not output or output.endswith("\n"), output[-200:]
    return Answer(status, errors, [json.loads(line) for line in output.splitlines()])


class Probe:
    """One build of the program."""

    def __init__(self, name: str) -> None:
        made = subprocess.run(
            ["make", "-s", "-C", root / "probe", name], capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr
        self.name, self.path = name, root / "build" / "probe" / name / "probe"
        self.command = [*RUNNERS[name], str(self.path)]

    def __call__(self, plan: str, settings: str = "budget=300ms", timeout: float = 60) -> Answer:
        """Measures the points of a plan, within the settings."""
        return self.raw(f"set {settings}\n{plan}\n".encode(), timeout)

    def raw(self, plan: bytes, timeout: float = 60, extra: Sequence[str] = ()) -> Answer:
        done = subprocess.run(
            [*self.command, *extra], input=plan, capture_output=True, timeout=timeout, check=False
        )
        return answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="session")
def probe() -> Probe:
    return Probe("x86_64")


@pytest.fixture(scope="session", params=RUNNERS)
def any_probe(request: pytest.FixtureRequest) -> Probe:
    return Probe(request.param)
