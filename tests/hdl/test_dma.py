# SPDX-License-Identifier: Apache-2.0
"""The DMA engines, rings and node in Verilator: throughput, latency, and random use.

The harness is that of the published measurements of other movers: read latency L from the address
handshake, N bursts of 16 beats outstanding, reads and writes independent, a beat a cycle, in order.
Fractions are payload beats over cycles at the engine's stream port, after the first quarter.
"""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest

from weighbridge.backends.rtl.verilator import built

SIZES = (64, 256, 1024, 4096)
#: Least fractions at L 60, N 8, by bus width in bits and frame bytes.
PORT = {64: (0.88, 0.96, 0.99, 0.995), 128: (0.48, 0.93, 0.98, 0.99)}
RING = {64: (0.70, 0.90, 0.97, 0.99), 128: (0.42, 0.87, 0.96, 0.985)}
#: Bits of the bus and of addresses, REALIGN, and bits of the streams.
NODES = ((32, 32, 0, 32), (64, 64, 0, 64), (128, 40, 0, 128), (64, 40, 1, 32))
#: Of the whole node at 1 KiB, both ways at once: by rings the core's own is .971.
NODE_BOTH = {64: 0.97, 128: 0.965}
#: Cycles a status may wait for others where throughput is asked for; the bursts of statuses take
#: their share of the slave's N.
PATIENCE = 4096
FRAMES = 1400


#: Of AXI4, and of short frames in rings at long latencies.
LONG = {"BURST": 256}
OPEN = {"FRAMES": 64, "STATUS_BURSTS": 4}


