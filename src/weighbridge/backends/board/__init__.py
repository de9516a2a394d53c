# SPDX-License-Identifier: Apache-2.0
"""A board: its probe is reached by SSH or by a serial line, or was recorded earlier."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from weighbridge.backends import Reach
from weighbridge.backends.board import transfers
from weighbridge.backends.probe import Facts, Plan, Settings, Way, measure
from weighbridge.backends.probe.program import program_for, sources
from weighbridge.dataset.samples import Surroundings
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.dataset.samples import Measured
    from weighbridge.dataset.schema import Point

__all__ = ["Board"]


class Board:
    """Measures points on a board; one of three ways leads there."""

    name = "board"

    def __init__(self, seed: int, reach: Reach) -> None:
        ways = {"--at": reach.at, "--serial": reach.serial, "--log": reach.log}
        given = [option for option, value in ways.items() if value]
        if len(given) != 1:
            raise InputError(
                f"a board is reached one way, and {' and '.join(given) or 'none'} is given",
                "--backend board",
                "give --at USER@HOST, --serial DEVICE or --log FILE",
            )
        self._seed = seed
        self._facts = Facts()
        self._reach = reach
        self._way = self._found(reach)

    def _found(self, reach: Reach) -> Way:
        if reach.at:
            from weighbridge.backends.board.ssh import Ssh

            def program(machine: str) -> Path:
                return Path(reach.program) if reach.program else program_for(machine)

            return Ssh(reach.at, program, self._facts, reach.client, reach.before).way
        if reach.serial:
            from weighbridge.backends.board.serial import BAUD, Serial

            return Serial(reach.serial, self._facts, reach.baud or BAUD).way
        from weighbridge.backends.board.recorded import Recorded

        return Recorded(Path(reach.log), self._facts).way

    def surroundings(self, point: Point) -> Surroundings:
        return Surroundings(emulated=bool(self._facts.machine.get("emulated")))

    def identity(self) -> dict[str, str]:
        """The board by its name; a log is what it is, wherever it lies."""
        return {"board": self._reach.at or self._reach.serial or "log"}

    def facts(self) -> dict[str, object]:
        return self._facts.plain()

    def measure(self, points: Mapping[int, Point]) -> Generator[tuple[int, Measured | str]]:
        transfer = any(map(transfers.is_transfer, points.values()))
        if transfer and self._reach.at and not self._reach.program:
            raise InputError(
                "the probe moves nothing to an FPGA; the Linux program of stack/study does",
                mend="build it for the board's kernel (docs/linux-study.md), and give --probe FILE",
            )
        return measure(planned(points, self._seed, self._reach), self._way, self._facts)


def planned(points: Mapping[int, Point], seed: int, reach: Reach) -> Plan:
    """What the probe on a board is asked, or the program that moves bytes to the FPGA.

    InputError for points of several FPGA images: what is measured with one is none of another's.
    """
    settings = Settings(seed, seconds=reach.seconds, cpus=reach.cpus)
    if all(map(transfers.is_transfer, points.values())):
        plan = Plan.said(points, transfers.settings(settings), transfers.words)
        transfers.check_image([points[number] for number in plan.asked])
        return plan
    return Plan.of(points, settings, lambda point: None)


def measuring(seed: int, reach: Reach) -> Board:
    return Board(seed, reach)


def made_of() -> list[Path]:
    return sources()
