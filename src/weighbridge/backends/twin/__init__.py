# SPDX-License-Identifier: Apache-2.0
"""The twin: turns a point into a job for the engine and the engine's outcome into an answer."""

from __future__ import annotations

from weighbridge import _engine
from weighbridge.backends import DEFAULT_SEED, Unanswered
from weighbridge.backends.twin.copies import Copies
from weighbridge.backends.twin.device import Device
from weighbridge.backends.twin.explanation import Explanation, Hop, Phase, Slice, Trace
from weighbridge.backends.twin.extrapolation import extended
from weighbridge.backends.twin.fabric import Fabric
from weighbridge.backends.twin.frames import Frames
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.backends.twin.loads import Loads
from weighbridge.backends.twin.program import Flow, Program, flow_of
from weighbridge.backends.twin.streams import Streams
from weighbridge.backends.twin.words import Words
from weighbridge.dataset.schema import Point, Result
from weighbridge.errors import InputError
from weighbridge.platforms.model import Platform
from weighbridge.quantities import check_frequency_mhz, format_size

__all__ = ["Explanation", "Hop", "Phase", "Slice", "Trace", "Twin"]


#: Most that one answer is simulated with: minutes.
MAX_TRANSACTIONS = 100_000_000
_WORD = 4


class Twin:
    """Answers points of one platform by simulation."""

    name = "twin"
    #: Whether a long transfer is answered from its prefix; what is run and not modelled never is.
    extrapolates = True

    #: Ways to drive a master; the first that says so answers a point.
    programs: tuple[type[Program], ...] = (
        Copies,
        Device,
        Fabric,
        Frames,
        Loads,
        Streams,
        Words,
    )

    def __init__(self, platform: Platform, seed: int = DEFAULT_SEED, exact: bool = False) -> None:
        """exact: all of a long transfer is simulated, where its prefix would do."""
        self.platform = platform
        self._exact = exact
        self._prefixes: dict[tuple[Point, str], Explanation] = {}
        self._hardware = Hardware(platform, seed)
        self._programs = [program(self._hardware) for program in self.programs]

    def facts(self) -> dict[str, object]:
        """What a run's manifest says of who answered, beside the platform."""
        return {}

    def predict(self, point: Point) -> Result:
        """The time of a point; raises Unanswered where the platform has no such path."""
        explanation = self.explain(point)
        return Result(
            point=point,
            seconds=explanation.seconds,
            backend=self.name,
            bytes_moved=point.size_bytes,
            ceiling_seconds=explanation.ceiling_seconds,
            bound_by=explanation.bound_by,
            n=len(explanation.samples) or 1,
            spread=explanation.spread,
            quality=explanation.quality,
        )

    def explain(self, point: Point, without: str = "", trace_slices: int = 0) -> Explanation:
        """The time of a point with its phases and what each component did.

        without: a component that takes no time; or, where phases overlap, such a phase.
        trace_slices: with a trace of the accesses, of so many slices at most.
        """
        program = self._program(point)
        if self._exact or not self.extrapolates:
            self._bounded(point, program)
            return self._simulated(program, point, without, trace_slices)
        reach = program.reach(point)

        def answer(one: Point) -> Explanation:
            # What the rest of a long transfer is told by serves every size.
            if trace_slices or one.size_bytes not in (reach.prefix, reach.prefix + reach.step):
                return self._simulated(program, one, without, trace_slices)
            key = (one, without)
            if key not in self._prefixes:
                self._prefixes[key] = self._simulated(program, one, without)
            return self._prefixes[key]

        # Without a component its part of the ceiling does not hold.
        return extended(point, reach, answer, program.ceiling, bounded=not without)

    def _simulated(
        self, program: Program, point: Point, without: str, trace_slices: int = 0
    ) -> Explanation:
        self._hardware.trace_slices = trace_slices
        try:
            outcome = program.run(point, without)
        except (ArithmeticError, IndexError, MemoryError, RuntimeError, ValueError) as error:
            raise Unanswered(f"{self.platform.name}: {error}") from error
        finally:
            self._hardware.trace_slices = 0
        return Explanation(
            point=point,
            seconds=outcome.seconds,
            ceiling_seconds=program.ceiling(point),
            phases=tuple(
                Phase(
                    phase.name,
                    phase.seconds,
                    tuple(map(self._hop, phase.components)),
                    phase.processor,
                )
                for phase in outcome.phases
            ),
            overlaps=program.overlaps(point),
            flow=flow_of(point, program.flows(point)),
            posted=program.posted(point),
            samples=tuple(outcome.samples),
            trace=self._trace(point, program, outcome) if trace_slices else None,
        )

    def _bounded(self, point: Point, program: Program) -> None:
        """Refuses a transfer whose simulation would not end soon."""
        widths = (
            self.platform.components[name].numbers.get("width") for name in program.path(point)
        )
        narrowest = min((bytes_of(width) for width in widths if width is not None), default=_WORD)
        transactions = -(-point.size_bytes // narrowest)
        if transactions > MAX_TRANSACTIONS:
            raise InputError(
                f"{transactions} transactions, more than {MAX_TRANSACTIONS}",
                mend="leave out --exact",
            )

    def ceiling(self, point: Point) -> float:
        """Seconds that the widths and clocks of the point's path allow at best."""
        return self._program(point).ceiling(point)

    def flows(self, point: Point) -> tuple[Flow, ...]:
        """What answers a point's path has, the usual one first."""
        return self._program(point).flows(point)

    def in_flight(self, point: Point) -> float:
        """Transfers of a steady flow that are under way at once, the one in hand included."""
        return self._program(point).in_flight(point)

    def path(self, point: Point) -> list[str]:
        """Components that the bytes go through, in the order in which they do."""
        outward = self._program(point).path(point)
        return outward if point.direction == "cpu_to_fpga" else outward[::-1]

    def _program(self, point: Point) -> Program:
        """Who answers a point; refuses what cannot be asked, raises Unanswered for what is not."""
        most = self.platform.memory_bytes
        if not 0 < point.size_bytes <= most:
            raise InputError(
                f"size {point.size_bytes} B",
                mend=f"allowed: 1 B to the memory of {self.platform.name}, {format_size(most)}",
            )
        if point.fpga_mhz is not None:
            check_frequency_mhz(point.fpga_mhz)
        if point.platform != self.platform.name:
            raise Unanswered(f"platform '{point.platform}' is not {self.platform.name}")
        kind = self._hardware.master(point).kind
        for program in self._programs:
            if program.drives(kind, point):
                program.check(point)
                flow_of(point, program.flows(point))
                return program
        raise Unanswered(
            f"{self.name}: no program drives '{point.master}', a {kind}, for such a point"
        )

    def _hop(self, use: _engine.ComponentUse) -> Hop:
        title = self._title(use.name)
        return Hop(use.name, title, use.transactions, use.bytes, use.busy, use.waiting)

    def _title(self, component: str) -> str:
        # Of several equal components each has its number behind the name.
        name, _, number = component.partition(" ")
        return f"{self.platform.components[name].title} {number}".rstrip()

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
