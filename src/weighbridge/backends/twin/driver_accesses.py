# SPDX-License-Identifier: Apache-2.0
"""Accesses to a node's registers that the stream driver makes, counted from its published code."""

from __future__ import annotations

from dataclasses import dataclass

from weighbridge import _engine


@dataclass(frozen=True, slots=True)
class Accesses:
    """Bus transactions of 32 bits on the port to the registers."""

    reads: int
    writes: int = 0

    def __add__(self, other: Accesses) -> Accesses:
        return Accesses(self.reads + other.reads, self.writes + other.writes)

    @property
    def total(self) -> int:
        return self.reads + self.writes


#: A call that looks in vain: it arms the interrupt and looks again; the handler asks which node,
#: asks and acknowledges that one, and re-arms the output. A word FIFO is armed at a threshold.
DMA_WAIT = Accesses(3, 3)
FIFO_WAIT = Accesses(3, 4)
#: Command slots free? Then signal, address, length; and the result's count and address.
BLOCK_TO_FABRIC = {"enqueue": Accesses(1, 3), "dequeue": Accesses(2)}
#: Address, length; and the result's count, address, signal, length.
BLOCK_FROM_FABRIC = {"enqueue": Accesses(1, 2), "dequeue": Accesses(4)}
#: The same with the signal kept, and with a finished block queued again when it has been read.
RING_TO_FABRIC = {"enqueue": Accesses(1, 2), "dequeue": Accesses(2)}
RING_FROM_FABRIC = {"enqueue": Accesses(1, 2), "dequeue": Accesses(4)}


def block_accesses(ring: bool, to_fabric: bool, waits: bool = False) -> Accesses:
    """What one block costs: queued, taken back, and an interrupt if the call waits."""
    blocks = (BLOCK_FROM_FABRIC, BLOCK_TO_FABRIC)[to_fabric]
    calls = (RING_FROM_FABRIC, RING_TO_FABRIC)[to_fabric] if ring else blocks
    once = calls["enqueue"] + calls["dequeue"]
    return once + DMA_WAIT if waits else once


def fifo_accesses(
    words: int, to_fabric: bool, waits: bool = False, batch: int | None = None
) -> Accesses:
    """What moving words costs; batch: words for one look at the level (None: all of them)."""
    looks = Accesses(-(-words // (batch or words)))
    moved = Accesses(0, words) if to_fabric else Accesses(words)
    return looks + moved + FIFO_WAIT if waits else looks + moved


def driver_call(accesses: Accesses, call: float = 0.0, work: float = 0.0) -> _engine.DriverCall:
    """A driver's call for the engine; nanoseconds."""
    made = _engine.DriverCall()
    made.call, made.work = call, work
    made.reads, made.writes = accesses.reads, accesses.writes
    return made
