# SPDX-License-Identifier: Apache-2.0
"""A platform with some of its numbers replaced."""

from __future__ import annotations

from collections.abc import Mapping

from weighbridge.errors import InputError, InputErrors
from weighbridge.platforms.checks import Places, check
from weighbridge.platforms.model import File, Parameter, Platform
from weighbridge.tomlsource import alike, listed


def overridden(platform: Platform, overrides: Mapping[str, str]) -> Platform:
    """The platform with some of its numbers replaced, as `--set NAME.FIELD=VALUE` asks.

    InputErrors for every one that cannot be, in the words that it was asked with.
    """
    from weighbridge.quantities import parse_quantity

    if not overrides:
        return platform
    raw = platform.file.model_dump()
    errors: list[InputError] = []
    said: dict[str, str] = {}
    for key, text in overrides.items():
        words = f"--set {key}={text}"
        try:
            parameter = changeable(platform, key, words)
            value = parse_quantity(text, parameter.unit)
        except InputError as error:
            errors.append(InputError(error.what, words, error.mend))
            continue
        if parameter.name in said:
            errors.append(InputError(f"two values for '{parameter.name}'", words))
        said[parameter.name] = words
        slot = raw
        for step in platform.place(parameter.name):
            slot = slot[step]
            slot = slot.get("numbers", slot)
        slot.update(value=value, source=f"set to {text}", elsewhere=None)
    file = File.model_validate(raw)
    for fault in check(file, Places(platform.path, "")):
        errors.append(InputError(fault.what, _said_of(fault.what, said), fault.mend))
    if errors:
        raise errors[0] if len(errors) == 1 else InputErrors(errors)
    return Platform(file, platform.path, changed=True)


def _said_of(fault: str, said: Mapping[str, str]) -> str:
    """The words behind a fault: those that set the parameter that it names, or one of its owner's.

    said: parameter -> the words that set it.
    """
    own = [words for name, words in said.items() if f"'{name}'" in fault]
    owners = [words for name, words in said.items() if f"'{name.rpartition('.')[0]}'" in fault]
    return " ".join(own or owners or said.values())


def changeable(platform: Platform, key: str, where: str) -> Parameter:
    """The parameter that a person means by `key`; InputError at `where` for none.

    The clock of a component, as in 'sdram.clock', is that of all that share it.
    """
    places = {parameter.name: parameter for parameter in platform.parameters()}
    owner, _, field = key.rpartition(".")
    target = key
    if field == "clock" and owner in platform.components:
        target = f"clock.{platform.components[owner].clock}"
    if target not in places:
        near = [name for name in places if name.startswith(f"{owner}.")]
        mend = alike(key, [*places, *(f"{component}.clock" for component in platform.components)])
        if near and not mend:
            mend = f"parameters: {listed(near)}"
        raise InputError(f"unknown parameter '{key}'", where, mend or "see: weighbridge show")
    if field == "width" and owner in platform.components and (links := platform.links(owner)):
        raise InputError(
            f"'{key}' is the width of the link",
            where,
            f"set {' or '.join(f'{link}.width' for link in links)}",
        )
    return places[target]


def independent(platform: Platform) -> Platform:
    """The platform with the numbers that are given elsewhere from there."""

    def replace(node: object) -> None:
        if not isinstance(node, dict):
            return
        if other := node.get("elsewhere"):
            node.update(other, elsewhere=None)
        for inner in node.values():
            replace(inner)

    raw = platform.file.model_dump()
    replace(raw)
    return Platform(File.model_validate(raw), platform.path, changed=True)
