# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from weighbridge.calibration.parameters import turnable
from weighbridge.calibration.platform_file import edited
from weighbridge.errors import InputError
from weighbridge.platforms import Platform, load_platform

SHIPPED = load_platform("cyclonev").path.read_text()
LATENCY = (
    'latency = { value = 56.84, unit = "ns", source = "fitted: Linux processor from the fabric" }'
)


def platform_with(tmp_path: Path, old: str, new: str) -> Platform:
    assert SHIPPED.count(old) == 1
    file = tmp_path / "mine.toml"
    file.write_bytes(SHIPPED.replace(old, new).encode())
    return load_platform(str(file))


def test_only_the_lines_of_what_was_fitted_differ(tmp_path: Path) -> None:
    platform = load_platform("cyclonev")
    every = {p.name: (p.value * 1.01, f"fitted: {p.name}") for p in turnable(platform)}
    for changes in ({"l3.latency": every["l3.latency"]}, every):
        file = tmp_path / "mine.toml"
        file.write_text(edited(platform, changes))
        now = {p.name: (p.value, p.source) for p in load_platform(str(file)).parameters()}
        before = {p.name: (p.value, p.source) for p in platform.parameters()}
        assert now == before | changes
        lines = zip_longest(SHIPPED.splitlines(), file.read_text().splitlines())
        assert sum(old != new for old, new in lines) == len(changes)


@pytest.mark.parametrize(
    "line",
    [
        "latency={source='was value = 3', unit='ns' , value=56.84}   # value = 9, source = \"x\"",
        'latency = { unit = "ns", source = "a \\" value = 1", value = 56.84 }\r',
        'latency.value = 56.84\nlatency.unit = "ns"\nlatency.source = "fitted: x" # source = 1',
    ],
)
def test_other_ways_of_writing_a_number(tmp_path: Path, line: str) -> None:
    platform = platform_with(tmp_path, LATENCY, line)
    text = edited(platform, {"l3.latency": (60.5, 'fitted: "odd"\x7f\n name')})
    # Every other byte survives, the comment and the line's end among them.
    assert text.count("\r") == line.count("\r")
    if "#" in line:
        assert line.partition("#")[2] in text
    again = tmp_path / "again.toml"
    again.write_bytes(text.encode())
    found = {p.name: p for p in load_platform(str(again)).parameters()}["l3.latency"]
    assert (found.value, found.source) == (60.5, 'fitted: "odd"\x7f\n name')


def test_a_number_that_cannot_be_edited_is_refused(tmp_path: Path) -> None:
    odd = LATENCY.replace("value =", '"value" =')
    platform = platform_with(tmp_path, LATENCY, odd)
    with pytest.raises(InputError, match=r"write it so, on one line"):
        edited(platform, {"l3.latency": (60.5, "fitted: x")})
