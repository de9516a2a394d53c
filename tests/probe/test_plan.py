# SPDX-License-Identifier: Apache-2.0
"""Plans: what is wrong is said in a line, and no text brings the parser down."""

import subprocess
from pathlib import Path

import pytest

from .conftest import Probe, root

PLAN = """# every kind of line
set seed=7 blocks=5 spread=0.03 budget=20s cpu=0 pages=normal samples=100 group=4 batch=100us
set timeout=1min devmem=no
id=1 kernel=load bytes=32KiB stride=64 order=page within=4KiB
id=2 kernel=copy bytes=1MiB copy=vector traffic=read threads=2 traffic_bytes=0x10000
id=3 kernel=read bytes=64KiB stride=16 width=4
id=4 kernel=posted window=/a/file offset=4096 bytes=4096 width=4 length=1MiB
id=5 kernel=file_read file=/dev/zero bytes=4096 # a comment
id=6 kernel=ioctl file=/dev/null request=0x541b bytes=4
id=7 kernel=block direction=cpu_to_fpga mode=coherent bytes=4096 depth=4 card=0 stream=1
"""

WRONG = {
    "id=1 kernel=load bytes=64KiB stride=0": "plan line 1, column 30: stride=0: ",
    "id=1 kernel=load bytes=64KiB stride=12": "plan line 1, column 30: stride: a stride of loads",
    "\nid=1 kernel=load": "plan line 2: bytes: give it",
    "id=1 kernel=loud bytes=1": "plan line 1, column 6: kernel=loud: give one of load read",
    "id=1 kernel=load bytes=1KB": "plan line 1, column 18: bytes=1KB: give a size",
    "id=1 kernel=load bytes=64KiB bytes=1MiB": "plan line 1, column 30: bytes=1MiB: given twice",
    "id=1 kernel=load bytes=64KiB window=/x": "plan line 1, column 30: window: kernel load does",
    "id=1 kernel=load bytes=64KiB speed=9": "plan line 1, column 30: speed: no such key",
    "id=1 kernel=load bytes": "plan line 1, column 18: bytes: a word is KEY=VALUE",
    "id=1 kernel=read bytes=104 copy=vector": "plan line 1, column 18: bytes: give a multiple",
    "id=1 kernel=read bytes=64KiB copy=libc": "plan line 1, column 30: copy: reading and updating",
    "id=1 kernel=uncached window=/x bytes=6 width=4": "plan line 1, column 32: bytes: give",
    "id=1 kernel=load bytes=64KiB threads=3": "plan line 1, column 30: threads: counts the threads",
    "id=1 kernel=load bytes=1KiB\nid=1 kernel=read bytes=1KiB": "plan line 2: id: taken by line 1",
    "id=1 kernel=copy bytes=64KiB width=4": "plan line 1, column 30: width: only copy=scalar",
    "set spread=2\nid=1 kernel=load bytes=1KiB": "plan line 1, column 5: spread=2: give a share",
    "set budget=9\x1b[31ms\nid=1 kernel=load bytes=1KiB": "plan line 1, column 5: budget=9?[31ms: ",
    "# nothing": "plan line 1: no point",
    "": "plan line 0: no point",
    "id=1 kernel=load bytes=9\0": "plan line 1: id=1 kernel=load bytes=9: a plan is text",
    "set cpu=4095\nid=1 kernel=load bytes=1KiB": "cpu=4095: this program may use",
}


@pytest.mark.parametrize("plan", WRONG)
def test_a_wrong_plan(probe: Probe, plan: str) -> None:
    done = probe.raw(plan.encode())
    assert done.status == 2
    assert done.lines == []
    assert done.errors.startswith(WRONG[plan])
    assert done.errors.count("\n") == 1
    assert len(done.errors) < 250


def test_no_such_plan(probe: Probe) -> None:
    done = probe.raw(b"", extra=["/no/such/plan"])
    assert (done.status, done.errors) == (
        2,
        "probe: plan /no/such/plan: No such file or directory\n",
    )


def test_mutated_plans(tmp_path: Path) -> None:
    """Under the sanitizers of addresses and of undefined behaviour."""
    program, plan = tmp_path / "fuzz", tmp_path / "plan"
    plan.write_text(PLAN)
    sanitize = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    parts = ("tests/probe/fuzz_plan.c", "probe/plan.c", "probe/lines/words.c", "probe/lines/sum.c")
    sources = [root / part for part in parts]
    subprocess.run(
        ["gcc", "-std=gnu11", "-Wall", "-Werror", *sanitize, "-o", program, *sources], check=True
    )
    done = subprocess.run(
        [program, "1", "40000", plan], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    taken, refused = (int(word) for word in done.stdout.split() if word.isdigit())
    assert taken > 1000
    assert refused > 10000
