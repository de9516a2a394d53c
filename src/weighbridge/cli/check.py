# SPDX-License-Identifier: Apache-2.0
"""weighbridge check: is this platform or study file right?"""

from __future__ import annotations

from collections.abc import Iterator
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


EXAMPLES = ("weighbridge check my.toml",)


def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Platform or study files (.toml).")
    ],
) -> None:
    """Check platform and study files; every fault with its line."""
    from weighbridge.errors import InputError, InputErrors
    from weighbridge.platforms import load_platform
    from weighbridge.studies import load_study
    from weighbridge.tomlsource import read_toml

    faults: list[InputError] = []
    for file in files:
        try:
            data, text = read_toml(file)
            if {"platform", "builds", "axes", "designs"} & data.keys() and "component" not in data:
                study = load_study(file)
                if unknown := list(_unknown_to_platform(study, file, text)):
                    raise InputErrors(unknown)
                print(f"{file}: study {study.key}, {sum(1 for _ in study.walk())} points, no fault")
            else:
                platform = load_platform(str(file))
                if platform.modelled and (silent := list(_silent(platform, file))):
                    raise InputErrors(silent)
                count = len(list(platform.parameters()))
                print(f"{file}: platform {platform.name}, {count} parameters, no fault")
        except InputErrors as errors:
            faults += errors.errors
        except InputError as error:
            faults.append(error)
    if faults:
        raise InputErrors(faults)


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
    """Words in a study that its platform does not have, each with its line."""
    from weighbridge.dataset.values import shown
    from weighbridge.errors import InputError
    from weighbridge.platforms import load_platform
    from weighbridge.tomlsource import line_of

    everywhere = {name: load_platform(study.described_by(name)).axes for name in study.platforms}
    places: dict[tuple[str | int, ...], Block] = {("axes",): study.axes}
    places |= {("builds", number): block for number, block in enumerate(study.builds)}
    places |= {("paths", number): block for number, block in enumerate(study.paths)}
    for place, block in places.items():
        for name, column in product(block.get("platform", study.platforms), NAMED):
            allowed = everywhere[str(name)].get(column, ())
            for value in block.get(column, []):
                if value not in allowed:
                    yield InputError(
                        f"{name} has no {column} '{shown(value)}'",
                        f"{file}, line {line_of(text, (*place, column))}",
                        "allowed: " + ", ".join(map(str, allowed)),
                    )
