# SPDX-License-Identifier: Apache-2.0
"""The logic itself, Verilated: a DMA node's points measured in its clock cycles.

The node's bursts go through the platform's port, caches and memory as the twin has them, and its
driver costs what the platform says; only the node is not a model.
"""

from __future__ import annotations

from weighbridge import _engine
from weighbridge.backends.rtl.verilator import built
from weighbridge.backends.twin import Twin
from weighbridge.backends.twin.streams import Streams
from weighbridge.dataset.schema import Point

__all__ = ["Rtl"]


class _LogicStreams(Streams):
    """Streams of blocks through the node that `hdl/datra` describes."""

    #: Cycles in which the node has nothing to do are run as well: the same answer, later.
    every_cycle = False

    def _job(self, point: Point) -> _engine.StreamJob:
        job = super()._job(point)
        width = 8 * int(self._number(point, "width"))
        job.every_cycle = self.every_cycle
        job.logic = str(built("dma_core", "node_library", library=True, DATA_W=width))
        return job


class Rtl(Twin):
    """Answers points of masters that exist as logic here; raises Unanswered for all others."""

    name = "rtl"
    extrapolates = False
    programs = (_LogicStreams,)
