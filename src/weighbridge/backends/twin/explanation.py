# SPDX-License-Identifier: Apache-2.0
"""Where the time of a point goes: phases, and what each component did in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from weighbridge.dataset.schema import Point, Result

#: What a transfer waits for where nothing on its way is busy for most of it.
LATENCY = "latency of each access"

#: The share of a phase in which bytes move that makes a component its bound.
_BUSY = 0.6


@dataclass(frozen=True, slots=True)
class Load:
    """Something that takes time: a component by its name, or software or latency, with none.

    phase: of several that the processor goes through beside the transfer, the longest.
    """

    title: str
    seconds: float
    component: str = ""
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Hop:
    """What one component did; seconds and bytes."""

    name: str
    title: str
    transactions: int
    bytes: int
    busy: float
    waiting: float

    def __add__(self, other: Hop) -> Hop:
        """The same component over two phases."""
        return Hop(
            self.name,
            self.title,
            self.transactions + other.transactions,
            self.bytes + other.bytes,
            self.busy + other.busy,
            self.waiting + other.waiting,
        )


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a transfer's time, and what the components did in it. Software has no hops.

    processor: it is busy all through the phase; False where it waits for a DMA controller. moves:
    the bytes cross between processor and fabric in it.
    """

    name: str
    seconds: float
    hops: tuple[Hop, ...]
    processor: bool
    moves: bool

    @property
    def busiest(self) -> Hop | None:
        """The component that was busy the longest."""
        return max(self.hops, key=lambda hop: hop.busy, default=None)

    @property
    def load(self) -> Load:
        """What the phase's time goes into.

        Software is named as it is. A phase that moves bytes is bound by the component that was busy
        for most of it or, where none was, by the latency that each access waits for.
        """
        if not self.moves:
            return Load(self.name, self.seconds)
        busiest = self.busiest
        if busiest and busiest.busy > _BUSY * self.seconds:
            return Load(busiest.title, self.seconds, busiest.name)
        return Load(LATENCY, self.seconds)

    @property
    def bound(self) -> str:
        """What the phase's time goes into, in words."""
        return self.load.title


@dataclass(frozen=True, slots=True)
class Slice:
    """One access at one component; seconds from the trace's start, and bytes.

    busy: how long the access occupies the component, from `start` on; 0 where accesses only pass.
    waiting: how long it was held back before.
    """

    component: str
    start: float
    busy: float
    waiting: float
    bytes: int
    write: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """The accesses of an answer one by one, in the order of the simulation.

    titles: of the components, by their names. phases: (name, start, seconds), one after the other;
    none for a steady flow, whose trace holds all the transfers that were timed: `transfers` of
    them. dropped: slices and phases beyond the limit.
    """

    titles: dict[str, str]
    slices: tuple[Slice, ...]
    phases: tuple[tuple[str, float, float], ...]
    transfers: float
    dropped: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where the time of a point goes; the phases, in their order, add up to `seconds`.

    overlaps: the processor works while the bytes move; the phase in which they do is then only
    what it waits for them. flow: whether the answer is one transfer by itself ('single'), from its
    first step to its last byte usable, or the period of a steady flow ('steady').
    """

    point: Point
    seconds: float
    ceiling_seconds: float
    phases: tuple[Phase, ...]
    overlaps: bool = False
    flow: str = "single"
    #: The answer ends with stores that are still on their way.
    posted: bool = False
    #: Bytes of the longest transfer that was simulated for the answer, where that is less than all.
    simulated_bytes: int | None = None
    #: Seconds of single runs where there are several; `seconds` is then their median.
    samples: tuple[float, ...] = ()
    #: Where one was asked for.
    trace: Trace | None = None

    @property
    def spread(self) -> dict[str, float]:
        """Least, quartiles, percentiles and most of the runs, by linear interpolation."""
        if not self.samples:
            return {}
        ordered = sorted(self.samples)

        def quantile(share: float) -> float:
            at = share * (len(ordered) - 1)
            low = int(at)
            high = min(low + 1, len(ordered) - 1)
            return ordered[low] + (at - low) * (ordered[high] - ordered[low])

        named = {"p25": 0.25, "p75": 0.75, "p95": 0.95, "p99": 0.99}
        ends = {"min": ordered[0], "max": ordered[-1]}
        return ends | {name: quantile(share) for name, share in named.items()}

    @property
    def quality(self) -> str:
        """'posted' where the answer is shorter than the ceiling because its stores were not waited
        for, 'extrapolated' where not all of it was simulated, else 'ok'."""
        if self.posted and self.seconds < self.ceiling_seconds:
            return "posted"
        return "ok" if self.simulated_bytes is None else "extrapolated"

    @property
    def moving(self) -> Phase:
        """The phase in which the bytes cross between processor and fabric."""
        return next(phase for phase in self.phases if phase.moves)

    @property
    def hops(self) -> tuple[Hop, ...]:
        """What each component did over all phases."""
        total: dict[str, Hop] = {}
        for hop in (hop for phase in self.phases for hop in phase.hops):
            so_far = total.get(hop.name)
            total[hop.name] = so_far + hop if so_far else hop
        return tuple(total.values())

    @property
    def bound_by(self) -> str:
        """What takes most of the time, in words."""
        return self.bounds()[0].title

    @property
    def processor_seconds(self) -> float:
        """How long the processor is busy."""
        return sum(phase.seconds for phase in self.phases if phase.processor)

    def result(self, backend: str) -> Result:
        """The same as a row of the schema."""
        return Result(
            point=self.point,
            seconds=self.seconds,
            backend=backend,
            bytes_moved=self.point.size_bytes,
            ceiling_seconds=self.ceiling_seconds,
            bound_by=self.bound_by,
            n=len(self.samples) or 1,
            spread=self.spread,
            quality=self.quality,
        )

    def beside(self, component: str) -> Explanation:
        """The same without what one component did, by its name, nor any equal to it."""
        phases = tuple(
            replace(
                phase,
                hops=tuple(hop for hop in phase.hops if hop.name.partition(" ")[0] != component),
            )
            for phase in self.phases
        )
        return replace(self, phases=phases)

    def bounds(self) -> list[Load]:
        """What the time goes into, the longest first.

        Phases that follow each other are one each. Where they overlap, the components stand beside
        the processor, which is named by what it does longest; where none of them is busy for most
        of the time, it goes into the wait for each access.
        """
        loads = [phase.load for phase in self.phases]
        if self.overlaps:
            work = [phase for phase in self.phases if phase.processor]
            loads = [Load(hop.title, min(hop.busy, self.seconds), hop.name) for hop in self.hops]
            if work:
                longest = max(work, key=lambda phase: phase.seconds)
                title = f"processor ({longest.name})" if len(work) > 1 else longest.name
                loads.append(Load(title, self.processor_seconds, phase=longest.name))
            if max((load.seconds for load in loads), default=0.0) <= _BUSY * self.seconds:
                loads.append(Load(LATENCY, self.moving.seconds))
        return sorted(loads, key=lambda load: -load.seconds)
