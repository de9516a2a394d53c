# SPDX-License-Identifier: Apache-2.0
"""The twin: turns a point into a job for the engine and the engine's outcome into an answer."""

from __future__ import annotations

from pathlib import Path

from weighbridge.backends import DEFAULT_SEED, Asked
from weighbridge.backends.twin.asking import Programs
from weighbridge.backends.twin.copies import Copies
from weighbridge.backends.twin.device import Device
from weighbridge.backends.twin.explanation import Explanation, Hop, Phase, Slice, Trace
from weighbridge.backends.twin.extrapolation import extended
from weighbridge.backends.twin.fabric import Fabric
from weighbridge.backends.twin.frames import Frames
from weighbridge.backends.twin.loads import Loads
from weighbridge.backends.twin.program import Flow, Program
from weighbridge.backends.twin.streams import Streams
from weighbridge.backends.twin.traffic import Traffic
from weighbridge.backends.twin.words import Words
from weighbridge.dataset.schema import Point, Result
from weighbridge.platforms.model import Platform

__all__ = ["Explanation", "Hop", "Phase", "Slice", "Trace", "Twin"]


class Twin:
    """Answers points of one platform by simulation."""

    name = "twin"
    #: Ways to drive a master; the first that says so answers a point.
    programs: tuple[type[Program], ...] = (
        Copies,
        Device,
        Fabric,
        Frames,
        Loads,
        Streams,
        Traffic,
        Words,
    )

    def __init__(self, platform: Platform, seed: int = DEFAULT_SEED, exact: bool = False) -> None:
        """exact: all of a long transfer is simulated, where its prefix would do."""
        self.platform = platform
        self._exact = exact
        self._prefixes: dict[tuple[Point, str], Explanation] = {}
        self._programs = Programs(self.name, platform, seed, self.programs)

    def facts(self) -> dict[str, object]:
        """What a run's manifest says of who answered, beside the platform."""
        return {}

    def predict(self, point: Point) -> Result:
        """The time of a point; raises Unanswered where the platform has no such path."""
        return self.explain(point).result(self.name)

    def explain(self, point: Point, without: str = "", trace_slices: int = 0) -> Explanation:
        """The time of a point with its phases and what each component did.

        without: a component that takes no time; or, where phases overlap, such a phase.
        trace_slices: with a trace of the accesses, of so many slices at most.
        """
        program = self._programs.of(point)
        if self._exact:
            self._programs.bounded(point, program)
            return self._programs.simulated(program, point, without, trace_slices)
        reach = program.reach(point)

        def answer(one: Point) -> Explanation:
            # What the rest of a long transfer is told by serves every size.
            if trace_slices or one.size_bytes not in (reach.prefix, reach.prefix + reach.step):
                return self._programs.simulated(program, one, without, trace_slices)
            key = (one, without)
            if key not in self._prefixes:
                self._prefixes[key] = self._programs.simulated(program, one, without)
            return self._prefixes[key]

        # Without a component its part of the ceiling does not hold.
        return extended(point, reach, answer, program.ceiling, bounded=not without)

    def ceiling(self, point: Point) -> float:
        """Seconds that the widths and clocks of the point's path allow at best."""
        return self._programs.of(point).ceiling(point)

    def posted(self, point: Point) -> bool:
        """Whether an answer may beat the ceiling, because writes are still on their way."""
        return self._programs.of(point).posted(point)

    def flows(self, point: Point) -> tuple[Flow, ...]:
        """What answers a point's path has, the usual one first."""
        return self._programs.of(point).flows(point)

    def in_flight(self, point: Point) -> float:
        """Transfers of a steady flow that are under way at once, the one in hand included."""
        return self._programs.of(point).in_flight(point)

    def notes(self, point: Point) -> tuple[str, ...]:
        """What an answer's phases do not show of its program, a sentence each."""
        return self._programs.of(point).notes(point)

    def path(self, point: Point) -> list[str]:
        """Components that the bytes go through, in the order in which they do."""
        outward = self._programs.of(point).path(point)
        return list(outward) if point.direction == "cpu_to_fpga" else outward[::-1]


def opened(asked: Asked) -> Twin:
    return Twin(asked.loaded(), asked.seed, asked.exact)


def made_of() -> list[Path]:
    return []
