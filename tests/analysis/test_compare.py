# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from weighbridge.analysis.compare import as_json, compare
from weighbridge.dataset.schema import COLUMNS
from weighbridge.dataset.table import Row, read_rows

PUBLISHED = Path(__file__).parents[2] / "../shared/data/cyclonev.csv"


def row(size: int, seconds: float | None, **values: Any) -> Row:
    known = {"study": "s", "size_bytes": size, "seconds": seconds, "quality": "ok"}
    return dict.fromkeys(COLUMNS) | known | values


def test_errors_are_relative_to_the_reference() -> None:
    comparison = compare([row(2, 1.1), row(4, 1.0)], [row(2, 1.0), row(4, 2.0)], ["study"])
    assert sorted(pair.error for pair in comparison.pairs) == pytest.approx([0.1, 0.5])
    assert comparison.total.median == pytest.approx(0.3)
    assert comparison.total.p90 == pytest.approx(0.46)
    assert comparison.total.max == pytest.approx(0.5)


def test_rows_join_without_who_answered() -> None:
    a = [row(2, 1.0, backend="twin", board=None)]
    b = [row(2, 1.0, backend="published", board="1"), row(2, 2.0, backend="published", board="2")]
    assert compare(a, b, []).total.n == 2


def test_rows_of_different_studies_never_join() -> None:
    comparison = compare([row(2, 1.0)], [row(2, 1.0, study="other")], [])
    assert (comparison.total.n, comparison.unanswered) == (0, 1)


def test_a_flag_that_is_off_is_as_good_as_not_there() -> None:
    b = [row(2, 1.0, dummy_traffic=False)]
    assert compare([row(2, 1.0)], b, []).total.n == 1
    assert compare([row(2, 1.0, dummy_traffic=True)], b, []).total.n == 0
    # For a key column, false is an answer and none is "does not apply".
    assert compare([row(2, 1.0)], [row(2, 1.0, prepared=False)], []).total.n == 0


def test_only_ok_rows_count_unless_asked() -> None:
    a = [row(2, 1.0), row(4, 1.0), row(8, 1.0)]
    b = [row(2, 1.0), row(4, 9.0, quality="timer-floor"), row(8, None, quality="integrity-failed")]
    comparison = compare(a, b, [])
    assert (comparison.total.n, comparison.skipped, comparison.unanswered) == (1, 2, 0)
    comparison = compare(a, b, [], all_quality=True)
    assert (comparison.total.n, comparison.skipped) == (2, 1)


def test_every_row_of_the_reference_is_accounted_for() -> None:
    b = [row(2, 1.0), row(4, 1.0, quality="bad"), row(8, 1.0), row(16, 1.0)]
    comparison = compare([row(2, 1.0), row(8, 1.0, quality="bad")], b, [])
    assert (comparison.total.n, comparison.skipped, comparison.unanswered) == (1, 2, 1)


def test_the_plain_form_has_the_promised_shape() -> None:
    plain = as_json(compare([row(2, 2.0)], [row(2, 1.0)], ["study", "route"]))
    worst = plain.pop("worst")
    (group,) = plain.pop("groups")
    figures = dict.fromkeys(("median", "p90", "max"), 1.0)
    # A line meets one point whatever it is: that says nothing.
    lines = {"baseline_median": None, "baseline_p90": None}
    assert plain == {"n": 1, "unanswered": 0, "skipped": 0, "p99": 1.0, **figures, **lines}
    assert group == {"by": {"study": "s", "route": None}, "n": 1, **figures, **lines}
    assert worst == [
        {"study": "s", "size_bytes": 2, "a_seconds": 2.0, "b_seconds": 1.0, "error": 1.0}
    ]


def test_the_line_of_a_curve_counts_from_three_sizes_on() -> None:
    bent = [row(2, 1.0), row(4, 2.0), row(8, 9.0)]
    two = compare(bent[:2], bent[:2], []).total
    assert (two.n, two.baseline_median, two.baseline_p90) == (2, None, None)
    three = compare(bent, bent, []).total
    assert three.baseline_median is not None
    assert three.baseline_median > 0.1
    # Beside a curve of three sizes one of two neither counts as met nor is left out of the errors.
    short = [row(2, 1.0, os="linux"), row(4, 2.0, os="linux")]
    both = compare([*bent, *short], [*bent, *short], ["os"])
    assert (both.total.n, both.total.baseline_median) == (5, three.baseline_median)
    assert [group.baseline_median is None for _, group in both.groups] == [False, True]


def test_nothing_in_common_is_null() -> None:
    plain = as_json(compare([], [row(2, 1.0)], ["study"]))
    assert (plain["n"], plain["median"], plain["baseline_p90"]) == (0, None, None)
    assert (plain["groups"], plain["worst"]) == ([], [])


@pytest.mark.parametrize(
    ("study", "n", "median", "p90"),
    [
        ("hps-to-fpga", 3726, 0.0253, 0.108),
        ("cache-levels", 450, 0.050, 0.49),
        ("fpga-to-hps", 2221, 0.0446, 0.177),
        ("l2-lockdown", 756, 0.041, 0.20),
        ("sdram-scheduler", 840, 0.0175, 0.098),
    ],
)
def test_the_baseline_of_the_published_data(study: str, n: int, median: float, p90: float) -> None:
    if not PUBLISHED.exists():
        pytest.skip(f"no published measurements at {PUBLISHED}")
    rows = [row for row in read_rows(PUBLISHED) if row["study"] == study]
    total = compare(rows, rows, []).total
    assert (total.n, total.max) == (n, 0)
    assert total.baseline_median == pytest.approx(median, rel=0.01)
    assert total.baseline_p90 == pytest.approx(p90, rel=0.01)


def test_a_difference_is_held_against_the_intervals() -> None:
    """Two measurements by their intervals, a model by its time in the other's."""
    key = {"platform": "p", "study": "s", "direction": "cpu_to_fpga", "quality": "ok"}

    def measured(size: int, low: float, high: float) -> Row:
        row = {"size_bytes": size, "seconds": (low + high) / 2, "low95": low, "high95": high}
        return dict.fromkeys(COLUMNS) | key | row

    def model(size: int, seconds: float) -> Row:
        return dict.fromkeys(COLUMNS) | key | {"size_bytes": size, "seconds": seconds}

    ours = [measured(1, 1.0, 1.1), measured(2, 1.0, 1.2), measured(4, 1.0, 1.1), model(8, 1.0)]
    ours += [model(16, 1.05), model(32, 1.0)]
    theirs = [measured(1, 1.11, 1.2), measured(2, 1.1, 1.3), measured(4, 0.8, 0.9)]
    theirs += [measured(8, 1.1, 1.2), measured(16, 1.0, 1.1), model(32, 2.0)]
    found = compare(ours, theirs, ())
    assert [pair.apart for pair in found.pairs] == [-1, 0, 1, -1, 0, None]
    assert as_json(found)["intervals"] == {"overlap": 2, "a_slower": 1, "a_faster": 2}
    assert "intervals" not in as_json(compare(ours[-1:], theirs[-1:], ()))
