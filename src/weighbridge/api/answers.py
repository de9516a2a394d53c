# SPDX-License-Identifier: Apache-2.0
"""What the questions of this package are answered with. Seconds and bytes; MB is 10^6 bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weighbridge.api.table import Table, told_apart
from weighbridge.api.wording import heading, percent
from weighbridge.dataset.schema import Point, Result, Value, columns_in
from weighbridge.dataset.table import Row, joined_columns
from weighbridge.quantities import format_rate, format_size, format_time

if TYPE_CHECKING:
    from weighbridge.advice.crossovers import Crossover
    from weighbridge.advice.purpose import Purpose
    from weighbridge.advice.ranking import Ranked
    from weighbridge.advice.reasons import Bound
    from weighbridge.analysis.compare import Comparison
    from weighbridge.backends.twin import Explanation, Hop, Phase, Trace, Twin
    from weighbridge.platforms import Platform
    from weighbridge.platforms.evidence import Expected


@dataclass(frozen=True, repr=False)
class Prediction(Table):
    """How long one transfer takes, or one of a steady flow where the path has only that.

    path: in words. result: as the backend gave it. error: relative error to expect of the model on
    such a path, None where nobody measured it.
    """

    path: str
    result: Result
    error: float | None

    @property
    def point(self) -> Point:
        """What was asked, with everything that was not said filled in."""
        return self.result.point

    @property
    def seconds(self) -> float:
        return self.result.seconds

    @property
    def rate(self) -> float:
        """Bytes per second."""
        return self.point.size_bytes / self.seconds

    @property
    def ceiling_share(self) -> float | None:
        """Rate over what the widths and clocks of the path allow at best."""
        ceiling = self.result.ceiling_seconds
        return None if ceiling is None else ceiling / self.seconds

    @property
    def bound_by(self) -> str | None:
        """What takes most of the time, in words."""
        return self.result.bound_by

    def columns(self) -> dict[str, list[Any]]:
        return Predictions((self,)).columns()

    def cells(self) -> dict[str, list[str]]:
        return Predictions((self,)).cells()

    def heading(self) -> str:
        return Predictions((self,)).heading()


@dataclass(frozen=True, repr=False)
class Predictions(Table):
    """The same path at several sizes, in the order in which they were given."""

    predictions: tuple[Prediction, ...]

    def __len__(self) -> int:
        return len(self.predictions)

    def __iter__(self) -> Iterator[Prediction]:
        return iter(self.predictions)

    def __getitem__(self, number: int) -> Prediction:
        return self.predictions[number]

    def columns(self) -> dict[str, list[Any]]:
        points = _points([one.point for one in self])
        return points | {
            "seconds": [one.seconds for one in self],
            "rate_mb_per_s": [one.rate / 1e6 for one in self],
            "ceiling_share": [one.ceiling_share for one in self],
            "bound_by": [one.bound_by for one in self],
            "quality": [one.result.quality for one in self],
            "error": [one.error for one in self],
        }

    def cells(self) -> dict[str, list[str]]:
        return {
            "size": [format_size(one.point.size_bytes) for one in self],
            "time": [format_time(one.seconds) for one in self],
            "rate": [format_rate(one.point.size_bytes, one.seconds) for one in self],
            "of ceiling": [percent(one.ceiling_share) for one in self],
            "bound by": [one.bound_by or "-" for one in self],
        }

    def heading(self) -> str:
        return heading(self[0].path, self[0].point)


@dataclass(frozen=True, repr=False)
class Advice(Table):
    """Every path at one size, best first.

    ranked: the paths, whose docstring has the units. crossovers: the size in bytes from which on
    each path is the fastest. answers: what choices there are, which is best, how to connect it and
    what would change that, a sentence or two each. purpose: what was asked of the paths. reach: the
    size in bytes up to which crossovers were looked for. usual_mhz: the fabric's clock where none
    is asked for.
    """

    ranked: tuple[Ranked, ...]
    crossovers: tuple[Crossover, ...]
    answers: tuple[str, ...]
    purpose: Purpose
    reach: int
    usual_mhz: float | None = None

    @property
    def best(self) -> Ranked:
        return self.ranked[0]

    def __len__(self) -> int:
        return len(self.ranked)

    def __iter__(self) -> Iterator[Ranked]:
        return iter(self.ranked)

    def __getitem__(self, number: int) -> Ranked:
        return self.ranked[number]

    def columns(self) -> dict[str, list[Any]]:
        plain = self.to_dict()["paths"]
        told = {name: [one[name] for one in plain] for name in plain[0] if name != "point"}
        return told | _points([one.point for one in self])

    def cells(self) -> dict[str, list[str]]:
        return {
            "#": [str(one.rank) + ("=" if one.tie else "") for one in self],
            "path": [one.path for one in self],
            "os": [str(one.point.os) for one in self],
            "rate": [format_rate(one.point.size_bytes, one.seconds) for one in self],
            "time": [format_time(one.seconds) for one in self],
            "of ceiling": [percent(one.ceiling_share) for one in self],
            "bound by": [one.bound_by for one in self],
        }

    def heading(self) -> str:
        point = self.best.point
        systems = " and ".join(dict.fromkeys(str(one.point.os) for one in self))
        return heading(f"{len(self)} paths of {point.platform}", replace(point, os=systems))

    def to_dict(self) -> dict[str, Any]:
        """The answer as `weighbridge advise --json` prints it."""
        from weighbridge.advice.ranking import headline_ceiling

        ceiling, link = headline_ceiling(self.ranked)
        first = self.best.point
        return {
            "platform": first.platform,
            "size_bytes": first.size_bytes,
            "direction": first.direction,
            "fpga_mhz": first.fpga_mhz,
            "ceiling_mb_per_s": ceiling / 1e6,
            "ceiling_link": link,
            "paths": [
                {
                    "rank": one.rank,
                    "tie": one.tie,
                    "path": one.path,
                    "flow": one.flow,
                    "point": one.point.key(),
                    "rate_mb_per_s": one.rate / 1e6,
                    "seconds": one.seconds,
                    "ceiling_share": one.ceiling_share,
                    "bound_by": one.bound_by,
                    "processor_share": one.occupancy,
                    "processor_seconds_per_byte": one.busy_per_byte,
                    "latency_seconds": one.latency,
                    "margin": one.margin,
                    "in_time": one.in_time,
                    "error": one.error,
                    **one.expected.plain(),
                    "unchecked": one.unchecked or None,
                    "simulated_bytes": one.simulated_bytes,
                }
                for one in self
            ],
            "crossovers": [
                {"from_bytes": turn.from_bytes, "winner": turn.path, "point": turn.point.key()}
                for turn in self.crossovers
            ],
            "crossovers_to_bytes": self.reach,
            "answers": list(self.answers),
        }


@dataclass(frozen=True, repr=False)
class Explained(Table):
    """Where the time of one transfer goes; as a table, what each component did in each phase.

    explanation: phases and times in seconds. bound: what takes most of the time, and what would
    next. hops: (phase, what its components did), in the order of the path. filled: the keys that
    the question left open although they could have been otherwise. notes: what phases and hops do
    not show, a sentence each.
    """

    explanation: Explanation
    bound: Bound
    hops: tuple[tuple[Phase, tuple[Hop, ...]], ...]
    path: str
    error: float | None
    expected: Expected
    twin: Twin = field(compare=False)
    filled: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        twin: Twin,
        point: Point,
        trace_slices: int = 0,
        filled: Mapping[str, Value] = MappingProxyType({}),
    ) -> Explained:
        """What a twin says of a point. trace_slices: with a trace of so many slices at most."""
        from weighbridge.advice import reasons

        explanation = twin.explain(point, trace_slices=trace_slices)
        return cls(
            explanation,
            reasons.bound(twin, explanation),
            tuple((phase, tuple(hops)) for phase, hops in reasons.hops_in_order(twin, explanation)),
            twin.platform.describe(point),
            twin.platform.error(point),
            twin.platform.expected(point),
            twin,
            filled,
            twin.notes(point),
        )

    @property
    def point(self) -> Point:
        return self.explanation.point

    @property
    def seconds(self) -> float:
        return self.explanation.seconds

    @property
    def rate(self) -> float:
        """Bytes per second."""
        return self.point.size_bytes / self.seconds

    @property
    def phases(self) -> tuple[Phase, ...]:
        """In their order; their seconds add up to those of the transfer."""
        return self.explanation.phases

    @property
    def trace(self) -> Trace | None:
        """Every access at every component, where `trace=True` was given."""
        return self.explanation.trace

    def write_trace(self, path: str | Path) -> None:
        """Write the trace for ui.perfetto.dev or chrome://tracing; `trace=True` must be given."""
        from weighbridge.advice.timeline import timeline

        timeline(self.twin, self.explanation).write(Path(path))

    def columns(self) -> dict[str, list[Any]]:
        plain = self.to_dict()["hops"]
        names = ("phase", "component", "title", "transactions", "bytes")
        return {
            name: [hop[name] for hop in plain]
            for name in (*names, "busy_seconds", "waiting_seconds")
        }

    def cells(self) -> dict[str, list[str]]:
        rows = [(phase, hop) for phase, hops in self.hops for hop in hops]
        return {
            "phase": [phase.name for phase, _ in rows],
            "component": [hop.title for _, hop in rows],
            "accesses": [str(hop.transactions) for _, hop in rows],
            "bytes": [str(hop.bytes) for _, hop in rows],
            "busy": [format_time(hop.busy) if hop.busy else "-" for _, hop in rows],
            "waiting": [format_time(hop.waiting) if hop.waiting else "-" for _, hop in rows],
        }

    def heading(self) -> str:
        size = format_size(self.point.size_bytes)
        phases = ", ".join(
            f"{phase.name} {percent(phase.seconds / self.seconds)}"
            for phase in self.phases
            if phase.seconds
        )
        return (
            f"{heading(self.path, self.point)}\n{size} in {format_time(self.seconds)}, "
            f"bound by {self.bound.name}\n{phases}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The answer as `weighbridge explain --json` prints it."""
        explanation, bound = self.explanation, self.bound
        return {
            "path": self.path,
            "point": explanation.point.key(),
            "filled": dict(self.filled),
            "notes": list(self.notes),
            "seconds": explanation.seconds,
            "rate_mb_per_s": self.rate / 1e6,
            "ceiling_seconds": explanation.ceiling_seconds,
            "ceiling_share": explanation.ceiling_seconds / explanation.seconds,
            "simulated_bytes": explanation.simulated_bytes,
            "quality": explanation.quality,
            "error": self.error,
            **self.expected.plain(),
            "phases": [
                {
                    "name": phase.name,
                    "seconds": phase.seconds,
                    "share": phase.seconds / explanation.seconds,
                    "processor": phase.processor,
                }
                for phase in explanation.phases
            ],
            "hops": [
                {
                    "phase": phase.name,
                    "component": hop.name,
                    "title": hop.title,
                    "transactions": hop.transactions,
                    "bytes": hop.bytes,
                    "busy_seconds": hop.busy,
                    "waiting_seconds": hop.waiting,
                }
                for phase, hops in self.hops
                for hop in hops
            ],
            "bound_by": bound.name,
            "bound_seconds": bound.seconds,
            "next_bound": bound.next_name or None,
            "seconds_without_bound": bound.seconds_without,
        }


@dataclass(frozen=True, repr=False)
class Answers(Table):
    """The results of a study's points, in their order; a table in the one schema.

    study: its name. rows: results by column name. unanswered: reason -> how many points.
    directory: where they were written; None where they were not. earlier: how many of the points
    the directory already had; known: all of them, and nobody was asked. simulated_cycles: of the
    logic's, None without logic.
    """

    study: str
    rows: Sequence[Row]
    unanswered: Mapping[str, int]
    directory: Path | None = None
    earlier: int = 0
    simulated_cycles: int | None = None
    known: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, number: int) -> Row:
        return self.rows[number]

    @property
    def why_not(self) -> str:
        """The reason that most points without an answer share; empty where all have one."""
        return max(self.unanswered, key=lambda reason: self.unanswered[reason], default="")

    def columns(self) -> dict[str, list[Any]]:
        return told_apart(
            {name: [row.get(name) for row in self.rows] for name in columns_in(self.rows)}
        )

    def cells(self) -> dict[str, list[str]]:
        # What all rows share tells none of them apart.
        return {
            name: cells
            for name, cells in super().cells().items()
            if name == "seconds" or len(set(cells)) > 1
        }

    def heading(self) -> str:
        unanswered = sum(self.unanswered.values())
        return f"{self.study}: {len(self)} points answered, {unanswered} not"


