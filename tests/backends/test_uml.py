# SPDX-License-Identifier: Apache-2.0
"""The backend of the Linux stack, as far as it boots no guest: what it asks and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from weighbridge.backends import Unanswered
from weighbridge.backends.uml import Uml, guest
from weighbridge.cli import main
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform
from weighbridge.studies import load_study

#: Arguments of the program, the device's --memory file, parameters of the kernel.
Asked = list[tuple[tuple[str, ...], str, dict[str, object]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What guests are booted with; each takes 1 us for a block."""
    asked: Asked = []

    def run(*given: object) -> guest.Run:
        asked.append(given[:3])  # type: ignore[arg-type]
        return guest.Run("# ns 16000 blocks 16 counted 20 reads 60 writes 40 interrupts 20\r\n", {})

    monkeypatch.setattr(guest, "check", lambda: None)
    monkeypatch.setattr(guest, "run", run)
    return asked


def points(study: str, *where: str) -> list[Point]:
    return load_study(f"zynq7000/{study}").points(where)


def test_both_directions_are_one_run(asked: Asked) -> None:
    uml = Uml(load_platform("zynq7000"))
    some = points("datra-dma", "link=HP", "size_bytes=4096", "buffer=coherent")
    answers = [uml.predict(point) for point in some]
    assert [round(answer.seconds * 1e9) for answer in answers] == [1000, 1000]
    # Of 20 rounds of a block each way.
    assert (answers[0].register_accesses, answers[0].interrupts) == (2.5, 0.5)
    assert answers[0].ceiling_seconds == pytest.approx(4096 / 300e6)  # 4 B at 75 MHz
    ((program, memory, boot),) = asked
    assert program == ("blocks", "coherent", "duplex", "4096", "2", "16")
    assert "port hp" in memory.splitlines()
    assert boot["guest_costs.noncoherent"] == 1
    # A call and its work; the processor's way over GP0 at 75 MHz.
    assert boot["guest_costs.syscall"] == 600
    assert boot["guest_costs.interrupt"] == 9000
    assert 100 < int(str(boot["virt_pci.read_ns"])) < 250


def test_costs_are_the_platforms(asked: Asked) -> None:
    changed = {"linux.stream_interrupt": "5us", "linux.stream_clean": "1ns", "hp.latency": "99ns"}
    changed["datra_dma.width"] = "32bit"
    uml = Uml(load_platform("zynq7000", changed))
    uml.predict(points("datra-dma", "link=ACP", "buffer=streaming")[0])
    ((_, memory, boot),) = asked
    lines = memory.splitlines()
    assert boot["guest_costs.interrupt"] == 5000
    assert boot["guest_costs.noncoherent"] == 0
    assert "clean 1.0" in lines
    assert lines[lines.index("component hp buffered_port logic") :].index("number latency 99.0") < 9
    # The logic's bus is none of the platform's.
    assert lines[lines.index("component datra_dma descriptor_dma logic") :].index(
        "number width 8.0"
    )
    costs = uml.facts()["guest"]
    assert isinstance(costs, dict)
    assert {"charged", "parameter", "value", "unit", "source"} == set(costs["costs"][0])


def test_what_the_program_does_not_do_is_not_answered(asked: Asked) -> None:
    uml = Uml(load_platform("zynq7000"))
    with pytest.raises(Unanswered, match="finds its FIFO ready"):
        uml.predict(points("datra-cpu", "completion=interrupt")[0])
    with pytest.raises(Unanswered, match="uml"):
        uml.predict(points("ps-to-pl")[0])
    assert not asked


def test_what_is_missing_is_said_on_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guest, "_BUSYBOX", tmp_path / "none")
    monkeypatch.setattr(guest, "_stack", lambda: Path(__file__).parents[2] / "stack")
    out = tmp_path / "run"
    # A seed of its own: a backend that was opened before is not opened again.
    given = ["--backend", "uml", "--seed", "77", "-o", str(out)]
    assert main(["run", "zynq7000/datra-dma", *given]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "busybox-static" in said
    assert not out.exists()


def test_a_guest_that_fails_is_no_traceback(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "run", lambda *_: guest.Run("stream: blocks: no\n", {}))
    with pytest.raises(InputError, match="told no time"):
        Uml(load_platform("zynq7000")).predict(points("datra-dma")[0])
