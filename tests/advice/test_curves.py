# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise

import pytest

from weighbridge.advice.curves import curve, sizes_between
from weighbridge.advice.paths import point_of
from weighbridge.backends.twin import Twin
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform


def test_powers_of_two_and_both_ends() -> None:
    assert sizes_between(2, 2**21) == [2**power for power in range(1, 22)]
    assert sizes_between(24, 100) == [24, 32, 64, 100]
    assert sizes_between(7, 7) == [7]


def test_even_spacing_in_whole_words() -> None:
    sizes = sizes_between(2, 2**21, 50)
    assert sizes[0] == 2
    assert sizes[-1] == 2**21
    assert sizes == sorted(set(sizes))
    assert len(sizes) <= 50
    assert all(size % 8 == 0 for size in sizes if size > 16)
    ratios = [b / a for a, b in pairwise(sizes) if a > 256]
    assert max(ratios) / min(ratios) < 1.05


@pytest.mark.parametrize(("first", "last", "count"), [(4, 2, None), (2, 4, 1), (2, 4, 10**6)])
def test_ranges_that_cannot_be(first: int, last: int, count: int | None) -> None:
    with pytest.raises(InputError):
        sizes_between(first, last, count)


def test_answers_of_the_twin() -> None:
    platform = load_platform("cyclonev")
    seen = []
    point = point_of(platform, ["master=cpu"], 1)
    answers = curve(Twin(platform), point, [24, 3000], lambda: seen.append(1))
    assert [one.point.size_bytes for one in answers] == [24, 3000]
    assert answers[0].seconds < answers[1].seconds
    assert len(seen) == 2
