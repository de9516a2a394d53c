# SPDX-License-Identifier: Apache-2.0
"""Which sources make a run another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from weighbridge.backends import BACKENDS, code_digest
from weighbridge.backends.rtl import verilator
from weighbridge.backends.uml import guest

LOGIC = ("hdl/datra/rtl/router.sv", "cosim/axi_slave.hpp", "engine/components/cache.cpp")
STACK = ("bench/stream.c", "linux/dma-ring.c", "linux/Kbuild", "uml/patches/0001-a.patch")


def test_a_run_is_of_the_sources_that_its_backend_builds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(verilator, "_home", lambda: tmp_path)
    monkeypatch.setattr(guest, "_stack", lambda: tmp_path / "stack")

    def digests() -> dict[str, str]:
        return {backend: code_digest(backend) for backend in BACKENDS}

    seen = digests()
    for parts, others in (
        ((tmp_path, LOGIC), {"elf", "rtl", "uml"}),
        ((tmp_path / "stack", STACK), {"uml"}),
    ):
        home, names = parts
        for name in names:
            for content in ("", "changed"):
                (home / name).parent.mkdir(parents=True, exist_ok=True)
                (home / name).write_text(f"{name} {content}")
                now = digests()
                assert {backend for backend in BACKENDS if now[backend] != seen[backend]} == others
                seen = now


def test_what_is_there_is_found() -> None:
    found = {file.name for file in (*verilator.sources(), *guest.sources())}
    assert {"datra.sv", "uml_device.cpp", "cache.cpp", "stream.c", "probe.c", "build.py"} <= found
