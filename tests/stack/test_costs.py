# SPDX-License-Identifier: Apache-2.0
"""The benchmark in simulated time: each way of moving a block has the costs of its own."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from weighbridge.backends import open_backend
from weighbridge.backends.uml import Uml, guest
from weighbridge.cli import main
from weighbridge.dataset.schema import Point

#: 8 B at this are 600 MB/s, as are the 4 B of a word at the nodes' 150 MHz.
MHZ = 75
LIMIT = 600

pytestmark = pytest.mark.usefixtures("kernel")


def point(
    link: str, buffer: str, size: int, direction: str = "cpu_to_fpga", traffic: str = "duplex"
) -> Point:
    axes = (("queue_depth", 2), ("traffic", traffic))
    return Point(
        platform="zynq7000",
        study="datra-dma",
        os="linux",
        master="datra_dma",
        link=link,
        ports=1,
        buffer=buffer,
        completion="interrupt",
        fpga_mhz=MHZ,
        direction=direction,
        size_bytes=size,
        axes=axes[1:] if buffer == "ring" else axes,
    )


@pytest.fixture(scope="module")
def uml() -> Uml:
    backend = open_backend("uml", "zynq7000", {}, 8)
    assert isinstance(backend, Uml)
    return backend


def rate(backend: Uml, *which: object) -> float:
    """MB/s."""
    asked = point(*which)  # type: ignore[arg-type]
    return asked.size_bytes / backend.predict(asked).seconds / 1e6


def test_coherent_on_hp_is_at_the_limit_of_the_streams(uml: Uml) -> None:
    assert rate(uml, "HP", "coherent", 16384) == pytest.approx(LIMIT, rel=0.01)
    assert rate(uml, "HP", "coherent", 65536) == pytest.approx(LIMIT, rel=0.01)
    assert 0.7 * LIMIT < rate(uml, "HP", "coherent", 4096) < 0.9 * LIMIT


def test_streaming_on_hp_is_a_third_of_that(uml: Uml) -> None:
    for size in (16384, 65536):
        assert 0.25 * LIMIT < rate(uml, "HP", "streaming", size) < 0.4 * LIMIT


def test_acp_is_best_in_the_middle_and_falls_beyond_the_l2(uml: Uml) -> None:
    """None of the port's costs is from the table."""
    rates = {size: rate(uml, "ACP", "coherent", size << 10) for size in (4, 32, 64, 256)}
    assert max(rates, key=lambda size: rates[size]) == 32
    assert min(rates[32], rates[64]) > 1.2 * rates[4]
    assert rates[256] < 0.82 * min(rates[32], rates[64])
    assert rate(uml, "ACP", "streaming", 65536) == pytest.approx(rates[64], rel=0.02)


def test_what_a_line_costs_is_the_platforms(uml: Uml) -> None:
    """With lines that are maintained for nothing, streaming is as fast as coherent."""
    free = {"linux.stream_clean": "0 ns", "linux.stream_invalidate": "0 ns"}
    cheap = open_backend("uml", "zynq7000", free, 8)
    assert isinstance(cheap, Uml)
    assert rate(cheap, "HP", "streaming", 65536) == pytest.approx(LIMIT, rel=0.01)


def test_copies_out_of_uncached_memory_bound_a_ring(uml: Uml) -> None:
    hp, acp = ((link, "ring", 65536, "fpga_to_cpu") for link in ("HP", "ACP"))
    assert rate(uml, *hp, "one_way") < 0.4 * LIMIT
    # A lead that is used up is no rate.
    assert 0.98 * LIMIT < rate(uml, *acp, "one_way") <= LIMIT
    assert 0.98 * LIMIT < rate(uml, "HP", "ring", 4096, "cpu_to_fpga", "one_way") <= LIMIT
    # One processor copies for both ways.
    assert rate(uml, *hp, "duplex") < rate(uml, *hp, "one_way")
    assert 0.5 * LIMIT < rate(uml, *acp, "duplex") < 0.9 * LIMIT


@pytest.mark.parametrize("direction", ["cpu_to_fpga", "fpga_to_cpu"])
def test_a_fifo_that_is_waited_for_costs_an_interrupt(uml: Uml, direction: str) -> None:
    asked = replace(
        point("GP", "", 4, direction), master="datra_cpu", buffer=None, study="datra-cpu", axes=()
    )
    woken = uml.predict(asked)
    ready = uml.predict(replace(asked, completion="poll"))
    assert ready.seconds < 1.2e-6
    assert 9e-6 < woken.seconds - ready.seconds < 12e-6
    # As counted from the original: 4 reads and 4 writes beside the word.
    assert (ready.register_accesses, ready.interrupts) == (2, 0)
    assert (woken.register_accesses, woken.interrupts) == (9, 1)


def test_runs_are_the_same(uml: Uml, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three times, and with every cycle simulated: what is printed, the counts, the end."""
    runs: list[guest.Run] = []
    real = guest.run

    def kept(*given: object, **named: object) -> guest.Run:
        named["options"] = ["--no-skip"] if len(runs) == 2 else []
        runs.append(real(*given, **named))  # type: ignore[arg-type]
        return runs[-1]

    monkeypatch.setattr(guest, "run", kept)
    for _ in range(4):
        backend = open_backend("uml", "zynq7000", {}, 8)
        backend.predict(point("ACP", "coherent", 32768))
    assert runs[0].counts["skipped"] > 0
    assert runs[2].counts["skipped"] == 0

    def told(run: guest.Run) -> list[str]:
        return [line for line in run.output.splitlines() if line.startswith("#")]

    for other in runs[1:]:
        assert told(other) == told(runs[0])
        assert {**other.counts, "skipped": 0} == {**runs[0].counts, "skipped": 0}


def test_a_frame_costs_what_was_counted_from_the_original(uml: Uml) -> None:
    """6 or 7 accesses, and up to 6 more for an interrupt, which serves both directions here."""
    answer = uml.predict(point("ACP", "coherent", 65536))
    assert answer.register_accesses is not None
    assert answer.interrupts is not None
    assert 6 <= answer.register_accesses <= 13
    assert 0 < answer.interrupts <= 1.1


def test_a_run_says_what_the_guest_was_charged_with(tmp_path: Path) -> None:
    where = ["link=HP", "buffer=coherent", "size_bytes=4 KiB", "direction=cpu_to_fpga"]
    given = [word for one in where for word in ("--where", one)]
    out = tmp_path / "run"
    assert main(["run", "zynq7000/datra-dma", "--backend", "uml", *given, "-o", str(out)]) == 0
    costs = json.loads((out / "manifest.json").read_text())["guest"]["costs"]
    named = {cost["parameter"]: cost for cost in costs}
    assert named["linux.stream_interrupt"]["value"] == 9
    assert "fitted" in named["linux.stream_interrupt"]["source"]
    assert "l2.latency" in named["linux.stream_clean"]["source"]
    assert "cyclonev" in named["linux.stream_call"]["source"]
