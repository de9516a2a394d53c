# SPDX-License-Identifier: Apache-2.0
"""Boards: a real sshd on the loopback, a serial line with noise on it, and a log."""

from __future__ import annotations

import getpass
import os
import pty
import random
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import weighbridge as wb
from tests.sysroots import machine
from weighbridge.backends.board.described import described
from weighbridge.backends.board.serial import plan as lines_of_plan
from weighbridge.backends.board.serial import summed, unsummed
from weighbridge.backends.probe import Unfinished
from weighbridge.backends.probe.program import program_for
from weighbridge.dataset.table import read_rows
from weighbridge.survey import survey
from weighbridge.survey.sysroot import Sysroot

STUDY = "host/copy"
WHERE = ("load=idle", "copy=memcpy", "copy=vector", "size=64", "size=4KiB", "size=64KiB")
POINTS = 6


@dataclass
class Board:
    """An sshd of its own: how it is reached, and where it lets the probe's files lie."""

    client: tuple[str, ...]
    files: Path
    server: int

    def empty(self) -> bool:
        """Nothing is left of the probe, within a while: the far side cleans up by itself."""
        for _ in range(200):
            running = subprocess.run(
                ["pgrep", "-f", f"{self.files}|[.]/probe plan"], capture_output=True, check=False
            )
            if not any(self.files.iterdir()) and running.returncode != 0:
                return True
            time.sleep(0.1)
        return False

    def cut(self) -> None:
        """Ends the connections that are open; what runs behind them is not told."""
        subprocess.run(["pkill", "-KILL", "-x", "-P", str(self.server), "sshd"], check=False)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    with server(tmp_path_factory.mktemp("sshd"), getpass.getuser()) as found:
        yield found


#: A user that only a server's own sight of /etc has: the machine's stays as it is.
STRANGER, NUMBER = "weighbridge-board", 64_123
_OTHER_ETC = """mount --bind {home}/passwd /etc/passwd && mount --bind {home}/shadow /etc/shadow &&
exec "$@\""""


@pytest.fixture(scope="module")
def stranger() -> Iterator[Board]:
    """A server that lets nobody in but a user without privileges."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("only root can give a server another user, in a mount namespace of its own")
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as name:
        home = Path(name)
        home.chmod(0o755)
        user = f"{STRANGER}:x:{NUMBER}:{NUMBER}::{home}:/bin/sh\n"
        (home / "passwd").write_text(Path("/etc/passwd").read_text() + user)
        (home / "shadow").write_text(Path("/etc/shadow").read_text() + f"{STRANGER}:*:1::::::\n")
        (home / "shadow").chmod(0o640)
        inside = ("unshare", "-m", "sh", "-c", _OTHER_ETC.format(home=home), "sh")
        with server(home, STRANGER, inside) as found:
            yield found


@contextmanager
def server(home: Path, user: str, before: tuple[str, ...] = ()) -> Iterator[Board]:
    """An sshd that lets one user in; before: words before its command."""
    files = home / "tmp"
    files.mkdir()
    files.chmod(0o777)
    for name in ("host", "user"):
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / name)]
        subprocess.run(key, check=True)
    shutil.copy(home / "user.pub", home / "authorized")
    (home / "authorized").chmod(0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (home / "sshd").write_text(f"""ListenAddress 127.0.0.1:{port}
HostKey {home}/host
AuthorizedKeysFile {home}/authorized
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
AllowUsers {user}
SetEnv TMPDIR={files}
""")
    (home / "ssh").write_text(f"""Host board
