# SPDX-License-Identifier: Apache-2.0
"""weighbridge explore as it is typed: an address, an answer, an end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable

import pytest

COMMAND = [sys.executable, "-m", "weighbridge", "explore"]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_interrupted(end: signal.Signals) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    # The shell that runs the tests may have its jobs ignore an interrupt.
    with subprocess.Popen(
        [*COMMAND, "cyclonev"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        address = running.stdout.readline().split()[1]
        assert address.startswith("http://127.0.0.1:")
        # An answer is under way while it ends.
        query = "platform=cyclonev&size=64KiB&direction=cpu_to_fpga"
        with socket.create_connection(
            ("127.0.0.1", int(address.split("/")[2].split(":")[1]))
        ) as on:
            path = address.split("/", 3)[3]
            host = address.split("/")[2]
            on.sendall(f"GET /{path}turns.json?{query} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            with urllib.request.urlopen(f"{address}ranking.json?{query}") as reply:
                assert reply.status == 200
            running.send_signal(end)
            status = running.wait(30)
        assert running.stderr.read() == ""
        assert status == (0 if end == signal.SIGINT else -end)


def test_a_port_that_is_taken_is_refused(weighbridge: Callable[..., tuple[int, str, str]]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, out, err = weighbridge("explore", "--port", str(port))
    assert (status, out) == (2, "")
    assert (
        err
        == f"weighbridge: error: port {port}: Address already in use; give another with --port\n"
    )


@pytest.mark.parametrize(
    "arguments", [("nowhere",), ("/etc/passwd",), ("--port", "70000"), ("host",)]
)
def test_what_cannot_be_shown_is_refused(
    weighbridge: Callable[..., tuple[int, str, str]], arguments: tuple[str, ...]
) -> None:
    status, out, err = weighbridge("explore", *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
