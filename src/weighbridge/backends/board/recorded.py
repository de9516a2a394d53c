# SPDX-License-Identifier: Apache-2.0
"""What a probe has said earlier, on a machine that cannot be reached from here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weighbridge.backends.probe import Facts
from weighbridge.backends.probe.stream import is_said
from weighbridge.errors import InputError


class Recorded:
    """A way to a log: the lines that `probe PLAN >LOG` has written.

    Raises InputError where it cannot be read, and where nothing in it is a probe's.
    """

    def __init__(self, log: Path, facts: Facts) -> None:
        self._log, self._facts = log, facts
        try:
            self._lines = log.read_bytes().splitlines()
        except OSError as error:
            raise InputError(f"cannot read {log}: {error.strerror}", "--log") from error
        if not any(map(is_said, self._lines)):
            raise InputError(
                f"{log} has no line of a probe in it",
                "--log",
                "give what the board's program has printed",
            )

    @contextmanager
    def way(self, text: str) -> Iterator[Iterator[bytes]]:
        """Yields the log's lines; the sums in them tell whether they answer this plan."""
        self._facts.complaint = f"{self._log} ends"
        yield iter(self._lines)
