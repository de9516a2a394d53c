# SPDX-License-Identifier: Apache-2.0
"""The logic itself, Verilated: a DMA node's points measured in its clock cycles.

The node's bursts go through the platform's port, caches and memory as the twin has them, and its
driver costs what the platform says; only the node is not a model.
"""

from __future__ import annotations

from pathlib import Path

from weighbridge import _engine
from weighbridge.backends import DEFAULT_SEED, Asked
from weighbridge.backends.rtl import verilator
from weighbridge.backends.rtl.verilator import built
from weighbridge.backends.twin.asking import Programs
from weighbridge.backends.twin.streams import Streams
from weighbridge.dataset.schema import Point, Result
from weighbridge.platforms.model import Platform

__all__ = ["Rtl"]


class _LogicStreams(Streams):
    """Streams of blocks through the node that `hdl/datra` describes."""

    #: Cycles in which the node has nothing to do are run as well: the same answer, later.
    every_cycle = False

    def job(self, point: Point) -> _engine.StreamJob:
        job = super().job(point)
        width = 8 * int(self._number(point, "width"))
        job.every_cycle = self.every_cycle
        job.logic = str(built("dma_core", "node_library", library=True, DATA_W=width))
        return job


class Rtl:
    """Answers points of masters that exist as logic here; raises Unanswered for all others."""

    name = "rtl"

    def __init__(self, platform: Platform, seed: int = DEFAULT_SEED) -> None:
        self._programs = Programs(self.name, platform, seed, (_LogicStreams,))

    def facts(self) -> dict[str, object]:
        return {}

    def predict(self, point: Point) -> Result:
        """The time of a point; all of it is run, however long."""
        program = self._programs.of(point)
        self._programs.bounded(point, program)
        return self._programs.simulated(program, point).result(self.name)


def opened(asked: Asked) -> Rtl:
    return Rtl(asked.loaded(), asked.seed)


def made_of() -> list[Path]:
    return verilator.sources()
