# SPDX-License-Identifier: Apache-2.0
"""Points as the lines of a plan that the probe reads: `key=value` words, a line a point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from weighbridge.backends import Unanswered
from weighbridge.dataset.schema import AXES, Point
from weighbridge.dataset.values import shown

#: What the probe does in its own buffers, by the words of an `access` axis.
_BUFFERED: Final = {
    "latency": ("load", "page"),
    "latency_with_walks": ("load", "random"),
    "rd": ("read", None),
    "wr": ("write", None),
    "cp": ("copy", None),
    "rmw": ("update", None),
}
#: What it does in a window: by the access, and by how the end of a store is learned.
_WINDOWED: Final = {
    ("latency", None): "uncached",
    ("rd", None): "uncached",
    ("wr", "posted"): "posted",
    ("wr", "read_back"): "written_back",
}
#: Ways of copying, by the words of the `copy` column.
_COPIES: Final = {
    "memcpy": "libc",
    "for-loop": "scalar",
    "vector": "vector",
    "stream": "stream",
}
#: What other processors do meanwhile, by the words of a `load` axis.
_TRAFFIC: Final = {"rd": "read", "wr": "write", "cp": "copy"}
#: Columns that the lines below can say something of; a point with others cannot be asked.
_SAID: Final = (
    *("master", "os", "copy", "link", "buffer", "memory_attribute", "completion"),
    *("direction", "size_bytes"),
    *("access", "load", "target", "device", "working_set_bytes", "stride_bytes"),
)


@dataclass(frozen=True, slots=True)
class Window:
    """Addresses outside the probe's own memory that a point goes to.

    path: a file that can be mapped, or a device file; offset and bytes: what of it may be touched.
    width: bytes of one access.
    """

    path: str
    offset: int
    bytes: int
    width: int = 4


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for a whole plan; None leaves it to the probe.

    seconds: the probe's time for all points, together. cpus: processors there are for traffic.
    group: how many points' blocks are interleaved; an interrupted group is measured again.
    """

    seed: int
    blocks: int = 5
    spread: float = 0.03
    seconds: float | None = None
    pages: str | None = None
    cpu: int | None = None
    cpus: int = 1
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan's text, and its points by number.

    asked: what is said to the probe of each point. refused: why a point cannot be asked.
    """

    text: str
    asked: Mapping[int, Mapping[str, str]]
    refused: Mapping[int, str] = field(default_factory=dict)

    @property
    def transfers(self) -> bool:
        """It is for the program that moves bytes to the FPGA, and not for the probe."""
        return any(words.get("kernel") == "transfer" for words in self.asked.values())

    @classmethod
    def of(
        cls,
        points: Mapping[int, Point],
        settings: Settings,
        window: Callable[[Point], Window | None],
    ) -> Plan:
        """The plan of numbered points.

        window: what stands for a point's target or device; None where it is the probe's memory.
        Its Unanswered is the point's reason.
        """

        def words(point: Point) -> Iterator[tuple[str, str]]:
            return _words(point, settings, window(point))

        return cls.said(points, _settings(settings), words)

    @classmethod
    def said(
        cls,
        points: Mapping[int, Point],
        settings: Iterable[tuple[str, str]],
        words: Callable[[Point], Iterator[tuple[str, str]]],
    ) -> Plan:
        """The plan of numbered points for a program with words of its own.

        words: of a point's line. Its Unanswered is the point's reason.
        """
        asked: dict[int, dict[str, str]] = {}
        refused: dict[int, str] = {}
        for number, point in points.items():
            try:
                asked[number] = dict(words(point))
            except Unanswered as reason:
                refused[number] = str(reason)
        lines = [_line("set", dict(settings))]
        lines += [asking(number, words) for number, words in asked.items()]
        return cls("\n".join(lines) + "\n", asked, refused)


def asking(number: int, words: Mapping[str, str]) -> str:
    """The line of a point."""
    return _line(f"id={number}", words)


def _line(first: str, words: Mapping[str, str]) -> str:
    return " ".join((first, *(f"{key}={value}" for key, value in words.items())))


def _settings(settings: Settings) -> Iterator[tuple[str, str]]:
    yield "seed", str(settings.seed)
    yield "blocks", str(settings.blocks)
    yield "spread", f"{settings.spread:g}"
    if settings.seconds is not None:
        yield "budget", f"{round(1000 * settings.seconds)}ms"
    if settings.group is not None:
        yield "group", str(settings.group)
    if settings.cpu is not None:
        yield "cpu", str(settings.cpu)
    if settings.pages is not None:
        yield "pages", settings.pages


def _words(point: Point, settings: Settings, window: Window | None) -> Iterator[tuple[str, str]]:
    said = point.key()
    for column, value in said.items():
        known = column in _SAID or column in ("platform", "study", "ports")
        if value is not None and not known:
            raise Unanswered(f"the probe knows no {column} ({shown(value)})")
    axes = {name: value for name, value in said.items() if name in AXES}
    access = str(axes.get("access"))
    if window is None:
        kernel, order = _one_of(_BUFFERED, access, "access")
        yield "kernel", kernel
        # A pass over a buffer moves all of it; a chain goes from one line of it to the next.
        chain = order is not None
        yield "bytes", str((axes.get("working_set_bytes") if chain else None) or point.size_bytes)
        if chain and axes.get("stride_bytes") is not None:
            yield "stride", str(axes["stride_bytes"])
        if chain:
            yield "order", order
        if point.copy is not None:
            yield "copy", _one_of(_COPIES, point.copy, "copy")
    else:
        if any(sign.isspace() for sign in window.path):
            raise Unanswered(f"a plan cannot name a file with blanks in its path ({window.path})")
        yield "kernel", _one_of(_WINDOWED, (access, point.completion), "access and completion")
        yield "window", window.path
        yield "offset", str(window.offset)
        yield "bytes", str(window.bytes)
        yield "width", str(window.width)
    load = axes.get("load")
    if load not in (None, "idle"):
        if settings.cpus < 2:
            raise Unanswered("there is one processor: nothing can run beside the loop")
        yield "threads", str(settings.cpus - 1)
        yield "traffic", _one_of(_TRAFFIC, load, "load")


def _one_of(words: Mapping[Any, Any], word: object, column: str) -> Any:
    if word not in words:
        told = ", ".join(map(str, words))
        raise Unanswered(f"the probe knows no {column} '{word}'; it knows {told}")
    return words[word]
