# SPDX-License-Identifier: Apache-2.0
"""Writes what the engine offers to Python into src/weighbridge/_engine.pyi: `make stub`."""

from __future__ import annotations

from nanobind.stubgen import StubGen

from tools import ROOT
from weighbridge import _engine

STUB = ROOT / "src/weighbridge/_engine.pyi"
_HEADER = (
    "# SPDX-License-Identifier: Apache-2.0\n# Made by tools/engine_stub.py of engine/binding.cpp.\n"
)


def stub() -> str:
    """The stub of the engine that is installed."""
    generator = StubGen(_engine)
    generator.put(_engine)
    return _HEADER + str(generator.get())


if __name__ == "__main__":
    STUB.write_text(stub())
