# SPDX-License-Identifier: Apache-2.0
"""What the cases of driver_bench go through, and what each operation costs the original driver."""

from dataclasses import dataclass

from processor import ADDER, CPU, DMA

#: Type, inputs, outputs of each node.
NODES = [(2, 4, 4), (6, 1, 1), (7, 1, 0), (4, 4, 4), (4, 4, 4), (4, 4, 4)]


@dataclass(frozen=True)
class Words:
    """A call of read() or write() on a FIFO of the CPU node, and its accesses."""

    count: int
    waits: bool
    reads: int
    writes: int


CPU_WRITES = [
    Words(1, False, 1, 1),
    Words(10, False, 1, 10),
    Words(200, False, 1, 200),
    Words(1, True, 4, 4 + 1),
    Words(100, True, 4, 4 + 100),
]
CPU_READS = [
    Words(1, False, 1 + 1, 0),
    Words(10, False, 1 + 10, 0),
    Words(200, False, 1 + 200, 0),
    Words(1, True, 4 + 1, 4),
    Words(100, True, 4 + 100, 4),
]

#: Runs of (signal, words) that are queued; words asked for by each read; words that it returns. The
#: signal that a reader remembers is 0 at first; 0 words are the mark between frames.
SIGNALS = [
    ([(0, 1), (5, 2)], 4, [1, 2]),
    ([(7, 3)], 4, [0, 3]),
    ([(0, 2), (1, 1), (0, 1)], 4, [2, 1, 1]),
    ([(0xFFFF, 4)], 3, [0, 3, 1]),
    ([(0, 5)], 5, [5]),
]

#: FIFO from logic: threshold, runs that are queued, whether the interrupt fires.
FROM_LEVELS = [
    (9, [(0, 9)], False),
    (9, [(0, 10)], True),
    (0, [(0, 1)], True),
    (0, [], False),
    (127, [(0, 127)], False),
    (127, [(0, 128)], True),
    (127, [(0, 1), (1, 1)], True),  # more of the first signal will not come
    (600, [(0, 600)], True),  # full
]
#: FIFO to logic, nothing taken: threshold, words written, whether the interrupt fires.
TO_LEVELS = [(170, 341, True), (170, 342, False), (0, 511, True), (0, 512, False), (511, 0, True)]


@dataclass(frozen=True)
class Frames:
    """Frames on a DMA stream: in ring mode a page each, or in blocks; and the accesses of one."""

    name: str
    to_logic: bool
    blocks: bool
    size: int
    reads: int
    writes: int
    waiting_reads: int
    waiting_writes: int


DMA_FRAMES = [
    Frames("ring write", True, False, 256, 3, 2, 6, 5),
    Frames("ring read", False, False, 4096, 5, 2, 8, 5),
    Frames("block write", True, True, 512, 3, 3, 6, 6),
    Frames("block read", False, True, 512, 5, 2, 8, 5),
]

#: Words from logic by runs of one signal, bytes asked for by each command, bytes of each result.
DMA_SIGNALS = [
    ([(0, 5), (1, 3), (0, 2), (3, 1)], 256, [20, 12, 8]),
    ([(2, 64), (2, 64)], 256, [256, 256]),
    ([(0, 100), (9, 1), (9, 200)], 400, [400, 400, 400]),
    ([(1, 1), (2, 1), (3, 1), (4, 1)], 4, [4, 4, 4, 4]),
]

#: A stream that does not move, by what holds it: it must come out of reset all the same.
BLOCKED = ["disabled", "unrouted", "full", "starved", "results"]

#: Routes: source node and output, destination node and input.
ROUTES = [
    [(CPU, 0, CPU, 3), (CPU, 1, CPU, 2), (CPU, 2, CPU, 1), (CPU, 3, CPU, 0)],
    [(CPU, 0, ADDER, 1), (ADDER, 1, ADDER + 1, 2), (ADDER + 1, 2, CPU, 0)],
    [(CPU, 3, DMA, 0), (DMA, 0, CPU, 1)],
]
