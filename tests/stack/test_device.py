# SPDX-License-Identifier: Apache-2.0
"""The device process: what drivers of others make of it, and ours does not; how it ends."""

import json
import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from weighbridge.registers import datra as r

from .conftest import Boot

REARM = r.CONTROL_IRQ_REARM
DMA = r.card_node_page(1)
MASK_SET, MASK_CLEAR, STATUS = (
    DMA + offset for offset in (r.DMA_IRQ_SET, r.DMA_IRQ_CLEAR, r.DMA_IRQ_STATUS)
)
CONTROL, ADDRESS, BYTES = (
    *(DMA + r.DMA_TO_LOGIC_CONTROL, DMA + r.DMA_TO_LOGIC_ADDRESS, DMA + r.DMA_TO_LOGIC_BYTES),
)
RESET_DONE = r.DMA_IRQ_TO_LOGIC_RESET
#: Where things are in the memory that is shared.
MESSAGE, ANSWER, PLACES, DATA, SHARED = 0x8000, 0x8100, 0x9000, 0x10000, 0x100000


class Queue:
    """A ring of virtio, in three pages of the memory."""

    size = 16

    def __init__(self, memory: IO[bytes], start: int) -> None:
        self.memory = memory
        self.entries, self.available, self.used = (start + part for part in (0, 0x1000, 0x2000))
        self.given = 0

    def give(self, *parts: tuple[int, int, bool]) -> None:
        """Parts of one buffer: address, bytes, whether the device writes."""
        head = 2 * self.given % self.size
        for i, (address, count, written) in enumerate(parts):
            flags = (2 if written else 0) | (i + 1 < len(parts))
            entry = struct.pack("<QIHH", address, count, flags, head + i + 1)
            self.write(self.entries + 16 * (head + i), entry)
        self.write(self.available + 4 + 2 * (self.given % self.size), struct.pack("<H", head))
        self.given += 1
        self.write(self.available + 2, struct.pack("<H", self.given))

    def taken(self) -> int:
        return int.from_bytes(os.pread(self.memory.fileno(), 2, self.used + 2), "little")

    def write(self, address: int, data: bytes) -> None:
        os.pwrite(self.memory.fileno(), data, address)


class Processor:
    """Accesses of a guest's processor, and its interrupts."""

    def __init__(self, process: subprocess.Popen[str], path: Path) -> None:
        self.process = process
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        # The file is there before anybody listens.
        while self.socket.connect_ex(str(path)) != 0 and process.poll() is None:
            time.sleep(0.002)
        self.calls, theirs = socket.socketpair()
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.memory = os.fdopen(os.memfd_create("memory"), "r+b")
        self.memory.truncate(SHARED)
        table = struct.pack("<IIQQQQ", 1, 0, 0, SHARED, 0, 0)
        self.tell(5, table, self.memory.fileno())
        self.tell(21, b"", theirs.fileno())
        theirs.close()
        self.commands, self.interrupts = Queue(self.memory, 0), Queue(self.memory, 0x4000)
        for index, queue in enumerate((self.commands, self.interrupts)):
            self.tell(8, struct.pack("<II", index, queue.size))
            where = (queue.entries, queue.used, queue.available, 0)
            self.tell(9, struct.pack("<II4Q", index, 0, *where))
            self.tell(18, struct.pack("<II", index, 1))
        self.heard = 0
        self.place()

    def tell(self, request: int, payload: bytes, *files: int) -> None:
        """A message of vhost-user, which is waited for."""
        header = struct.pack("<III", request, 1 | 8, len(payload))
        socket.send_fds(self.socket, [header + payload], list(files))
        assert len(self.socket.recv(20, socket.MSG_WAITALL)) == 20

    def place(self) -> None:
        """For one more interrupt."""
        self.interrupts.give((PLACES, 64, True))
        self.tell(35, struct.pack("<II", 1, 0))

    def access(self, op: int, offset: int, data: bytes = b"", answer: int = 0) -> int:
        count = answer or len(data)
        self.commands.write(MESSAGE, struct.pack("<BBHIQ", op, 0, 0, count, offset) + data)
        parts = [(MESSAGE, 16 + len(data), False)]
        if answer:
            parts.append((ANSWER, answer, True))
        self.commands.give(*parts)
        self.tell(35, struct.pack("<II", 0, 0))
        return int.from_bytes(os.pread(self.memory.fileno(), answer, ANSWER), "little")

    def read(self, offset: int) -> int:
        return self.access(3, offset, answer=4)

    def write(self, offset: int, value: int) -> None:
        self.access(4, offset, struct.pack("<I", value))

    def master(self) -> None:
        """Bus mastering is on, and the registers answer."""
        self.access(2, 4, struct.pack("<H", 6))

    def interrupted(self, limit: float) -> bool:
        """The next interrupt comes within so many seconds. Its call is not taken."""
        end = time.monotonic() + limit
        while self.interrupts.taken() == self.heard:
            if time.monotonic() > end:
                return False
            time.sleep(0.0001)
        self.heard += 1
        self.place()
        return True

    def order(self, what: str) -> None:
        assert self.process.stdin is not None
        print(what, file=self.process.stdin, flush=True)