def figures(program: str, top: str, bits: int, *arguments: object, **parameters: int) -> dict:
    """What a bench printed; it fails by itself on the first wrong beat, status or bus rule."""
    command = [built(top, program, DATA_W=bits, **parameters), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def port(top: str, bits: int, latency: int, outstanding: int, size: int, stall: float = 0) -> dict:
    return figures("engine_bench", top, bits, latency, outstanding, size, FRAMES, stall, 0)


def ring(
    way: str,
    bits: int,
    latency: int,
    outstanding: int,
    size: int,
    patience: int = PATIENCE,
    frames: int = FRAMES,
) -> dict:
    return figures(
        "ring_bench", "dma_core", bits, way, latency, outstanding, size, frames, 0, 0, patience
    )


def law(latency: int, outstanding: int, size: int, bits: int) -> float:
    """What the slave lets through: N x b / (L + b), b the beats of a frame's bursts."""
    burst = min(16, size * 8 // bits)
    return min(1.0, outstanding * burst / (latency + burst))


@pytest.mark.parametrize("bits", PORT)
@pytest.mark.parametrize("top", ["dma_read", "dma_write"])
def test_descriptors_on_ports(top: str, bits: int) -> None:
    for size, least in zip(SIZES, PORT[bits], strict=True):
        assert port(top, bits, 60, 8, size)["fraction"] >= least, size


@pytest.mark.parametrize(("top", "least"), [("dma_read", 0.94), ("dma_write", 0.92)])
def test_long_bursts(top: str, least: float) -> None:
    """A slave that takes one burst at a time; with eight, short frames lose nothing."""
    through = {"CUT_THROUGH": 1} if top == "dma_write" else {}
    for outstanding, size, fraction in (
        (8, 64, least),
        (8, 1024, 1),
        (8, 2**16, 1),
        (1, 2**16, 0.79),
    ):
        frames = FRAMES if size < 2**16 else 40
        answer = figures(
            *("engine_bench", top, 64, 60, outstanding, size, frames, 0, 0), **LONG, **through
        )
        assert answer["fraction"] >= fraction, (outstanding, size)
        # W begins with the stream, as long as the burst may be.
        assert answer["first_write"] == (2 if through else 0)


def test_any_long_burst() -> None:
    """Writes to 256 beats and 4 KiB: any length and word, early ends, errors, flushes."""
    parameters = {"ADDR_W": 18, "LEN_W": 14, "FIFO_DEPTH": 512, "DATA_W": 128, "WORD_ALIGNED": 1}
    program = built("dma_write", "engine_random", **parameters, **LONG)
    for seed in range(1, 13):
        done = subprocess.run([program, str(seed), "200"], capture_output=True, text=True)
        assert done.returncode == 0, (seed, done.stderr)


@pytest.mark.parametrize(
    ("parameters", "bars"),
    [
        (LONG | OPEN, {(60, 8): (0.77, 0.85), (150, 16): (0.73, 0.73), (300, 32): (0.75, 0.75)}),
        (
            OPEN | {"STATUS_BURSTS": 2},
            {(60, 8): (0.765, 0.82), (150, 16): (0.68, 0.68), (300, 32): (0.70, 0.70)},
        ),
    ],
    ids=["AXI4", "AXI3"],
)
def test_short_frames_in_rings_at_long_latencies(
    parameters: dict[str, int], bars: dict[tuple[int, int], tuple[float, float]]
) -> None:
    for (latency, outstanding), least in bars.items():
        for way, name, bar in zip(
            ("to", "from"), ("cpu_to_fpga", "fpga_to_cpu"), least, strict=True
        ):
            run = (way, latency, outstanding, 64, FRAMES, 0, 0, PATIENCE)
            answer = figures("ring_bench", "dma_core", 64, *run, **parameters)
            assert answer[name]["fraction"] >= bar, run


@pytest.mark.parametrize("bits", RING)
def test_descriptors_and_statuses_in_memory(bits: int) -> None:
    for size, least in zip(SIZES, RING[bits], strict=True):
        assert ring("to", bits, 60, 8, size)["cpu_to_fpga"]["fraction"] >= least, size
        # More at the smallest on the narrow bus: descriptors are read, data written.
        least = 0.76 if (size, bits) == (64, 64) else least
        assert ring("from", bits, 60, 8, size)["fpga_to_cpu"]["fraction"] >= least, size


def test_both_directions_at_once() -> None:
    for size, least in ((1024, 0.94), (4096, 0.98)):
        answer = ring("both", 64, 60, 8, size)
        assert all(side["fraction"] >= least for side in answer.values()), (size, answer)


@pytest.mark.parametrize("bits", PORT)
def test_other_memories(bits: int) -> None:
    """Within 2 % of the law for whole bursts times the row; shorter frames follow their own law."""
    for latency, outstanding in product((20, 120), (4, 16)):
        for column, size in enumerate(SIZES):
            own = law(latency, outstanding, size, bits) / law(60, 8, size, bits)
            most = 0.98 * min(law(latency, outstanding, 4096, bits), own)
            where = (latency, outstanding, size)
            for top in ("dma_read", "dma_write"):
                got = port(top, bits, latency, outstanding, size)["fraction"]
                assert got >= PORT[bits][column] * most, (top, *where)
            for way, name in (("to", "cpu_to_fpga"), ("from", "fpga_to_cpu")):
                got = ring(way, bits, latency, outstanding, size)[name]["fraction"]
                assert got >= RING[bits][column] * most, (way, *where)


@pytest.mark.parametrize("top", ["dma_read", "dma_write"])
def test_a_sink_or_source_that_stalls_costs_no_more_than_its_stalls(top: str) -> None:
    for stall in (0.1, 0.5):
        assert port(top, 64, 60, 8, 4096, stall)["fraction"] >= 0.98 * (1 - stall)


def test_latency() -> None:
    for latency in (20, 60, 120):
        assert port("dma_read", 64, latency, 8, 4096)["first_data"] <= latency + 4
        for bits in (64, 128):
            answer = ring("both", bits, latency, 8, 1024, patience=0)
            assert answer["cpu_to_fpga"]["doorbell_to_data"] <= 2 * latency + 10
            for side in answer.values():
                # From the last beat of the stream, or the answer to the last data, until software
                # can see the status.
                assert 0 < side["data_to_status"] <= latency + 6


@pytest.mark.parametrize("data", ["ahead", "with", "first"])
def test_data_do_not_wait_until_their_address_is_taken(data: str) -> None:
    """A slave that takes addresses only with data, or behind them, or data before them."""
    alone = figures("engine_bench", "dma_write", 64, 20, 4, 1024, 100, 0, 0, data)
    assert 0 < float(str(alone["fraction"])) <= 1
    rings = figures("ring_bench", "dma_core", 64, "both", 20, 4, 1024, 100, 0, 0, 0, data)
    assert set(rings) == {"cpu_to_fpga", "fpga_to_cpu"}


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_lengths_around_every_counters_limit(bits: int) -> None:
    """2^n and a word more or less, up to the longest; every byte and status is compared."""
    longest = 2**24 - 4
    sizes = {2**n + offset for n in range(3, 24) for offset in (-4, 0, 4)} | {longest}
    for size in sorted(sizes):
        frames = 3 if size < 2**16 else 1
        assert set(ring("both", bits, 20, 8, size, frames=frames)) == {"cpu_to_fpga", "fpga_to_cpu"}


# The most beats, and the most lanes.
@pytest.mark.parametrize("bits", [32, 128])
@pytest.mark.parametrize("top", ["dma_read", "dma_write"])
def test_any_bytes_around_every_counters_limit(top: str, bits: int) -> None:
    """REALIGN: frames from the fourth byte of a beat, 2^n and a byte more or less, the longest."""
    program = built(top, "engine_bench", DATA_W=bits, REALIGN=1)
    longest = 2**20 - 1
    sizes = {2**n + offset for n in range(1, 20) for offset in (-1, 0, 1)} | {longest}
    for size in sorted(sizes):
        command = [str(one) for one in (program, 20, 8, size, 3 if size < 2**16 else 1, 0, 0)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (size, done.stderr)


def test_cut_through() -> None:
    """W begins with the stream; early ends, flushes and errors leave whole bursts."""
    for through, cycles in ((0, 17), (1, 2)):
        program = built("dma_write", "engine_bench", DATA_W=64, CUT_THROUGH=through)
        done = subprocess.run(
            [program, *["60", "8", "4096", "100", "0", "0"]], capture_output=True, text=True
        )
        assert json.loads(done.stdout)["first_write"] == cycles
    parameters = {"ADDR_W": 18, "LEN_W": 10, "FIFO_DEPTH": 32, "CUT_THROUGH": 1, "AW_LEAD": 15}
    for more in ({"DATA_W": 64, "WORD_ALIGNED": 1}, {"DATA_W": 128, "REALIGN": 1}):
        program = built("dma_write", "engine_random", **parameters, **more)
        for seed in range(1, 13):
            command = [program, str(seed), "400"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (seed, done.stderr)


@pytest.mark.parametrize("bits", [32, 64, 128])
@pytest.mark.parametrize("top", ["dma_read", "dma_write"])
def test_any_byte(top: str, bits: int) -> None:
    """REALIGN: an engine alone, frames of any bytes from any byte, early ends, errors, flushes."""
    parameters = {"ADDR_W": 18, "LEN_W": 10, "FIFO_DEPTH": 32, "DATA_W": bits, "REALIGN": 1}
    program = built(top, "engine_random", **parameters)
    for seed in range(1, 13):
        command = [program, str(seed), "400"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (seed, done.stderr)


@pytest.mark.parametrize(
    ("top", "parameters"),
    [
        *product(("dma_read", "dma_write"), ({"DATA_W": n, "REALIGN": 1} for n in (32, 64, 128))),
        *product(("dma_read", "dma_write"), [{"DATA_W": 64, "WORD_ALIGNED": 1}]),
        ("dma_write", {"DATA_W": 64, "WORD_ALIGNED": 1, "CUT_THROUGH": 1, "AW_LEAD": 15}),
    ],
    ids=str,
)
def test_an_error_at_every_beat(top: str, parameters: dict[str, int]) -> None:
    """SLVERR and DECERR at each beat of frames of three bursts; a frame without follows each.

    The harness compares each status with what the bus answered, and each byte of every frame.
    """
    common = {"ADDR_W": 18, "LEN_W": 10, "FIFO_DEPTH": 32}
    program = built(top, "engine_random", **common, **parameters)
    beats = 40
    for seed in range(1, 7):
        command = [program, str(seed), "0", str(beats)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (seed, done.stderr)
        answer = json.loads(done.stdout)
        assert answer == {"okay": 2 * beats, "slverr": beats, "decerr": beats}


def node(bits: int, address_bits: int, realign: int, stream: int) -> Path:
    """The whole node, and what uses it at random.

    Bursts of the narrow bus are announced as early as AW_LEAD allows, of the others as late. With
    addresses of 64 bit go the longest bursts, and all that may be open.
    """
    lead = 15 if bits == 32 else 1
    parameters = {"DATA_W": bits, "ADDR_W": address_bits, "AW_LEAD": lead, "REALIGN": realign}
    parameters |= LONG | OPEN if address_bits == 64 else {}
    return built("dma_node", "node_soak", **parameters, STREAM_W=stream)


@pytest.mark.parametrize(("bits", "address_bits", "realign", "stream"), NODES[1:3])
def test_the_whole_node_moves_what_its_streams_do(
    bits: int, address_bits: int, realign: int, stream: int
) -> None:
    """At the width of the bus all of it; one way and both at once, by rings and registers."""
    program = node(bits, address_bits, realign, stream)
    for commands, way, (size, least) in product(
        ("rings", "registers"), ("to", "from", "both"), ((1024, 0.97), (65536, 0.99))
    ):
        frames = 600 if size < 65536 else 24
        words = [str(one) for one in ("rate", way, commands, 60, 8, size, frames)]
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stderr)
        for name, fraction in json.loads(done.stdout).items():
            # Both ways at once the other's descriptors and statuses take their part of each bus.
            bar = NODE_BOTH[bits] if (way, size) == ("both", 1024) else least
            assert fraction >= bar * stream / bits, (*words, name)


@pytest.mark.parametrize(("bits", "address_bits", "realign", "stream"), NODES)
def test_random_use(bits: int, address_bits: int, realign: int, stream: int) -> None:
    """Registers, rings, lengths, places, signals, stalls, errors and resets, with a reference.

    Addresses of more than 32 bit lie on both sides of 4 GiB.
    """
    program = node(bits, address_bits, realign, stream)

    def soak(seed: int) -> str:
        command = [program, str(seed), "600000", "60000"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with ThreadPoolExecutor(2) as pool:
        systems = [json.loads(line) for out in pool.map(soak, (1, 2)) for line in out.splitlines()]
    for way in ("cpu_to_fpga", "fpga_to_cpu"):
        # Each kind of use has happened, or the test says nothing.
        assert all(
            sum(s[way][what] for s in systems) > 0 for what in ("errors", "resets", "frames")
        )
