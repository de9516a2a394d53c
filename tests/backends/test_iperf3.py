# SPDX-License-Identifier: Apache-2.0
"""Debian's own iperf3 as the client of the executed firmware, by this machine's network."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.backends.test_microcontroller import FITTED, PUBLISHED
from tools.serve_board import command
from weighbridge.backends.elf.datagrams import captured, fault
from weighbridge.backends.elf.microcontroller import SERVER

#: Frames that the emulator has not yet written to its capture when it is ended.
CUT = range(7)

#: In a network of its own, which goes with its last process.
NETWORK = """
set -e
ip link set lo up
ip tuntap add board mode tap
ip address add 10.55.0.2/24 dev board
ip link set board up
"$@" --tap board 2>error >said & emulator=$!
trap 'kill $emulator' EXIT
while ! grep -q serving said; do sleep 0.05; kill -0 $emulator; done

. ./clients
"""


def able() -> bool:
    """Whether this machine lets us have a network of our own, with an interface in it."""
    if shutil.which("iperf3") is None or shutil.which("ip") is None:
        return False
    tried = ["unshare", "-n", "ip", "tuntap", "add", "board", "mode", "tap"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not able(), reason="no network of our own: not root, or no iperf3")


class Served:
    """What the clients have said, and the frames that left the board meanwhile.

    clients: options of iperf3, or lines of the shell behind a `!`
    """

    def __init__(
        self,
        folder: Path,
        step: str,
        clients: list[str],
        mhz: float = 137.5,
        numbers: dict[str, float] | None = None,
    ) -> None:
        calls = []
        for one in clients:
            asked = f"timeout 20 iperf3 -J -c {SERVER} {one} >client-{len(calls)} || true"
            calls.append(one[1:] if one.startswith("!") else asked)
        (folder / "clients").write_text("\n".join(calls))
        board = command(step, mhz, folder, numbers or {})
        shell = ["unshare", "-n", "bash", "-c", NETWORK, "bash"]
        done = subprocess.run(
            [*shell, *board, "--capture", folder / "capture"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=150,
        )
        assert (folder / "error").read_text() == "", done.stderr
        told = sorted(folder.glob("client-*"), key=lambda one: int(one.name.partition("-")[2]))
        self.answers: list[dict[str, Any]] = [json.loads(one.read_text()) for one in told]
        self.frames = captured(folder / "capture")

    def datagrams(self, payload: int) -> list[bytes]:
        """Frames with a datagram of that length for a client of iperf3."""
        return [one.data for one in self.frames if len(one.data) == 42 + payload]


def test_a_client_gets_what_it_asks_for(tmp_path: Path) -> None:
    """In three ways, one behind the other; every datagram is checked, and each leaves the board.

    What a client on a loaded machine takes too late is lost in its own socket.
    """
    asked = ["-u -R -l 1450 -n 150K", "-u -R -l 1472 -n 60K --udp-counters-64bit"]
    confined = "!grep -E 'Seccomp:|NoNewPrivs' /proc/$emulator/status >status"
    served = Served(tmp_path, "mdma_unrolled", [confined, *asked, "-u -R -l 512 -n 20K -b 20M"])
    assert (tmp_path / "status").read_text().split() == ["NoNewPrivs:", "1", "Seccomp:", "2"]
    for answer, payload in zip(served.answers[:2], (1450, 1472), strict=True):
        assert "error" not in answer
        assert answer["end"]["sum_sent"]["packets"] - len(served.datagrams(payload)) in CUT
        (stream,) = answer["end"]["streams"]
        assert stream["udp"]["bytes"] >= answer["start"]["test_start"]["bytes"]
        assert payload == answer["start"]["test_start"]["blksize"]
    for number, frame in enumerate(served.datagrams(1450), 1):
        assert fault(frame, 1450, number) == ""
    paced = [one.seconds for one in served.frames if len(one.data) == 42 + 512]
    rate = 8 * 512 * (len(paced) - 1) / (paced[-1] - paced[0])
    assert rate == pytest.approx(20e6, rel=0.01)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_steps_as_iperf3_says_them(tmp_path: Path, name: str) -> None:
    """With the core's two fitted numbers. The sender's rate is of the board's own clock."""
    step, mhz, published, _ = PUBLISHED[name]
    served = Served(tmp_path, step, ["-u -R -l 1450 -n 500K"], mhz, FITTED)
    said = served.answers[0]["end"]["sum_sent"]
    assert 1e-6 * said["bits_per_second"] == pytest.approx(published, rel=0.02)
    found = served.datagrams(1450)
    assert said["packets"] - len(found) in CUT
    assert not any(fault(frame, 1450, number) for number, frame in enumerate(found, 1))


def test_what_the_server_refuses_it_refuses_in_iperf3s_words(tmp_path: Path) -> None:
    asked = ["-n 10K", "-u -n 10K", "-u -R -l 1473 -n 10K", "-u -R -P 2 -l 100 -n 10K"]
    served = Served(tmp_path, "mdma", [*asked, "-u -R -l 1000 -n 10K"])
    for answer in served.answers[:4]:
        assert "error" in answer
    assert "error" not in served.answers[4]


def test_one_client_at_a_time_and_room_again_when_it_has_gone(tmp_path: Path) -> None:
    """The first is killed in its flow."""
    first = f"!iperf3 -c {SERVER} -u -R -l 1450 -t 60 >/dev/null & first=$!; sleep 1"
    served = Served(
        tmp_path,
        "mdma",
        [first, "-u -R -l 700 -n 5K", "!kill -9 $first; sleep 1", "-u -R -l 700 -n 5K"],
    )
    assert "busy" in served.answers[0]["error"]
    assert "error" not in served.answers[1]


def parameters(text: str) -> bytes:
    return bytes(37) + len(text).to_bytes(4, "big") + text.encode()


#: What is sent instead of iperf3's messages, and what the server says before it closes.
NONSENSE = {
    b"short": b"",
    bytes(37) + b"\xff\xff\xff\xff{": b"\x09\xfe\0\0\0\x72\0\0\0\0",
    bytes(37) + b"\0\0\x20\x01": b"\x09\xfe\0\0\0\x72\0\0\0\0",
    bytes(41): b"\x09\xfe\0\0\0\x0d\0\0\0\0",
    parameters("{{{{"): b"\x09\xfe\0\0\0\x0d\0\0\0\0",
    parameters('{"udp":1,"reverse":1,"len":9}'): b"\x09\xfe\0\0\0\x14\0\0\0\0",
    parameters('{"udp":1,"reverse":1,"len":1e3}'): b"\x09\xfe\0\0\0\x14\0\0\0\0",
    parameters('{"x":[{"len":9}], "udp" : true ,"reverse":true,"len":700}') + b"\x04": b"\x09\x0a",
}


def test_nonsense_does_not_stop_the_server(tmp_path: Path) -> None:
    calls = []
    for number, message in enumerate(NONSENSE):
        (tmp_path / f"message-{number}").write_bytes(message)
        calls.append(
            f"!bash -c 'exec 3<>/dev/tcp/{SERVER}/5201; cat message-{number} >&3; "
            f"timeout 2 cat <&3 >said-{number}' || true"
        )
    served = Served(tmp_path, "mdma", [*calls, "!sleep 0.5", "-u -R -l 700 -n 5K"])
    for number, answer in enumerate(NONSENSE.values()):
        assert (tmp_path / f"said-{number}").read_bytes() == answer, number
    assert "error" not in served.answers[0]
