# SPDX-License-Identifier: Apache-2.0
"""The page without a server: its own files, and the answers of a grid as one file a question."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weighbridge.dataset.files import unwritable
from weighbridge.errors import InputError
from weighbridge.explore.lab import Lab
from weighbridge.explore.questions import Question
from weighbridge.explore.server import page_files, vega

#: Bytes of an export at most: what a web host or a mail takes.
MOST = 20 * 10**6
#: Sizes of an export where nothing else is asked for.
SIZES = ("16B", "64B", "256B", "1KiB", "4KiB", "16KiB", "64KiB", "256KiB", "1MiB", "2MiB")
#: Slices of the best way's timeline; the others have none.
_SLICES = 600
_DIRECTIONS = ("cpu_to_fpga", "fpga_to_cpu")
#: What the questions of an export differ in; the page finds an answer by these words.
_AXES = ("platform", "size", "direction", "os")


def questions(lab: Lab, platform: str, sizes: Sequence[str]) -> list[dict[str, str]]:
    """The grid: each size and direction on each system, and on all of them beside each other."""
    systems = [name for name, _ in lab.described(platform)["os"]]
    asked = [*systems, ""] if len(systems) > 1 else [""]
    grid = []
    for size in dict.fromkeys(sizes):
        for direction in _DIRECTIONS:
            for system in asked:
                words = {"platform": platform, "size": size, "direction": direction, "os": system}
                grid.append(words)
    return grid


def export(
    lab: Lab,
    platform: str,
    sizes: Sequence[str],
    directory: Path,
    advance: Callable[[], None] = lambda: None,
) -> tuple[int, int]:
    """Write the page of one platform into a directory, whole or not at all.

    sizes: as the command takes them. Returns the questions answered and the bytes written. Raises
    InputError for a directory with something in it, for a size that no way can be asked at, and
    for more than MOST bytes.
    """
    grid = questions(lab, platform, sizes)
    for words in grid:  # before the first is worked out
        lab.question(list(words.items()))
    with _directory(directory) as folder:
        written = 0

        def write(name: str, content: bytes) -> None:
            nonlocal written
            written += len(content)
            if written > MOST:
                raise InputError(
                    f"the page would be larger than {MOST // 10**6} MB", mend="give fewer --size"
                )
            (folder / name).write_bytes(content)

        for name, content in page_files().items():
            write(name, content)
        write("vega.js", vega().encode())
        files: dict[str, str] = {}
        refused: dict[str, InputError] = {}
        for number, words in enumerate(grid):
            answers = _answers(lab, lab.question(list(words.items())))
            advance()
            if isinstance(answers, InputError):
                refused.setdefault(words["size"], answers)
                continue
            name = f"answers-{number}.json"
            write(name, _text(answers))
            files[" ".join(words[axis] for axis in _AXES)] = name
        for size, why in refused.items():
            if not any(name.split(" ")[1] == size for name in files):
                raise why
        usual = dict(zip(_AXES, list(files)[len(files) // 2].split(" "), strict=True))
        setup = {
            "platforms": [lab.described(platform)],
            "start": platform,
            "live": False,
            "axes": _AXES,
            "sizes": list(dict.fromkeys(sizes)),
            "files": files,
            "usual": {"size": usual["size"], "direction": usual["direction"]},
        }
        write("setup.json", _text(setup))
    return len(files), written


def _answers(lab: Lab, asked: Question) -> dict[str, Any] | InputError:
    """All that the page shows of a question; why not, where no way can be asked for that."""

    def go_on() -> None:
        return

    try:
        ranking = lab.ranking(asked, go_on)
    except InputError as why:
        return why
    paths = {one["key"]: lab.path(asked.looking_at(one["key"]), go_on) for one in ranking["paths"]}
    best = asked.looking_at(ranking["paths"][0]["key"])
    return {
        "ranking": ranking,
        "path": paths,
        "timeline": {best.path: lab.timeline(best, go_on, _SLICES)},
        "turns": lab.turns(asked, go_on),
        "curves": lab.curves(best, go_on),
    }


def _text(told: object) -> bytes:
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


@contextmanager
def _directory(directory: Path) -> Iterator[Path]:
    """A folder that takes the directory's place if all goes well."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InputError(f"{directory} is there already", mend="name a new directory")
    temporary = directory.with_name(f".{directory.name}.{os.getpid()}.tmp")
    try:
        temporary.mkdir()
        yield temporary
        if directory.is_dir():
            directory.rmdir()
        temporary.rename(directory)
    except OSError as error:
        raise unwritable(directory, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