@dataclass(frozen=True, repr=False)
class Compared(Table):
    """How far sources are from a reference; as a table, the joined rows.

    comparisons: by the source's name. Errors are fractions, |A/B - 1| of the times. by: the columns
    of the groups. notes: what of the question met nothing.
    """

    comparisons: Mapping[str, Comparison]
    reference: str
    by: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        pairs = [(a, pair) for a, one in self.comparisons.items() for pair in one.pairs]
        keys: dict[str, Sequence[Value]] = {
            name: [pair.b.get(name) for _, pair in pairs]
            for name in joined_columns(pair.b for _, pair in pairs)
        }
        return {
            "a": [a for a, _ in pairs],
            **told_apart(keys),
            "a_seconds": [pair.a["seconds"] for _, pair in pairs],
            "b_seconds": [pair.b["seconds"] for _, pair in pairs],
            "error": [pair.error for _, pair in pairs],
            "line_error": [pair.baseline for _, pair in pairs],
        }

    def cells(self) -> dict[str, list[str]]:
        rows = []
        for a, one in self.comparisons.items():
            rows.append((a, "all", one.total))
            for key, summary in one.groups:
                named = [str(value) for value in key.values() if value is not None]
                rows.append((a, ", ".join(named), summary))
        return {
            "A": [a for a, _, _ in rows],
            "group": [group for _, group, _ in rows],
            "n": [str(summary.n) for _, _, summary in rows],
            **{
                name: [percent(getattr(summary, name), 2) for _, _, summary in rows]
                for name in ("median", "p90", "p99", "max")
            },
        }

    def heading(self) -> str:
        return f"error |A/B - 1| of the time; B, the reference: {self.reference}"

    def to_dict(self) -> dict[str, Any]:
        """The answer as `weighbridge compare --json` prints it: of a single source that alone."""
        from weighbridge.analysis.compare import as_json  # with NumPy, which no other answer needs

        plain = {a: as_json(comparison) for a, comparison in self.comparisons.items()}
        return next(iter(plain.values())) if len(plain) == 1 else plain


def _points(points: Sequence[Point]) -> dict[str, list[Value]]:
    """The points by columns: those of the schema in which any of them says something."""
    rows = [point.key() for point in points]
    # A path that is of no study has an empty one.
    return told_apart(
        {
            name: [row.get(name) or None for row in rows]
            if name == "study"
            else [row.get(name) for row in rows]
            for name in columns_in(rows)
        }
    )


def described(platform: Platform, result: Result) -> Prediction:
    """A result with its path in words and the error to expect of it."""
    point = result.point
    return Prediction(platform.describe(point), result, platform.error(point))
