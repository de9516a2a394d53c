# SPDX-License-Identifier: Apache-2.0
"""The probe in a guest: what it says of time there, and Datra's streams and blocks on the RTL."""

import json
from pathlib import Path

import pytest

from tests.stack.conftest import Boot, Run, boot, call, device, guest_program, kernel, module

from .conftest import Answer, Probe, root

__all__ = ["boot", "device", "guest_program", "kernel", "module"]

BEGIN = """
begin() {
  echo == $1
  probe -
  echo == end $?
}
"""
SETTINGS = "set budget=0ns blocks=2 samples=2 batch=10us spread=1 timeout=2s"
LOOP = f"""
begin loop <<END
{SETTINGS}
id=1 kernel=block direction=loop mode=coherent bytes=4096 depth=2
id=2 kernel=block direction=loop mode=streaming bytes=1024 depth=4
id=3 kernel=block direction=loop mode=streaming bytes=64 depth=1
id=4 kernel=block direction=cpu_to_fpga stream=77 bytes=4096
END
"""
#: The test node makes words when registers 0 and 8 of its window say so.
ONE_WAY = f"""
datra route clear; datra route 1.0 2.0
begin to <<END
{SETTINGS}
id=1 kernel=block direction=cpu_to_fpga mode=coherent bytes=16KiB depth=4
id=2 kernel=file_write file=/dev/datrad0 bytes=4096
id=3 kernel=load bytes=4096
END
datra route clear; datra route 5.0 1.0
for register in 0 2
do printf '\\1\\0\\0\\0' | dd of=/dev/datracfg5 bs=4 seek=$register conv=notrunc 2>/dev/null
done
begin from <<END
{SETTINGS}
id=1 kernel=block direction=fpga_to_cpu mode=streaming bytes=16KiB depth=4
id=2 kernel=file_read file=/dev/datrad0 bytes=4096
END
"""


#: Memory that devices share, which the guest's kernel has a heap of; and a device that is none.
SHARED = f"""
begin shared <<END
{SETTINGS}
id=1 kernel=written_back window=/dev/dma_heap/system bytes=64KiB
id=2 kernel=posted window=/dev/dma_heap/system offset=4096 bytes=4096 copy=libc
id=3 kernel=uncached window=/dev/dma_heap/system bytes=4096
id=4 kernel=uncached window=/dev/zero bytes=4096
id=5 kernel=block direction=loop heap=/dev/dma_heap/system bytes=4096 depth=2
id=6 kernel=block direction=loop heap=/dev/zero bytes=4096
END
"""


def answers(run: Run) -> dict[str, Answer]:
    found: dict[str, Answer] = {}
    name, lines = "", []
    for line in run.output.splitlines():
        if line.startswith("== end"):
            found[name] = Answer(int(line.split()[-1]), "", lines)
        elif line.startswith("== "):
            name, lines = line[3:], []
        elif line.startswith("{"):
            lines.append(json.loads(line))
    return found


@pytest.fixture(scope="module")
def datra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stack's command, which routes."""
    stack, tool = root / "stack", tmp_path_factory.mktemp("datra") / "datra"
    sources = [stack / "lib" / "tool.c", stack / "lib" / "datra.c"]
    call("gcc", "-std=gnu11", "-static", "-O2", f"-I{stack / 'linux'}", "-o", tool, *sources)
    return tool


def outcomes(answer: Answer) -> dict[int, tuple[str, bool | None]]:
    return {line["id"]: (line["outcome"], line.get("verified")) for line in answer.of("point")}


def check_loop(answer: Answer) -> None:
    """What comes back is what was sent, and the counters of the host are not the guest's time."""
    assert answer.status == 0
    (timer,) = answer.of("timer")
    assert timer["name"] == "clock_gettime"
    assert timer["why"].startswith("User-Mode Linux")
    assert outcomes(answer) == {
        1: ("ok", True),
        2: ("ok", True),
        3: ("ok", True),
        4: ("io_error", None),
    }
    assert answer.point(4)["message"] == "open /dev/datrad77: No such file or directory"


def test_in_a_guest(boot: Boot, probe: Probe) -> None:
    run = boot(BEGIN + LOOP + SHARED, programs=[probe.path])
    run.check()
    check_loop(answers(run)["loop"])
    assert outcomes(answers(run)["shared"]) == {
        1: ("ok", True),
        2: ("ok", True),
        3: ("ok", False),
        4: ("refused", None),
        5: ("ok", True),
        6: ("refused", None),
    }


def test_in_simulated_time(boot: Boot, probe: Probe, datra: Path) -> None:
    run = boot(BEGIN + LOOP + ONE_WAY, programs=[probe.path, datra], simulated=True)
    run.check()
    found = answers(run)
    check_loop(found["loop"])
    # A clock whose readings are all that takes time says so of itself.
    assert found["loop"].of("timer")[0]["resolution_ns"] == 256
    assert outcomes(found["to"]) == {1: ("ok", False), 2: ("ok", False), 3: ("refused", None)}
    assert found["to"].point(3)["message"].startswith("time stands still")
    assert outcomes(found["from"]) == {1: ("ok", False), 2: ("ok", False)}
    # Not faster than the logic's four bytes in ten nanoseconds.
    for answer in (found["to"], found["from"]):
        for sample in answer.of("sample"):
            assert sample["bytes"] / sample["count"] / sample["ns"] < 0.8
