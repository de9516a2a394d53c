# SPDX-License-Identifier: Apache-2.0
"""Windows and files: the outside is refused, what vanishes is a bus error, the rest verified."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import Probe, answer


@pytest.fixture
def window(tmp_path: Path) -> Path:
    path = tmp_path / "window"
    path.write_bytes(bytes(range(256)) * 64)
    return path


def test_accesses(any_probe: Probe, window: Path) -> None:
    before = window.read_bytes()
    lines = [
        f"id={4 * kind + place} kernel={kernel} window={window} offset={1024 * place} "
        f"bytes=256 width={1 << place}"
        for kind, kernel in enumerate(("uncached", "posted", "written_back"))
        for place in range(4)
    ]
    done = any_probe("\n".join(lines), "budget=200ms blocks=2 batch=20us spread=0.5")
    assert done.status == 0, done.errors
    for number in range(12):
        point = done.point(number)
        assert point["outcome"] == "ok", point
        assert point["verified"]
        assert done.samples(number)[0]["bytes"] == done.samples(number)[0]["count"] * 256
    after = window.read_bytes()
    for at in range(0, len(before), 256):
        written = at < 4096 and at % 1024 == 0
        assert (after[at : at + 256] != before[at : at + 256]) == written


@pytest.mark.parametrize("copy", ["libc", "vector", "stream"])
def test_copies(probe: Probe, window: Path, copy: str) -> None:
    before = window.read_bytes()
    words = f"window={window} bytes=4KiB copy={copy}"
    read = probe(f"id=1 kernel=uncached {words} offset=64")
    assert (read.point()["outcome"], read.point()["verified"]) == ("ok", True)
    assert window.read_bytes() == before
    for kernel in ("posted", "written_back"):
        done = probe(f"id=1 kernel={kernel} {words} offset=4KiB")
        assert (done.point()["outcome"], done.point()["verified"]) == ("ok", True)
    after = window.read_bytes()
    assert after[:4096] + after[8192:] == before[:4096] + before[8192:]
    assert after[4096:8192] != before[4096:8192]


def test_only_read(probe: Probe, window: Path) -> None:
    window.chmod(0o444)
    before = window.read_bytes()
    done = probe(f"id=1 kernel=uncached window={window} bytes=4096")
    assert done.point()["outcome"] == "ok"
    assert window.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "outside"),
    [
        ("offset=16KiB bytes=4", "bytes 16384 to 16387 lie outside: it has 16384 bytes"),
        ("offset=16380 bytes=8", "bytes 16380 to 16387 lie outside"),
        ("bytes=1GiB", "bytes 0 to 1073741823 lie outside"),
        ("offset=8KiB bytes=4 length=8KiB", "it has 8192 bytes"),
    ],
)
@pytest.mark.parametrize("kernel", ["uncached", "posted", "written_back"])
def test_outside(probe: Probe, window: Path, kernel: str, words: str, outside: str) -> None:
    before = window.read_bytes()
    done = probe(f"id=1 kernel={kernel} window={window} {words}")
    assert done.point()["outcome"] == "refused"
    assert outside in done.point()["message"]
    assert done.samples() == []
    assert done.status == 0
    assert window.read_bytes() == before


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/no/such", "No such file"),
        ("/", "neither a file nor a device"),
        ("/dev/zero", "does not tell its length"),
    ],
)
def test_no_window(probe: Probe, path: str, why: str) -> None:
    done = probe(f"id=1 kernel=posted window={path} bytes=4096")
    assert done.point()["outcome"] == "refused"
    assert why in done.point()["message"]


@pytest.mark.skipif(os.getuid() != 0, reason="mknod needs root")
@pytest.mark.parametrize("words", ["kernel=uncached window=", "kernel=file_read file="])
def test_all_memory_under_another_name(probe: Probe, tmp_path: Path, words: str) -> None:
    device = tmp_path / "harmless"
    os.mknod(device, 0o20600, os.makedev(1, 1))
    done = probe(f"id=1 {words}{device} bytes=4096")
    assert done.point()["outcome"] == "refused"
    assert "set devmem=yes" in done.point()["message"]


def test_truncated(probe: Probe, window: Path) -> None:
    """A file that shrinks under the window: a bus error, and the next point goes on."""
    plan = (
        f"set budget=6s samples=1000000 spread=0\nid=1 kernel=posted window={window} bytes=8KiB\n"
    )
    running = subprocess.Popen(
        probe.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdin
    assert running.stdout
    running.stdin.write(plan)
    running.stdin.close()
    begun = "".join(running.stdout.readline() for _ in range(5))
    os.truncate(window, 0)
    done = answer(running.wait(60), begun + running.stdout.read(), "")
    running.stdout.close()
    assert done.point()["outcome"] == "bus_error"
    assert done.of("end")
    assert done.status == 0


def test_files(any_probe: Probe, window: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(bytes(8192))
    done = any_probe(
        f"""
id=1 kernel=file_read file={window} bytes=4KiB offset=100
id=2 kernel=file_write file={target} bytes=4KiB offset=4KiB
id=3 kernel=file_read file=/dev/zero bytes=64KiB
id=4 kernel=file_write file=/dev/null bytes=64KiB
id=5 kernel=file_write file=/dev/full bytes=4KiB
id=6 kernel=file_read file=/dev/null bytes=4KiB
id=7 kernel=file_write file={target} bytes=4KiB offset=8KiB
id=8 kernel=file_read file={tmp_path} bytes=4KiB
""",
        "budget=400ms blocks=2 batch=20us",
    )
    found = {line["id"]: (line["outcome"], line.get("verified")) for line in done.of("point")}
    assert found == {
        1: ("ok", True),
        2: ("ok", True),
        3: ("ok", False),
        4: ("ok", False),
        5: ("io_error", None),
        6: ("io_error", None),
        7: ("refused", None),
        8: ("io_error", None),
    }
    assert done.point(5)["message"] == "write: No space left on device"
    assert target.read_bytes()[:4096] == bytes(4096)
    assert len(target.read_bytes()) == 8192


def test_ioctl(probe: Probe, window: Path) -> None:
    fionread, nothing = 0x541B, 0x5400
    done = probe(
        f"id=1 kernel=ioctl file={window} request={fionread:#x} bytes=4\n"
        f"id=2 kernel=ioctl file={window} request={nothing:#x}"
    )
    assert done.point(1)["outcome"] == "ok"
    assert done.samples(1)[0]["bytes"] == 4 * done.samples(1)[0]["count"]
    assert done.point(2)["outcome"] == "io_error"


def test_silent_file(probe: Probe, tmp_path: Path) -> None:
    """A device from which nothing comes: the point's time is over, the next is measured."""
    silent = tmp_path / "silent"
    os.mkfifo(silent)
    begun = time.monotonic()
    done = probe(
        f"id=1 kernel=file_read file={silent} bytes=4\nid=2 kernel=load bytes=4KiB",
        "timeout=300ms budget=300ms group=1",
    )
    assert time.monotonic() - begun > 0.3
    assert done.point(1)["outcome"] == "timeout"
    assert done.point(2)["outcome"] == "ok"
