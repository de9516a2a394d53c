# SPDX-License-Identifier: Apache-2.0
"""A real cluster: a scheduler and workers, each in a process of its own."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

#: Seconds in which a loaded machine starts a process of the cluster.
SOON = 120
PROGRAM = [sys.executable, "-c", "import sys; from weighbridge.cli import main; sys.exit(main())"]


class Cluster:
    """A scheduler at a fixed port, and workers that are started anew when they die."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._log = (folder / "cluster.log").open("ab")

    def _started(self, module: str, *arguments: str, **environment: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
        process = subprocess.Popen(
            command,
            cwd=self._folder,
            env=os.environ | environment,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._processes.append(process)

    def scheduler(self) -> None:
        local = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        self._started("dask_scheduler", *local)
        deadline = time.monotonic() + SOON
        while True:
            assert time.monotonic() < deadline
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)

    def workers(self, count: int, **environment: str) -> None:
        for _ in range(count):
            self._started(
                "dask_worker",
                self.address,
                *("--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard"),
                *("--local-directory", str(self._folder)),
                **environment,
            )

    def working(self) -> list[psutil.Process]:
        """The processes that answer, which those that were started watch over."""
        found = []
        for process in self._processes[1:]:
            try:
                children = psutil.Process(process.pid).children()
            except psutil.NoSuchProcess:
                continue
            found += [one for one in children if "spawn_main" in " ".join(_said(one))]
        return found

    def kill_one(self, chance: random.Random) -> bool:
        """Kill one of the workers; False while there is none."""
        there = sorted(self.working(), key=lambda one: one.pid)
        if not there:
            return False
        chance.choice(there).kill()
        return True

    def kill(self) -> None:
        """Everything at once, as a power cut would."""
        for process in self._processes:
            try:
                family = [psutil.Process(process.pid)]
                family += family[0].children(recursive=True)
            except psutil.NoSuchProcess:
                continue
            for one in family:
                try:
                    one.kill()
                except psutil.NoSuchProcess:
                    continue
            process.wait()
        self._processes.clear()

    def close(self) -> None:
        self.kill()
        self._log.close()


def _said(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler with two workers."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.scheduler()
        made.workers(2)
        yield made
    finally:
        made.close()


class Command:
    """A `weighbridge` command that runs meanwhile."""

    def __init__(self, arguments: Sequence[object], cwd: Path, **options: object) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,  # type: ignore[call-overload]
        )

    def interrupt(self) -> None:
        """As a terminal does: to the program and to all that it has started."""
        os.killpg(self.process.pid, signal.SIGINT)

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=600)
        return self.process.returncode, out, err


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Callable[..., Command]]:
    """Starts a command in the test's folder; what is left of it ends with the test."""
    commands: list[Command] = []

    def begin(*arguments: object, **options: object) -> Command:
        commands.append(Command(arguments, tmp_path, **options))
        return commands[-1]

    yield begin
    for one in commands:
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGKILL)
            one.process.communicate()


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    def wait(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SOON
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    return wait
