# SPDX-License-Identifier: Apache-2.0
"""The driver in a guest, on the RTL: every file, every mode, and what programs do to them."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import Boot, Run, debug, splats

#: Cases of guest.c, with the bytes or rounds that they are given; two guests run side by side.
files = ["control", "backplane", "config", "routes", "fifo_files", "fifo_nonblock", "fifo_poll"]
first = [*files, "fifo_signals", "fifo_stream 1 100000", "dma_files", "dma_ring_signals"]
second = [
    *("dma_nonblock", "dma_ring 1 8000000", "dma_coherent 1 6000000", "dma_streaming 1 6000000"),
    "killed 1 15",
]
bursts = ["fifo_nonblock 2", "fifo_signals 2", "fifo_stream 2 1000000"]
abuse = ["matrix", "fuzzed 1 20000", "unbound", "faults", "stalls"]
# KASAN keeps its marks of a module's variables when that is removed, and trips over them when it
# comes back.
abuse += [] if debug else ["unloaded"]
ours = ["partial", "standalone", "dmabuf", "busy"]
queues = ["dma_files 3", "dma_ring 3 1000000", "dma_ring_signals 3", "dma_nonblock 3"]
queues += ["dma_coherent 3 500000", "dma_streaming 3 500000"]


#: Behind the device tree, and under the id of the original's cards.
tree = ["control", "attributes 1 271", "fifo_poll", "fifo_signals 4", "dma_ring 4 200000", "dma_coherent 4 200000"]
other = ["config", "attributes 1 3", "dma_ring 5 100000"]


def script(cases: list[str]) -> str:
    lines = [f"timeout 100 guest {case} || failed=1" for case in cases]
    return "\n".join([*lines, "exit ${failed:-0}"])


@pytest.fixture(scope="module")
def runs(boot: Boot) -> dict[str, Run]:
    groups: dict[str, tuple[list[str], dict[str, object]]] = {
        "words": (first, {}),
        "rings": (second, {}),
        "bursts": (bursts, {"parameters": "fifo_burst=1 dyplo_names=1"}),
        "queues": (queues, {"parameters": "rings=0"}),
        "abuse": (abuse, {}),
        "ours": (ours, {}),
        "gone": (["gone"], {}),
        "tree": (tree, {"platform": True}),
        "pair": (["cards"], {"cards": 2, "parameters": "dyplo_names=1"}),
        "other": (other, {"options": ["--pci-id", "10ee:7024"]}),
    }
    with ThreadPoolExecutor(2) as two:
        started = {
            name: two.submit(boot, script(cases), core % 2, 200, **more)
            for core, (name, (cases, more)) in enumerate(groups.items())
        }
        return {name: future.result() for name, future in started.items()}


@pytest.mark.parametrize(
    ("group", "cases"),
    [
        *(("words", first), ("rings", second), ("bursts", bursts)),
        *(("queues", queues), ("abuse", abuse), ("ours", ours), ("tree", tree)),
        *(("other", other), ("pair", ["cards"])),
    ],
)
def test_programs(runs: dict[str, Run], group: str, cases: list[str]) -> None:
    run = runs[group]
    run.check()
    for case in cases:
        assert f"ok {case.split()[0]} " in run.output, run.output[-3000:]
    assert run.counts["faults"] == 0


#: What each ioctl gives on each file for an argument of 0, and for one that points nowhere, if not
#: ENOTTY. `from-d0` is the file d0, opened for reading.
calls = """
ctl     00 ok ok          01 EFAULT EFAULT  02 EFAULT EFAULT  03 ok EINVAL      04 ok EINVAL
ctl     08 ok ok          09 ok ok          0a ok ok          0b ok ok          30 EFAULT EFAULT
ctl     31 EFAULT EFAULT  32 ok EINVAL      33 EFAULT EFAULT  34 ok ok
cfg3    00 ok ok          04 ok ok          07 ok ok          08 ok ok          09 ok ok
cfg3    0a ok ok          0c ok ok          0d ok ok
w2      05 ok ok          07 ok ok          0c ok ok          0d ok ok          10 ok ok
w2      11 ok ok          12 ok ok          13 ok ok
r2      06 ok ok          07 ok ok          0c ok ok          0d ok ok          10 ok ok
r2      11 ok ok          12 ok ok          13 EINVAL EINVAL
d0      05 ok ok          07 ok ok          0c ok ok          0d ok ok          10 ok ok
d0      11 EINVAL EINVAL  12 ok ok          13 ok ok          1f EFAULT EFAULT  20 EFAULT EFAULT
d0      21 ok ok          22 EFAULT EFAULT  23 EFAULT EFAULT  24 EFAULT EFAULT
from-d0 06 ok ok          07 ok ok          0c ok ok          0d ok ok          10 ok ok
from-d0 11 EINVAL EINVAL  12 ok ok          13 EACCES EACCES  1f EFAULT EFAULT  20 EFAULT EFAULT
from-d0 21 ok ok          22 EFAULT EFAULT  23 EFAULT EFAULT  24 EFAULT EFAULT
"""


def test_every_call_on_every_file(runs: dict[str, Run]) -> None:
    expected = {
        (kind, nr, bad): "ENOTTY"
        for kind in ("ctl", "cfg3", "w2", "r2", "d0", "from-d0")
        for nr in range(0x60)
        for bad in (0, 1)
    }
    for line in calls.split("\n"):
        kind, *cells = line.split() or [""]
        for nr, zero, nowhere in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
            expected[kind, int(nr, 16), 0] = zero
            expected[kind, int(nr, 16), 1] = nowhere
    got = {}
    for line in runs["abuse"].output.splitlines():
        words = line.split()
        if len(words) == 4 and words[0] in ("ctl", "cfg3", "w2", "r2", "d0", "from-d0"):
            got[words[0], int(words[1], 16), int(words[2])] = words[3]
    assert got == expected


def test_device_gone(runs: dict[str, Run]) -> None:
    """The device's process ends in the middle: every call comes back with an error."""
    run = runs["gone"]
    assert "ok gone" in run.output, run.output
    assert run.status == 0
    # The bench's own transport complains that it cannot say goodbye to a process that has gone.
    wrong = [line for line in run.messages.splitlines() if re.search(splats, line)]
    assert [line for line in wrong if not re.search("virtio_uml.c|Call Trace", line)] == []
    assert "datra_" not in run.messages
