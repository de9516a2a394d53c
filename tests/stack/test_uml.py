# SPDX-License-Identifier: Apache-2.0
"""The driver in a guest, on the RTL: every file, every mode, and what programs do to them."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import Boot, Run, debug, splats

#: Cases of guest/, with the bytes or rounds that they are given; three guests run side by side.
files = [
    "control",
    "names",
    "backplane",
    "config",
    "routes",
    "fifo_files",
    "fifo_nonblock",
    "fifo_poll",
]
first = [*files, "fifo_signals", "fifo_stream 1 100000", "dma_files", "dma_ring_signals"]
second = [
    *("dma_nonblock", "dma_ring 1 8000000", "dma_coherent 1 6000000", "dma_streaming 1 6000000"),
    *("dma_private", "killed 1 15"),
]
bursts = ["names", "fifo_nonblock 2", "fifo_signals 2", "fifo_stream 2 1000000"]
abuse = ["matrix", "fuzzed 1 20000", "unbound", "faults", "stalls"]
# KASAN keeps its marks of a module's variables when that is removed, and trips over them when it
# comes back.
abuse += [] if debug else ["unloaded"]
ours = ["partial", "standalone", "dmabuf", "busy"]
queues = ["dma_files 3", "dma_ring 3 1000000", "dma_ring_signals 3", "dma_nonblock 3"]
queues += ["dma_coherent 3 500000", "dma_streaming 3 500000", "ringless"]


#: Behind the device tree, and under the id of the original's cards.
tree = ["control", "names", "attributes 1 271", "fifo_poll", "fifo_signals 4"]
tree += ["dma_ring 4 200000", "dma_coherent 4 200000"]
other = ["config", "attributes 1 3", "dma_ring 5 100000"]


def script(cases: list[str]) -> str:
    lines = [f"timeout 100 guest {case} || failed=1" for case in cases]
    return "\n".join([*lines, "exit ${failed:-0}"])


def gone(boot: Boot) -> Run:
    """Until a call was the first to notice, which 19 of 20 are: the others only give ENODEV."""
    for _ in range(6):
        run = boot(script(["gone"]), 0, 200)
        if "error w2 13 EIO" in run.output:
            break
    return run


@pytest.fixture(scope="module")
def runs(boot: Boot) -> dict[str, Run]:
    groups: dict[str, tuple[list[str], dict[str, object]]] = {
        "errors": (["errors"], {}),
        "words": (first, {}),
        "rings": (second, {}),
        "bursts": (bursts, {"parameters": "fifo_burst=1 dyplo_names=1"}),
        "queues": (queues, {"parameters": "rings=0"}),
        "abuse": (abuse, {}),
        "ours": (ours, {}),
        "single": (["waits"], {"parameters": "coalesce_frames=1"}),
        "tree": (tree, {"platform": True}),
        "pair": (["cards"], {"cards": 2, "parameters": "dyplo_names=1"}),
        "other": (other, {"options": ["--pci-id", "10ee:7024"]}),
    }
    # Three, as the guest of the errors mostly waits: for resets that cannot end.
    with ThreadPoolExecutor(3) as three:
        started = {
            name: three.submit(boot, script(cases), core % 2, 200, **more)
            for core, (name, (cases, more)) in enumerate(groups.items())
        }
        started["gone"] = three.submit(gone, boot)
        return {name: future.result() for name, future in started.items()}


@pytest.mark.parametrize(
    ("group", "cases"),
    [
        *(("words", first), ("rings", second), ("bursts", bursts)),
        *(("queues", queues), ("abuse", abuse), ("ours", ours), ("tree", tree)),
        *(("other", other), ("pair", ["cards"]), ("single", ["waits"])),
        ("errors", ["errors"]),
    ],
)
def test_programs(runs: dict[str, Run], group: str, cases: list[str]) -> None:
    run = runs[group]
    run.check()
    for case in cases:
        assert f"ok {case.split()[0]} " in run.output, run.output[-3000:]
    assert run.counts["faults"] == 0
    assert run.counts["unmastered"] == 0


def test_copies_of_words_are_words(runs: dict[str, Run]) -> None:
    """The device ends copies as 64-bit processors do, byte by byte; the logic takes words."""
    assert runs["bursts"].counts["narrow"] == 0
    assert runs["bursts"].counts["refused"] == 0
    # Copied they are: FIFOs have moved more words than there were accesses.
    accesses = runs["bursts"].counts["register_reads"] + runs["bursts"].counts["register_writes"]
    assert accesses < 1_000_000 / 4


#: `from-d0` is the file d0, opened for reading.
kinds = ("ctl", "cfg0", "cfg1", "cfg2", "cfg3", "w2", "r2", "d0", "from-d0")

#: What each ioctl gives on each file for an argument of 0, and for one that points nowhere, if not
#: ENOTTY. Ours from 50 on have sizes and directions as well.
calls = """
ctl     00 ok ok          01 EFAULT EFAULT  02 EFAULT EFAULT  03 ok EINVAL      04 ok EINVAL
ctl     08 ok ok          09 ok ok          0a ok ok          0b ok ok          30 EFAULT EFAULT
ctl     31 EFAULT EFAULT  32 ok EINVAL      33 EFAULT EFAULT  34 ok ok
cfg     00 ok ok          04 ok ok          07 ok ok          08 ok ok          09 ok ok
cfg     0a ok ok          0c ok ok          0d ok ok
w2      05 ok ok          07 ok ok          0c ok ok          0d ok ok          10 ok ok
w2      11 ok ok          12 ok ok          13 ok ok
r2      06 ok ok          07 ok ok          0c ok ok          0d ok ok          10 ok ok
r2      11 ok ok          12 ok ok          13 EINVAL EINVAL
d0      05 ok ok          07 ok ok          0c ok ok          0d ok ok          10 ok ok
d0      11 EINVAL EINVAL  12 ok ok          13 ok ok          1f EFAULT EFAULT  20 EFAULT EFAULT
d0      21 ok ok          22 EFAULT EFAULT  23 EFAULT EFAULT  24 EFAULT EFAULT
d0      c0046450 EFAULT EFAULT  40046451 EFAULT EFAULT  c0086452 EFAULT EFAULT
d0      40106453 EFAULT EFAULT  80106454 EINVAL EINVAL  c00c6455 EFAULT EFAULT
d0      c0286456 EFAULT EFAULT
from-d0 06 ok ok          07 ok ok          0c ok ok          0d ok ok          10 ok ok
from-d0 11 EINVAL EINVAL  12 ok ok          13 EACCES EACCES  1f EFAULT EFAULT  20 EFAULT EFAULT
from-d0 21 ok ok          22 EFAULT EFAULT  23 EFAULT EFAULT  24 EFAULT EFAULT
from-d0 c0046450 EFAULT EFAULT  80046450 EFAULT EFAULT  40046451 EFAULT EFAULT
from-d0 c0086452 EFAULT EFAULT  40106453 EFAULT EFAULT  80106454 EINVAL EINVAL
from-d0 c00c6455 EFAULT EFAULT  c0286456 EFAULT EFAULT
"""
ours_numbers = (
    *(0xC0046450, 0x80046450, 0x40046451, 0xC0086452, 0x40106453, 0x80106454),
    *(0xC00C6455, 0xC0286456),
)


def named(kind: str) -> tuple[str, ...]:
    """The files of a row: those of a node's window are alike, and what both streams know."""
    rows = {"cfg": kinds[1:5], "d": kinds[7:]}
    return rows.get(kind, (kind,))


