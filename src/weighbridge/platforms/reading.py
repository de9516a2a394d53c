# SPDX-License-Identifier: Apache-2.0
"""Reading a platform file: what it extends, defaults, and every fault with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from weighbridge.errors import InputError, InputErrors
from weighbridge.platforms.changing import overridden
from weighbridge.platforms.checks import Places, check, check_rest
from weighbridge.platforms.kinds import KINDS, UNITS, Field
from weighbridge.platforms.model import File, Platform
from weighbridge.tomlsource import faults, near, read_toml

SCHEMA_VERSION = 1
#: What a platform may be called: it stands in tables, in the names of runs, and in addresses.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def read_platform(path: Path, overrides: Mapping[str, str] | None = None) -> Platform:
    """Reads and checks a platform file, with `NAME.FIELD=VALUE` overrides applied.

    Raises InputErrors with every fault of the file, each with its line.
    """
    raw, text = read_toml(path)
    places = Places(path, text)
    raw = _extended(raw, path, places)
    raw["schema_"] = raw.pop("schema", None)
    if raw["schema_"] != SCHEMA_VERSION:
        raise InputError(
            f"schema {raw['schema_']!r} is not supported",
            places.of("schema"),
            f"this version reads schema {SCHEMA_VERSION}",
        )
    errors: list[InputError] = []
    components = raw.get("component", {})
    if isinstance(components, dict):
        raw["component"] = {
            name: _sort_fields(name, fields, places, errors) if isinstance(fields, dict) else fields
            for name, fields in components.items()
        }
        driven = [KINDS[kind].costs for kind in KINDS if kind in _kinds_of(components)]
        software = raw.get("software")
        for costs in software.values() if isinstance(software, dict) else ():
            if isinstance(costs, dict):
                for fields in driven:
                    _fill(costs, fields)
    try:
        file = File.model_validate(raw)
    except ValidationError as error:
        errors += faults(error, path, text, inserted=_SORTED)
        raise InputErrors(errors + check_rest(raw, error, places)) from None
    errors += [*check(file, places), *_check_name(file, path, places)]
    if errors:
        raise InputErrors(errors)
    platform = Platform(file, path)
    return overridden(platform, overrides or {})


def _check_name(file: File, path: Path, places: Places) -> Iterator[InputError]:
    """The fault of a name that is no word, or under which another system comes with the product.

    A delivered platform with other numbers keeps its name: a calibrated one answers its studies.
    """
    if not _NAME.fullmatch(file.name):
        mend = "a name is a word of letters, digits, '.', '_' and '-'"
        yield InputError(f"the platform is called '{file.name[:40]}'", places.of("name"), mend)
        return
    delivered = Path(__file__).parent / f"{file.name}.toml"
    if not delivered.is_file() or delivered.resolve() == path.resolve():
        return
    other = read_platform(delivered).file
    if (file.component.keys(), file.link.keys()) != (other.component.keys(), other.link.keys()):
        yield InputError(
            f"'{file.name}' comes with the product, and is another system",
            places.of("name"),
            "give this one a name of its own",
        )


def own_files(path: Path) -> dict[str, str]:
    """File name -> text of a platform file and of those beside it that it extends, itself first.

    What it extends that comes with the product is not among them.
    """
    raw, text = read_toml(path)
    files = {path.name: text}
    while isinstance(name := raw.get("extends"), str):
        beside = path.parent / f"{name}.toml"
        if beside.name in files or not beside.is_file():
            break
        raw, files[beside.name] = read_toml(beside)
    return files


def _extended(
    raw: dict[str, Any], path: Path, places: Places, seen: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """What a file says over what the platform says that it extends.

    A platform's own errors were measured on it, and are not inherited.
    """
    name = raw.pop("extends", None)
    if name is None:
        return raw
    beside, shipped = path.parent / f"{name}.toml", Path(__file__).parent / f"{name}.toml"
    base = beside if beside.is_file() else shipped
    if not isinstance(name, str) or not base.is_file() or base.resolve() in (path.resolve(), *seen):
        raise InputError(
            f"it extends '{name}'",
            places.of("extends"),
            "name another platform: a file beside this one, or one of 'weighbridge list'",
        )
    under, text = read_toml(base)
    under = _extended(under, base, Places(base, text), (path.resolve(), *seen))
    under.pop("accuracy", None)
    return _over(under, raw)


def _over(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Tables are merged; numbers, lists and a component of another kind are replaced."""
    merged = dict(under)
    for key, value in over.items():
        below = under.get(key)
        merged[key] = value
        if not isinstance(value, dict) or not isinstance(below, dict) or "value" in value:
            continue
        if value.get("kind") in (None, below.get("kind")):
            merged[key] = _over(below, value)
    return merged


#: Where the fields of a component go; no names of the file.
_SORTED = {"numbers", "choices", "flags", "columns"}


def _sort_fields(
    name: str, fields: dict[str, Any], places: Places, errors: list[InputError]
) -> dict[str, Any]:
    """Sorts a component's fields into numbers, choices and flags; notes what does not belong."""
    kind = str(fields.get("kind"))
    declared = KINDS.get(kind)
    if declared is None:
        errors.append(
            InputError(
                f"unknown kind '{kind}'",
                places.of("component", name, "kind"),
                near(kind, KINDS),
            )
        )
        return {"kind": kind, "title": name, "clock": str(fields.get("clock"))}
    sorted_fields: dict[str, Any] = {"numbers": {}, "choices": {}, "flags": {}}
    for field, value in fields.items():
        if field in declared.numbers:
            sorted_fields["numbers"][field] = value
        elif field in declared.choices:
            sorted_fields["choices"][field] = value
            allowed = declared.choices[field]
            if value not in allowed:
                errors.append(
                    InputError(
                        f"'{field}' of '{name}' is '{value}'",
                        places.of("component", name, field),
                        f"allowed: {', '.join(allowed)}",
                    )
                )
        elif field in declared.flags:
            sorted_fields["flags"][field] = value
        elif field in {"kind", "title", "clock", "to", "windows"}:
            sorted_fields[field] = value
        else:
            errors.append(
                InputError(
                    f"'{name}' is a {kind} and has no field '{field}'",
                    places.of("component", name, field),
                    near(field, declared.fields),
                )
            )
    _fill(sorted_fields["numbers"], declared.numbers)
    missing = [
        field
        for field in declared.fields
        if field not in fields and field not in sorted_fields["numbers"]
    ]
    if missing:
        errors.append(
            InputError(
                f"'{name}' is a {kind} and lacks {', '.join(missing)}",
                places.of("component", name),
            )
        )
    return sorted_fields


def _kinds_of(components: Mapping[str, Any]) -> set[str]:
    return {str(fields.get("kind")) for fields in components.values() if isinstance(fields, dict)}


def _fill(said: dict[str, Any], fields: Mapping[str, Field]) -> None:
    """Adds to what a file says the numbers that it leaves to their defaults."""
    for name, field in fields.items():
        if name not in said and field.standard is not None:
            unit = next(unit for unit, factor in UNITS[field.dimension].items() if factor == 1)
            said[name] = {"value": field.standard, "unit": unit, "source": "default"}
