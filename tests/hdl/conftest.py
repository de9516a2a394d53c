# SPDX-License-Identifier: Apache-2.0
"""Builds a module of the logic with Verilator and runs a bench of cocotb on it."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import pytest

from weighbridge.backends.rtl import verilator as tool

root = Path(__file__).parents[2]
warnings = ["-Wall", *(f"-Wno-{name}" for name in tool.WAIVED)]
#: Where each run leaves the lines that it went through: tools/logic/coverage.py asks for it.
coverage = os.environ.get("WEIGHBRIDGE_COVERAGE")
a_day = 86_400
optimise = ["OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1"]

Simulate = Callable[..., None]


def rtl() -> list[Path]:
    """All modules of the logic, of its benches, and its flat wrappers."""
    kinds = ("rtl/*.sv", "tb/*.sv", "ip/*.v")
    modules = sorted(path for kind in kinds for path in root.glob(f"hdl/*/{kind}"))
    return [*sorted(root.glob("hdl/registers/*.sv")), *modules]


def run(arguments: list[str | Path], directory: Path) -> None:
    done = subprocess.run(
        arguments, cwd=directory, env=tool.environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def build(top: str, parameters: Mapping[str, int | str], sources: list[Path]) -> Path:
    """The directory of the simulator for `top`; built if no build of the same inputs is there.

    Not by cocotb's own runner: it makes every signal visible to the bench, where ports suffice, and
    compiles Verilator's own sources anew each time.
    """
    from cocotb_tools import config

    versions = {name: metadata.version(name) for name in ("verilator", "cocotb")}
    builds = root / "build" / ("coverage" if coverage else "hdl")
    runtime = builds / "runtime-{verilator}-{cocotb}".format(**versions)
    variant = hashlib.sha256(repr(sorted(parameters.items())).encode()).hexdigest()[:8]
    counted = ["--coverage-line"] if coverage else []
    digest = hashlib.sha256(repr((warnings, optimise, versions, counted)).encode())
    for source in sources:
        digest.update(source.name.encode() + source.read_bytes())
    directory = builds / f"{top}-{variant}-{digest.hexdigest()[:16]}"
    stamp = directory / "built"
    libraries = config.libs_dir
    builds.mkdir(parents=True, exist_ok=True)
    with (builds / f"{top}-{variant}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        if stamp.exists():
            return directory
        for stale in builds.glob(f"{top}-{variant}-*"):
            if time.time() - stale.stat().st_mtime > a_day:  # nobody runs it any more
                shutil.rmtree(stale)
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        run(
            [
                tool.command(),
                *("--cc", "--exe", "--vpi", "--public-depth", "1", "--assert"),
                *("--prefix", "Vtop", "--top-module", top, "-o", top, "-Mdir", directory),
                *("-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"),
                *warnings,
                *counted,
                *(f"-G{name}={value}" for name, value in parameters.items()),
                config.share_dir / "lib" / "verilator" / "verilator.cpp",
                *sources,
            ],
            directory,
        )
        # Verilator's own objects are the same in every build, and most of the work of a small one.
        for file in runtime.glob("verilated*"):
            shutil.copy(file, directory)
        run(["make", "-f", "Vtop.mk", *optimise], directory)
        for file in directory.glob("verilated*.[od]"):
            _keep(file, runtime)
        stamp.touch()
    return directory


def _keep(file: Path, runtime: Path) -> None:
    """A copy in `runtime`, whole as soon as it is there: another build may be reading."""
    if (runtime / file.name).exists():
        return
    runtime.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=runtime) as scratch:
        shutil.copy(file, scratch)
        (Path(scratch) / file.name).replace(runtime / file.name)


@pytest.fixture(scope="session")
def verilator() -> tuple[Path, list[str]]:
    """The command, and the warnings that the logic is free of."""
    return tool.command(), warnings


@pytest.fixture
def simulate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Simulate:
    """Runs the bench `hdl/<subject>/tb/<bench>.py` on module `top`; every test in it must pass."""

    def simulate(
        top: str,
        bench: str,
        /,
        seed: int = 1,
        sources: list[Path] | None = None,
        plusargs: Sequence[str] = (),
        **parameters: int | str,
    ) -> None:
        pytest.importorskip("cocotb_tools")
        from cocotb_tools.runner import get_runner

        for path in root.glob("hdl/*/tb"):
            monkeypatch.syspath_prepend(path)  # the runner hands it on to the simulator's Python
        log, xml = tmp_path / "log", tmp_path / "results.xml"
        directory = build(top, parameters, sources or rtl())
        with contextlib.suppress(SystemExit):  # of a run without results
            get_runner("verilator").test(
                hdl_toplevel=top,
                hdl_toplevel_lang="verilog",
                test_module=bench,
                build_dir=directory,
                test_dir=tmp_path,
                results_xml=str(xml),
                seed=seed,
                plusargs=list(plusargs),
                log_file=log,
                # cocotbext-axi uses what cocotb 2 deprecates.
                extra_env={"COCOTB_LOG_LEVEL": "WARNING", "PYTHONWARNINGS": "ignore"},
            )
        if coverage and (tmp_path / "coverage.dat").exists():
            shutil.copy(tmp_path / "coverage.dat", Path(coverage) / f"{tmp_path.name}.dat")
        cases = ElementTree.parse(xml).getroot().findall(".//testcase") if xml.exists() else []
        failed = [case.get("name") for case in cases if case.find("failure") is not None]
        assert cases, log.read_text()[-4000:]
        assert not failed, f"{failed}\n{log.read_text()[-6000:]}"

    return simulate
