# SPDX-License-Identifier: Apache-2.0
"""Studies: sets of points to walk, one TOML file each. A new experiment is a new file here."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.errors import InputError, InputErrors

if TYPE_CHECKING:
    from weighbridge.studies.schema import Study

_FOLDER = Path(__file__).parent


def study_names() -> list[str]:
    """Names of the studies that come with Weighbridge, as load_study() takes them."""
    return sorted(
        file.relative_to(_FOLDER).with_suffix("").as_posix() for file in _FOLDER.rglob("*.toml")
    )


def study_file(name_or_path: str | Path) -> Path:
    """The file of a study named 'cyclonev/hps-to-fpga' or by its path; InputError if neither."""
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    if str(name_or_path) not in study_names():
        from weighbridge.tomlsource import near

        mend = near(str(name_or_path), study_names())
        raise InputError(f"unknown study '{name_or_path}'", mend=mend)
    return _FOLDER / f"{name_or_path}.toml"


def load_study(name_or_path: str | Path) -> Study:
    """Read and check a study; InputErrors lists every fault with its line.

    Its platform is a name, or the path of a .toml file from the study's folder or from here.
    """
    study, errors = read_study(study_file(name_or_path))
    if errors:
        raise InputErrors(errors)
    assert study is not None
    return study


def read_study(path: Path) -> tuple[Study | None, list[InputError]]:
    """A study as far as its file can be understood, and every fault with its line."""
    from pydantic import ValidationError

    from weighbridge.dataset.blocks import VARIED
    from weighbridge.studies.schema import Study
    from weighbridge.tomlsource import faults, read_toml, without

    data, text = read_toml(path)
    files: dict[str, str] = {}
    errors: list[InputError] = []

    def named(said: object) -> object:
        try:
            return _named(said, path, files)
        except InputError as error:
            errors.extend(error.errors if isinstance(error, InputErrors) else [error])
            return said

    said = data.get("platform")
    data["platform"] = [named(one) for one in said] if isinstance(said, list) else named(said)
    try:
        study = Study.model_validate(data)
    except ValidationError as error:
        names = [*(one.alias or name for name, one in Study.model_fields.items()), *VARIED]
        inserted = ("parameters", "Range", "list[union[str,float]]")
        errors += faults(error, path, text, names, inserted)
        try:
            study = Study.model_validate(_filled(without(data, error)))
        except ValidationError:
            return None, errors
    if files:
        study = study.on(files)
    if study.designs and not errors:
        study = _designed(study, path, text)
    return study, errors


def _filled(data: dict[str, Any]) -> dict[str, Any]:
    """What is left of a faulty study, with stand-ins for what no study can be without."""
    data = {"name": "", "title": "", "source": ""} | data
    axes, builds, paths = data.get("axes"), data.get("builds", []), data.get("paths", [])
    if not isinstance(axes, dict) or not isinstance(builds, list) or not isinstance(paths, list):
        return data
    for column, value in (("size_bytes", 1), ("direction", "cpu_to_fpga")):
        if not any(column in block for block in (axes, *builds, *paths)):
            axes[column] = value
    return data


def _designed(study: Study, path: Path, text: str) -> Study:
    """The study with its designs, checked against its platforms; InputErrors with their lines."""
    from weighbridge.platforms import load_platform
    from weighbridge.studies.designs import Designs, resolved
    from weighbridge.tomlsource import line_of

    designs: dict[str, list[Designs]] = {}
    errors: list[InputError] = []
    for name in study.platforms:
        platform = load_platform(study.described_by(name))
        designs[name] = []
        for number, block in enumerate(study.designs):
            if block.platform is not None and name not in block.platform:
                continue
            where = {}
            for one in block.parameters:
                # A key with a dot is written in quotes or without them.
                spelt = ((one,), tuple(one.split(".")))
                lines = [line_of(text, ("designs", number, *keys)) or 0 for keys in spelt]
                where[one] = f"{path}, line {max(lines)}"
            try:
                designs[name].append(resolved(block, platform, where))
            except InputError as error:
                errors.append(error)
        if not designs[name] and not errors:
            errors.append(InputError(f"no design is of platform '{name}'", str(path)))
    if errors:
        raise InputErrors(errors)
    return study.designed(designs)


def _named(said: object, study: Path, files: dict[str, str]) -> object:
    """The name of a platform that a study says; its file, if it has one of its own, is noted."""
    own = _own_platform(said, study)
    if not own:
        return said
    from weighbridge.platforms import load_platform, platform_names
    from weighbridge.tomlsource import line_of, read_toml

    if not Path(own).is_file():
        raise InputError(
            f"no platform file '{said}'",
            f"{study}, line {line_of(read_toml(study)[1], ('platform',))}, platform",
            f"name a file beside the study, or one of {', '.join(platform_names())}",
        )
    name = load_platform(own).name
    files[name] = own
    return name


def _own_platform(named: object, study: Path) -> str:
    """The path of the platform file that a study names; empty where it names no file."""
    if not isinstance(named, str) or not named.endswith(".toml"):
        return ""
    beside = study.parent / named
    return str(beside if beside.is_file() else named)


def study_digest(name_or_path: str | Path) -> str:
    """SHA-256 of the study's file."""
    return hashlib.sha256(study_file(name_or_path).read_bytes()).hexdigest()


@cache
def noise_floors() -> dict[tuple[str, str], tuple[float, float, str]]:
    """(platform, study) -> cited (median, p90, source), fractions, of the studies that cite one."""
    floors = {}
    for name in study_names():
        study = load_study(name)
        if floor := study.noise_floor:
            floors[study.platform, study.name] = (floor.median, floor.p90, floor.source)
    return floors
