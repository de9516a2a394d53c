# SPDX-License-Identifier: Apache-2.0
"""A running `weighbridge explore`, and the application by itself for what need not run."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest

from weighbridge.cli import main
from weighbridge.explore.lab import Lab, platforms_for
from weighbridge.explore.server import application

PORT, TOKEN = 4711, "token"


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """The address of a server that runs until the block ends."""
    command = [sys.executable, "-m", "weighbridge", "explore", *arguments]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, process_group=0
    ) as running:
        try:
            assert running.stdout is not None
            yield running.stdout.readline().split()[1]
        finally:
            running.send_signal(signal.SIGTERM)
            running.wait(30)


@pytest.fixture(scope="session")
def lab() -> Lab:
    return Lab(platforms_for("cyclonev"))


class Client:
    """Sends requests to the application as a browser would, without a socket."""

    def __init__(self, lab: Lab) -> None:
        self._app, self.close = application(lab, "cyclonev", PORT, TOKEN)

    def get(
        self,
        path: str,
        query: bytes | str = b"",
        headers: dict[str, str] | None = None,
        method: str = "GET",
    ) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers; path: with its token."""
        sent = {"host": f"127.0.0.1:{PORT}"} | (headers or {})
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode() if isinstance(query, str) else query,
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", PORT),
        }
        told: list[dict[str, object]] = []

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, object]) -> None:
            told.append(message)

        asyncio.run(self._app(scope, receive, send))  # type: ignore[arg-type]
        body = b"".join(bytes(one.get("body", b"")) for one in told[1:])  # type: ignore[call-overload]
        answered = {name.decode(): value.decode() for name, value in told[0]["headers"]}  # type: ignore[attr-defined]
        return int(str(told[0]["status"])), body, answered


@pytest.fixture(scope="session")
def client(lab: Lab) -> Client:
    return Client(lab)


@pytest.fixture
def weighbridge(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in an empty directory: status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        status = main(list(arguments))
        return status, *capfd.readouterr()

    return run


Ask = Callable[..., dict[str, object]]


@pytest.fixture(scope="session")
def ask(client: Client) -> Ask:
    """ask(kind, set=[...], **words): the answer, which must be one."""

    def asked(kind: str, set: tuple[str, ...] = (), **words: str) -> dict[str, object]:
        query = urlencode([*words.items(), *(("set", one) for one in set)])
        status, body, _ = client.get(f"/{TOKEN}/{kind}.json", query)
        assert status == 200, body
        told: dict[str, object] = json.loads(body)
        return told

    return asked
