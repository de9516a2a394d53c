# SPDX-License-Identifier: Apache-2.0
"""Formulas of costs, which may come from anywhere."""

from __future__ import annotations

import math
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weighbridge.errors import InputError
from weighbridge.search.formula import FUNCTIONS, parse

NAMES = ["value", "sdram.clock", "hp.width"]
OF = {"value": 4.0, "sdram.clock": 400.0, "hp.width": 64.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("2 ^ -1", 0.5),
        ("10 - 4 - 3", 3),
        ("8 / 4 / 2", 1),
        ("--value", 4),
        ("sdram.clock / hp.width", 6.25),
        ("max(value, 5) + min(1, 2, 3)", 6),
        ("ceil(2.1) + floor(2.9) + sqrt(16) + log2(8)", 12),
        (".5e1 + 1.", 6),
    ],
)
def test_arithmetic_as_in_mathematics(text: str, value: float) -> None:
    assert parse(text, NAMES).value(OF) == value


def test_the_names_it_uses() -> None:
    assert parse("value * hp.width + value", NAMES).names == ("value", "hp.width")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a number or a name is missing"),
        ("1 +", "a number or a name is missing in '1 \\+' at character 4"),
        ("valu * 2", "unknown name 'valu'; did you mean 'value'"),
        ("sdram.clok", "did you mean 'sdram.clock'"),
        ("2 2", "'2' is one too many in '2 2' at character 3"),
        ("(1", r"'\)' is missing"),
        ("min(1)", r"min\(\) has 1 arguments"),
        ("sqrt(1, 2)", r"sqrt\(\) has 2 arguments"),
        ("__import__('os')", "unknown name '__import__'"),
        ("value.__class__", "unknown name 'value.__class__'"),
        ("value if 1 else 2", "'if' is one too many"),
        ("value[0]", r"'\[' means nothing"),
        ("lambda: 1", "unknown name 'lambda'"),
        ("1_000", "'_000' is one too many"),
        ("(" * 60 + "1" + ")" * 60, "nested too deeply"),
        ("-" * 60 + "1", "nested too deeply"),
        ("1" * 1001, "1001 characters"),
    ],
)
def test_anything_else_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse(text, NAMES)


@pytest.mark.parametrize(
    "text", ["1 / (value - 4)", "sqrt(-value)", "log2(0)", "9 ^ 9 ^ 9 ^ 9", "(-8) ^ 0.5", "1e999"]
)
def test_what_has_no_value_says_so(text: str) -> None:
    formula = parse(text, NAMES)
    with pytest.raises(InputError, match=r"has no value|is not finite"):
        formula.value(OF)


@given(st.text(alphabet="0123456789.eE+-*/^(), valuesdrmchpwit_xn\n'[]=:;", max_size=60))
@example("9**9**9")
@example("min(" * 49 + "1")
def test_no_text_does_anything_but_count_or_refuse(text: str) -> None:
    with suppress(InputError):
        assert math.isfinite(parse(text, NAMES).value(OF))


numbers = st.floats(0.01, 100).map(lambda number: f"{number:.3f}")
sums = st.recursive(
    numbers | st.sampled_from(["value"]),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
        lambda of: f"({' '.join(of)})"
    ),
    max_leaves=12,
)


@given(sums)
def test_it_counts_as_python_does(text: str) -> None:
    assert parse(text, NAMES).value(OF) == pytest.approx(eval(text, {"value": OF["value"]}))


def test_every_function_is_told_apart_from_names() -> None:
    assert not set(FUNCTIONS) & set(NAMES)
