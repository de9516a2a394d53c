# SPDX-License-Identifier: Apache-2.0
"""What simulating backends share: which program answers a point, and how its outcome is told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Generic, TypeVar

from weighbridge import _engine
from weighbridge.backends import Unanswered
from weighbridge.backends.twin.explanation import Explanation, Hop, Phase, Slice, Trace
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.backends.twin.program import Domain, Program, flow_of
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms.model import Platform
from weighbridge.quantities import check_frequency_mhz, format_size

#: Most that one answer is simulated with: minutes.
MAX_TRANSACTIONS: Final = 100_000_000
_WORD: Final = 4
#: Under what the program of a path is remembered.
_WAY: Final = "program"

P = TypeVar("P", bound=Domain)


class Programs(Generic[P]):
    """The ways of a backend to drive a platform's masters; the first that says so answers.

    name: of the backend, for its refusals.
    """

    def __init__(self, name: str, platform: Platform, seed: int, ways: Iterable[type[P]]) -> None:
        self._name = name
        self._platform = platform
        self.hardware = Hardware(platform, seed)
        self._ways = [way(self.hardware) for way in ways]
        self._titles: dict[str, str] = {}

    def of(self, point: Point) -> P:
        """Who answers a point; refuses what cannot be asked, raises Unanswered for what is not."""
        most = self._platform.memory_bytes
        if not 0 < point.size_bytes <= most:
            raise InputError(
                f"size {point.size_bytes} B",
                mend=f"allowed: 1 B to the memory of {self._platform.name}, {format_size(most)}",
            )
        if point.fpga_mhz is not None:
            check_frequency_mhz(point.fpga_mhz)
        known = self.hardware.paths[point]
        if _WAY not in known:
            known[_WAY] = self._found(point)
        way: P = known[_WAY]
        way.check_size(point)
        return way

    def _found(self, point: Point) -> P:
        if point.platform != self._platform.name:
            raise Unanswered(f"platform '{point.platform}' is not {self._platform.name}")
        kind = self.hardware.master(point).kind
        for way in self._ways:
            if way.drives(kind, point):
                way.check(point)
                self._crossed(way, point)
                flow_of(point, way.flows(point))
                return way
        raise Unanswered(
            f"{self._name}: no program drives '{point.master}', a {kind}, for such a point"
        )

    def _crossed(self, way: P, point: Point) -> None:
        """Raises Unanswered where the platform's wires lead a master past the point's link."""
        link = self._platform.file.link.get(str(point.link))
        if link is not None and link.component not in way.path(point):
            raise Unanswered(f"link '{point.link}': '{point.master}' goes past '{link.component}'")

    def bounded(self, point: Point, program: Program) -> None:
        """Refuses a transfer whose simulation would not end soon."""
        widths = (
            self._platform.components[name].numbers.get("width") for name in program.path(point)
        )
        narrowest = min((bytes_of(width) for width in widths if width is not None), default=_WORD)
        transactions = -(-point.size_bytes // narrowest)
        if transactions > MAX_TRANSACTIONS:
            raise InputError(
                f"{transactions} transactions, more than {MAX_TRANSACTIONS}",
                mend="leave out --exact",
            )

    def simulated(
        self, program: Program, point: Point, without: str = "", trace_slices: int = 0
    ) -> Explanation:
        with self.hardware.traced(trace_slices):
            try:
                outcome = program.run(point, without)
            except (ArithmeticError, IndexError, MemoryError, RuntimeError, ValueError) as error:
                raise Unanswered(f"{self._platform.name}: {error}") from error
        return Explanation(
            point=point,
            seconds=outcome.seconds,
            ceiling_seconds=program.ceiling(point),
            phases=tuple(
                Phase(name, seconds, tuple([self._hop(*use) for use in uses]), processor, moves)
                for name, seconds, processor, moves, uses in outcome.told()
            ),
            overlaps=program.overlaps(point),
            flow=flow_of(point, program.flows(point)),
            posted=program.posted(point),
            samples=tuple(outcome.samples),
            trace=self._trace(point, program, outcome) if trace_slices else None,
        )

    def _hop(self, name: str, transactions: int, moved: int, busy: float, waiting: float) -> Hop:
        return Hop(name, self._title(name), transactions, moved, busy, waiting)

    def _title(self, component: str) -> str:
        if component not in self._titles:
            # Of several equal components each has its number behind the name.
            name, _, number = component.partition(" ")
            title = f"{self._platform.components[name].title} {number}".rstrip()
            self._titles[component] = title
        return self._titles[component]

    def _trace(self, point: Point, program: Program, outcome: _engine.Outcome) -> Trace:
        traced = outcome.trace
        # A steady flow is traced from its middle on.
        steady = flow_of(point, program.flows(point)) == "steady"
        zero = min((slice.start for slice in traced.slices), default=0.0) if steady else 0.0
        return Trace(
            titles={name: self._title(name) for name in traced.components},
            slices=tuple(
                Slice(
                    traced.components[slice.component],
                    slice.start - zero,
                    slice.busy,
                    slice.waiting,
                    slice.bytes,
                    slice.write,
                )
                for slice in traced.slices
            ),
            phases=tuple((phase.name, phase.start, phase.seconds) for phase in traced.phases),
            transfers=outcome.repeats,
            dropped=traced.dropped,
        )
