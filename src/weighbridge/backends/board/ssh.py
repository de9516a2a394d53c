# SPDX-License-Identifier: Apache-2.0
"""A board's Linux reached by OpenSSH's client: the probe goes over, runs, and is removed.

Old boards have no SFTP and little more than busybox: program and plan come in the input of a few
lines of sh, which then hold it open. When the connection ends, for whatever reason, the shell sees
the end of its input, ends the probe and removes its directory.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from weighbridge.backends.probe import Facts
from weighbridge.backends.probe.stream import said_by
from weighbridge.errors import InputError

#: Seconds for an answer to a short command, or to a goodbye.
_SHORT: Final = 60.0
#: A dead connection is noticed within 15 s; nobody is there to be asked for a password.
OPTIONS: Final = (
    *("-o", "BatchMode=yes", "-o", "ConnectTimeout=15"),
    *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"),
)
#: The shell's input, 3 from there on, brings program and plan and then stays open. dd reads single
#: bytes, for other programs of an old board read further than they are told.
_RUN: Final = """exec 3<&0; umask 077
directory=$(mktemp -d "${{TMPDIR:-/tmp}}/weighbridge.XXXXXX") && cd "$directory" || exit 98
trap 'cd /; rm -rf "$directory"' EXIT; trap 'exit 99' HUP INT TERM PIPE
dd bs=1 count={program_bytes} of=probe <&3 2>/dev/null || exit 97
dd bs=1 count={plan_bytes} of=plan <&3 2>/dev/null || exit 97
chmod 700 probe || exit 97
{program} plan & probe=$!
(cat <&3 >/dev/null; kill $probe 2>/dev/null) & watch=$!
wait $probe; status=$?; kill $watch 2>/dev/null; exit $status"""


def check_board(at: str) -> None:
    """Raises InputError for what ssh would not take for the name of a board."""
    if not at or at.startswith("-") or any(sign.isspace() for sign in at):
        raise InputError(f"'{at}' names no board", "--at", "give user@host")


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
        check_board(at)
        self._at, self._program, self._facts = at, program, facts
        self._client, self._before = (*client, *OPTIONS), tuple(before)

    @contextmanager
    def way(self, text: str) -> Iterator[Iterator[bytes]]:
        """Takes the probe and a plan to the board and yields the lines of what it says."""
        machine = self._machine()
        program, asked = self._program(machine).read_bytes(), text.encode()
        run = _RUN.format(
            program=shlex.join((*self._before, "./probe")),
            program_bytes=len(program),
            plan_bytes=len(asked),
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
                assert process.stdin is not None
                with suppress(BrokenPipeError):  # the connection's end says why
                    process.stdin.write(program + asked)
                    process.stdin.flush()
                yield said_by(process.stdout, self._at, self._facts)
            finally:
                self._end(process)
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip()
                if process.returncode and not self._facts.ended and not self._facts.complaint:
                    last = said.splitlines()[-1] if said else f"status {process.returncode}"
                    self._facts.complaint = f"{self._at}: {last}"

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

    def _machine(self) -> str:
        """The board's processor, as `uname -m` names it."""
        said = self._asked("uname -m").decode(errors="replace").split()
        return said[-1] if said else ""  # a shell's start-up files may print lines before

    def _asked(self, command: str) -> bytes:
        try:
            done = subprocess.run(
                (*self._client, self._at, command),
                stdin=subprocess.DEVNULL,
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
