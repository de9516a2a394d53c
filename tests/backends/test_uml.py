# SPDX-License-Identifier: Apache-2.0
"""The backend of the Linux stack, as far as it boots no guest: what it asks and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from weighbridge.backends import Unanswered
from weighbridge.backends.uml import Uml, guest, machine
from weighbridge.cli import main
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform
from weighbridge.platforms.changing import independent
from weighbridge.studies import load_study

#: Arguments of the program, the device's --memory file, parameters of the kernel, of the logic.
Asked = list[tuple[tuple[str, ...], str, dict[str, object], dict[str, int]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What guests are booted with; each takes 1 us for a block."""
    asked: Asked = []

    def run(*given: object) -> guest.Run:
        asked.append((*given[:3], given[5]))  # type: ignore[arg-type]
        said = "# ns 16000 blocks 16 counted 20.000 reads 60 writes 40 interrupts 20\r\n"
        return guest.Run(said, {"cycles": 5000, "skipped": 3000})

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
    assert [answer.simulated_cycles for answer in answers] == [2000, 0]
    # Of 20 rounds of a block each way.
    assert (answers[0].register_accesses, answers[0].interrupts) == (2.5, 0.5)
    assert answers[0].ceiling_seconds == pytest.approx(4096 / 600e6)  # 8 B at 75 MHz
    ((program, memory, boot, logic),) = asked
    assert program == ("blocks", "coherent", "duplex", "4096", "2", "16")
    assert "said port hp" in memory.splitlines()
    assert boot["guest_costs.noncoherent"] == 1
    # A call and its work, as the Cyclone V's study has it; the way over GP0 at 75 MHz.
    assert boot["guest_costs.syscall"] == round(551.9 * 800 / 666.6667)
    # A write of 20 ns to a register, and the 42 ns in which the L2 answers.
    assert {"said clean 62.0", "said invalidate 62.0"} <= set(memory.splitlines())
    assert boot["guest_costs.interrupt"] == 9000
    assert 100 < int(str(boot["virt_pci.read_ns"])) < 250
    # The nodes' clock is their own, and their register tells it.
    assert "said nodes nodes" in memory.splitlines()
    assert logic == {"ASYNC": 1, "CLOCK_HZ": 150_000_000}


def test_costs_from_elsewhere_are_what_is_there() -> None:
    fitted, there = load_platform("zynq7000"), load_platform("cyclonev")
    here = independent(fitted)
    slower = there.clock_mhz("mpu") / here.clock_mhz("mpu")
    call = there.file.software["linux"]["fabric_call"].value
    costs = here.file.software["linux"]
    assert 2 * costs["stream_call"].value == pytest.approx(call * slower, rel=1e-3)
    parts = here.components
    line = parts["cpu"].base_value("ordered_write") + parts["l2"].base_value("latency")
    assert costs["stream_clean"].value == costs["stream_invalidate"].value == line
    port, other = parts["scu"], there.components["acp"]
    for field in ("read_overlap", "write_memory"):
        assert port.base_value(field) == pytest.approx(other.base_value(field) * slower, rel=1e-3)
    # A line of 32 B each way.
    assert 2 * 32 / port.base_value("read_outer") == pytest.approx(1.6)
    # What has no other source is as it is, and so is what is set by hand.
    assert costs["stream_interrupt"] == fitted.file.software["linux"]["stream_interrupt"]
    changed = independent(load_platform("zynq7000", {"linux.stream_call": "1us"}))
    assert changed.file.software["linux"]["stream_call"].value == pytest.approx(1000)


def test_nodes_may_be_slower_than_the_bus(asked: Asked) -> None:
    uml = Uml(load_platform("zynq7000", {"clock.nodes": "50 MHz"}))
    answer = uml.predict(points("datra-dma", "link=HP", "size_bytes=4096")[0])
    assert answer.ceiling_seconds == pytest.approx(4096 / 200e6)
    assert asked[0][3]["CLOCK_HZ"] == 50_000_000


def test_costs_are_the_platforms(asked: Asked) -> None:
    changed = {"linux.stream_interrupt": "5us", "linux.stream_clean": "1ns", "hp.latency": "99ns"}
    changed["datra_dma.width"] = "32bit"
    uml = Uml(load_platform("zynq7000", changed))
    uml.predict(points("datra-dma", "link=ACP", "buffer=streaming")[0])
    ((_, memory, boot, _),) = asked
    lines = memory.splitlines()
    assert boot["guest_costs.interrupt"] == 5000
    assert boot["guest_costs.noncoherent"] == 0
    assert "said clean 1.0" in lines
    assert lines[lines.index("component hp buffered_port logic") :].index("number latency 99.0") < 9
    # The logic's bus is none of the platform's.
    assert lines[lines.index("component datra_dma descriptor_dma logic") :].index(
        "number width 8.0"
    )
    costs = uml.facts()["guest"]
    assert isinstance(costs, dict)
    assert {"charged", "parameter", "value", "unit", "source"} == set(costs["costs"][0])


def test_a_ring_goes_both_ways_and_a_fifo_is_waited_for(asked: Asked) -> None:
    uml = Uml(load_platform("zynq7000"))
    uml.predict(points("datra-ring", "size_bytes=4096", "traffic=duplex")[0])
    uml.predict(points("datra-cpu", "size_bytes=4", "completion=interrupt")[0])
    assert [program for program, *_ in asked] == [
        ("ring", "duplex", "4096", "256"),
        ("words", "to", "4", "16", "wait"),
    ]


def test_what_the_program_does_not_do_is_not_answered(asked: Asked) -> None:
    uml = Uml(load_platform("zynq7000"))
    ring = points("datra-ring")[0]
    with pytest.raises(Unanswered, match="waits for its ring"):
        uml.predict(replace(ring, completion="poll"))
    with pytest.raises(Unanswered, match="uml"):
        uml.predict(points("ps-to-pl")[0])
    assert not asked


def test_what_is_missing_is_said_on_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "BUSYBOX", tmp_path / "none")
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
    monkeypatch.setattr(
        guest, "run", lambda *_: guest.Run("stream: no\n", {"cycles": 1, "skipped": 0})
    )
    with pytest.raises(InputError, match="told no time"):
        Uml(load_platform("zynq7000")).predict(points("datra-dma")[0])
