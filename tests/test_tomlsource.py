# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from weighbridge.errors import InputError
from weighbridge.tomlsource import line_of, near, read_toml

TEXT = """\
name = "x"
[axes]
direction = ["a"]
[[paths]]
os = "linux"
[[paths]]
link = "HF32"
[columns]
"time (us)" = { to = "seconds" }
"""


@pytest.mark.parametrize(
    ("location", "line"),
    [
        (("name",), 1),
        (("axes", "direction", 0), 3),
        (("axes", "absent"), 2),
        (("paths", 0), 4),
        (("paths", 1), 6),
        (("paths", 1, "link"), 7),
        (("paths", 1, "absent"), 6),
        (("columns", "time (us)", "to"), 9),
        (("absent",), None),
    ],
)
def test_a_place_in_the_data_has_a_line(location: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(TEXT, location) == line


def test_near_matches_or_everything() -> None:
    assert near("lnk", ["link", "os"]) == "did you mean 'link'?"
    assert near("zzz", ["link", "os"]) == "known: link, os"
    # Of many the first: a message is a line or two.
    assert near("zzz", [f"c{i}" for i in range(90)]).endswith(", c11 and 78 more")


def test_files_that_are_no_toml(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("a = 1\nb = = 2\n")
    with pytest.raises(InputError, match="line 2"):
        read_toml(bad)
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_toml(bad)
    with pytest.raises(InputError, match="No such file"):
        read_toml(tmp_path / "absent.toml")
