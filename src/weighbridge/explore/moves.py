# SPDX-License-Identifier: Apache-2.0
"""A newer move cancels an older one: the last number that each open page has asked with."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

#: Pages that are remembered; the one that was silent longest is forgotten.
_PAGES = 64


class Superseded(Exception):
    """Nobody waits for this answer any more."""


class Moves:
    """The newest move of each page. A page numbers its moves, each higher than the one before."""

    def __init__(self) -> None:
        self._newest: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()
        self._closed = False

    def begin(self, page: str, move: int) -> None:
        """Note a move; Superseded if the page has made a later one."""
        with self._lock:
            if move < self._newest.get(page, 0):
                raise Superseded
            self._newest[page] = move
            self._newest.move_to_end(page)
            while len(self._newest) > _PAGES:
                self._newest.popitem(last=False)

    def check(self, page: str, move: int) -> None:
        """Superseded if the page has made a later move, or the server ends."""
        if self._closed or move < self._newest.get(page, 0):
            raise Superseded

    def close(self) -> None:
        """Supersede everything that is under way."""
        self._closed = True
