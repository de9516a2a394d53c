# SPDX-License-Identifier: Apache-2.0
"""The plans that documents show do what they say."""

import re
import textwrap
from pathlib import Path

import pytest

from .conftest import Probe, root

PAGES = [root / "docs" / "probe.md", root / "probe" / "README.md"]


def plans(page: Path) -> list[str]:
    blocks = re.findall(r"(?:^    .*\n)+", page.read_text(), re.MULTILINE)
    return [textwrap.dedent(block) for block in blocks if "kernel=" in block]


SHOWN = [(page.name, number, plan) for page in PAGES for number, plan in enumerate(plans(page))]


def test_pages_show_plans() -> None:
    assert [(name, number) for name, number, _ in SHOWN] == [
        ("probe.md", 0),
        ("probe.md", 1),
        ("README.md", 0),
    ]


@pytest.mark.parametrize("plan", [plan for *_, plan in SHOWN])
def test_a_plan(probe: Probe, plan: str, tmp_path: Path) -> None:
    window = tmp_path / "window.bin"
    window.write_bytes(bytes(1 << 16))
    plan = re.sub(r"window=\S+", f"window={window}", re.sub(r"budget=\S+", "budget=0ns", plan))
    done = probe.raw(re.sub("64MiB", "4MiB", plan).encode())
    assert done.status == 0, done.errors
    assert {line["outcome"] for line in done.of("point")} == {"ok"}


def test_keys_and_fields_are_told(probe: Probe) -> None:
    """Each key that the parser knows, and each field of a line, is in the reference."""
    reference = (root / "probe" / "README.md").read_text()
    named = set(re.findall(r"`(\w+)`", reference))
    keys = re.findall(r'^    \{"(\w+)",', (root / "probe" / "plan.c").read_text(), re.MULTILINE)
    assert len(keys) > 25
    assert set(keys) <= named
    done = probe("id=1 kernel=read bytes=4KiB traffic=read", "budget=0ns")
    fields = {name for line in done.lines for name in line} - {"type"}
    assert fields <= named
