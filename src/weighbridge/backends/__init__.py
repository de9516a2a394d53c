# SPDX-License-Identifier: Apache-2.0
"""Backends: who answers a point, by a model of it (predict) or by samples (measure).

A backend knows nothing of reports; the analysis decides what samples mean.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from weighbridge.dataset.samples import Measured, Surroundings
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputError

if TYPE_CHECKING:
    from weighbridge.platforms import Platform


class Unanswered(InputError):
    """A backend has no answer to a point; the message says why."""


class Backend(Protocol):
    """Whoever answers points of one platform."""

    name: str

    def predict(self, point: Point) -> Result:
        """The result for a point; raises Unanswered if the backend has none."""
        ...

    def facts(self) -> dict[str, object]:
        """What a run's manifest says of who answered, beside the platform."""
        ...


class Measuring(Protocol):
    """Whoever measures points of the machine it reaches."""

    name: str

    def measure(self, points: Mapping[int, Point]) -> Generator[tuple[int, Measured | str]]:
        """Numbered points with their samples, as they come, or the reason why there are none.

        Closing the generator ends what was started for it.
        """
        ...

    def surroundings(self, point: Point) -> Surroundings:
        """What the machine says of itself that concerns a point."""
        ...

    def identity(self) -> dict[str, str]:
        """What decides the samples beside the points: a run is taken up only where it is equal."""
        ...

    def facts(self) -> dict[str, object]:
        """What a run's manifest says of who answered, as far as it is known."""
        ...


@dataclass(frozen=True, slots=True)
class Reach:
    """Where the machine is that is measured, and how much of its time may be taken.

    sysroot: a folder that stands for the machine's /, where it is described.
    seconds: for all points.

    Of a board, one of three ways leads to it:
    at: user@host for SSH; client: the client and its options; before: words that the board's shell
    puts before the program; cpus: its processors; program: the probe's, in place of one that is
    compiled for the board.
    serial: the device of a serial line; baud: bits a second, else what is usual at
    the other end.
    log: what a probe has said earlier.
    """

    sysroot: str = "/"
    seconds: float | None = None
    at: str = ""
    client: tuple[str, ...] = ("ssh",)
    before: tuple[str, ...] = ()
    cpus: int = 1
    program: str = ""
    serial: str = ""
    baud: int | None = None
    log: str = ""


#: The seed of what is random in a platform, such as the pages a buffer gets. Of the first ten seeds
#: this one's answers lie nearest to the mean.
DEFAULT_SEED = 8

#: What a backend said about a point: a result, or the reason why it has none.
Outcome = Result | str

PUBLISHED = "published"
#: Backends that measure: modules of this package, with `measuring()` and `made_of()`.
MEASURING = ("host", "board", "bridge")
#: The others answer by themselves: modules of this package, with `opened()` and `made_of()`.
BACKENDS = ("twin", "rtl", "uml", "elf", PUBLISHED, *MEASURING)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a backend is opened with.

    platform: a name or a file. overrides: 'sdram.clock' -> '533MHz'. exact: all of a long transfer
    is simulated, where a backend would do with its prefix.
    """

    platform: str
    overrides: Mapping[str, str]
    seed: int = DEFAULT_SEED
    exact: bool = False

    def loaded(self) -> Platform:
        """The platform with its overrides; InputErrors for what is wrong, or has no model."""
        from weighbridge.platforms.changing import overridden

        file = Path(self.platform)
        written = file.stat().st_mtime_ns if file.is_file() else 0
        return with_model(overridden(_read(self.platform, written), self.overrides))


@lru_cache(8)
def _read(platform: str, written: int) -> Platform:
    """A platform as its file has it, which many designs change; written: when its file was."""
    from weighbridge.platforms import load_platform

    return load_platform(platform)


class Maker(Protocol):
    """What a backend's module offers; it has one of the first two functions."""

    def opened(self, asked: Asked) -> Backend:
        """The backend, ready to answer; InputError where something that it needs is missing."""
        ...

    def measuring(self, seed: int, reach: Reach) -> Measuring:
        """The backend, ready to measure; InputError where the machine cannot be reached."""
        ...

    def made_of(self) -> list[Path]:
        """The sources of its answers, beside the lab's own."""
        ...


def _maker(name: str) -> Maker:
    if name not in BACKENDS:
        raise InputError(f"unknown backend '{name}'", mend="known: " + ", ".join(BACKENDS))
    return cast(Maker, import_module(f"{__name__}.{name}"))


def open_measuring(name: str, seed: int, reach: Reach) -> Measuring:
    """The backend `name` of MEASURING; InputError where the machine cannot be reached."""
    return _maker(name).measuring(seed, reach)


def open_backend(
    name: str, platform: str, overrides: Mapping[str, str], seed: int, exact: bool = False
) -> Backend:
    """The backend `name` for a platform (a name or a file) with its parameters overridden."""
    if name in MEASURING:
        mend = "'weighbridge run' measures; give its run here"
        raise InputError(f"'{name}' answers by measuring", mend=mend)
    return _maker(name).opened(Asked(platform, overrides, seed, exact))


def with_model(platform: Platform) -> Platform:
    """The platform, where its file describes the system; InputError where it is only measured."""
    if platform.modelled:
        return platform
    raise InputError(
        f"there is no model of '{platform.name}'",
        mend=f"'weighbridge run' measures its studies ({platform.file.backend}); "
        "'weighbridge survey --platform FILE' writes a first model",
    )


def code_digest(backend: str) -> str:
    """SHA-256 of the code that answers: two runs are alike only if the same code made them."""
    package = Path(__file__).parent.parent
    sources = sorted((*package.rglob("backends/**/*.py"), *package.glob("platforms/*.py")))
    sources += _maker(backend).made_of()
    if engine := find_spec("weighbridge._engine"):
        sources.append(Path(str(engine.origin)))
    content = hashlib.sha256()
    for source in sources:
        content.update(source.read_bytes())
    return content.hexdigest()
