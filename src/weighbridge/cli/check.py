# SPDX-License-Identifier: Apache-2.0
"""weighbridge check: is this platform or study file right?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from weighbridge.dataset.blocks import Block
    from weighbridge.errors import InputError
    from weighbridge.platforms import Platform
    from weighbridge.studies.schema import Study

#: Bytes at which each path is tried.
_TRIED = 64
#: Columns whose words the platform defines.
NAMED = ("os", "master", "link", "route")


EXAMPLES = (
    "weighbridge check my.toml",
    "weighbridge check cyclonev cyclonev/cache-levels",
)


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Platform or study files (.toml), or names ('weighbridge list').",
        ),
    ],
) -> None:
    """Check platform and study files; every fault with its line."""
    from weighbridge.errors import InputError, InputErrors
    from weighbridge.platforms import read_platform
    from weighbridge.studies import read_study
    from weighbridge.tomlsource import read_toml

    faults: list[InputError] = []
    for name in files:
        try:
            file = _file(name)
            data, text = read_toml(file)
            if {"platform", "builds", "axes", "designs"} & data.keys() and "component" not in data:
                study, errors = read_study(file)
                if study is not None:
                    errors += _unknown_to_platform(study, file, text)
                if errors:
                    raise InputErrors(errors)
                assert study is not None
                print(f"{name}: study {study.key}, {sum(1 for _ in study.walk())} points, no fault")
            else:
                platform = read_platform(file)
                if platform.modelled and (silent := list(_silent(platform, file))):
                    raise InputErrors(silent)
                count = len(list(platform.parameters()))
                print(f"{name}: platform {platform.name}, {count} parameters, no fault")
        except InputErrors as several:
            faults += several.errors
        except InputError as error:
            faults.append(error)
    if faults:
        raise InputErrors(faults)


def _file(name: str) -> Path:
    """The file of a platform or study that comes along, or the one at that path."""
    from weighbridge.errors import InputError
    from weighbridge.platforms import machine_names, platform_file, platform_names
    from weighbridge.studies import study_file, study_names
    from weighbridge.tomlsource import near

    if (own := platform_file(name)) is not None:
        return own
    if name in study_names():
        return study_file(name)
    if Path(name).suffix == ".toml" or Path(name).exists():
        return Path(name)
    known = [*platform_names(), *machine_names(), *study_names()]
    raise InputError(f"no file, platform or study '{name}'", mend=near(name, known))


def _silent(platform: Platform, file: Path) -> Iterator[InputError]:
    """Paths of a platform that the twin answers in no direction, each with the reason."""
    from dataclasses import replace

    from weighbridge.backends import Unanswered
    from weighbridge.backends.twin import Twin
    from weighbridge.cli.wording import os_named
    from weighbridge.dataset.values import DIRECTIONS
    from weighbridge.errors import InputError

    twin = Twin(platform)
    for path in platform.paths():
        reasons = []
        for direction in DIRECTIONS:
            try:
                twin.predict(replace(path, size_bytes=_TRIED, direction=direction))
            except (Unanswered, InputError) as reason:
                reasons.append(str(reason))
        if len(reasons) == len(DIRECTIONS):
            where = f"{platform.describe(path)}, {os_named(path.os)}"
            yield InputError(f"path '{where}': {reasons[0]}", str(file))


def _unknown_to_platform(study: Study, file: Path, text: str) -> Iterator[InputError]:
    """Platforms of a study that are none, words that its platforms do not have; by their lines."""
    from weighbridge.dataset.values import shown
    from weighbridge.errors import InputError, InputErrors
    from weighbridge.platforms import load_platform
    from weighbridge.tomlsource import line_of

    everywhere: dict[str, dict[str, Sequence[object]]] = {}
    for named in study.platforms:
        try:
            platform = load_platform(study.described_by(named))
        except InputErrors as several:
            yield from several.errors
        except InputError as error:
            said = f"{file}, line {line_of(text, ('platform',))}"
            yield InputError(error.what, error.where or said, error.mend)
        else:
            # A master may reach more links than its platform has paths for.
            links = dict.fromkeys([*platform.axes.get("link", ()), *platform.file.link])
            everywhere[named] = dict(platform.axes) | {"link": [*links]}
    places: dict[tuple[str | int, ...], Block] = {("axes",): study.axes}
    places |= {("builds", number): block for number, block in enumerate(study.builds)}
    places |= {("paths", number): block for number, block in enumerate(study.paths)}
    for place, block in places.items():
        for name, column in product(block.get("platform", study.platforms), NAMED):
            if name not in everywhere:
                continue
            allowed = everywhere[str(name)].get(column, ())
            for value in block.get(column, []):
                if value not in allowed:
                    yield InputError(
                        f"{name} has no {column} '{shown(value)}'",
                        f"{file}, line {line_of(text, (*place, column))}",
                        "allowed: " + ", ".join(map(str, allowed)),
                    )
