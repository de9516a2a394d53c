# SPDX-License-Identifier: Apache-2.0
"""What a board without a system is given to measure a study, and what it has answered.

    python -m tools.board_program STUDY -o DIRECTORY [--where KEY=VALUE]...
    python -m tools.board_program STUDY -o TABLE.csv --serial DEVICE [--where KEY=VALUE]...
    python -m tools.board_program STUDY -o TABLE.csv --log LOG [--where KEY=VALUE]...

The first writes program.elf and plan.txt, or a microcontroller's programs, one for each step of
its firmware. The second sends the plan to the program that waits at
the other end of a serial line, a line at a time, because the port of a board keeps few bytes while
the program measures; it keeps all that comes beside the table, as TABLE.log. The third reads such
a log. The table has the median of each point's samples, and `compare`, `query` and `report` take
it. Study and conditions are the same in all.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from weighbridge.backends import Unanswered
from weighbridge.backends.elf import Elf
from weighbridge.backends.elf.microcontroller import header
from weighbridge.backends.elf.programs import microcontroller_firmware
from weighbridge.backends.serial_line import opened
from weighbridge.backends.twin import Twin
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.dataset.export import write_columns
from weighbridge.dataset.files import write_text
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study

#: Of each point, timed ones.
REPETITIONS = 20
#: Seconds in which the longest point ends.
PATIENCE = 60.0


def planned(study: str, where: Iterable[str]) -> tuple[Elf, dict[int, Point]]:
    """The program's points of a study, numbered as in the plan."""
    given = load_study(study)
    if len(given.platforms) > 1:
        raise InputError(f"{study} is of several platforms", mend="a study of the board alone")
    elf = Elf(load_platform(given.described_by(given.platform)))
    found: dict[int, Point] = {}
    refused = ""
    for point in given.points([*where, "os=baremetal"]):
        try:
            elf.line(point)
        except Unanswered as why:
            refused = str(why)
            continue
        found[len(found) + 1] = point
    if not found:
        raise InputError(f"the program measures no point of {study}: {refused}")
    return elf, found


def flashed(study: str, where: Iterable[str], directory: Path) -> list[Path]:
    """Writes a microcontroller's programs, one for each step of the study's axis `firmware`."""
    given = load_study(study)
    hardware = Hardware(load_platform(given.described_by(given.platform)), 0)
    made = []
    for step, point in {
        str(dict(point.axes)["firmware"]): point for point in given.points([*where, "os=baremetal"])
    }.items():
        program = microcontroller_firmware(header(hardware, point), step)
        made.append(Path(shutil.copy(program, directory / f"{step}.elf")))
    return made


def plan(elf: Elf, points: dict[int, Point]) -> str:
    """The lines that the program reads."""
    lines = (elf.line(point, number, REPETITIONS) for number, point in points.items())
    return "".join(f"{line}\n" for line in lines) + "end\n"


def said_over(device: str, baud: int, text: str) -> str:
    """Sends a plan line by line and gives what came back; what is silent too long ends it."""
    kept: list[str] = []
    with opened(device, baud, PATIENCE) as line:
        for asked in text.splitlines():
            line.write(f"{asked}\n".encode())
            awaited = {"end" if asked == "end" else "point", "error", "fault"}
            kind = ""
            while kind not in awaited:
                answer = line.readline().decode("utf-8", errors="replace")
                if not answer:
                    print(f"{device} has been silent for {PATIENCE:g} s", file=sys.stderr)
                    return "".join(kept)
                kept.append(answer)
                kind = str(_object(answer).get("type"))
            if kind in ("error", "fault"):
                break
    return "".join(kept)


def results(elf: Elf, points: dict[int, Point], log: str) -> tuple[list[Result], list[str]]:
    """What a log says of the points, and why it says nothing of the others.

    A line that is no JSON object is the boot loader's, or was damaged on its way.
    """
    samples: dict[int, list[float]] = defaultdict(list)
    outcomes: dict[int, str] = {}
    for line in log.splitlines():
        told = _object(line)
        number = told.get("id")
        if number not in points:
            continue
        if told.get("type") == "sample" and isinstance(told.get("ns"), float | int):
            samples[number].append(told["ns"] * 1e-9)
        elif told.get("type") == "point":
            said = (told.get("outcome"), told.get("message"))
            outcomes[number] = " ".join(str(one) for one in said if one)
    twin = Twin(elf.platform)
    found, missing = [], []
    for number, point in points.items():
        if outcomes.get(number) != "ok" or not samples[number]:
            missing.append(f"point {number}: {outcomes.get(number, 'the log says no end of it')}")
            continue
        seconds, ceiling = median(samples[number]), twin.ceiling(point)
        found.append(
            Result(
                point=point,
                seconds=seconds,
                backend="board",
                bytes_moved=point.size_bytes,
                ceiling_seconds=ceiling,
                n=len(samples[number]),
                quality="posted" if seconds < ceiling else "ok",
            )
        )
    return found, missing


def _object(line: str) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def main(arguments: list[str]) -> int:
    words = argparse.ArgumentParser(prog="python -m tools.board_program", description=__doc__)
    words.add_argument("study")
    words.add_argument("-o", "--output", type=Path, required=True)
    words.add_argument("--where", action="append", default=[])
    words.add_argument("--log", type=Path)
    words.add_argument("--serial", metavar="DEVICE")
    words.add_argument("--baud", type=int, default=115_200)
    asked = words.parse_args(arguments)
    try:
        named = load_study(asked.study)
        board = load_platform(named.described_by(named.platform))
        if any(one.kind == "microcontroller" for one in board.components.values()):
            asked.output.mkdir(parents=True, exist_ok=True)
            for program in flashed(asked.study, asked.where, asked.output):
                print(program)
            return 0
        elf, points = planned(asked.study, asked.where)
        if asked.serial:
            asked.log = asked.output.with_suffix(".log")
            write_text(said_over(asked.serial, asked.baud, plan(elf, points)), asked.log)
        if asked.log is None:
            asked.output.mkdir(parents=True, exist_ok=True)
            shutil.copy(elf.program(), asked.output / "program.elf")
            write_text(plan(elf, points), asked.output / "plan.txt")
            print(f"{asked.output}: program.elf, plan.txt with {len(points)} points")
            return 0
        if not asked.log.is_file():
            raise InputError(f"cannot read {asked.log}", mend="the log of a terminal")
        found, missing = results(elf, points, asked.log.read_text("utf-8", errors="replace"))
        if not found:
            raise InputError(f"{asked.log} has no point that ended well: {missing[0]}")
        rows = [result.row() for result in found]
        names = dict.fromkeys(name for row in rows for name in row)
        write_columns({name: [row.get(name) for row in rows] for name in names}, asked.output)
    except InputError as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 2
    for one in missing:
        print(one, file=sys.stderr)
    print(f"{asked.output}: {len(found)} of {len(points)} points")
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