HostName 127.0.0.1
Port {port}
User {user}
IdentityFile {home}/user
IdentitiesOnly yes
UserKnownHostsFile {home}/known
StrictHostKeyChecking accept-new
LogLevel ERROR
""")
    Path("/run/sshd").mkdir(exist_ok=True)
    sshd = shutil.which("sshd", path="/usr/sbin:/usr/bin") or "sshd"
    command = [*before, sshd, "-D", "-e", "-f", home / "sshd"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as it:
        try:
            found = Board(("ssh", "-F", str(home / "ssh")), files, it.pid)
            for _ in range(100):
                if subprocess.run([*found.client, "board", "true"], check=False).returncode == 0:
                    break
                time.sleep(0.1)
            yield found
        finally:
            it.terminate()


def reach(board: Board, **more: object) -> wb.Reach:
    given: dict[str, Any] = {"seconds": 0.5, **more}
    return wb.Reach(at="board", client=board.client, **given)


def all_there(out: Path) -> None:
    """Every point once, with a time; no time twice, for each was measured."""
    rows = read_rows(out)
    keys = {(row["copy"], row["size_bytes"]) for row in rows}
    assert (len(rows), len(keys)) == (POINTS, POINTS)
    assert all(row["seconds"] > 0 and row["n"] >= 5 and row["backend"] == "board" for row in rows)


def test_over_ssh(board: Board, tmp_path: Path) -> None:
    out = tmp_path / "run"
    wb.run(STUDY, where=WHERE, backend="board", reach=reach(board), out=out)
    all_there(out)
    assert '"libc": "musl"' in (out / "manifest.json").read_text()
    assert board.empty()


def test_over_ssh_without_privileges(stranger: Board, tmp_path: Path) -> None:
    asked = [*stranger.client, "board", "id -un; id -u"]
    whom = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert whom.stdout.split() == [STRANGER, str(NUMBER)]
    out = tmp_path / "run"
    wb.run(STUDY, where=WHERE, backend="board", reach=reach(stranger), out=out)
    all_there(out)
    assert stranger.empty()


@pytest.mark.parametrize("who", ["board", "stranger"])
def test_a_board_is_described_as_it_describes_itself(
    who: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """A made-up board, and this machine; what only root may read the stranger lacks."""
    there: Board = request.getfixturevalue(who)
    root = machine(there.files.parent / f"{who}-root")
    for folder in [root, *root.rglob("*")]:
        folder.chmod(0o755)
    with described("board", there.client, str(root)) as far:
        assert survey(far) == survey(Sysroot(root))
    with described("board", there.client) as far:
        found, here = survey(far), survey(Sysroot())
    assert found.processor.caches == here.processor.caches
    assert found.memory.bytes == here.memory.bytes
    assert found.system.kernel == here.system.kernel
    assert [one.address for one in found.devices] == [one.address for one in here.devices]


@pytest.mark.parametrize(
    ("client", "why"),
    [
        (("sh", "-c", "echo start; cat >/dev/null"), "says other things than it was asked"),
        (("sh", "-c", "echo no way >&2; exit 255"), "board: no way"),
        (("no-such-client",), "no-such-client is not installed"),
    ],
)
def test_a_shell_that_does_not_describe(client: tuple[str, ...], why: str) -> None:
    with pytest.raises(wb.InputError, match=why), described("board", client):
        pass


@pytest.mark.parametrize(
    ("processor", "runner"), [("armv7l", "qemu-arm-static"), ("aarch64", "qemu-aarch64-static")]
)
def test_another_processor(board: Board, processor: str, runner: str) -> None:
    there = reach(board, before=(runner,), program=str(program_for(processor)))
    answers = wb.run(STUDY, where=(*WHERE, "size=4KiB"), backend="board", reach=there)
    assert len(answers) == POINTS
    assert board.empty()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "one way, and none"),
        ({"at": "a", "log": "b"}, "one way, and --at and --log"),
        ({"at": "-oProxyCommand=x"}, "names no board"),
        ({"at": "nobody@127.0.0.1", "client": ("ssh", "-p", "1")}, "refused"),
        ({"at": "board", "client": ("no-such-client",)}, "not installed"),
        ({"serial": "/dev/no-such-line"}, "cannot be opened"),
        ({"log": "/no/such/log"}, "cannot read /no/such/log: No such file"),
    ],
)
def test_a_way_that_leads_nowhere(given: dict[str, Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(wb.InputError, match=why):
        wb.run(
            STUDY, where=WHERE, backend="board", reach=wb.Reach(**given),
            out=tmp_path / "run",
        )  # fmt: skip
    assert not (tmp_path / "run").exists()


def test_a_probe_that_is_none(board: Board, tmp_path: Path) -> None:
    (tmp_path / "probe").write_text("#!/bin/sh\necho out of order >&2\nexit 3\n")
    with pytest.raises(wb.InputError, match=r"board: out of order; 6 of 6 points"):
        wb.run(
            STUDY, where=WHERE, backend="board", reach=reach(board, program=str(tmp_path / "probe"))
        )
    assert board.empty()


def test_a_connection_cut_at_any_moment(board: Board, tmp_path: Path) -> None:
    draw, cuts, round_ = random.Random(5), 0, 0
    out = tmp_path / "run0"
    while cuts < 4:
        timer = threading.Timer(draw.uniform(0.2, 1.5), board.cut)
        timer.start()
        try:
            wb.run(STUDY, where=WHERE, backend="board", reach=reach(board, seconds=5.0), out=out)
        except wb.InputError:
            cuts += 1
        else:
            all_there(out)
            round_ += 1
            out = tmp_path / f"run{round_}"
        finally:
            timer.cancel()
            timer.join()
    wb.run(STUDY, where=WHERE, backend="board", reach=reach(board, seconds=0.5), out=out)
    all_there(out)
    assert board.empty()


def test_ctrl_c_leaves_nothing_running(board: Board, program: list[str], tmp_path: Path) -> None:
    command = [
        *(*program, "run", STUDY, "--backend", "board", "--at", "board"),
        *("--ssh", " ".join(board.client), "--seconds", "60", "-o", "run"),
    ]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        while not any(board.files.iterdir()):
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.wait()
    assert process.returncode == 130
    assert board.empty()


@contextmanager
def _line(noise: Callable[[bytes], bytes]) -> Iterator[str]:
    """A serial line's device, with a probe at its other end that starts anew for each plan."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)

    def serve() -> None:
        waiting = b""
        while True:
            try:
                waiting += os.read(ours, 4096)
            except OSError:
                return
            if b"\nend #" not in waiting or not waiting.endswith(b"\n"):
                continue
            probe = subprocess.run([program_for("x86_64")], input=waiting, capture_output=True)
            waiting = b""
            for line in probe.stdout.splitlines(keepends=True):
                try:
                    os.write(ours, noise(line))
                except OSError:
                    return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield os.ttyname(theirs)
    os.close(theirs)
    thread.join()
    os.close(ours)


