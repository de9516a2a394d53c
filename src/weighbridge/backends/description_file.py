# SPDX-License-Identifier: Apache-2.0
"""A platform as programs with the engine read it: the format of cosim/description_file.hpp."""

from __future__ import annotations

from collections.abc import Mapping

from weighbridge import _engine


def description_file(description: _engine.Description, said: Mapping[str, str | float]) -> str:
    """The description as text, and what else the program asks for by name."""
    lines = [f"reference {description.reference_clock}"]
    lines += [f"clock {name} {mhz!r}" for name, mhz in description.clocks_mhz.items()]
    for component in description.components:
        lines.append(f"component {component.name} {component.kind} {component.clock}")
        lines += [f"number {field} {value!r}" for field, value in component.numbers.items()]
        lines += [f"choice {field} {word}" for field, word in component.choices.items()]
        lines += [f"to {name}" for name in component.to]
        lines += [f"window {w.target} {w.base!r} {w.bytes!r}" for w in component.windows]
    lines += [f"said {name} {value}" for name, value in said.items()]
    return "\n".join(lines) + "\n"
