# SPDX-License-Identifier: Apache-2.0
"""Backends: who answers a point, by a model of it (predict) or by samples (measure).

A backend knows nothing of reports, and what is made of samples is the analysis's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from weighbridge.dataset.samples import Measured, Surroundings
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputError


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
    """

    sysroot: str = "/"
    seconds: float | None = None


#: Of what is random in a platform, such as the pages a buffer gets: of the first ten draws the one
#: that lies nearest to their mean.
DEFAULT_SEED = 8

#: What a backend said about a point: a result, or the reason why it has none.
Outcome = Result | str

PUBLISHED = "published"
#: Those that measure; the others answer by themselves.
MEASURING = ("host",)
BACKENDS = ("twin", "rtl", "uml", PUBLISHED, *MEASURING)


def open_measuring(name: str, seed: int, reach: Reach) -> Measuring:
    """The backend `name` of MEASURING; InputError where the machine cannot be reached."""
    from weighbridge.backends.host import Host

    return {Host.name: Host}[name](seed, reach)


def open_backend(
    name: str, platform: str, overrides: Mapping[str, str], seed: int, exact: bool = False
) -> Backend:
    """The backend `name` for a platform (a name or a file) with its parameters overridden."""
    if name not in BACKENDS:
        raise InputError(f"unknown backend '{name}'", mend="known: " + ", ".join(BACKENDS))
    from weighbridge.backends.twin import Twin
    from weighbridge.platforms import load_platform

    if name == PUBLISHED:
        from weighbridge.backends.published import Published

        if overrides:
            raise InputError("measurements have no parameters to set", "--set")
        return Published(load_platform(platform))
    loaded = load_platform(platform, overrides)
    if not loaded.modelled:
        raise InputError(
            f"there is no model of '{loaded.name}'",
            mend=f"measure it with --backend {loaded.file.backend}, or give --platform FILE",
        )
    if name == "rtl":
        from weighbridge.backends.rtl import Rtl

        return Rtl(loaded, seed)
    if name == "uml":
        from weighbridge.backends.uml import Uml

        return Uml(loaded, seed)
    return Twin(loaded, seed, exact)


def code_digest(backend: str) -> str:
    """SHA-256 of the code that answers: two runs are alike only if the same code made them."""
    package = Path(__file__).parent.parent
    sources = sorted((*package.rglob("backends/**/*.py"), *package.glob("platforms/*.py")))
    if backend in ("rtl", "uml"):
        from weighbridge.backends.rtl.verilator import sources as logic

        sources += logic()
    if backend == "uml":
        from weighbridge.backends.uml.guest import sources as stack

        sources += stack()
    if backend in MEASURING:
        from weighbridge.backends.probe.program import sources as probe

        sources += probe()
    if backend == PUBLISHED:
        from weighbridge.dataset import published

        sources += sorted(Path(published.__file__).parent.glob("*.parquet"))
    if engine := find_spec("weighbridge._engine"):
        sources.append(Path(str(engine.origin)))
    content = hashlib.sha256()
    for source in sources:
        content.update(source.read_bytes())
    return content.hexdigest()