#: Ends what is done with the processor: exit code, what was said, what was counted.
End = Callable[[], tuple[int, str, dict[str, int]]]


@pytest.fixture
def started(device: Path, tmp_path: Path) -> Iterator[tuple[Processor, End]]:
    path, report = tmp_path / "pci", tmp_path / "report"
    process = subprocess.Popen(
        [device, path, "--report", report, "--commands"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        processor = Processor(process, path)

        def end() -> tuple[int, str, dict[str, int]]:
            processor.socket.close()
            _, said = process.communicate(timeout=20)
            return process.returncode, said, json.loads(report.read_text())

        yield processor, end
    finally:
        process.kill()
        process.wait()


def test_interrupt_that_nobody_clears_is_held_off(started: tuple[Processor, End]) -> None:
    """A handler that knows nothing of a reset at probe gives its thread time to clear it."""
    processor, end = started
    processor.write(MASK_SET, RESET_DONE)
    processor.write(CONTROL, 2)
    assert processor.interrupted(5)
    took = []
    for _ in range(50):
        begun = time.monotonic()
        processor.write(REARM, 0)
        assert processor.interrupted(5)
        assert len(processor.calls.recv(20)) == 20
        took.append(time.monotonic() - begun)
    # No sooner, however busy the machine is.
    assert min(took) >= 0.0005
    processor.write(MASK_CLEAR, RESET_DONE)
    processor.write(REARM, 0)
    assert not processor.interrupted(0.05)
    assert end()[2]["interrupts"] == 51


def test_accesses_go_on_while_calls_have_no_room(started: tuple[Processor, End]) -> None:
    processor, end = started
    processor.write(MASK_SET, RESET_DONE)
    processor.write(CONTROL, 2)
    for _ in range(100):
        assert processor.interrupted(5)
        processor.write(REARM, 0)
    assert select.select([processor.calls], [], [], 0)[0]
    calls = len(processor.calls.recv(1 << 16)) // 20
    assert 0 < calls < 100
    assert end()[0] == 0


def test_thaw_goes_on_without_an_access(started: tuple[Processor, End]) -> None:
    processor, end = started
    processor.master()
    processor.write(CONTROL, 1)
    # Of two that come at once, the second is not kept for later.
    processor.order("thaw\nfreeze")
    processor.write(ADDRESS, DATA)
    processor.write(BYTES, 4096)
    processor.write(MASK_SET, RESET_DONE)
    processor.write(CONTROL, 2)
    # A reset ends when its bursts have.
    assert not processor.interrupted(0.05)
    assert processor.read(STATUS) == 0
    processor.order("thaw")
    assert processor.interrupted(5)
    assert processor.read(STATUS) == RESET_DONE
    assert end()[0] == 0


@pytest.mark.parametrize("master", [False, True])
def test_dma_that_is_refused(started: tuple[Processor, End], master: bool) -> None:
    """A function that has been disabled is no fault of its driver's; DMA beside the memory is."""
    processor, end = started
    if master:
        processor.master()
    processor.write(CONTROL, 1)
    processor.write(ADDRESS, SHARED if master else DATA)
    processor.write(BYTES, 256)
    for _ in range(20):
        processor.read(STATUS)
    status, said, counts = end()
    assert counts["dma_bursts"] > 0
    if master:
        assert (status, counts["unmastered"]) == (3, 0)
        assert counts["faults"] == counts["dma_bursts"]
        assert "outside the guest's memory" in said
    else:
        assert (status, counts["faults"]) == (0, 0)
        assert counts["unmastered"] == counts["dma_bursts"]
        assert (
            said == f"uml_device: DMA of {counts['unmastered']} bursts while bus mastering is off\n"
        )


@pytest.mark.parametrize("simulated", [False, True], ids=["wall", "logic"])
def test_it_ends_with_a_guest_that_is_killed(boot: Boot, simulated: bool) -> None:
    """Memory moves to memory for ever, while the guest sleeps: the logic never comes to rest."""
    script = "guest endless 1 100" if simulated else "guest endless"
    run = boot(script, simulated=simulated, killed_at="# endless")
    assert run.status == -signal.SIGKILL
    assert (run.device_status, run.device_errors) == (0, "")
    assert run.counts["dma_bursts"] > 0
