# SPDX-License-Identifier: Apache-2.0
"""Which points to measure next, as an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weighbridge.api.arguments import refusing
from weighbridge.api.table import Table, told_apart
from weighbridge.api.wording import percent
from weighbridge.errors import InputError
from weighbridge.quantities import format_size

if TYPE_CHECKING:
    from weighbridge.calibration.suggestions import Progress, Suggestion, Suggestions
    from weighbridge.platforms import Platform

#: Most points that are suggested at once.
MOST = 100


@dataclass(frozen=True, repr=False)
class Suggested(Table):
    """The points to measure next, the most telling first; each with the error to expect then."""

    study: str
    platform: Platform
    found: Suggestions

    def __len__(self) -> int:
        return len(self.found.suggestions)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.found.suggestions)

    def columns(self) -> dict[str, list[Any]]:
        """Key columns, as a file for `calibrate --data` has them, and the error to expect."""
        rows = [one.point.key() for one in self]
        names = dict.fromkeys(name for row in rows for name in row)
        columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in names}
        said = {name: c for name, c in columns.items() if any(v not in (None, "") for v in c)}
        return told_apart(said | {"expected_error": [one.error for one in self]})

    def cells(self) -> dict[str, list[str]]:
        return {
            "path": [self.platform.describe(one.point) for one in self],
            "size": [format_size(one.point.size_bytes) for one in self],
            "error then": [percent(one.error) for one in self],
        }

    def heading(self) -> str:
        found = self.found
        return (
            f"{self.study}: {len(self)} of {found.points} points to measure next, "
            f"{found.parameters} numbers in doubt; error to expect now {percent(found.error)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The answer as `weighbridge calibrate --suggest --json` prints it."""
        return {
            "study": self.study,
            "platform": self.platform.name,
            "points": self.found.points,
            "parameters": self.found.parameters,
            "error": self.found.error,
            "suggestions": [
                {"point": one.point.key(), "expected_error": one.error} for one in self
            ],
        }


@refusing
def suggest(
    study: str | Path,
    count: int,
    *,
    free: Sequence[str] = (),
    points: int | None = None,
    seed: int = 1,
    processes: int = 1,
    progress: Progress | None = None,
) -> Suggested:
    """Which points of a study to measure next, for what they tell of all its points.

    free: the numbers in doubt, as `weighbridge show` names them; none: all that are fitted. points:
    among how many is chosen, drawn by the seed.
    """
    from weighbridge.backends import with_model
    from weighbridge.calibration import suggestions
    from weighbridge.platforms import load_platform
    from weighbridge.studies import load_study

    among = suggestions.AMONG if points is None else points
    for name, value in (("count", count), ("points", among)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InputError(f"{name} is {value!r}", mend="give a whole number from 1 on")
    if count > MOST:
        raise InputError(f"{count} points", mend=f"ask for at most {MOST} at once")
    asked = load_study(study)
    platform = with_model(load_platform(asked.described_by(asked.platform)))
    found = suggestions.suggest(
        platform,
        asked.points([]),
        count,
        free,
        among,
        seed,
        processes=processes,
        progress=progress or (lambda variants: nullcontext(lambda done: None)),
    )
    return Suggested(str(study), platform, found)
