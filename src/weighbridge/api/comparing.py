# SPDX-License-Identifier: Apache-2.0
"""Sources against a reference: their rows read or asked for, then joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from weighbridge.analysis.compare import Comparison, counts, matches
from weighbridge.analysis.compare import compare as joined
from weighbridge.api.answers import Answers, Compared
from weighbridge.api.arguments import file_named
from weighbridge.backends import BACKENDS, PUBLISHED
from weighbridge.backends.walk import Question, answers
from weighbridge.dataset.published import published_rows
from weighbridge.dataset.table import Row, point_of, read_rows
from weighbridge.dataset.values import column_named, parse_where, shown
from weighbridge.errors import InputError
from weighbridge.platforms import platform_names
from weighbridge.tomlsource import near

if TYPE_CHECKING:
    from weighbridge.api import Progress


def compare(
    sources: Sequence[object],
    where: list[str],
    by: Iterable[str],
    all_quality: bool,
    overrides: dict[str, str],
    assume: list[str],
    platform: str,
    processes: int,
    cluster: str,
    progress: Progress,
) -> Compared:
    """Each source against the last one; see weighbridge.compare()."""
    if len(sources) < 2:
        raise InputError(
            "one source has nothing to be compared with", mend="see 'weighbridge compare --help'"
        )
    columns = [column_named(name.strip()) for name in by if name.strip()]
    names = [_name(source) for source in sources]
    # What is published is a table like any other: it has points of its own.
    asked = [name for name in names if name in BACKENDS and name != PUBLISHED]
    if not asked and overrides:
        raise InputError("--set needs a backend as A or B", mend="known: " + ", ".join(BACKENDS))
    if not asked and platform:
        raise InputError("--platform needs a backend as A or B")
    if names[-1] in asked and len(asked) + (len(names) > 2) > 1:
        raise InputError("backends have no points of their own", mend="give a run or a file")
    given = {name: source for name, source in zip(names, sources, strict=True) if name not in asked}
    notes: list[str] = []
    tables = _chosen(_tables(given), where, notes)
    assumed = _assumed(assume, asked)
    asking = _Asking(overrides, platform, assumed, all_quality, processes, cluster, progress)
    comparisons = {a: asking.compare(a, names[-1], tables, columns) for a in names[:-1]}
    if not any(comparison.total.n for comparison in comparisons.values()):
        raise InputError(f"nothing to compare: {asking.why_not(comparisons[names[0]])}")
    return Compared(comparisons, names[-1], tuple(columns), tuple(notes))


def _name(source: object) -> str:
    if isinstance(source, Answers):
        return str(source.directory or source.study)
    return str(file_named(source, "sources"))


def _tables(sources: Mapping[str, object]) -> dict[str, list[Row]]:
    """The rows of sources that are no backends, in their order."""
    read = {name: _rows(source) for name, source in sources.items() if name != PUBLISHED}
    # Of what is published only the studies that the other sources are about, where there are any.
    about = {(row["platform"], row["study"]) for rows in read.values() for row in rows}
    if PUBLISHED in sources:
        read[PUBLISHED] = [
            row for row in published_rows() if not about or (row["platform"], row["study"]) in about
        ]
    return {name: read[name] for name in sources}


def _rows(source: object) -> list[Row]:
    if isinstance(source, Answers):
        return [dict(row) for row in source.rows]
    return read_rows(Path(str(source)))


@dataclass(frozen=True)
class _Asking:
    """What backends are asked with, and which rows count."""

    overrides: Mapping[str, str]
    platform: str
    assumed: Row
    all_quality: bool
    processes: int
    cluster: str
    progress: Progress
    #: Why points have no answer: how often each reason was given.
    reasons: Counter[str] = field(default_factory=Counter)

    def compare(self, a: str, b: str, tables: Mapping[str, list[Row]], by: list[str]) -> Comparison:
        """A source against the reference; `tables` has the rows of all that are no backends."""
        unanswered = 0
        if a not in tables:
            b_rows = tables[b]
            # Only the rows that count: skipped ones may lie outside what the backend knows.
            counted = [row for row in b_rows if counts(row, self.all_quality)]
            a_rows = self._answers(a, counted)
        elif b not in tables:
            a_rows = [row for row in tables[a] if counts(row, self.all_quality)]
            before = self.reasons.total()
            b_rows = self._answers(b, a_rows)
            unanswered = self.reasons.total() - before
            b_rows += [row for row in tables[a] if not counts(row, self.all_quality)]
        else:
            a_rows, b_rows = tables[a], tables[b]
        return joined(a_rows, b_rows, by, self.all_quality, unanswered)

    def why_not(self, comparison: Comparison) -> str:
        """Why a comparison has no pair of rows."""
        if self.reasons:
            reason, count = self.reasons.most_common(1)[0]
            return f"{count} points could not be answered ({reason})"
        if comparison.unanswered:
            return f"none of {comparison.unanswered} points of B is in A"
        return f"all {comparison.skipped} rows are skipped for their quality (see --all-quality)"

    def _answers(self, backend: str, rows: list[Row]) -> list[Row]:
        """A backend's rows for the points of other rows, each once."""
        strange = {str(row["platform"]) for row in rows}.difference(platform_names())
        if strange and not self.platform:
            name = min(strange)
            mend = f"{near(name, platform_names())}; a file of yours: --platform FILE"
            raise InputError(f"unknown platform '{name}'", mend=mend)
        asked = sorted({str(row["platform"]) for row in rows}) if self.platform else ()
        files = tuple((name, self.platform) for name in asked)
        question = Question(backend, tuple(sorted(self.overrides.items())), files=files)
        points = dict(enumerate(dict.fromkeys(point_of(row | self.assumed) for row in rows)))
        # Under the assumption points may coincide; the answers are given to the rows as they are.
        said = {
            point_of(row | self.assumed): {name: row[name] for name in self.assumed} for row in rows
        }
        if self.cluster:
            from weighbridge.api.clustered import clustered_rows

            asked_points = [*points.values()]
            found, why = clustered_rows(asked_points, question, self.cluster, self.progress)
            self.reasons.update(why)
            return [row | said[point_of(row)] for row in found]
        predicted: dict[int, Row] = {}
        with self.progress(backend, len(points), 0) as advance:
            for answered in answers(points, question, self.processes):
                advance(len(answered))
                for number, outcome in answered:
                    if isinstance(outcome, str):
                        self.reasons[outcome] += 1
                    else:
                        predicted[number] = outcome.row() | said[points[number]]
        return [predicted[number] for number in sorted(predicted)]


