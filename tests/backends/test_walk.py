# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from weighbridge.backends.walk import WORTH_A_PROCESS, Question, answers
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.studies import load_study

TWIN = Question("twin")


def test_processes_change_nothing_but_the_time() -> None:
    points = dict(enumerate(load_study("cyclonev/cache-levels").points()))
    assert len(points) > WORTH_A_PROCESS
    alone = [pair for chunk in answers(points, TWIN, 1) for pair in chunk]
    shared = [pair for chunk in answers(points, TWIN, 2) for pair in chunk]
    assert sorted(shared, key=lambda pair: pair[0]) == alone
    assert [number for number, _ in alone] == list(points)


def test_a_point_without_answer_has_a_reason() -> None:
    point = Point("cyclonev", "s", "cpu_to_fpga", 64, os="linux", master="cpu", link="HF999")
    ((answer,),) = answers({7: point}, TWIN, 1)
    assert answer[0] == 7
    assert isinstance(answer[1], str)
    assert answer[1]


def test_whom_to_ask_must_exist() -> None:
    point = Point("cyclonev", "s", "cpu_to_fpga", 64)
    with pytest.raises(InputError, match="unknown backend 'oracle'"):
        list(answers({0: point}, Question("oracle"), 1))
    with pytest.raises(InputError, match="unknown platform 'nowhere'"):
        list(answers({0: Point("nowhere", "s", "cpu_to_fpga", 64)}, TWIN, 1))


INTERRUPTED = """
import os, signal, sys, threading, time
from multiprocessing.process import BaseProcess
from weighbridge.backends.walk import workers

begin = BaseProcess.start

def start(self):
    begin(self)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.2)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # As a progress bar's thread does, this one takes signals that the first blocks.
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    BaseProcess.start = start
    try:
        with workers(2) as submit:
            submit(pow, 2, 3)
            submit(pow, 2, 3)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def test_ctrl_c_while_a_process_starts_ends_them_all(tmp_path: Path) -> None:
    """Such a process is still the pool's: it is told to stop, and nobody waits for ever."""
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED)
    done = subprocess.run([sys.executable, script], timeout=60, check=False)
    assert done.returncode == 130
