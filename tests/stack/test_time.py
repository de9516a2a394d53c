# SPDX-License-Identifier: Apache-2.0
"""The guest's clock is the logic's: the same run gives the same log, cycle by cycle."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import Boot, Run

#: What the logic has counted, its cycles among it, goes into the log.
script = """
for case in fifo_nonblock "dma_ring 1 200000" dma_ring_signals dma_cost dma_timely backplane; do
  guest $case || exit 1
done
dd if=/dev/datractl bs=4 count=2048 2>/dev/null | hexdump -C
cat /proc/uptime
"""


@pytest.fixture(scope="module")
def runs(boot: Boot) -> list[Run]:
    with ThreadPoolExecutor(2) as two:
        started = [
            two.submit(boot, script, core, 200, simulated=True, options=options)
            for core, options in ((0, []), (1, ["--no-skip"]), (0, []))
        ]
        return [future.result() for future in started]


def told(run: Run) -> list[str]:
    """The log without where the guest's memory lies, which differs by right."""
    lines = run.output[run.output.index("ok fifo_nonblock") :].splitlines()
    return [line for line in lines if not re.match(r"000012[01]0|000012[89]0", line)]


def test_runs_are_the_same(runs: list[Run]) -> None:
    first, unskipped, again = runs
    for run in runs:
        run.check()
    assert first.counts["skipped"] > 0.2 * first.counts["cycles"]
    assert unskipped.counts["skipped"] == 0
    for other in (unskipped, again):
        assert {**other.counts, "skipped": 0} == {**first.counts, "skipped": 0}
        assert told(other) == told(first)


def test_rates_are_the_logics(runs: list[Run]) -> None:
    """A word a cycle of 10 ns is 400 MB/s; a ring in both directions comes near to it."""
    rates = [float(rate) for rate in re.findall(r"# ([0-9.]+) MB/s", runs[0].output)]
    assert len(rates) == 1
    assert 250 < rates[0] < 400


def test_frames_of_a_ring_cost_no_reads(runs: list[Run]) -> None:
    found = re.search(
        r"^# frames (\d+) reads (\d+) writes (\d+) interrupts (\d+)", runs[0].output, re.M
    )
    assert found is not None
    frames, reads, writes, interrupts = map(int, found.groups())
    assert (frames, reads) == (6400, 0)
    assert writes <= frames / 3
    assert interrupts <= frames / 16


def test_frames_cost_what_the_originals_do(boot: Boot) -> None:
    """Accesses of a frame in ring mode with commands by registers, and where it is waited for.

    In the logic's time, as by the wall clock of a busy machine a frame may come late, and then be
    waited for where it should have been ready.
    """
    run = boot("guest ring_cost", parameters="rings=0", simulated=True)
    run.check()
    found = re.findall(r"^# (\w+): write ([0-9.]+) read ([0-9.]+)$", run.output, re.M)
    assert [how for how, _, _ in found] == ["ready", "waited"]
    for (_, *costs), most in zip(found, ((5, 7), (11, 13)), strict=True):
        for cost, limit in zip(map(float, costs), most, strict=True):
            # What has been armed before the first frame is among it.
            assert 4 < cost <= limit + 0.1
