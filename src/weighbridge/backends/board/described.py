# SPDX-License-Identifier: Apache-2.0
"""A board's /proc and /sys over SSH: its shell is asked file by file, and answers in digits.

Nothing that the board says is written to a file here, or taken for the name of one.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Final

from weighbridge.backends.board.ssh import OPTIONS, check_board
from weighbridge.backends.probe.lines import Silence, lines_of
from weighbridge.errors import InputError
from weighbridge.survey.sysroot import LONGEST, Sysroot

#: Seconds for an answer.
_PATIENCE: Final = 30.0
#: A question is a letter and a path; the answer a line of hexadecimal digits. Old boards have these
#: tools by busybox. What is a link is no folder.
_ANSWERS: Final = """while read -r kind name; do
case $kind in
f) dd bs=4096 count=257 <"$name" ;;
n) ls -1A "$name" ;;
k) for one in "$name"/*/; do
  one=${one%/}
  [ -L "$one" ] || { [ -d "$one" ] && echo "${one##*/}"; }
done ;;
t) readlink "$name" ;;
r) [ -e "$name" ] && readlink -f "$name" ;;
esac 2>/dev/null | od -An -v -tx1 | tr -d ' \\n'
echo
done"""


class Described(Sysroot):
    """The / of a board, or a folder there that stands for it."""

    def __init__(self, at: str, asked: IO[bytes], lines: Iterator[bytes], root: str) -> None:
        self._at, self._asked, self._lines = at, asked, lines
        self._root = root.rstrip("/")
        if not self.names("/proc") and not self.names("/sys"):
            raise InputError(
                f"{at}: '{root}' describes no machine", mend="it must have proc/ and sys/"
            )

    def _answer(self, kind: str, name: str) -> bytes:
        """What the board says of a file; nothing where it is not, or where its name is no line."""
        if "\n" in name:
            return b""
        try:
            self._asked.write(f"{kind} {self._root}/{name.lstrip('/')}\n".encode())
            self._asked.flush()
            return bytes.fromhex(next(self._lines).decode("ascii"))
        except (OSError, StopIteration):
            raise InputError(f"{self._at}: the connection has ended") from None
        except Silence:
            raise InputError(f"{self._at}: no answer in {_PATIENCE:g} s") from None
        except ValueError:
            raise InputError(
                f"{self._at}: its shell says other things than it was asked",
                mend="is there a start-up file that prints?",
            ) from None

    def _words(self, kind: str, name: str) -> list[str]:
        return self._answer(kind, name).decode(errors="replace").splitlines()

    def data(self, name: str) -> bytes | None:
        read = self._answer("f", name)
        return read if len(read) <= LONGEST else None

    def names(self, name: str) -> list[str]:
        return sorted(self._words("n", name))

    def folders(self, name: str) -> list[str]:
        return sorted(self._words("k", name))

    def target(self, name: str) -> str | None:
        said = self._words("t", name)
        return said[0].rpartition("/")[2] if said else None

    def real(self, name: str) -> str | None:
        said = self._words("r", name)
        return said[0].removeprefix(self._root).lstrip("/") if said else None


@contextmanager
def described(at: str, client: Sequence[str] = ("ssh",), root: str = "/") -> Iterator[Sysroot]:
    """A board's files, for as long as the block lasts.

    at: user@host; client: the user's own, with options; root: a folder that stands for its /.
    """
    check_board(at)
    try:
        process = subprocess.Popen(
            (*client, *OPTIONS, at, _ANSWERS),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise InputError(f"{client[0]} is not installed", mend="install openssh-client") from error
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            lines = lines_of(process.stdout.fileno(), _PATIENCE, 4 * LONGEST)
            yield Described(at, process.stdin, lines, root)
        except InputError as fault:
            with suppress(OSError):
                process.stdin.close()
            process.terminate()
            said = process.stderr.read().decode(errors="replace").strip().splitlines()
            if said and "connection has ended" in fault.what:
                raise InputError(f"{at}: {said[-1]}") from None
            raise
        finally:
            with suppress(OSError):
                process.stdin.close()
            process.terminate()
