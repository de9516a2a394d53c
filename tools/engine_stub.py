# SPDX-License-Identifier: Apache-2.0
"""Writes what the engine offers to Python into src/weighbridge/_engine.pyi: `make stub`."""

from __future__ import annotations

from pathlib import Path

from nanobind.stubgen import StubGen

from weighbridge import _engine

STUB = Path(__file__).parent.parent / "src/weighbridge/_engine.pyi"
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
