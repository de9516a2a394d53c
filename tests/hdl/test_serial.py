# SPDX-License-Identifier: Apache-2.0
"""The serial bridge: hdl/serial, and the host's side of it through a pseudo-terminal."""

import os
import random
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools import ROOT
from weighbridge import api
from weighbridge.backends import Reach
from weighbridge.backends.bridge.client import BAUD, MEMORY, MEMORY_BYTES, SYNC, Bridge
from weighbridge.backends.rtl.verilator import built
from weighbridge.errors import InputError
from weighbridge.registers import datra as r
from weighbridge.registers import get, put

CPU, DMA, ADDER = range(3)
CLOCK_HZ = 50_000_000
PARAMETERS = {"CLOCK_HZ": CLOCK_HZ, "CYCLES": 4, "PATIENCE": 4000}
#: Where runs leave the lines that they went through: tools/logic/coverage.py asks for it.
coverage = os.environ.get("WEIGHBRIDGE_COVERAGE")


def test_bridge(simulate: Callable[..., None]) -> None:
    simulate("serial_bridge", "serial_bridge_bench", PATIENCE=200)


def test_uart(simulate: Callable[..., None]) -> None:
    simulate("uart_receive", "uart_bench", CYCLES=16)


@contextmanager
def board(wrong: int = 0) -> Iterator[str]:
    """The device of a serial line to the logic; one in `wrong` bytes to it is turned or lost."""
    counted = bool(coverage)
    program = built("serial_datra", "serial_line", coverage=counted, **PARAMETERS)
    command = [program, str(wrong)]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryDirectory() as scratch,
        subprocess.Popen(command, cwd=scratch, stdin=pipe, stdout=pipe, text=True) as run,
    ):
        assert run.stdin is not None
        assert run.stdout is not None
        yield run.stdout.readline().strip()
        run.stdin.close()
        assert run.wait(10) == 0
        if coverage:
            shutil.copy(Path(scratch) / "coverage.dat", Path(coverage) / f"serial-{run.pid}.dat")


@pytest.fixture
def line() -> Iterator[str]:
    with board() as name:
        yield name


def test_registers(line: str) -> None:
    with Bridge(line) as bridge:
        assert bridge.read(r.CONTROL_CLOCK) == [CLOCK_HZ]
        kinds = [bridge.read(r.card_node_page(node))[0] >> 8 & 0xFF for node in (CPU, DMA, ADDER)]
        assert kinds == [r.NODE_TYPE_CPU, r.NODE_TYPE_DMA, r.NODE_TYPE_FIXED]
        constants = [random.getrandbits(32) for _ in range(4)]
        window = r.card_node_window(ADDER) + r.adder_window_constant(0)
        bridge.write(window, constants)
        assert bridge.read(window, 4) == constants


def test_words_through_the_fifos(line: str) -> None:
    """A burst into one address and one out of one; the adder stands between."""
    with Bridge(line) as bridge:
        bridge.write(r.CONTROL_BACKPLANE_SET, [0xF])
        connect(bridge, CPU, ADDER)
        connect(bridge, ADDER, CPU)
        bridge.write(r.card_node_window(ADDER) + r.adder_window_constant(0), [3])
        port = r.card_node_window(CPU) + r.cpu_window_fifo(0)
        bridge.write(port, list(range(200)), stays=True)
        assert bridge.read(port, 200, stays=True) == [n + 3 for n in range(200)]


def test_a_transfer(line: str) -> None:
    """Bytes into the RAM, by the DMA node through the adder to another place, and out of it."""
    data, length = random.Random(1).randbytes(4096), 4096
    with Bridge(line) as bridge:
        bridge.load(0, data)
        bridge.load(0x4000, bytes(length))
        page = r.card_node_page(DMA)
        bridge.write(r.CONTROL_BACKPLANE_SET, [0xF])
        connect(bridge, DMA, ADDER)
        connect(bridge, ADDER, DMA)
        bridge.write(r.card_node_window(ADDER) + r.adder_window_constant(0), [5])
        bridge.write(page + r.DMA_TO_LOGIC_CONTROL, [1])
        bridge.write(page + r.DMA_FROM_LOGIC_CONTROL, [1])
        bridge.write(page + r.DMA_FROM_LOGIC_ADDRESS, [MEMORY + 0x4000])
        bridge.write(page + r.DMA_FROM_LOGIC_BYTES, [length])
        bridge.write(page + r.DMA_TO_LOGIC_ADDRESS, [MEMORY])
        bridge.write(page + r.DMA_TO_LOGIC_BYTES, [length])
        while not bridge.read(page + r.DMA_FROM_LOGIC_STATUS)[0] >> 24:
            pass
        assert bridge.read(page + r.DMA_FROM_LOGIC_RESULT_BYTES) == [length]
        words = struct.unpack(f"<{length // 4}I", data)
        assert bridge.dump(0x4000, length) == struct.pack(
            f"<{length // 4}I", *((word + 5) % 2**32 for word in words)
        )


