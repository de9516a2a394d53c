# SPDX-License-Identifier: Apache-2.0
"""What does not change from one point to the next is worked out once.

The points of a curve differ in their size alone: which program answers them, what bounds their path
and most of the engine's job are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from weighbridge.dataset.schema import Point

#: What tells the paths of points apart: all that they say but their size. Faster than a point
#: without a size.
_path = attrgetter(*(field.name for field in fields(Point) if field.name != "size_bytes"))

#: Paths that are remembered at once; more than any study of one platform asks for by turns.
_PATHS = 4096


class Paths:
    """What is known of each path, by who has worked it out."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], dict[object, Any]] = {}
        self._last: tuple[Point | None, dict[object, Any]] = (None, {})

    def __getitem__(self, point: Point) -> dict[object, Any]:
        """What is known of a point's path."""
        last, known = self._last
        if last is not point:
            if len(self._known) >= _PATHS:
                self._known.clear()
            # Of several threads that come to a path the first one's is kept.
            known = self._known.setdefault(_path(point), {})
            self._last = point, known
        return known


class _Knowing(Protocol):
    @property
    def paths(self) -> Paths: ...


S = TypeVar("S", bound=_Knowing)
R = TypeVar("R")
P = ParamSpec("P")


def of_path(method: Callable[[S, Point], R]) -> Callable[[S, Point], R]:
    """A method that says something of a point's path; nobody changes what it returns."""
    name = method.__qualname__

    @wraps(method)
    def known(self: S, point: Point) -> R:
        of = self.paths[point]
        key = type(self), name
        if key not in of:
            of[key] = method(self, point)
        found: R = of[key]
        return found

    return known


def of_platform(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method that says something of a platform; nobody changes what it returns."""
    answers: str = f"_{method.__name__}"

    @wraps(method)
    def known(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        said = self.__dict__.setdefault(answers, {})
        asked = (*args, *kwargs.items())
        if asked not in said:
            said[asked] = method(self, *args, **kwargs)
        found: R = said[asked]
        return found

    return known
