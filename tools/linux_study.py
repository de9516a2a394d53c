# SPDX-License-Identifier: Apache-2.0
"""The Linux programs of the Cyclone V and Zynq studies: their plans, results and device trees.

    python -m tools.linux_study plan cyclonev/hps-to-fpga --where link=HF128 --where fpga_mhz=150
    python -m tools.linux_study rows cyclonev/hps-to-fpga log >rows.jsonl
    python -m tools.linux_study overlay cyclonev --link HF128

`plan` writes what weighbridge-study walks on the board, `rows` makes of its output what
`weighbridge import` takes, `overlay` tells the board's kernel where the FPGA's window is. A point's
id is its place in the study. docs/linux-study.md is the manual.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from weighbridge.analysis.statistics import Statistics
from weighbridge.analysis.trust import Doubt, Evidence, judged
from weighbridge.backends.probe.stream import Facts, measured
from weighbridge.dataset.samples import Measured, Surroundings
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study

BOARDS: Final = Path(__file__).parents[1] / "stack" / "study" / "boards"
#: What a program under Linux can vary, of a point's columns; the FPGA's image decides the others.
_WORDS: Final = (
    *("master", "route", "buffer", "copy", "prepared", "completion", "direction"),
    *("dummy_traffic", "lock_cpu_ways", "lock_acp_ways", "lock_when"),
    *("sdram_priority", "sdram_weight"),
)
_MASTERS: Final = ("cpu", "pl330")
EMULATED: Final = Doubt("emulated", "an emulator ran it: its time is that of no hardware")


def covered(study: str, where: list[str]) -> dict[int, Point]:
    """The points of a study that the Linux program moves bytes for, by their place in the study."""
    every = load_study(study).points()
    wanted = set(load_study(study).points(where))
    chosen = {
        number: point
        for number, point in enumerate(every)
        if point in wanted and point.os == "linux" and point.master in _MASTERS
    }
    if not chosen:
        raise InputError(f"no such point of {study} is for the Linux program", "--where")
    return chosen


def plan(points: Mapping[int, Point], settings: Mapping[str, int]) -> str:
    """The plan's text; settings: words of its line `set`."""
    lines = [" ".join(("set", *(f"{name}={value}" for name, value in settings.items())))]
    lines += [_line(number, point) for number, point in points.items()]
    return "\n".join(lines) + "\n"


def _line(number: int, point: Point) -> str:
    said = point.key()
    words = [f"id={number} kernel=transfer bytes={point.size_bytes}"]
    for name in _WORDS:
        value = said.get(name)
        if value is not None:
            words.append(f"{name}={int(value) if isinstance(value, bool) else value}")
    return " ".join(words)


def rows(points: Mapping[int, Point], log: Path, facts: Facts) -> Iterator[Result | str]:
    """Results of a log's points; for one that has not ended well, why."""
    asked: dict[int, Mapping[str, str]] = {number: {} for number in points}
    with log.open("rb") as lines:
        for number, one in measured(lines, asked, facts):
            del asked[number]
            if one.outcome == "ok":
                yield _result(points[number], one, bool(facts.machine.get("emulated")))
            else:
                yield f"point {number}: {one.outcome}: {one.message}"
    if asked:
        yield f"{len(asked)} points of the study are not in {log}"


def _result(point: Point, one: Measured, emulated: bool) -> Result:
    blocks: dict[int, list[float]] = {}
    for sample in one.samples:
        blocks.setdefault(sample.block, []).append(sample.ns * 1e-9)
    statistics = Statistics.of(list(blocks.values()))
    # The importer knows the ceiling.
    doubt = EMULATED if emulated else judged(Evidence(point, one, statistics, Surroundings()))
    return Result(
        point=point,
        seconds=statistics.median,
        backend="board",
        n=statistics.n,
        bytes_moved=one.samples[0].bytes // one.samples[0].count,
        quality=doubt.quality,
        doubt=doubt.seen or None,
        spread=statistics.figures | {"blocks": statistics.blocks},
    )


def overlay(name: str, link: str) -> str:
    """A board's device-tree overlay, for the FPGA image that has a link."""
    file = BOARDS / f"{name}.dtso"
    if not file.exists():
        known = ", ".join(sorted(board.stem for board in BOARDS.glob("*.dtso")))
        raise InputError(f"there is no overlay for {name}", mend=f"there are {known}")
    platform = load_platform(name).file
    if link not in platform.link or platform.link[link].window == 0:
        known = ", ".join(one for one, way in platform.link.items() if way.window)
        raise InputError(f"{name} has no window by the link {link}", mend=f"there are {known}")
    memory = platform.fabric_memory
    assert memory is not None
    fields = {
        "WINDOW_ADDRESS": f"{platform.link[link].window:x}",
        "WINDOW_BYTES": f"{int(memory.value) * 1024:#x}",
        "LINK": link,
    }
    if acp := platform.route.get("acp"):
        fields["ACP_OFFSET"] = f"{acp.offset:#x}"
    text = file.read_text()
    comment, _, body = text.partition("/dts-v1/")
    for word, value in fields.items():
        body = body.replace(word, value)
    return comment + "/dts-v1/" + body


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.linux_study",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("plan", help="what the board walks")
    made.add_argument("study")
    made.add_argument("--where", action="append", default=[], metavar="KEY=VALUE")
    for name, default in (("seed", 1), ("blocks", 5), ("samples", 20)):
        made.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    made.add_argument("--batch-us", type=int, help="least time of a sample; see the README")
    read = commands.add_parser("rows", help="what `weighbridge import` takes")
    read.add_argument("study")
    read.add_argument("log", type=Path)
    read.add_argument("--where", action="append", default=[], metavar="KEY=VALUE")
    tree = commands.add_parser("overlay", help="where the board's window is")
    tree.add_argument("platform")
    tree.add_argument("--link", required=True)
    given = parser.parse_args()
    try:
        if given.command == "overlay":
            print(overlay(given.platform, given.link), end="")
        elif given.command == "plan":
            settings = {name: getattr(given, name) for name in ("seed", "blocks", "samples")}
            if given.batch_us is not None:
                settings["batch_us"] = given.batch_us
            print(plan(covered(given.study, given.where), settings), end="")
        else:
            return _print_rows(given)
    except (InputError, OSError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 2
    return 0


def _print_rows(given: argparse.Namespace) -> int:
    """Results to the standard output, the rest to the other; 1 if a point has no result."""
    facts = Facts()
    missing = False
    for one in rows(covered(given.study, given.where), given.log, facts):
        if isinstance(one, str):
            missing = True
            print(one, file=sys.stderr)
        else:
            row = {name: value for name, value in one.row().items() if value is not None}
            print(json.dumps(row))
    if facts.garbage:
        print(f"{facts.garbage} lines of {given.log} are none of the program's", file=sys.stderr)
    return int(missing)


if __name__ == "__main__":
    sys.exit(main())
