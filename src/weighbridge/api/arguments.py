# SPDX-License-Identifier: Apache-2.0
"""What a program gives, as the words that the command line takes: one reader for both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from typing import ParamSpec, TypeVar

from weighbridge.backends import Unanswered, with_model
from weighbridge.errors import InputError
from weighbridge.platforms import Platform, load_platform

#: Text as on the command line, or a number in the unit that the argument names.
Word = str | int | float | bool
#: PARAMETER -> value, as `--set` takes them.
Overrides = Mapping[str, Word]
#: 'KEY=VALUE' or several of them, or KEY -> one value or several.
Conditions = str | Iterable[str] | Mapping[str, Word | Iterable[Word]]

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


def refusing(function: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """Makes a question that nobody can answer, or a file that cannot be read, an InputError."""

    @wraps(function)
    def asked(*args: _Given.args, **kwargs: _Given.kwargs) -> _Answer:
        try:
            return function(*args, **kwargs)
        except Unanswered as reason:
            raise InputError(str(reason)) from None
        except OSError as error:
            raise InputError(f"cannot use {error.filename}: {error.strerror}") from error

    return asked


def word(value: object, where: str) -> str:
    """A value as the command line would be given it; InputError for what is no such thing."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Integral) and abs(int(value)) < 2**63:
        return str(int(value))
    if isinstance(value, Real) and not isinstance(value, Integral):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**63 else repr(number)
    raise InputError(f"a value of type {type(value).__name__}", where, "give text or a number")


def file_named(value: object, where: str) -> Path:
    """The path of a file or directory; InputError for what can be none."""
    if isinstance(value, str | Path) and "\0" not in str(value):
        return Path(value)
    raise InputError(f"{type(value).__name__} {value!r:.40}", where, "give the path of a file")


def assignments(pairs: Mapping[str, object]) -> list[str]:
    """KEY=VALUE words of the pairs; those that are None say nothing."""
    return [f"{name}={word(value, name)}" for name, value in pairs.items() if value is not None]


def conditions(where: object, pairs: Mapping[str, object]) -> list[str]:
    """KEY=VALUE words of `where` and of keyword arguments, of which a list means any of them."""
    words: list[str] = []
    if isinstance(where, Mapping):
        pairs = {**where, **pairs}
    elif isinstance(where, str):
        words = where.split()
    elif isinstance(where, Iterable):
        words = [word(one, "where") for one in where]
    elif where is not None:
        raise InputError(f"where of type {type(where).__name__}", mend="write it like 'os=linux'")
    for name, value in pairs.items():
        several = isinstance(value, Iterable) and not isinstance(value, str)
        values: Iterable[object] = value if several else (value,)  # type: ignore[assignment]
        words += [f"{name}={word(one, str(name))}" for one in values if one is not None]
    return words


def overrides(given: object) -> dict[str, str]:
    """What is changed in a platform: 'sdram.clock' -> '533MHz'."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f"set of type {type(given).__name__}", mend="write it like {'sdram.clock': '533MHz'}"
        )
    return {word(name, "set"): word(value, f"set {name}") for name, value in given.items()}


def loaded(platform: object, given: object) -> Platform:
    """A platform by name, by file or as it is, with numbers of it replaced."""
    from weighbridge.platforms.changing import overridden

    changes = overrides(given)
    if isinstance(platform, Platform):
        return overridden(with_model(platform), changes)
    if not isinstance(platform, str | Path):
        raise InputError(f"a platform of type {type(platform).__name__}", mend="give its name")
    return with_model(load_platform(str(platform), changes))
