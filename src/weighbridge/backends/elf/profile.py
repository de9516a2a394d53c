# SPDX-License-Identifier: Apache-2.0
"""Where an executed program's time goes: by function, by line of its source, by component."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from weighbridge.errors import InputError


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

    components: (name, accesses, bytes, seconds busy, seconds waiting)
    """

    seconds: float
    instructions: int
    functions: dict[str, Spent] = field(default_factory=dict)
    lines: dict[str, Spent] = field(default_factory=dict)
    components: tuple[tuple[str, int, int, float, float], ...] = ()

    def folded(self) -> str:
        """Lines `function;line picoseconds`: what flame graphs and speedscope read."""
        return "".join(
            f"{place.partition(' ')[0]};{place.partition(' ')[2]} {round(spent.seconds * 1e12)}\n"
            for place, spent in self.lines.items()
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
    for pc, seconds, executed in report["pcs"]:
        function, line = places.function(pc), places.line(pc)
        functions.setdefault(function, Spent()).add(seconds, executed)
        lines.setdefault(f"{function} {line}", Spent()).add(seconds, executed)
    return Profile(
        report["seconds"],
        report["instructions"],
        _by_time(functions),
        _by_time(lines),
        tuple(map(tuple, report["components"])),
    )


def _by_time(spent: dict[str, Spent]) -> dict[str, Spent]:
    return dict(sorted(spent.items(), key=lambda one: (-one[1].seconds, one[0])))


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
