# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from weighbridge.advice.paths import point_of
from weighbridge.advice.reasons import bound, hops_in_order, program
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform


@pytest.fixture(scope="module")
def twin() -> Twin:
    return Twin(load_platform("cyclonev"))


def asked(twin: Twin, words: str, size: int) -> Point:
    return point_of(twin.platform, words.split(), size)


def test_bytes_go_through_the_components_in_order(twin: Twin) -> None:
    point = asked(twin, "master=pl330 route=acp link=LW32", 4096)
    assert twin.path(point) == ["sdram", "l2", "acp", "l3", "l4", "lw", "fabric"]
    back = asked(twin, "master=cpu direction=fpga_to_cpu", 4096)
    assert twin.path(back) == ["fabric", "hf", "l3", "l1", "l2", "sdram"]


def test_hops_are_in_order_phase_by_phase(twin: Twin) -> None:
    explanation = twin.explain(asked(twin, "master=pl330 route=sdramc", 4096))
    (copy, caches), (transfer, hops) = hops_in_order(twin, explanation)
    assert (copy.name, transfer.name) == ("user-to-kernel copy", "transfer by the PL330")
    assert {hop.name for hop in caches} <= {"l1", "l2"}
    assert [hop.name for hop in hops] == ["sdram", "l3_sdram", "l3", "hf", "fabric"]
    # What the copy does to the caches does not bound the transfer.
    assert transfer.bound not in {hop.title for hop in caches}


def test_a_slow_link_bounds_and_the_next_component_follows(twin: Twin) -> None:
    words = "os=baremetal master=pl330 route=acp link=LW32"
    explanation = twin.explain(asked(twin, words, 65536))
    found = bound(twin, explanation)
    assert found.name == explanation.bound_by
    assert found.name == twin.platform.components["l4"].title
    assert found.next_name == twin.platform.components["lw"].title
    rest = explanation.seconds - explanation.moving.seconds
    busy = next(hop.busy for hop in explanation.hops if hop.name == "lw")
    assert rest + busy <= found.seconds_without <= 1.01 * (rest + busy)


def test_software_that_bounds_can_go_entirely(twin: Twin) -> None:
    explanation = twin.explain(asked(twin, "master=pl330 route=acp prepared=false", 64))
    found = bound(twin, explanation)
    phases = {phase.name: phase.seconds for phase in explanation.phases}
    assert found.name == max(phases, key=lambda name: phases[name])
    assert found.seconds_without == pytest.approx(explanation.seconds - phases[found.name])
    assert found.next_name


def test_no_answer_gets_slower_without_its_bound(twin: Twin) -> None:
    for path in twin.platform.paths():
        for size in (2, 100, 3000, 65536):
            words = f"os={path.os} master={path.master} link={path.link}".split()
            words += [f"route={path.route}"] if path.route else []
            explanation = twin.explain(point_of(twin.platform, words, size))
            found = bound(twin, explanation)
            assert 0 <= found.seconds_without <= explanation.seconds
            assert found.seconds <= explanation.seconds * 1.000001


@pytest.mark.parametrize(("size", "loops"), [(64, 0), (4096, 1), (65536, 2), (2**20, 8)])
def test_the_program_is_the_one_that_runs(twin: Twin, size: int, loops: int) -> None:
    lines = program(twin, asked(twin, "master=pl330 route=acp", size))
    assert sum(line.startswith("DMALP ") for line in lines) == loops
    assert lines[0].startswith("DMAMOV SAR, 0x9")
    assert lines[1] == "DMAMOV DAR, 0xc0000000"
    assert lines[-1] == "DMAEND"
    back = program(twin, asked(twin, "master=pl330 route=acp direction=fpga_to_cpu", size))
    assert back[0] == "DMAMOV SAR, 0xc0000000"


def test_the_processor_has_no_program(twin: Twin) -> None:
    with pytest.raises(InputError, match="PL330"):
        program(twin, asked(twin, "master=cpu", 64))
