# SPDX-License-Identifier: Apache-2.0
"""Text from files as a terminal may have it."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text on one line, with what a terminal would obey or not show as escapes: `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )
