# SPDX-License-Identifier: Apache-2.0
"""From a study to a board's table: the program of the plan, the serial line, the log.

The board is the emulated one: at the other end of the line each point of the plan is measured by
the program itself, executed to its last instruction.
"""

from __future__ import annotations

import os
import pty
import threading
import tty
from pathlib import Path

import pytest

from tools import board_program
from weighbridge.backends.elf.machine import described, run
from weighbridge.backends.twin.hardware import Hardware
from weighbridge.cli import main
from weighbridge.dataset.schema import Point

STUDY = "cyclonev/hps-to-fpga"
WHERE = ["link=HF32", "fpga_mhz=100", "size=64B", "cache_level=9", "direction=cpu_to_fpga"]
ASKED = [STUDY, *(word for one in WHERE for word in ("--where", one))]


@pytest.fixture
def line(tmp_path: Path) -> str:
    """The device of a serial line at whose other end the program measures; and its noise."""
    elf, points = board_program.planned(STUDY, WHERE)
    hardware = Hardware(elf.platform, 0)
    ours, theirs = pty.openpty()
    tty.setraw(theirs)

    def answer(point: Point, asked: str) -> bytes:
        return run(elf.program(), described(hardware, point), f"{asked}\nend\n").output.encode()

    def board() -> None:
        with os.fdopen(ours, "rb", buffering=0) as read:
            waiting = b""
            number = 0
            while number <= len(points):
                waiting += read.read(4096)
                while b"\n" in waiting:
                    asked, _, waiting = waiting.partition(b"\n")
                    number += 1
                    if number == 1:
                        os.write(ours, b"## Starting application at 0x00100000 ...\r\n")
                    if number <= len(points):
                        os.write(ours, answer(points[number], asked.decode()))
                    else:
                        os.write(ours, b'{"type":"end","points":3}\r\n')
            threading.Event().wait(0.5)

    threading.Thread(target=board, daemon=True).start()
    return os.ttyname(theirs)


def test_a_board_at_a_serial_line_fills_a_table(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_program, "PATIENCE", 20.0)
    table = tmp_path / "board.csv"
    assert board_program.main([*ASKED, "-o", str(table), "--serial", line]) == 0
    capsys.readouterr()
    assert "Starting" in table.with_suffix(".log").read_text()
    # The same program by itself.
    executed = str(tmp_path / "executed")
    where = [word for one in [*WHERE, "os=baremetal"] for word in ("--where", one)]
    assert main(["run", STUDY, "--backend", "elf", *where, "-o", executed]) == 0
    assert main(["compare", str(table), executed, "--json"]) == 0
    # A log that was kept gives the same table again.
    again = tmp_path / "again.csv"
    asked = [*ASKED, "-o", str(again), "--log", str(table.with_suffix(".log"))]
    assert board_program.main(asked) == 0
    assert again.read_bytes() == table.read_bytes()


def test_what_a_log_lacks_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    log.write_text(
        '{"type":"sample","id":1,"block":0,"ns":400,"count":1,"bytes":64}\n'
        '{"type":"point","id":1,"outcome":"ok","message":""}\n'
        '{"type":"sample","id":2,"ns":"x"}\n[1]\n{"type":"point","id":2,"outcome":"timeout"}\n'
    )
    table = tmp_path / "board.csv"
    assert board_program.main([*ASKED, "-o", str(table), "--log", str(log)]) == 2
    said = capsys.readouterr()
    assert "point 2: timeout" in said.err
    assert "point 3: the log says no end of it" in said.err
    assert f"{table}: 1 of " in said.out
    log.write_text("U-Boot\n")
    table.unlink()
    assert board_program.main([*ASKED, "-o", str(table), "--log", str(log)]) == 2
    assert "no point that ended well" in capsys.readouterr().err
    assert not table.exists()
    assert board_program.main([*ASKED, "-o", str(table), "--serial", "/dev/nothing"]) == 2
    assert "/dev/nothing" in capsys.readouterr().err
