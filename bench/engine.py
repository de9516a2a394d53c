# SPDX-License-Identifier: Apache-2.0
"""What a simulated transaction costs: how many a second on one core, and instructions for each.

usage: python bench/engine.py [--short]

The system is the Cyclone V of its platform file: what the engine asks for is there. Seconds are of
processor time. Valgrind counts the instructions, so a busy machine changes none; the difference of
two lengths leaves out start-up and wiring. With --short, few transactions.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from weighbridge.backends import DEFAULT_SEED
from weighbridge.backends.description_file import description_file
from weighbridge.backends.twin.hardware import Hardware, bytes_of
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "tests"
POINT = ("os=linux", "master=pl330", "link=HF128", "route=sdramc", "fpga_mhz=150")


def built() -> Path:
    """engine_bench, compiled if its sources have changed."""
    cmake = Path(sys.executable).parent / "cmake"
    configure: list[str | Path] = ["-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DWEIGHBRIDGE_TESTS=ON"]
    ninja = f"-DCMAKE_MAKE_PROGRAM={cmake.parent / 'ninja'}"
    subprocess.run([cmake, *configure, ninja], stdout=subprocess.DEVNULL, check=True)
    build: list[str | Path] = [cmake, "--build", BUILD, "--target", "engine_bench"]
    subprocess.run(build, stdout=subprocess.DEVNULL, check=True)
    return BUILD / "engine_bench"


def platform() -> str:
    """The Cyclone V as engine_bench reads it, by the 128-bit bridge at 150 MHz."""
    hardware = Hardware(load_platform("cyclonev"), DEFAULT_SEED)
    file = hardware.platform.file
    point = load_study("cyclonev/hps-to-fpga").points(POINT)[0]
    link = file.link[str(point.link)]
    said: dict[str, str | float] = {
        "processor": hardware.of_kind("processor"),
        "dma": str(point.master),
        "fabric": hardware.route(link.component, link.window)[-1],
        "window": link.window,
        "offset": file.route[str(point.route)].offset,
    }
    numbers = {(link.component, "width"): float(bytes_of(link.width))}
    return description_file(hardware.description(point, numbers), said)


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{Path(command[0]).name} fails: {done.stderr.strip()[-500:]}")
    return done


def rows(said: str) -> dict[str, tuple[int, float]]:
    """Transactions and seconds of each kind."""
    lines = [line.split() for line in said.splitlines()]
    return {name: (int(count), float(seconds)) for name, count, seconds in lines}


def instructions(program: Path, file: Path, count: int) -> tuple[int, int]:
    """Instructions and transactions, of both kinds together."""
    log = file.with_name("callgrind")
    tool = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={log}")
    done = run(*tool, program, file, str(count))
    collected = re.search(r"Collected : (\d+)", done.stderr)
    assert collected is not None, done.stderr
    return int(collected[1]), sum(number for number, _ in rows(done.stdout).values())


def main() -> None:
    short = sys.argv[1:] == ["--short"]
    program = built()
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "platform"
        file.write_text(platform())
        said = rows(run(program, file, str(500_000 if short else 20_000_000)).stdout)
        for name, (count, seconds) in said.items():
            rate = count / max(seconds, 1e-6) / 1e6
            print(f"{name:17} {rate:8.1f} million transactions/s, one core", flush=True)
        few, more = (
            instructions(program, file, count)
            for count in ((50_000, 100_000) if short else (100_000, 400_000))
        )
        each = (more[0] - few[0]) / (more[1] - few[1])
        print(f"{'engine':17} {each:8.1f} instructions per transaction")


if __name__ == "__main__":
    main()
