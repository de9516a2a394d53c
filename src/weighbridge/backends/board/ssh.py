# SPDX-License-Identifier: Apache-2.0
"""A board's Linux reached by OpenSSH's client: the probe goes over, runs, and is removed.

Old boards have no SFTP and little more than busybox: files go through `cat`, and one line of sh
runs the probe. That line holds the connection's input open. When the connection ends, for whatever
reason, the shell sees the end of its input, ends the probe and removes its directory.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from weighbridge.backends.probe import Facts
from weighbridge.backends.probe.lines import Silence, lines_of
from weighbridge.errors import InputError

#: Seconds: for an answer to the short commands; and without a line of the probe's.
_SHORT: Final = 60.0
_SILENCE: Final = 120.0
#: A dead connection is noticed within 15 s; nobody is there to be asked for a password.
_OPTIONS: Final = (
    *("-o", "BatchMode=yes", "-o", "ConnectTimeout=15"),
    *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"),
)
_MADE: Final = 'd=$(mktemp -d "${TMPDIR:-/tmp}/weighbridge.XXXXXX") && uname -m && echo "$d"'
_DIRECTORY: Final = re.compile(r"/[\w./+-]*/weighbridge\.\w{6}")
#: The shell's input stays open on 3, for what runs in the background has none of its own.
_RUN: Final = """cd {directory} || exit 98; exec 3<&0
trap 'rm -rf {directory}' EXIT; trap 'exit 99' HUP INT TERM PIPE
{program} plan & probe=$!
(cat <&3 >/dev/null; kill $probe 2>/dev/null) & watch=$!
wait $probe; status=$?; kill $watch 2>/dev/null; exit $status"""


class Ssh:
    """A way to the probe on a board.

    at:      user@host, or a name of ~/.ssh/config.
    program: the probe's program for a machine, as `uname -m` names it.
    client:  the client and options of the user's own.
    before:  words that the board's shell puts before the program, such as `taskset 1`.
    """

    def __init__(
        self,
        at: str,
        program: Callable[[str], Path],
        facts: Facts,
        client: Sequence[str] = ("ssh",),
        before: Sequence[str] = (),
    ) -> None:
        if not at or at.startswith("-") or any(sign.isspace() for sign in at):
            raise InputError(f"'{at}' names no board", "--at", "give user@host")
        self._at, self._program, self._facts = at, program, facts
        self._client, self._before = (*client, *_OPTIONS), tuple(before)

    @contextmanager
    def way(self, text: str) -> Iterator[Iterator[bytes]]:
        """Takes the probe and a plan to the board and yields the lines of what it says."""
        machine, directory = self._made()
        try:
            self._put(directory, "probe", self._program(machine).read_bytes())
            self._put(directory, "plan", text.encode())
        except BaseException:
            self._asked(f"rm -rf {shlex.quote(directory)}")
            raise
        run = _RUN.format(
            directory=shlex.quote(directory), program=shlex.join((*self._before, "./probe"))
        )
        with (
            tempfile.TemporaryFile() as errors,
            # In a session of its own: a terminal's Ctrl-C is for this process, which ends it.
            subprocess.Popen(
                (*self._client, self._at, run),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            ) as process,
        ):
            try:
                yield self._lines(process)
            finally:
                self._end(process)
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip()
                if process.returncode and not self._facts.ended and not self._facts.complaint:
                    last = said.splitlines()[-1] if said else f"status {process.returncode}"
                    self._facts.complaint = f"{self._at}: {last}"

    def _lines(self, process: subprocess.Popen[bytes]) -> Iterator[bytes]:
        assert process.stdout is not None
        try:
            yield from lines_of(process.stdout.fileno(), _SILENCE)
        except Silence:
            self._facts.complaint = f"{self._at} has said nothing for {_SILENCE:g} s"

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Closes the connection's input, at which the board cleans up, and waits for its end."""
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(_SHORT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _made(self) -> tuple[str, str]:
        said = self._asked(_MADE).decode(errors="replace").splitlines()
        # A shell's start-up files may print lines before ours. The name will be removed again.
        if len(said) < 2 or not _DIRECTORY.fullmatch(said[-1]):
            raise InputError(f"{self._at} makes no directory for the probe")
        return said[-2], said[-1]

    def _put(self, directory: str, name: str, content: bytes) -> None:
        path = shlex.quote(f"{directory}/{name}")
        self._asked(f"cat >{path} && chmod 700 {path}", content)

    def _asked(self, command: str, content: bytes = b"") -> bytes:
        try:
            done = subprocess.run(
                (*self._client, self._at, command),
                input=content,
                capture_output=True,
                timeout=_SHORT,
                check=False,
            )
        except FileNotFoundError as error:
            raise InputError(
                f"{self._client[0]} is not installed", mend="install openssh-client"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise InputError(f"{self._at} does not answer in {_SHORT:g} s") from error
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise InputError(f"{self._at}: {said[-1] if said else f'status {done.returncode}'}")
        return done.stdout
