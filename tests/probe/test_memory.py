# SPDX-License-Identifier: Apache-2.0
"""Every kernel of memory moves what it says, on every processor that there is a program for."""

from .conftest import Probe

MEMORY = """
id=1 kernel=load bytes=64KiB
id=2 kernel=load bytes=1MiB order=page
id=3 kernel=load bytes=1MiB order=hop stride=128
id=4 kernel=load bytes=64KiB order=forward stride=512
id=5 kernel=load bytes=64KiB order=backward
id=6 kernel=read bytes=64KiB
id=7 kernel=read bytes=64KiB copy=vector
id=8 kernel=read bytes=64KiB stride=16 width=4
id=9 kernel=write bytes=64KiB
id=10 kernel=write bytes=64KiB copy=vector
id=11 kernel=write bytes=64KiB copy=libc
id=12 kernel=write bytes=64KiB stride=16 width=4
id=13 kernel=update bytes=64KiB
id=14 kernel=update bytes=64KiB copy=vector
id=15 kernel=update bytes=64KiB stride=16 width=4
id=16 kernel=copy bytes=64KiB
id=17 kernel=copy bytes=64KiB copy=scalar
id=18 kernel=copy bytes=64KiB copy=vector
id=19 kernel=copy bytes=64KiB stride=16 width=4 copy=scalar
id=20 kernel=read bytes=1MiB copy=vector traffic=copy threads=1 traffic_bytes=64KiB
id=21 kernel=read bytes=64KiB copy=plain
id=22 kernel=write bytes=64KiB copy=plain shift=16
id=23 kernel=update bytes=64KiB copy=plain width=4
id=24 kernel=copy bytes=64KiB copy=plain
id=25 kernel=copy bytes=65543 shift=4081
id=26 kernel=copy bytes=64KiB copy=vector shift=64
id=27 kernel=write bytes=68 width=4
"""


def test_every_kernel(any_probe: Probe) -> None:
    done = any_probe(MEMORY, "budget=800ms blocks=2 batch=20us spread=0.5")
    assert done.status == 0, done.errors
    for number in range(1, 28):
        point = done.point(number)
        assert (point["outcome"], point["verified"]) == ("ok", True), point
        for sample in done.samples(number):
            assert sample["ns"] > 0
            assert sample["bytes"] > 0
            assert sample["bytes"] % sample["count"] == 0
    moved = {n: done.samples(n)[0]["bytes"] / done.samples(n)[0]["count"] for n in range(1, 28)}
    assert moved[6] == moved[7] == moved[16] == 65536
    # A quarter of the words, and only those are counted.
    assert moved[8] == moved[12] == moved[15] == moved[19] == 16384
    assert done.of("end") == [
        {"type": "end", "points": 27, "samples": len(done.of("sample"))},
    ]


def test_traffic_runs_beside(any_probe: Probe) -> None:
    """Within a few tries: others may have its processor for as long as one takes."""
    point = "id=1 kernel=read bytes=1MiB copy=vector traffic=copy threads=1 traffic_bytes=64KiB"
    tries = (any_probe(point, "budget=500ms blocks=2").samples() for _ in range(8))
    assert any(sample["traffic_bytes"] > 0 for samples in tries for sample in samples)