def test_a_ring_that_is_not_aligned(line: str) -> None:
    """It was another address once: the bits below the ring's size were taken for entries."""
    at = r.card_node_page(DMA) + r.DMA_TO_LOGIC_RING
    entries = 16
    with Bridge(line) as bridge:
        # A ring is enabled where its direction runs.
        bridge.write(r.card_node_page(DMA) + r.DMA_TO_LOGIC_CONTROL, [1])
        bridge.write(at + r.DMA_RING_MASK, [entries - 1])
        for descriptors, statuses, fault in (
            (0x100, 0x80, False),
            (0x180, 0x80, True),
            (0x100, 0x48, True),
            (0x110, 0x80, True),
            (0x300, 0x180, False),
        ):
            bridge.write(at + r.DMA_RING_CONTROL, [0])
            bridge.write(at + r.dma_ring_descriptors(0), [descriptors])
            bridge.write(at + r.dma_ring_statuses(0), [statuses])
            bridge.write(at + r.DMA_RING_CONTROL, [1])
            state = bridge.read(at + r.DMA_RING_STATE)[0]
            assert bool(get(r.DMA_RING_STATE_FAULT, state)) == fault


def test_what_is_not_there(line: str) -> None:
    with Bridge(line) as bridge:
        for address in (0x2000_0000, MEMORY + 0x1_0000, r.card_node_window(31) + 0x10000):
            with pytest.raises(InputError, match="is refused"):
                bridge.read(address)
        with pytest.raises(InputError, match="no address of a word"):
            bridge.read(2)
        with pytest.raises(InputError, match="not words of the memory"):
            bridge.load(0xFFFC, bytes(8))
        assert bridge.read(r.CONTROL_CLOCK) == [CLOCK_HZ]


def test_a_line_that_errs() -> None:
    """Turned and lost bytes change nothing: what is in memory was written there."""
    chance = random.Random(3)
    lost = 0
    with board(wrong=300) as name, Bridge(name, patience=0.2) as bridge:
        model: list[set[int]] = [{0} for _ in range(64)]  # what may be there
        for trial in range(120):
            word = trial % 64
            value = chance.getrandbits(32)
            try:
                bridge.write(MEMORY + 4 * word, [value])
                model[word] = {value}
            except InputError:
                model[word].add(value)
                lost += 1
        for word, values in enumerate(model):
            for _ in range(20):
                try:
                    read = bridge.read(MEMORY + 4 * word)[0]
                    assert read in values
                    break
                except InputError:
                    lost += 1
        assert lost
        assert bridge.repeated


def test_the_client_has_the_numbers_of_the_logic() -> None:
    logic = "".join(
        (ROOT / name).read_text()
        for name in (
            "hdl/serial/rtl/serial_bridge.sv",
            "hdl/serial/rtl/serial_datra.sv",
            "boards/ulx3s/ulx3s.sv",
        )
    )
    assert f"Sync = 8'h{SYNC:X};" in logic
    assert f"RamW = {(MEMORY_BYTES - 1).bit_length()};" in logic
    assert f"host_address[31:RamW] == 16'h{MEMORY // MEMORY_BYTES:X};" in logic
    clock, cycles = (
        int(re.search(rf"{name} = ([\d_]+),", logic)[1].replace("_", ""))  # type: ignore[index]
        for name in ("CLOCK_HZ", "CYCLES")
    )
    # The board's own module takes them as they are.
    assert "serial_datra datra (" in logic
    assert clock // cycles == BAUD


def test_no_line() -> None:
    with pytest.raises(InputError, match="cannot be opened"):
        Bridge("/dev/no-such-line")


def connect(bridge: Bridge, source: int, sink: int) -> None:
    value = put(r.CONTROL_ROUTE_OUTPUT_NODE, sink + 1)
    bridge.write(r.control_route_output(source, 0), [value])


def test_a_study_is_measured_through_the_bridge(line: str, tmp_path: Path) -> None:
    """The DMA node times itself: whole cycles, never above a word of the stream in each."""
    run = tmp_path / "run"
    reach = Reach(serial=line)
    answers = api.run("ulx3s/rings", where=["size=256", "size=1KiB"], out=run, reach=reach)
    assert len(answers) == 4
    found = {(row["direction"], row["size_bytes"]): row for row in answers.rows}
    for (_, size), row in found.items():
        assert row["quality"] == "ok", row["doubt"]
        assert row["ceiling_seconds"] == size / 4 / CLOCK_HZ <= row["seconds"]
        assert row["seconds"] < 4 * row["ceiling_seconds"]
        assert row["bytes_moved"] == size
    out, back = (found[way, 1024]["seconds"] for way in ("cpu_to_fpga", "fpga_to_cpu"))
    # What goes out comes back: within a tick of the stamps over all frames.
    assert out == pytest.approx(back, rel=0.01)
    again = api.run("ulx3s/rings", where=["size=256", "size=1KiB"], out=run, reach=reach)
    assert again.known
    for wrong, why in (
        (["size=64", "fpga_mhz=75"], "the design's clock is 50 MHz"),
        (["size=6"], "in whole words"),
        (["size=32KiB"], "a frame has 4 to 16384 bytes"),
    ):
        with pytest.raises(InputError, match=why):
            api.run("ulx3s/rings", where=wrong, out=tmp_path / "no", reach=reach)


@pytest.mark.parametrize(
    ("reach", "complaint"),
    [
        (Reach(), "give --serial DEVICE alone"),
        (Reach(serial="/dev/null", at="me@board"), "give --serial DEVICE alone"),
        (
            Reach(serial="/dev/no-such-line"),
            "cannot be opened: No such file or directory in /dev/no-such-line",
        ),
        (Reach(serial="/dev/null"), "cannot be opened: .* in /dev/null"),
    ],
)
def test_no_bridge(reach: Reach, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=complaint):
        api.run("ulx3s/rings", out=tmp_path / "run", reach=reach)
    assert not (tmp_path / "run").exists()
