# SPDX-License-Identifier: Apache-2.0
"""Runs what compiles on the user's machine, and says in a line why it did not."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from weighbridge.errors import InputError

#: How compilers, linkers, Verilator and make mark the line that says what is wrong.
_COMPLAINT: Final = re.compile(r"error:|undefined reference|%Error|%Warning|\*\*\*")


def needed(tool: str, by: str, mend: str = "") -> None:
    """Raises InputError if a tool that `by` needs is not installed."""
    if shutil.which(tool) is None:
        raise InputError(f"{by} needs {tool}, which is not installed", mend=mend)


def complaint(said: str) -> str:
    """The line of a compiler's output that says what is wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next(filter(_COMPLAINT.search, lines), (lines or ["it says nothing"])[0])


def compiled(
    what: str,
    command: Sequence[str | Path],
    mend: str = "",
    environment: Mapping[str, str] | None = None,
) -> str:
    """What the command prints; InputError if it fails, which names what was to be made."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = complaint(done.stderr + done.stdout)
        raise InputError(f"{what} does not compile: {said}", mend=mend)
    return done.stdout