def test_every_call_on_every_file(runs: dict[str, Run]) -> None:
    expected = {
        (kind, nr, bad): "ENOTTY"
        for kind in kinds
        for nr in (*range(0x60), *ours_numbers)
        for bad in (0, 1)
    }
    for line in calls.strip().split("\n"):
        row, *cells = line.split()
        for nr, *gives in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
            for kind in named(row):
                expected.update({(kind, int(nr, 16), bad): gives[bad] for bad in (0, 1)})
    got = {}
    for line in runs["abuse"].output.splitlines():
        words = line.split()
        if len(words) == 4 and words[0] in kinds:
            got[words[0], int(words[1], 16), int(words[2])] = words[3]
    assert got == expected


#: Which errors an ioctl that the file knows gives, by its number; all give ENODEV when the card has
#: gone. Out of reach here: EIO of 31 (static identification 0 in logic before 2015.1.4) and ENODEV
#: of 0b for logic without an ICAP node, as the reference configuration is neither.
errors = """
ctl     00 -        01 EFAULT,EINVAL  02 EFAULT         03 EINVAL  04 EINVAL         08 -
ctl     09 -        0a -              0b -              30 EFAULT,EINVAL             34 -
ctl     31 EFAULT,EINVAL              32 EINVAL         33 EFAULT,EINVAL
cfg     00 -        04 -              07 -              08 -       09 -              0a -
cfg     0c -        0d -
w2      05 -        07 -              0c -              0d -       10 -              11 -
w2      12 -        13 EIO
r2      06 -        07 -              0c -              0d -       10 -              11 -
r2      12 -        13 EINVAL
d0      05 -        07 -              10 -              11 EBUSY,EINVAL              12 -
d0      13 -        0c EBUSY,EINVAL,ETIMEDOUT           0d EBUSY,EINVAL,ETIMEDOUT
from-d0 06 -        07 -              10 -              11 EBUSY,EINVAL              12 -
from-d0 13 EACCES   0c EBUSY,EINVAL,ETIMEDOUT           0d EBUSY,EINVAL,ETIMEDOUT
d       1f EBUSY,EFAULT,EINVAL,ENOMEM,ETIMEDOUT         20 EBUSY,EFAULT,EINVAL,ENOMEM,ETIMEDOUT
d       21 EBUSY,ETIMEDOUT            22 EFAULT,EINVAL  23 EAGAIN,EBUSY,EFAULT,EINVAL,EIO
d       24 EAGAIN,EFAULT,EINTR,EINVAL,EIO,EREMOTEIO,ETIMEDOUT
d       53 EBUSY,EFAULT,EINVAL
d       52 EBUSY,EFAULT,EINVAL,ENOMEM,ENOTTY,ETIMEDOUT  54 EFAULT,EINVAL
d       56 EBADF,EBUSY,EFAULT,EINVAL,ETIMEDOUT          55 EFAULT,EINVAL
d0      50 ENOTTY   51 ENOTTY
from-d0 50 EFAULT,ERANGE              51 EFAULT,EINVAL
"""