def test_over_a_quiet_line(tmp_path: Path) -> None:
    with _line(lambda line: line) as port:
        there = wb.Reach(serial=port, seconds=0.3)
        wb.run(STUDY, where=WHERE, backend="board", reach=there, out=tmp_path / "run")
    all_there(tmp_path / "run")


def test_over_a_noisy_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weighbridge.backends.board.serial.SILENCE", 3.0)
    draw = random.Random(7)

    def noise(line: bytes) -> bytes:
        if draw.random() > 0.004:
            return line
        spoiled = bytearray(line)
        kind = draw.randrange(4)
        if kind == 0:  # a changed digit would be another number, and still be JSON
            spoiled[draw.randrange(len(spoiled))] = draw.choice(b"0123456789")
        elif kind == 1:
            del spoiled[draw.randrange(len(spoiled)) :]
        elif kind == 2:
            spoiled[0:0] = draw.randbytes(20)
        else:
            spoiled = bytearray()
        return bytes(spoiled)

    tries = 0
    with _line(noise) as port:
        while True:
            try:
                wb.run(
                    STUDY, where=WHERE, backend="board",
                    reach=wb.Reach(serial=port, seconds=0.3), out=tmp_path / "run",
                )  # fmt: skip
                break
            except Unfinished:
                tries += 1
    all_there(tmp_path / "run")
    assert tries > 0


def test_a_line_is_what_its_sum_says() -> None:
    assert unsummed(summed(b"id=1")) == b"id=1"
    for spoiled in (b"id=2 #" + summed(b"id=1")[-8:], b"id=1", b"\xff\xfe #00000000"):
        assert unsummed(spoiled) == b"?"
    assert [*lines_of_plan("id=1\n")][-1].startswith(b"end #")


def _log(tmp_path: Path) -> Path:
    text = wb.plan(STUDY, where=WHERE, reach=wb.Reach(seconds=0.3))
    said = subprocess.run([program_for("x86_64")], input=text.encode(), capture_output=True)
    log = tmp_path / "log"
    log.write_bytes(said.stdout)
    return log


def test_from_a_log(tmp_path: Path) -> None:
    log, out = _log(tmp_path), tmp_path / "run"
    whole = log.read_bytes().splitlines(keepends=True)
    there = wb.Reach(log=str(log), seconds=0.3)
    draw = random.Random(3)
    for _ in range(3):  # cut off anywhere, with garbage in it
        kept = whole[: draw.randrange(len(whole) - 1)]
        part = [*kept, b"\x00\xff garbage {\n", b'{"type":']
        log.write_bytes(b"".join(part))
        with pytest.raises(wb.InputError, match=r"log ends; \d of \d points are not measured"):
            wb.run(STUDY, where=WHERE, backend="board", reach=there, out=out)
    log.write_bytes(b"".join(whole))
    wb.run(STUDY, where=WHERE, backend="board", reach=there, out=out)
    all_there(out)


