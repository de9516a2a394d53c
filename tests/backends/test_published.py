# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import weighbridge as package
from weighbridge.backends import Unanswered, open_backend
from weighbridge.dataset.published import published_rows
from weighbridge.dataset.runs import RESULTS
from weighbridge.dataset.table import point_of
from weighbridge.errors import InputError

QUESTIONS = (
    ("run", "cyclonev/cache-levels", "--where", "os=linux", "-o", "run"),
    ("run", "zynq7000/ps-to-pl", "--where", "master=pl330", "-o", "other"),
    ("advise", "cyclonev", "--size", "4KiB", "--direction", "cpu_to_fpga", "--json"),
)


def test_a_point_is_answered_as_it_was_published() -> None:
    backend = open_backend("published", "zynq7000", {}, 0)
    row = next(row for row in published_rows(["zynq7000"]) if row["quality"] == "timer-floor")
    answer = backend.predict(point_of(row))
    assert (answer.seconds, answer.quality) == (row["seconds"], "timer-floor")
    assert (answer.backend, answer.statistic, answer.board) == ("published", "mean", "1")
    assert answer.n is None
    assert "University of Vigo" in str(backend.facts())
    with pytest.raises(Unanswered, match="no measurement"):
        backend.predict(replace(point_of(row), size_bytes=3))


def test_what_is_published_has_no_parameters() -> None:
    with pytest.raises(InputError, match="no parameters to set"):
        open_backend("published", "cyclonev", {"sdram.clock": "533MHz"}, 0)
    with pytest.raises(InputError, match="nothing is published of platform 'pcie'"):
        open_backend("published", "pcie", {}, 0)


def test_the_twin_never_reads_what_is_published(tmp_path: Path) -> None:
    """The same bytes from a package without the measurements."""
    here = Path(package.__file__).parent
    bare = tmp_path / "bare" / "weighbridge"
    shutil.copytree(here, bare, ignore=shutil.ignore_patterns("*.parquet", "logic", "__pycache__"))
    answers = []
    for folder in (here.parent, bare.parent):
        place = tmp_path / f"answers-{len(answers)}"
        place.mkdir()
        environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        code = "import weighbridge, sys; from weighbridge.cli import main; "
        code += "print(weighbridge.__file__, file=sys.stderr); sys.exit(main())"
        said = [
            subprocess.run(
                [sys.executable, "-c", code, *question],
                cwd=place,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            for question in QUESTIONS
        ]
        assert {one.stderr for one in said} == {f"{folder}/weighbridge/__init__.py\n"}
        tables = [(place / name / RESULTS).read_bytes() for name in ("run", "other")]
        answers.append((said[-1].stdout, *tables))
    assert not list(bare.rglob("*.parquet"))
    assert answers[0] == answers[1]
