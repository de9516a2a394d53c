# SPDX-License-Identifier: Apache-2.0
"""Backends: who answers a point. All have one method, predict(), and know nothing of reports."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

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


#: Of what is random in a platform, such as the pages a buffer gets: of the first ten draws the one
#: that lies nearest to their mean.
DEFAULT_SEED = 8

#: What a backend said about a point: a result, or the reason why it has none.
Outcome = Result | str

PUBLISHED = "published"
BACKENDS = ("twin", "rtl", "uml", PUBLISHED)


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
    if backend == PUBLISHED:
        from weighbridge.dataset import published

        sources += sorted(Path(published.__file__).parent.glob("*.parquet"))
    if engine := find_spec("weighbridge._engine"):
        sources.append(Path(str(engine.origin)))
    content = hashlib.sha256()
    for source in sources:
        content.update(source.read_bytes())
    return content.hexdigest()
