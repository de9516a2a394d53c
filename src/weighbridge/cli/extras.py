# SPDX-License-Identifier: Apache-2.0
"""Packages that only some commands need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from weighbridge.errors import InputError


def need_scipy(command: str) -> None:
    """InputError, naming the extra, where scipy is not installed."""
    if find_spec("scipy") is None:
        raise InputError(
            f"{command} needs scipy, which is not installed",
            mend="pip install 'weighbridge[calibrate]'",
        )


@contextmanager
def report_extra(what: str) -> Iterator[None]:
    """Around imports: InputError, naming the extra, where one of its packages is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"{what} needs {error.name}, which is not installed",
            mend="pip install 'weighbridge[report]'",
        ) from error


@contextmanager
def explore_extra() -> Iterator[None]:
    """Around imports: InputError, naming the extra, where the page's packages are missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"the page needs {error.name}, which is not installed",
            mend="pip install 'weighbridge[explore]'",
        ) from error
