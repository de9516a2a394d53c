# SPDX-License-Identifier: Apache-2.0
"""Runs of the machine itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def _children() -> set[str]:
    done = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "/weighbridge/probe-" in line}


def test_ctrl_c_leaves_a_run_to_take_up_and_no_process(
    program: list[str], weighbridge: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    command = ("run", "host/copy", "--where", "load=idle", "--where", "size=4KiB", "--seconds", "1")
    before = _children()
    with subprocess.Popen(
        [*program, *command, "-o", "run"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 60
        while not _children() - before:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.read().endswith("weighbridge: interrupted\n")
    assert process.returncode == 130
    assert not _children() - before
    status, out, _ = weighbridge(*command, "-o", "run")
    assert (status, out.splitlines()[0][:22]) == (0, "run: 4 points answered")
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert manifest["survey"]["processor"]["cpus"] >= 1
    assert manifest["timer"]["resolution_ns"] > 0
