# SPDX-License-Identifier: Apache-2.0
"""Weighbridge: what it costs to move bytes between a processor and an FPGA, and why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.api import (
        Reach,
        advise,
        compare,
        curve,
        explain,
        plan,
        platform,
        platform_names,
        predict,
        run,
        study_names,
        suggest,
    )

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "Reach",
    "advise",
    "compare",
    "curve",
    "explain",
    "plan",
    "platform",
    "platform_names",
    "predict",
    "run",
    "study_names",
    "suggest",
]


def __getattr__(name: str) -> Any:
    # The questions are loaded with the first of them: the import itself takes no time.
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module("weighbridge.api"), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
