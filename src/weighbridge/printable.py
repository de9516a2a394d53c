# SPDX-License-Identifier: Apache-2.0
"""Text from files as a terminal may have it."""

from __future__ import annotations

import re

#: Controls, line separators, marks that turn the direction of text, and halves of surrogate pairs.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    """The text on one line, with what a terminal would obey written as an escape: `\\x1b`."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
