# SPDX-License-Identifier: Apache-2.0
"""What a probe has said earlier, on a machine that cannot be reached from here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weighbridge.backends.probe import Facts
from weighbridge.errors import InputError


class Recorded:
    """A way to a log: the lines that `probe PLAN >LOG` has written."""

    def __init__(self, log: Path, facts: Facts) -> None:
        self._log, self._facts = log, facts

    @contextmanager
    def way(self, text: str) -> Iterator[Iterator[bytes]]:
        """Yields the log's lines; the sums in them tell whether they answer this plan."""
        try:
            lines = self._log.read_bytes().splitlines()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", str(self._log)) from error
        self._facts.complaint = f"{self._log} ends"
        yield iter(lines)
