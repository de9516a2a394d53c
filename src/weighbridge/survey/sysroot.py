# SPDX-License-Identifier: Apache-2.0
"""The machine's /, or a folder that stands for it: what is not there, or forbidden, is None."""

from __future__ import annotations

import os
from pathlib import Path

from weighbridge.errors import InputError

#: No file that is read here is longer; one that is says nothing.
LONGEST = 1 << 20


class Sysroot:
    """Files below a root, named by their absolute paths on the machine."""

    def __init__(self, root: str | Path = "/") -> None:
        self.root = Path(root)
        if not (self.root / "proc").is_dir() and not (self.root / "sys").is_dir():
            raise InputError(
                f"'{root}' describes no machine", "--sysroot", "it must have proc/ and sys/"
            )

    def path(self, name: str) -> Path:
        """Where a file of the machine's lies here."""
        return self.root / name.lstrip("/")

    def data(self, name: str) -> bytes | None:
        try:
            with self.path(name).open("rb") as file:
                read = file.read(LONGEST + 1)
        except OSError:
            return None
        return read if len(read) <= LONGEST else None

    def text(self, name: str) -> str | None:
        """A file's text without blanks around it; None for an empty one."""
        read = self.data(name)
        return None if read is None else read.decode(errors="replace").strip(" \n\t\0") or None

    def number(self, name: str) -> int | None:
        """A whole number, decimal or with 0x, not below 0."""
        text = (self.text(name) or "").lower()
        try:
            number = int(text, 16 if text.startswith("0x") else 10)
        except ValueError:
            return None
        return number if 0 <= number < 2**63 else None

    def names(self, name: str) -> list[str]:
        """What is in a folder, sorted."""
        try:
            return sorted(os.listdir(self.path(name)))
        except OSError:
            return []

    def folders(self, name: str) -> list[str]:
        """The folders in a folder, sorted; no links."""
        try:
            with os.scandir(self.path(name)) as inside:
                return sorted(one.name for one in inside if one.is_dir(follow_symlinks=False))
        except OSError:
            return []

    def target(self, name: str) -> str | None:
        """The last part of what a link leads to."""
        try:
            return os.path.basename(os.readlink(self.path(name)))
        except OSError:
            return None

    def real(self, name: str) -> str | None:
        """A file's place below the root with all links followed; None where it is not."""
        try:
            return str(self.path(name).resolve(strict=True).relative_to(self.root.resolve()))
        except (OSError, ValueError, RuntimeError):
            return None


def chosen(text: str | None) -> str | None:
    """The word in brackets of a list of choices, as in 'always [madvise] never'."""
    if text is None:
        return None
    _, bracket, rest = text.partition("[")
    return rest.partition("]")[0] if bracket else None


def numbered(names: list[str], word: str) -> list[str]:
    """Those that are the word with a number behind it, in the order of their numbers."""
    found = [name for name in names if name.startswith(word) and name[len(word) :].isdecimal()]
    return sorted(found, key=lambda name: int(name[len(word) :]))


def members(text: str | None) -> list[int]:
    """The numbers of a kernel's list, as in '0-3,8'; none of what is no such list."""
    found: list[int] = []
    for part in (text or "").split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            return []
        low, high = int(first), int(last or first)
        if high - low > 1 << 16:
            return []
        found += range(low, high + 1)
    return found
