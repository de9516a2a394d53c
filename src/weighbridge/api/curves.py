# SPDX-License-Identifier: Apache-2.0
"""Rates over sizes as an answer: one path, or several beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.api.table import Table, told_apart
from weighbridge.api.wording import clock, heading
from weighbridge.dataset.schema import Point
from weighbridge.quantities import format_rate, format_size, format_time

if TYPE_CHECKING:
    from weighbridge.backends.twin import Explanation
    from weighbridge.platforms.evidence import Expected


@dataclass(frozen=True, repr=False)
class Curve(Table):
    """One path over sizes.

    answers: one for each size up to the path's largest, the smallest first; seconds and bytes.
    published: size -> seconds of what was measured and published of the path. expected: of each
    answer, the interval that nine of ten measurements lie in.
    """

    path: str
    answers: tuple[Explanation, ...]
    published: Mapping[int, float]
    expected: tuple[Expected, ...]

    @property
    def point(self) -> Point:
        """The path, at the largest size."""
        return self.answers[-1].point

    @property
    def sizes(self) -> list[int]:
        """Bytes."""
        return [one.point.size_bytes for one in self.answers]

    @property
    def rates(self) -> list[float]:
        """Bytes per second at each size."""
        return [one.point.size_bytes / one.seconds for one in self.answers]

    def columns(self) -> dict[str, list[Any]]:
        plain = self.to_dict()["sizes"]
        return told_apart({name: [one[name] for one in plain] for name in plain[0]})

    def cells(self) -> dict[str, list[str]]:
        return {
            "size": [format_size(size) for size in self.sizes],
            "time": [format_time(one.seconds) for one in self.answers],
            "rate": [format_rate(one.point.size_bytes, one.seconds) for one in self.answers],
            "bound by": [one.bound_by for one in self.answers],
        }

    def heading(self) -> str:
        return heading(self.path, self.point)

    def to_dict(self) -> dict[str, Any]:
        """The answer as `weighbridge curve --json` prints it."""
        key = {name: value for name, value in self.point.key().items() if name != "size_bytes"}
        return {
            "path": self.path,
            "point": key,
            "sizes": [
                {
                    "size_bytes": one.point.size_bytes,
                    "seconds": one.seconds,
                    "rate_mb_per_s": one.point.size_bytes / one.seconds / 1e6,
                    "ceiling_share": one.ceiling_seconds / one.seconds,
                    "quality": one.quality,
                    "bound_by": one.bound_by,
                    "published_seconds": self.published.get(one.point.size_bytes),
                    **expected.plain(),
                }
                for one, expected in zip(self.answers, self.expected, strict=True)
            ],
        }


@dataclass(frozen=True, repr=False)
class Curves(Table):
    """Several paths over the same sizes; as a table, a row for each path and size."""

    curves: tuple[Curve, ...]

    def __len__(self) -> int:
        return len(self.curves)

    def __iter__(self) -> Iterator[Curve]:
        return iter(self.curves)

    def __getitem__(self, number: int) -> Curve:
        return self.curves[number]

    @property
    def labels(self) -> list[str]:
        """The paths in words that tell each from the others."""
        from weighbridge.advice.curves import labels

        return labels([(curve.path, curve.point) for curve in self])

    def columns(self) -> dict[str, list[Any]]:
        joined: dict[str, list[Any]] = {"path": []}
        for label, curve in zip(self.labels, self, strict=True):
            for one in curve.to_dict()["sizes"]:
                joined["path"].append(label)
                for name, value in one.items():
                    joined.setdefault(name, []).append(value)
        return told_apart(joined)

    def cells(self) -> dict[str, list[str]]:
        sizes = max((curve.sizes for curve in self), key=len)
        cells = {"size": [format_size(size) for size in sizes]}
        for number, curve in enumerate(self, 1):
            rates = [
                format_rate(one.point.size_bytes, one.seconds).removesuffix(" MB/s")
                for one in curve.answers
            ]
            # A path may end before the others do.
            cells[f"{number}: MB/s"] = rates + ["-"] * (len(sizes) - len(rates))
        return cells

    def heading(self) -> str:
        numbered = [f"{number}: {label}" for number, label in enumerate(self.labels, 1)]
        return "\n".join([self.title, *numbered])

    @property
    def title(self) -> str:
        """What all the paths share."""
        if len(self) == 1:
            return self[0].heading()
        points = [curve.point for curve in self]
        named = [points[0].platform]
        for words in ([str(point.os) for point in points], [clock(point) for point in points]):
            if words[0] and len(set(words)) == 1:
                named.append(words[0])
        return ", ".join(named)

    def to_dict(self) -> dict[str, Any]:
        """The answer as `weighbridge curve --json` prints it: of a single path that one alone."""
        if len(self) == 1:
            return self[0].to_dict()
        return {"curves": [curve.to_dict() for curve in self]}

    def draw(self, path: str | Path) -> None:
        """Draw the rates over the sizes into an .svg or .png file.

        InputError for another name, and where the packages that draw are not installed.
        """
        from weighbridge.api.drawing import draw

        draw(self, Path(path))

    def picture(self) -> Picture:
        """The rates over the sizes as a notebook shows them."""
        from weighbridge.api.drawing import svg

        return Picture(self.title, svg(self))


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawing. svg: the whole file as text."""

    title: str
    svg: str

    def __repr__(self) -> str:
        return f"<picture: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.svg
