# SPDX-License-Identifier: Apache-2.0
"""What a page asks, as it stands in its address: words that are read once, and nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from weighbridge.advice.paths import CHOOSING
from weighbridge.advice.purpose import Purpose
from weighbridge.dataset.schema import Point
from weighbridge.dataset.values import DIRECTIONS, shown
from weighbridge.errors import InputError
from weighbridge.quantities import (
    parse_frequency_mhz,
    parse_rate,
    parse_share,
    parse_size,
    parse_time,
)

#: Characters of one word, and changed parameters, of a question at most.
_LONGEST, _MOST_CHANGES = 300, 40
#: Words of a question that are options of `weighbridge advise` with a value, in its order.
_OPTIONS = {
    "size": "--size",
    "direction": "--direction",
    "os": "--os",
    "fpga_mhz": "--fpga-mhz",
    "consume": "--consume",
    "depth": "--depth",
    "streams": "--streams",
    "processor": "--processor",
    "rate": "--rate",
    "latency": "--latency",
}
_FLAGS = {"stream": "--stream", "duplex": "--duplex"}
#: Of a stream alone.
_STREAMS = ("depth", "streams", "duplex")
KEYS = ("platform", *_OPTIONS, *_FLAGS, "path", "set")


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was read: seconds, bytes and MHz.

    path: which of the paths is looked at, as path_key() names it; empty: the best. overrides:
    (parameter, value as it was typed). words: option of `advise` -> what was typed.
    """

    platform: str
    size_bytes: int
    direction: str
    os: str | None
    fpga_mhz: float | None
    purpose: Purpose
    path: str
    overrides: tuple[tuple[str, str], ...]
    words: tuple[tuple[str, str], ...]

    def looking_at(self, path: str) -> Question:
        """The same question, looking at another of the paths."""
        return replace(self, path=path)

    def command(self, platform: str) -> str:
        """The command that ranks the same paths; platform: as the command is given it."""
        parts = ["weighbridge advise", shlex.quote(platform)]
        for option, text in self.words:
            parts.append(f"{option} {shlex.quote(text)}" if text else option)
        parts += [f"--set {shlex.quote(f'{name}={text}')}" for name, text in self.overrides]
        return " ".join(parts)


def path_key(point: Point) -> str:
    """The words that tell a path from the platform's others."""
    columns = point.key()
    words = (f"{name}={shown(columns[name])}" for name in CHOOSING if columns.get(name) is not None)
    return " ".join(words)


def question(pairs: Sequence[tuple[str, str]], platforms: Collection[str]) -> Question:
    """The question of an address's pairs; platforms: the names that may be asked for.

    Raises InputError for a word too many, a word twice, and a value that cannot be.
    """
    given: dict[str, str] = {}
    overrides: dict[str, str] = {}
    for name, text in pairs:
        if name not in KEYS:
            raise InputError(f"'{name[:40]}' is no part of a question", mend=_allowed(KEYS))
        if len(text) > _LONGEST:
            raise InputError(f"{name} of {len(text)} characters", mend=f"at most {_LONGEST}")
        if name == "set":
            parameter, equals, value = text.partition("=")
            if not equals or not value.strip():
                raise InputError(f"'{text}' is not PARAMETER=VALUE", "set")
            if overrides.setdefault(parameter.strip(), value.strip()) != value.strip():
                raise InputError(f"two values for '{parameter.strip()}'", "set")
        elif name in given:
            raise InputError(f"'{name}' twice")
        else:
            given[name] = text.strip()
    if len(overrides) > _MOST_CHANGES:
        raise InputError(f"{len(overrides)} changed parameters", mend=f"at most {_MOST_CHANGES}")
    said = {name: text for name, text in given.items() if text}
    return _read(said, overrides, platforms)


def _read(
    said: Mapping[str, str], overrides: Mapping[str, str], platforms: Collection[str]
) -> Question:
    platform = said.get("platform", "")
    if platform not in platforms:
        raise InputError(f"platform '{platform}'", mend=_allowed(platforms))
    for name in ("size", "direction"):
        if name not in said:
            raise InputError(f"no {name}")
    direction = said["direction"]
    if direction not in DIRECTIONS:
        raise InputError(f"'{direction}' is not a direction", mend=_allowed(DIRECTIONS))
    for name in _FLAGS:
        if said.get(name, "1") != "1":
            raise InputError(f"{name} '{said[name]}'", mend="1, or left out")
    if "stream" not in said and (lone := [name for name in _STREAMS if name in said]):
        raise InputError(f"'{lone[0]}' is of a stream", mend="add stream=1")
    usual = Purpose()
    purpose = Purpose(
        consume=said.get("consume", usual.consume).replace("-", "_"),
        stream="stream" in said,
        depth=_whole(said, "depth", usual.depth),
        duplex="duplex" in said,
        streams=_whole(said, "streams", usual.streams),
        processor=parse_share(said.get("processor", "100%"), "processor"),
        rate=parse_rate(said["rate"]) if "rate" in said else None,
        latency=parse_time(said["latency"]) if "latency" in said else None,
    )
    clock = parse_frequency_mhz(said["fpga_mhz"]) if "fpga_mhz" in said else None
    words = [(option, said[name]) for name, option in _OPTIONS.items() if name in said]
    words += [(option, "") for name, option in _FLAGS.items() if name in said]
    return Question(
        platform,
        parse_size(said["size"]),
        direction,
        said.get("os"),
        clock,
        purpose,
        said.get("path", ""),
        tuple(overrides.items()),
        tuple(words),
    )


def _whole(said: Mapping[str, str], name: str, usual: int) -> int:
    text = said.get(name, str(usual))
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise InputError(f"{name} '{text}'", mend="give a whole number")
    return int(text)


def _allowed(values: Collection[str]) -> str:
    return f"allowed: {', '.join(values)}"
