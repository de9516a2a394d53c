# SPDX-License-Identifier: Apache-2.0
"""Where an executed program's time goes: by function, by line of its source, by component."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from weighbridge.backends.twin.explanation import Slice
from weighbridge.errors import InputError

_Name = TypeVar("_Name", str, tuple[str, ...])


@dataclass(slots=True)
class Spent:
    """Seconds, and executed instructions."""

    seconds: float = 0.0
    instructions: int = 0

    def add(self, seconds: float, instructions: int) -> None:
        self.seconds += seconds
        self.instructions += instructions


@dataclass(frozen=True, slots=True)
class Profile:
    """What a run has cost; the functions and lines with the most time first.

    stacks: functions from the outermost call on, then the line
    components: (name, accesses, bytes, seconds busy, seconds waiting)
    """

    seconds: float
    instructions: int
    functions: dict[str, Spent] = field(default_factory=dict)
    lines: dict[str, Spent] = field(default_factory=dict)
    stacks: dict[tuple[str, ...], Spent] = field(default_factory=dict)
    components: tuple[tuple[str, int, int, float, float], ...] = ()
    spans: tuple[tuple[str, float, float], ...] = ()
    slices: tuple[Slice, ...] = ()
    dropped: int = 0

    def folded(self) -> str:
        """Lines `function;function;line picoseconds`: what makers of flame graphs read."""
        return "".join(
            f"{';'.join(stack)} {round(spent.seconds * 1e12)}\n"
            for stack, spent in self.stacks.items()
        )

    def speedscope(self, name: str) -> str:
        """The stacks as a file of speedscope's, in nanoseconds.

        https://www.speedscope.app/file-format-schema.json describes it.
        """
        frames = list(dict.fromkeys(frame for stack in self.stacks for frame in stack))
        number = {frame: i for i, frame in enumerate(frames)}
        weights = [spent.seconds * 1e9 for spent in self.stacks.values()]
        return json.dumps(
            {
                "$schema": "https://www.speedscope.app/file-format-schema.json",
                "name": name,
                "exporter": "weighbridge",
                "shared": {"frames": [{"name": frame} for frame in frames]},
                "profiles": [
                    {
                        "type": "sampled",
                        "name": name,
                        "unit": "nanoseconds",
                        "startValue": 0,
                        "endValue": sum(weights),
                        "samples": [[number[frame] for frame in stack] for stack in self.stacks],
                        "weights": weights,
                    }
                ],
            }
        )


def profile(program: Path, report: dict[str, Any]) -> Profile:
    """The emulator's report by the names that the program's symbols and DWARF give."""
    try:
        with program.open("rb") as file:
            places = _Places(ELFFile(file))
    except OSError as error:
        raise InputError(f"cannot read {program}: {error.strerror}") from error
    except Exception as error:  # pyelftools raises all kinds on files that are damaged
        raise InputError(f"{program}: its symbols cannot be read: {error}") from error
    functions: dict[str, Spent] = {}
    lines: dict[str, Spent] = {}
    stacks: dict[tuple[str, ...], Spent] = {}
    calls = _calls(report["calls"], places)
    for pc, seconds, executed, call in report["pcs"]:
        function, line = places.function(pc), places.line(pc)
        functions.setdefault(function, Spent()).add(seconds, executed)
        lines.setdefault(f"{function} {line}", Spent()).add(seconds, executed)
        # What a function goes on in without a call is above it in the stack, too.
        own = () if calls[call][-1:] == (function,) else (function,)
        stacks.setdefault((*calls[call], *own, line), Spent()).add(seconds, executed)
    return Profile(
        report["seconds"],
        report["instructions"],
        _by_time(functions),
        _by_time(lines),
        _by_time(stacks),
        tuple(map(tuple, report["components"])),
        tuple((places.function(pc), begin, end) for pc, begin, end in report["spans"]),
        tuple(
            Slice(name, start, busy, waiting, size, bool(write))
            for name, start, busy, waiting, size, write in report["slices"]
        ),
        report["dropped"],
    )


def _calls(tree: list[tuple[int, int]], places: _Places) -> list[tuple[str, ...]]:
    """Of each call in the tree the functions that lead to it; the first is the program itself."""
    found: list[tuple[str, ...]] = [(places.function(tree[0][1]),)]
    for came_from, function in tree[1:]:
        found.append((*found[came_from], places.function(function)))
    return found


def _by_time(spent: dict[_Name, Spent]) -> dict[_Name, Spent]:
    return dict(sorted(spent.items(), key=lambda one: (-one[1].seconds, str(one[0]))))


class _Places:
    """Names for addresses."""

    def __init__(self, elf: ELFFile) -> None:
        table = elf.get_section_by_name(".symtab")
        found = {
            symbol["st_value"] & ~1: symbol.name
            for symbol in (table.iter_symbols() if isinstance(table, SymbolTableSection) else ())
            if symbol["st_info"]["type"] == "STT_FUNC"
        }
        self._starts = sorted(found)
        self._names = [found[start] for start in self._starts]
        self._line_starts: list[int] = []
        self._lines: list[str] = []
        if elf.has_dwarf_info():
            self._read_lines(elf)

    def _read_lines(self, elf: ELFFile) -> None:
        dwarf = elf.get_dwarf_info()
        found: dict[int, str] = {}
        for unit in dwarf.iter_CUs():
            program = dwarf.line_program_for_CU(unit)
            if program is None:
                continue
            first = 0 if program["version"] >= 5 else 1
            files = program["file_entry"]
            for entry in program.get_entries():
                state = entry.state
                if state is None:
                    continue
                number = state.file - first
                if state.end_sequence or not 0 <= number < len(files):
                    found.setdefault(state.address, "")
                    continue
                name = files[number].name.decode(errors="replace")
                found[state.address] = f"{Path(name).name}:{state.line}"
        self._line_starts = sorted(found)
        self._lines = [found[start] for start in self._line_starts]

    def function(self, pc: int) -> str:
        at = bisect_right(self._starts, pc) - 1
        return self._names[at] if at >= 0 else f"{pc:#x}"

    def line(self, pc: int) -> str:
        at = bisect_right(self._line_starts, pc) - 1
        return (self._lines[at] if at >= 0 else "") or f"{pc:#x}"