#: The same of what is no ioctl.
operations = """
ctl     read EBADF,EFAULT,ENODEV                  write EBADF,EFAULT,EINVAL,ENODEV,EPERM
ctl     lseek EINVAL   fsync EINVAL               mmap EACCES,EINVAL,ENODEV,EPERM
cfg     open EBUSY     read EBADF,EFAULT,ENODEV   write EBADF,EFAULT,EINVAL,ENODEV
cfg     lseek EINVAL   fsync EINVAL               mmap EACCES,EINVAL,ENODEV
w2      open EBUSY,EINVAL            read EBADF   write EAGAIN,EFAULT,EINTR,EINVAL,ENODEV,ETIMEDOUT
w2      lseek ESPIPE   fsync EINVAL               mmap EACCES
r2      open EBUSY,EINVAL            write EBADF  read EAGAIN,EFAULT,EINTR,EINVAL,ENODEV,ETIMEDOUT
r2      lseek ESPIPE   fsync EINVAL               mmap ENODEV
d       open EBUSY,EINVAL            lseek ESPIPE fsync EINVAL
d0      read EINVAL                  write EAGAIN,EBUSY,EFAULT,EINTR,EINVAL,EIO,ENODEV,ETIMEDOUT
d0      mmap EINVAL,ENODEV
from-d0 write EBADF                  read EAGAIN,EBUSY,EFAULT,EINTR,EINVAL,EIO,ENODEV,ETIMEDOUT
from-d0 mmap EACCES,EINVAL,ENODEV
"""


def test_every_error_of_every_call(runs: dict[str, Run]) -> None:
    expected: dict[tuple[str, int | str], set[str]] = {}
    for table in (errors, operations):
        for line in table.strip().split("\n"):
            row, *cells = line.split()
            for name, gives in zip(cells[::2], cells[1::2], strict=True):
                call = int(name, 16) if table is errors else name
                for kind in named(row):
                    assert (kind, call) not in expected
                    expected[kind, call] = set(gives.split(",")) - {"-"}
    # No cell is empty: it has all calls that the files know.
    known = set()
    for line in calls.strip().split("\n"):
        row, *cells = line.split()
        known |= {(kind, int(nr, 16) & 0xFF) for kind in named(row) for nr in cells[::3]}
    assert {cell for cell in expected if isinstance(cell[1], int)} == known
    got: dict[tuple[str, int | str], set[str]] = {}
    told = "".join(runs[group].output for group in ("errors", "queues", "gone"))
    for kind, call, error in re.findall(r"^error (\S+) (\S+) (E\w+)$", told, re.M):
        cell = (kind, call if call in operations.split() else int(call, 16))
        got.setdefault(cell, set()).add(error)
    for kind in kinds:
        for nr in {cell[1] for cell in known}:
            expected.setdefault((kind, nr), set()).add("ENODEV")
    assert got == expected


def test_it_is_cheap(runs: dict[str, Run]) -> None:
    """What all of it costs of the logic: the bars of the whole."""
    accesses = sum(
        run.counts.get(f"register_{way}", 0) for run in runs.values() for way in ("reads", "writes")
    )
    cycles = sum(run.counts.get("cycles", 0) for run in runs.values())
    assert 0 < accesses <= 4_000_000
    assert 0 < cycles <= 150_000_000


def test_device_gone(runs: dict[str, Run]) -> None:
    """The device's process ends in the middle: every call comes back with an error."""
    run = runs["gone"]
    assert "ok gone" in run.output, run.output
    assert run.status == 0
    # The bench's own transport complains that it cannot say goodbye to a process that has gone.
    wrong = [line for line in run.messages.splitlines() if re.search(splats, line)]
    assert [
        line for line in wrong if not re.search("virtio_uml.c|virt-pci.c|Call Trace", line)
    ] == []
    assert "datra_" not in run.messages