def _chosen(
    tables: Mapping[str, list[Row]], where: list[str], notes: list[str]
) -> dict[str, list[Row]]:
    """The rows of every source that meet the conditions; InputError if there are none."""
    wanted = parse_where(where)
    for column, values in wanted.items():
        present = {row.get(column) for rows in tables.values() for row in rows}
        absent = ", ".join(shown(value) for value in values if value not in present)
        if present.isdisjoint(values):
            there = "there: " + ", ".join(sorted(map(shown, present)))
            raise InputError(f"no row has {column} '{absent}'", ", ".join(tables), there)
        if absent:
            notes.append(f"no row has {column} '{absent}'")
    for source, rows in tables.items():
        for number, row in enumerate(rows, 1):
            if row["quality"] in (None, "ok") and row["seconds"] is None:
                raise InputError(f"row {number} has no seconds", source)
    chosen = {name: [row for row in rows if matches(row, wanted)] for name, rows in tables.items()}
    if not list(chosen.values())[-1]:
        conditions = f" that has {' and '.join(where)}" if where else ""
        raise InputError(f"no row{conditions}", list(chosen)[-1])
    return chosen


def _assumed(assume: list[str], asked: list[str]) -> Row:
    """Columns that the backend is to be asked with, whatever the rows say of them."""
    if assume and not asked:
        raise InputError("--assume needs a backend as A or B")
    assumed: Row = {}
    for column, values in parse_where(assume).items():
        if len(values) > 1:
            raise InputError(f"{column} has two values", "--assume")
        assumed[column] = values[0]
    return assumed
