# SPDX-License-Identifier: Apache-2.0
"""The one error a user may see: what is wrong, where, and how to mend it."""

from __future__ import annotations

from weighbridge.printable import printable

#: Characters of a message.
_LONGEST = 2000


class InputError(Exception):
    """Bad input. The command line prints it as one line and exits with status 2.

    what:  what is wrong, as a sentence fragment ("unknown link 'HF256'").
    where: file, field, line or option it was found in; empty when obvious.
    mend:  allowed values or what to do; empty when obvious.
    """

    def __init__(self, what: str, where: str = "", mend: str = "") -> None:
        self.what, self.where, self.mend = what, where, mend
        place = f" in {where}" if where else ""
        cure = f"; {mend}" if mend else ""
        text = printable(" ".join(f"{what}{place}{cure}".split()))
        # What is wrong may quote a cell of any length.
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
        super().__init__(text)


class InputErrors(InputError):
    """Several independent faults of one file, reported together, a line each."""

    def __init__(self, errors: list[InputError]) -> None:
        # Two checks may find the same.
        self.errors = list({str(error): error for error in errors}.values())
        super().__init__(f"{len(self.errors)} errors")

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)
