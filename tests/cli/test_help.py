# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import resource
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from weighbridge.cli import COMMANDS, built
from weighbridge.cli.manual import manual

Run = Callable[..., tuple[int, str, str]]
PAGE = Path(__file__).parents[2] / "docs/weighbridge.1"


def _examples(name: str) -> list[str]:
    return [line.strip() for line in (built(name).epilog or "").splitlines()[2:]]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_examples(weighbridge: Run, name: str) -> None:
    status, out, err = weighbridge(name, "--help")
    assert (status, err) == (0, "")
    assert weighbridge(name, "-h") == (0, out, "")
    assert _examples(name)
    assert all(f"  {line}\n" in out for line in _examples(name))
    assert f"  {name} " in weighbridge("-h")[1]


#: Examples that serve until they are interrupted, or take minutes: where they run.
ELSEWHERE = {
    "weighbridge explore cyclonev": "tests/explore/test_command.py",
    "weighbridge run cyclonev/sizes-drawn --cluster local:2": "tests/cluster, with fewer points",
}


@pytest.mark.parametrize(
    "line", [line for name in COMMANDS for line in _examples(name) if line not in ELSEWHERE]
)
def test_each_example_runs(weighbridge: Run, samples: Path, line: str) -> None:
    program, *arguments = shlex.split(line)
    assert program == "weighbridge"
    status, out, err = weighbridge(*arguments)
    assert (status, err) == (0, "")
    assert out


def test_the_manual_is_as_the_help_says() -> None:
    """`make manual` writes it anew."""
    assert manual() == PAGE.read_text()


def test_man_reads_the_manual() -> None:
    man = shutil.which("man")
    if man is None:
        pytest.skip("man is not installed")
    done = subprocess.run(
        [man, "--warnings", "-l", str(PAGE)],
        capture_output=True,
        text=True,
        check=True,
        env={"MANWIDTH": "100", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    assert done.stderr == ""
    for name in COMMANDS:
        assert f"weighbridge {name} " in done.stdout
        assert all(line in done.stdout for line in _examples(name))


def test_help_imports_no_more_than_it_needs(program: list[str]) -> None:
    """Measured beside an interpreter that does nothing, as seconds differ between machines."""

    def seconds(command: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(5):
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    code = "import sys; from weighbridge.cli import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([*program[:2], code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    heavy = {"rich", "numpy", "duckdb", "pydantic", "weighbridge._engine", "weighbridge.platforms"}
    assert not heavy & set(loaded)
    assert not {f"weighbridge.cli.{name}" for name in COMMANDS} & set(loaded)
    assert seconds([*program, "--help"]) < 12 * seconds([program[0], "-c", "pass"])