def test_a_log_of_another_plan(tmp_path: Path) -> None:
    log = _log(tmp_path)
    with pytest.raises(wb.InputError, match="answers to another plan"):
        wb.run(STUDY, where=("load=idle",), backend="board", reach=wb.Reach(log=str(log)))


def test_the_command_says_what_to_do(program: list[str], tmp_path: Path) -> None:
    asked = ["run", STUDY, *(word for one in WHERE for word in ("--where", one))]
    told = subprocess.run(
        [*program, *asked, "--seconds", "1", "--plan", "plan"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    first, following = told.splitlines()
    assert first == "plan: 6 points; on the board: probe plan >log"
    said = subprocess.run([program_for("x86_64"), tmp_path / "plan"], capture_output=True)
    (tmp_path / "log").write_bytes(said.stdout)
    again = shlex.split(following)
    assert again[:2] == ["next:", "weighbridge"]
    done = subprocess.run(
        [*program, *again[2:], "-o", "run"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "6 points answered" in done.stdout


def test_what_a_plan_leaves_out_is_said(program: list[str], tmp_path: Path) -> None:
    def told(*words: str) -> list[str]:
        asked = [*program, "run", *words, "--plan", "plan"]
        done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    size = ("--where", "size=8KiB")
    assert told("host/copy", *size, "--cpus", "2", "--seed", "5")[1:] == [
        "next: weighbridge run host/copy --where size=8KiB --cpus 2 --seed 5"
        " --backend board --log log"
    ]
    _, left_out, _ = told("host/memory", *size)
    assert left_out == (
        "3 of 6 points are left out: there is one processor: nothing can run beside the loop"
    )
    image = ("--where", "link=HF128", "--where", "fpga_mhz=150")
    first, *_, following = told("cyclonev/hps-to-fpga", *size, "--where", "os=linux", *image)
    assert first.endswith("; on the board: weighbridge-study plan >log")
    assert following == (
        "next: weighbridge run cyclonev/hps-to-fpga --where size=8KiB --where os=linux"
        " --where link=HF128 --where fpga_mhz=150 --backend board --log log"
    )


def test_a_plan_is_of_one_image() -> None:
    """What a board with one image says is filed under no other link or clock."""
    with pytest.raises(wb.InputError) as said:
        wb.plan("cyclonev/hps-to-fpga")
    assert str(said.value) == (
        "the board's FPGA has one link at one clock, and these points have 4 links and 6"
        " clocks; name one, as in --where link=LW32 --where fpga_mhz=50"
    )
    with pytest.raises(wb.InputError, match=r"have 5 clocks; name one, as in --where fpga_"):
        wb.run(
            "cyclonev/hps-to-fpga", where=("link=HF128", "os=linux"), backend="board",
            reach=wb.Reach(at="nobody@127.0.0.1", client=("ssh", "-p", "1"), program="/bin/true"),
        )  # fmt: skip


def test_a_start_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """What blocks the next run is left by none: no log, what is none, and a board without answer.

    Some of the study's points are refused before anybody is asked.
    """
    out, log = tmp_path / "run", tmp_path / "log"
    files = {
        "no file": None,
        "empty": b"",
        "a plan": wb.plan(STUDY, where=WHERE).encode(),
        "noise": random.Random(4).randbytes(5000),
        "JSON": b'{"type": "row"}\n[1]\n',
    }
    for name, content in files.items():
        if content is not None:
            log.write_bytes(content)
        with pytest.raises(wb.InputError) as said:
            wb.run("host/memory", backend="board", reach=wb.Reach(log=str(log)), out=out)
        why = f"{log} has no line of a probe in it" if content is not None else f"cannot read {log}"
        assert why in str(said.value), name
        assert not out.exists(), name
    there = wb.Reach(at="nobody@127.0.0.1", client=("ssh", "-p", "1"), program="/bin/true")
    with pytest.raises(wb.InputError, match="refused"):
        wb.run("host/memory", backend="board", out=out, reach=there)
    assert not out.exists()


@pytest.fixture
def program() -> list[str]:
    code = "import sys; from weighbridge.cli import main; sys.exit(main())"
    return [sys.executable, "-c", code]
