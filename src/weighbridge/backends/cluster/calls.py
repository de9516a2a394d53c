# SPDX-License-Identifier: Apache-2.0
"""Calls of one function by a cluster's workers: what is the same in all of them goes there once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from weighbridge.backends.cluster.connection import Connection, Lost
from weighbridge.backends.cluster.walk import check
from weighbridge.backends.cluster.worker import Asked, alike, identity_of
from weighbridge.backends.walk import Question
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from distributed import Future

#: Seconds without an answer after which the cluster is looked at.
_LOOK = 1.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call under way. A worker's death is the scheduler's to mend."""

    _connection: Connection
    _future: Future[Any]

    def result(self) -> Any:
        """What the function returned; InputError where the cluster cannot say any more."""
        address = self._connection.address
        while True:
            try:
                return self._future.result(timeout=_LOOK)
            except InputError:
                raise
            except TimeoutError as error:
                try:
                    self._connection.workers()
                except Lost:
                    raise InputError(
                        f"the scheduler at {address} is gone", mend="ask again"
                    ) from error
            except (Exception, CancelledError) as error:
                said = f"{type(error).__name__}: {error}".splitlines()[0]
                raise InputError(f"the cluster at {address} has no answer: {said}") from error


@contextmanager
def caller(
    address: str, backend: str, function: Callable[..., object], *fixed: object
) -> Iterator[tuple[Callable[..., Call], int]]:
    """Yields submit(*arguments), which calls function(*fixed, *arguments), and how many workers
    there are; the cluster is left with the block.

    backend: whose code must be the same in every worker as it is here. InputError where there is no
    such cluster, or where a worker is not what this process is.
    """
    asked = Asked(Question(backend), ())
    asked = replace(asked, identity=tuple(identity_of(asked).items()))
    with Connection(address) as connection:
        while not (count := connection.workers()):
            time.sleep(0.1)
        check(connection, asked)
        # A task, and not data sent once: it is done again where the worker that has it dies.
        held = connection.client.submit(_held, asked, fixed, pure=False)

        def submit(*arguments: object) -> Call:
            future = connection.client.submit(_called, function, held, *arguments, pure=False)
            return Call(connection, future)

        yield submit, count


def _held(asked: Asked, fixed: tuple[object, ...]) -> list[object]:
    return [asked, *fixed]


def _called(function: Callable[..., object], held: list[Any], *arguments: object) -> object:
    asked, *fixed = held
    alike(asked)
    return function(*fixed, *arguments)
