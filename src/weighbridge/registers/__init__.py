# SPDX-License-Identifier: Apache-2.0
"""Names of the logic's registers, a module for each description in hdl/registers."""

from __future__ import annotations


def get(mask: int, word: int) -> int:
    """The value of a field, given by its mask, in a word."""
    return (word & mask) // (mask & -mask)


def put(mask: int, value: int) -> int:
    """A word in which a field has a value, and all else is 0."""
    return value * (mask & -mask) & mask
