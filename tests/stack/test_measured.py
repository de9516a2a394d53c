# SPDX-License-Identifier: Apache-2.0
"""The probe in the guest measures what the backend says: blocks of the whole stack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.probe.conftest import Probe
from weighbridge.backends import open_backend
from weighbridge.backends.uml import Uml, guest

from .conftest import call, root
from .test_costs import point

pytestmark = pytest.mark.usefixtures("kernel")

#: The bar: how far the probe's time of a block may be from the backend's, as a fraction.
APART = 0.02
#: A batch begins with the blocks that have ended since the last: of so many they do not count.
SETTINGS = "set budget=0ns blocks=1 samples=2 batch=10ms spread=1"
ROUTES = """export PATH=/bin
datra route clear; datra route 1.0 2.0; datra route 5.0 1.0
for register in 0 2
do printf '\\1\\0\\0\\0' | dd of=/dev/datracfg5 bs=4 seek=$register conv=notrunc 2>/dev/null
done
"""


@pytest.fixture(scope="module")
def datra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stack's command, which routes."""
    stack, tool = root / "stack", tmp_path_factory.mktemp("datra") / "datra"
    sources = [stack / "lib" / "tool.c", stack / "lib" / "datra.c"]
    call("gcc", "-std=gnu11", "-static", "-O2", f"-I{stack / 'linux'}", "-o", tool, *sources)
    return tool


@pytest.mark.parametrize(
    ("link", "mode", "size", "direction"),
    [
        ("HP", "coherent", 16384, "cpu_to_fpga"),
        ("HP", "streaming", 16384, "fpga_to_cpu"),
        ("ACP", "coherent", 4096, "fpga_to_cpu"),
    ],
)
def test_a_block_takes_what_the_backend_says(
    link: str, mode: str, size: int, direction: str,
    datra: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    asked = point(link, mode, size, direction, "one_way")
    given: list[tuple[Any, ...]] = []
    run = guest.run

    def kept(*words: Any) -> guest.Run:
        given.append(words)
        return run(*words)

    monkeypatch.setattr(guest, "run", kept)
    backend = open_backend("uml", "zynq7000", {}, 8)
    assert isinstance(backend, Uml)
    told = backend.predict(asked).seconds
    ((_, *machine),) = given
    plan = f"id=1 kernel=block direction={direction} mode={mode} bytes={size} depth=2"
    script = f"{ROUTES}probe - <<END\n{SETTINGS}\n{plan}\nEND\n"
    said = run((), *machine, script=script, programs=(datra, Probe("x86_64").path))
    lines = [json.loads(line) for line in said.output.splitlines() if line.startswith("{")]
    samples = [line for line in lines if line["type"] == "sample"]
    assert [line["outcome"] for line in lines if line["type"] == "point"] == ["ok"]
    assert len(samples) == 2
    for sample in samples:
        assert sample["ns"] * 1e-9 == pytest.approx(told, rel=APART)
