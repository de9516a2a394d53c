# SPDX-License-Identifier: Apache-2.0
"""Datagrams that a microcontroller hands, frame by frame, to a transmitter in the fabric."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Final

from weighbridge import _engine
from weighbridge.backends import Unanswered
from weighbridge.backends.twin.hardware import bytes_of
from weighbridge.backends.twin.program import Axes, Axis, Flow, Program, demand, flow_of
from weighbridge.dataset.schema import Point
from weighbridge.platforms.model import Component

#: Ethernet, IP and UDP headers before a datagram's payload, bytes.
HEADERS: Final = 14 + 20 + 8
#: The longest payload of an Ethernet frame's datagram; longer ones are several frames.
LONGEST: Final = 1500 - 20 - 8
#: The most that one datagram carries, by its 16-bit length.
DATAGRAM: Final = 65535 - 20 - 8
_WORD = 4
#: What the engine calls the processor's part.
PREPARATION: Final = "preparation of the frames"


@dataclass(frozen=True, slots=True)
class Step:
    """What one version of the firmware does with a frame.

    carry: the checksum adds its carry at every word. unrolled: the payload is filled four words
    at a time. overlapped: a frame is prepared while the DMA engine sends the one before. store:
    bytes of the frame that it writes at once. outstanding: frames that it is given at once.
    """

    master: str
    carry: bool = False
    unrolled: bool = False
    overlapped: bool = False
    store: int = _WORD
    outstanding: int = 1


STEPS: Final = {
    "checksum_carry": Step("microcontroller", carry=True),
    "checksum_deferred": Step("microcontroller"),
    "mdma": Step("mdma"),
    "mdma_unrolled": Step("mdma", unrolled=True, overlapped=True),
    "mdma_wide": Step("mdma", unrolled=True, overlapped=True, store=2 * _WORD),
    "mdma_queued": Step("mdma", unrolled=True, overlapped=True, store=2 * _WORD, outstanding=2),
}


class Frames(Program):
    """A firmware's loop that prepares frames and sends them."""

    understands: ClassVar[Axes] = {"firmware": Axis()}

    @staticmethod
    def drives(kind: str, point: Point) -> bool:
        return kind in ("microcontroller", "mdma")

    def check(self, point: Point) -> None:
        kind = self._hardware.master(point).kind
        self.said(point)
        demand(
            point,
            {
                "link": tuple(self._platform.file.link),
                "direction": ("cpu_to_fpga",),
                "os": ("baremetal",),
                "firmware": tuple(name for name, step in STEPS.items() if step.master == kind),
                "route": (None,),
                "copy": (None,),
            },
        )

    def check_size(self, point: Point) -> None:
        if point.size_bytes > DATAGRAM:
            raise Unanswered(f"a datagram carries at most {DATAGRAM} B, not {point.size_bytes} B")

    def run(self, point: Point, without: str = "") -> _engine.Outcome:
        job = self._job(point)
        if without == PREPARATION:
            for frame in (frames := job.frames):
                frame.prepare = 0
            job.frames = frames
        return _engine.transmit(self._hardware.description(point, without=without), job)

    def flows(self, point: Point) -> tuple[Flow, ...]:
        return ("steady", "single")

    def overlaps(self, point: Point) -> bool:
        single = flow_of(point, self.flows(point)) == "single"
        return _step(point).overlapped and not (single and point.size_bytes <= LONGEST)

    def in_flight(self, point: Point) -> float:
        step = _step(point)
        return 1.0 + step.outstanding if step.overlapped else 1.0

    def ceiling(self, point: Point) -> float:
        """The stores of the frame, each in the bus's shortest period behind a posted write.

        A write occupies address, latency, beats and gap; the transfers that it leaves behind it,
        one a word, occupy the APB for 2 cycles and one a register slice, and are waited for: at the
        wait line, whose own cycles are saved by a write that begins after them. Nothing waits for
        the last write of a single message.
        """
        bus = self._platform.components[self._hardware.of_kind("parallel_bus")]
        apb = self._platform.components[self._hardware.of_kind("apb")]
        width = bytes_of(self._platform.file.link[str(point.link)].width)
        before = bus.base_value("address_cycles") + bus.base_value("latency_cycles")
        occupied = 2 + apb.base_value("request_slices") + apb.base_value("response_slices")
        gap, wait = bus.base_value("gap_cycles"), bus.base_value("wait_cycles")
        word = ceil(_WORD / width)

        def period(store: int) -> float:
            words, beats = store // _WORD, ceil(store / width)
            ahead = (words - 1) * word  # of the last word's beats
            waiting = max(before + beats + gap, words * occupied + wait + word)
            left = max(occupied, words * occupied - ahead)
            return min(waiting, before + beats + max(gap, left))

        store = _step(point).store
        stores = sum(ceil((HEADERS + payload) / store) for payload in _payloads(point))
        cycles = stores * period(store) + 2 * len(_payloads(point)) * period(_WORD)
        if flow_of(point, self.flows(point)) == "single":
            cycles += before + word - period(_WORD)
        return cycles / (self._hardware.clock_mhz(bus.clock, point) * 1e6)

    def path(self, point: Point) -> list[str]:
        return self._hardware.route(self._hardware.master(point).to[0], 0)

    def _job(self, point: Point) -> _engine.FrameJob:
        step = _step(point)
        name = self._hardware.of_kind("microcontroller")
        core = self._platform.components[name]
        cycle = 1e3 / self._hardware.clock_mhz(core.clock, point)
        job = _engine.FrameJob()
        frames = []
        for payload in _payloads(point):
            frame = _engine.Frame()
            frame.bytes = HEADERS + payload
            frame.prepare = cycle * _preparation(core, step, payload)
            frames.append(frame)
        job.frames = frames
        job.master = str(point.master)
        job.target = self._platform.file.link[str(point.link)].window
        job.store = step.store
        if step.master == "mdma":
            engine = self._hardware.master(point)
            job.start, job.node = engine.base_value("start"), engine.base_value("node")
            job.word = engine.base_value("word")
        else:
            job.copy_word = cycle * core.base_value("copy_word")
        job.overlapped = step.overlapped
        job.outstanding = step.outstanding
        job.single = flow_of(point, self.flows(point)) == "single"
        return job


def _step(point: Point) -> Step:
    return STEPS[str(dict(point.axes)["firmware"])]


def _payloads(point: Point) -> list[int]:
    """Bytes of each frame's datagram: all but the last are as long as can be."""
    full, rest = divmod(point.size_bytes, LONGEST)
    return [LONGEST] * full + [rest] * (rest > 0)


def _preparation(core: Component, step: Step, payload: int) -> float:
    """Cycles of the core: filling the payload, summing headers and payload, and the rest."""
    fill = core.base_value("fill_word_unrolled" if step.unrolled else "fill_word")
    halfword = core.base_value("checksum_halfword")
    if step.carry:
        halfword += core.base_value("carry_halfword")
    # The sum covers the IP header, a pseudo header of 12 bytes, the UDP header and the payload.
    summed = ceil((20 + 12 + 8 + payload) / 2)
    return core.base_value("frame") + fill * ceil(payload / _WORD) + halfword * summed
