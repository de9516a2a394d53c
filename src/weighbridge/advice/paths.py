# SPDX-License-Identifier: Apache-2.0
"""From what a person types to the paths that are meant: KEY=VALUE and --where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from weighbridge.dataset.schema import AXES, Point, Value
from weighbridge.dataset.values import DIRECTIONS, column_named, given, shown, spelled
from weighbridge.errors import InputError
from weighbridge.platforms import Platform

#: Keys that tell a platform's paths apart, in the order in which they are asked for.
CHOOSING = (
    "os", "master", "copy", "route", "link", "prepared", "cache_level", "buffer", "completion",
    *(name for name in reversed(AXES) if AXES[name].asked == "path"),
)  # fmt: skip
#: Keys that any path can be asked at.
FREE = ("fpga_mhz", "direction", "size_bytes", "memory_attribute", "ports")
#: Axes that the paths that have them can be asked at.
FREE_AXES = tuple(name for name, axis in AXES.items() if axis.asked in ("point", "any"))
#: Axes that every path can be asked at; the path's program says what it allows.
_ANY = {name for name, axis in AXES.items() if axis.asked == "any"}
#: What is meant where nothing is said; the other keys take the first path that is left.
_USUAL: dict[str, Value] = {"os": "linux"}
#: Keys whose value is never guessed: the answers lie too far apart.
_ASKED = ("master", "route")
_NO_CLOCK = "no clock of the fabric can be chosen here"


def candidates(
    platform: Platform,
    direction: str,
    size_bytes: int = 1,
    os: str | None = None,
    fpga_mhz: float | None = None,
    where: Mapping[str, Sequence[Value]] | None = None,
) -> list[Point]:
    """Every path of a platform that meets the conditions, at one direction, clock and size.

    where: column -> wanted values, as values.parse_where() reads them; only keys of paths.
    Raises InputError for a key or a value that no path has, or if no path is left.
    """
    if direction not in DIRECTIONS:
        raise InputError(f"'{direction}' is not a direction", mend=_allowed(DIRECTIONS))
    wanted = dict(where or {})
    if os is not None:
        wanted["os"] = [*wanted.get("os", ()), os]
    left = platform.paths()
    for column, values in wanted.items():
        if column not in CHOOSING:
            raise InputError(f"paths are not told apart by '{column}'", mend=_allowed(CHOOSING))
        known = list(dict.fromkeys(_value(path, column) for path in platform.paths()))
        values = [spelled(value, known) for value in values]
        for value in values:
            if value not in known:
                raise InputError(f"no path has {column} '{shown(value)}'", mend=_allowed(known))
        left = [path for path in left if _value(path, column) in values]
    if not left:
        raise InputError("no path meets all the conditions")
    if fpga_mhz is not None and all(path.fpga_mhz is None for path in left):
        raise InputError(_NO_CLOCK, mend="leave fpga_mhz out")
    own = {"direction": direction, "size_bytes": size_bytes}
    clock = {} if fpga_mhz is None else {"fpga_mhz": fpga_mhz}
    return [replace(path, **own, **clock) for path in left]  # type: ignore[arg-type]


def point_of(
    platform: Platform,
    assignments: Sequence[str],
    size_bytes: int | None,
    filled: dict[str, Value] | None = None,
) -> Point:
    """The one point meant by ['os=linux', 'master=cpu', ...], what is not said filled in.

    size_bytes: of the --size option; a 'size=64KiB' among the assignments does as well.
    filled: takes the keys that were filled in although they could have been otherwise.
    Raises InputError for an unknown key or value, and where several paths are meant.
    """
    filled = {} if filled is None else filled
    values = parsed(assignments)
    if size_bytes is not None and values.setdefault("size_bytes", size_bytes) != size_bytes:
        raise InputError("two sizes", mend="give either --size or size=")
    if "size_bytes" not in values:
        raise InputError("no size", mend="give one, as in --size 64KiB")
    if "fpga_mhz" in values and values["fpga_mhz"] is None:
        raise InputError("no value for 'fpga_mhz'")
    path = _path(platform, values, filled)
    for key in ("fpga_mhz", "direction"):
        if key not in values and (usual := _value(path, key)) is not None:
            filled[key] = usual
    attributes: list[Value] = [path.memory_attribute]
    if path.os != "linux":
        taken = {path.memory_attribute, *(one.buffer for one in platform.paths())}
        attributes += [name for name in platform.file.buffer if name not in taken]
    if values.get("memory_attribute", attributes[0]) not in attributes:
        asked = shown(values["memory_attribute"])
        raise InputError(f"memory_attribute '{asked}' on this path", mend=_allowed(attributes))
    if "fpga_mhz" in values and path.fpga_mhz is None:
        raise InputError(_NO_CLOCK, mend="leave fpga_mhz out")
    asked_axes = {key: values[key] for key in FREE_AXES if key in values}
    if asked_axes.get("consume") == "none" and "consume" not in dict(path.axes):
        del asked_axes["consume"]
    if strange := sorted(set(asked_axes) - set(dict(path.axes)) - _ANY):
        raise InputError(f"'{strange[0]}' does not apply to this path")
    path = replace(path, axes=tuple(sorted((dict(path.axes) | asked_axes).items())))
    own = {key: values[key] for key in FREE if key in values}
    named = str(path.link).count("+") + 1
    if own.setdefault("ports", max(named, path.ports or 1)) < named:  # type: ignore[operator]
        raise InputError(f"ports={own['ports']} for the {named} of {path.link}")
    return replace(path, **own)  # type: ignore[arg-type]


def command_words(point: Point, usual_mhz: float | None = None) -> list[str]:
    """The KEY=VALUE words that mean this point to point_of(), all but the size.

    usual_mhz: the clock that is meant where none is said; in many digits it is left out.
    """
    keys = (*CHOOSING, *FREE_AXES, "fpga_mhz", "direction")
    columns = point.key()
    if columns["fpga_mhz"] == usual_mhz and _exact(usual_mhz) != shown(usual_mhz):
        del columns["fpga_mhz"]
    words = [f"{key}={_exact(columns[key])}" for key in keys if columns.get(key) is not None]
    return words if point.ports in (None, 1) else [*words, f"ports={point.ports}"]


def _exact(value: Value) -> str:
    """A value that is read again as it is: a clock of 1/7 GHz in all its digits."""
    text = shown(value)
    return text if not isinstance(value, float) or float(text) == value else repr(value)


def parsed(assignments: Sequence[str]) -> dict[str, Value]:
    """['os=linux', 'size=64KiB'] as column -> value; InputError for a key no path has."""
    values: dict[str, Value] = {}
    for text in assignments:
        key, equals, word = text.partition("=")
        if not equals or not word.strip():
            raise InputError(f"'{text}' is not KEY=VALUE")
        column = column_named(key.strip(), (*CHOOSING, *FREE, *FREE_AXES))
        try:
            value = given(column, word.strip())
        except InputError as error:
            raise InputError(error.what, f"'{text}'", error.mend) from error
        except ValueError as error:
            raise InputError(str(error), f"'{text}'") from error
        if values.setdefault(column, value) != value:
            raise InputError(f"two values for '{column}'")
    return values


def _path(platform: Platform, values: Mapping[str, Value], filled: dict[str, Value]) -> Point:
    """The path that has the values; InputError if none or several have them."""
    left = platform.paths()
    level = values.get("cache_level")
    said: list[str] = []
    for key in CHOOSING:
        if key not in values:
            continue
        value = values[key]
        known = list(dict.fromkeys(_value(path, key) for path in left))
        value = spelled(value, known)
        if key == "cache_level" and value not in known and level in platform.cache_levels:
            # The processor's own copy on bare metal may have any of the caches on.
            copies = [path for path in left if path.os != "linux" and _copied(platform, path)]
            if copies:
                left = copies
                continue
        if key == "link" and value not in known and value in platform.axes["link"]:
            # Of two ports at once, as in FH128+FS128, the first is a path by itself.
            value = str(value).partition("+")[0]
        if value not in known:
            on = f" with {' '.join(said)}" if said else ""
            raise InputError(f"no path has {key} '{shown(value)}'{on}", mend=_allowed(known))
        left = [path for path in left if _value(path, key) == value]
        said.append(f"{key}={shown(value)}")
    for key in CHOOSING:
        known = list(dict.fromkeys(_value(path, key) for path in left))
        if len(known) > 1 and key in _ASKED:
            words = " or ".join(f"{key}={shown(value)}" for value in known if value is not None)
            raise InputError("several paths are meant", mend=f"add {words}")
        usual = _USUAL.get(key)
        chosen = usual if usual in known else known[0]
        if len(known) > 1 and key not in values:
            filled[key] = chosen
        left = [path for path in left if _value(path, key) == chosen]
    path = left[0]
    if level is not None and level != path.cache_level:
        assert isinstance(level, int)
        assert path.os is not None
        attribute = platform.attribute(path.os, level)
        path = replace(path, cache_level=level, memory_attribute=attribute)
    link = spelled(values.get("link"), [str(one) for one in platform.axes.get("link", ())])
    return path if link is None else replace(path, link=str(link))


def _copied(platform: Platform, path: Point) -> bool:
    """Whether a processor moves a path's bytes itself."""
    master = platform.components.get(str(path.master))
    return master is not None and master.kind == "processor"


def _value(path: Point, column: str) -> Value:
    """A key column or an axis of a path; None where it has none."""
    return path.key().get(column)


def _allowed(values: Sequence[Value]) -> str:
    return "allowed: " + ", ".join("none" if value is None else shown(value) for value in values)
