# SPDX-License-Identifier: Apache-2.0
"""A Dask cluster, opened and kept: one of this machine's processes, or one that a scheduler has."""

from __future__ import annotations

import contextlib
import logging
import re
import time
import warnings
from typing import TYPE_CHECKING, Any

from weighbridge.backends.walk import uninterrupted
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from distributed import Client

#: Seconds to wait for a scheduler that is gone, or for a first worker.
PATIENCE = 60.0
#: Seconds that a scheduler may take to say what workers it has; and between two such questions.
_ANSWER, _LOOK = 10.0, 1.0
#: Most processes of a cluster of this machine.
_MOST_LOCAL = 256


class Lost(Exception):
    """The scheduler is gone, and what it was asked with it."""


class Connection:
    """A cluster by its address: tcp://HOST:PORT, or local:N for N processes of this machine.

    patience: seconds to wait for a scheduler or for workers that are gone before giving up.
    Use as a context manager; InputError where there is no such cluster.
    """

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        local = re.fullmatch(r"local:(\d{1,4})", address)
        if not local and not re.fullmatch(r"(?:tcp|tls)://\S+:\d{1,5}", address):
            mend = "give tcp://HOST:PORT of a scheduler, or local:N for N processes here"
            raise InputError(f"'{address}' is no cluster", "--cluster", mend)
        self._processes = int(local[1]) if local else 0
        if local and not 1 <= self._processes <= _MOST_LOCAL:
            raise InputError(f"{self._processes} processes", "--cluster", f"1 to {_MOST_LOCAL}")
        self.address, self._patience = address, patience
        self._cluster: Any = None
        self._client: Client | None = None
        self._looked = self._working = 0.0
        self._workers = 0

    def __enter__(self) -> Connection:
        try:
            import distributed
        except ModuleNotFoundError as error:
            raise InputError(
                f"a cluster needs {error.name}, which is not installed",
                mend="pip install 'weighbridge[cluster]'",
            ) from error
        # What becomes of workers and scheduler is told here, once, in our own words.
        # Each of its modules has a level of its own.
        for name in [*logging.root.manager.loggerDict]:
            if name.partition(".")[0] in ("asyncio", "distributed", "tornado"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        warnings.filterwarnings("ignore", module="distributed")
        if self._processes:
            with uninterrupted():
                self._cluster = distributed.LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=self._processes,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )
        try:
            self.connect()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @property
    def client(self) -> Client:
        assert self._client is not None, "use the connection as a context manager"
        return self._client

    def connect(self) -> None:
        """Reach the scheduler, anew where it was reached before; InputError after the patience."""
        from distributed import Client

        self._forget()
        end = time.monotonic() + self._patience
        while self._client is None:
            left = end - time.monotonic()
            try:
                self._client = Client(  # type: ignore[no-untyped-call]
                    self._cluster or self.address, timeout=max(1.0, min(left, 5.0))
                )
            except (OSError, TimeoutError, ValueError) as error:
                if left <= 0:
                    raise InputError(
                        f"no scheduler answers at {self.address} within {self._patience:g} s",
                        mend="'dask scheduler' starts one",
                    ) from error
                time.sleep(min(1.0, max(0.0, left)))
        self._working = time.monotonic()
        self._looked = 0.0

    def workers(self) -> int:
        """How many workers there are; Lost without a scheduler, InputError if long without any."""
        now = time.monotonic()
        if self.client.status != "running":
            raise Lost
        if now - self._looked < _LOOK:
            return self._workers
        try:
            scheduler: Any = self.client.scheduler
            client: Any = self.client
            self._workers = len(client.sync(scheduler.ncores, callback_timeout=_ANSWER))
        except (OSError, TimeoutError, AttributeError) as error:
            raise Lost from error
        self._looked = now
        if self._workers:
            self._working = now
        elif now - self._working > self._patience:
            raise InputError(
                f"the cluster at {self.address} has no worker for {self._patience:g} s",
                mend="'dask worker' starts one; the same command goes on where this one ends",
            )
        return self._workers

    def _forget(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(OSError, TimeoutError):
                client.close(timeout=2)  # type: ignore[no-untyped-call]

    def _close(self) -> None:
        with uninterrupted():
            self._forget()
            if self._cluster is not None:
                with contextlib.suppress(OSError, TimeoutError):
                    self._cluster.close(timeout=5)
                self._cluster = None
