# SPDX-License-Identifier: Apache-2.0
"""weighbridge check: is this platform or study file right?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


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
            data, _ = read_toml(file)
            if {"platform", "builds", "axes"} & data.keys() and "component" not in data:
                study = load_study(file)
                print(f"{file}: study {study.key}, {len(study.points())} points, no fault")
            else:
                platform = load_platform(str(file))
                count = len(list(platform.parameters()))
                print(f"{file}: platform {platform.name}, {count} parameters, no fault")
        except InputErrors as errors:
            faults += errors.errors
        except InputError as error:
            faults.append(error)
    if faults:
        raise InputErrors(faults)
