# SPDX-License-Identifier: Apache-2.0
"""Zynq UltraScale+: its processor, Linux and Datra's nodes, by numbers of other platforms."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import weighbridge as wb
from tools import scan
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.platforms import load_platform

BOARD = "zynqmp-zcu102"


def node(link: str, size: int, direction: str = "fpga_to_cpu", **axes: object) -> Point:
    return Point(
        platform=BOARD,
        study="",
        direction=direction,
        size_bytes=size,
        os="linux",
        master="datra_dma",
        link=link,
        buffer="coherent",
        completion="interrupt",
        axes=tuple(sorted({"flow": "steady", **axes}.items())),  # type: ignore[arg-type]
    )


def rate(point: Point, **overrides: str) -> float:
    """MB/s."""
    changes = {name.replace("__", "."): value for name, value in overrides.items()}
    return point.size_bytes / Twin(load_platform(BOARD, changes)).predict(point).seconds / 1e6


def test_advice_on_a_stream_ranks_the_nodes_and_the_processor() -> None:
    advice = wb.advise(BOARD, size="256KiB", direction="fpga_to_cpu", stream=True)
    masters = {path.point.master for path in advice}
    assert {"datra_dma", "datra_cpu", "cpu", "fabric-test-block"} <= masters
    links = {path.point.link for path in advice if path.point.master == "datra_dma"}
    assert links == {"HP", "HPC", "ACP"}


@pytest.mark.parametrize("board", ["zynqmp-ultra96", "zynqmp-ultra96v2", BOARD])
def test_every_number_names_its_source(board: str) -> None:
    platform = load_platform(board)
    known = re.compile(
        r"(guide|register|data|fitted|elsewhere|assumed)[ :,;]|assumed$|guide$|register$"
        r"|part of|hits are part of|default$"
    )
    for name, part in platform.components.items():
        for field, quantity in part.numbers.items():
            assert known.match(quantity.source), f"{name}.{field}: {quantity.source}"
    for costs in platform.file.software.values():
        assert all(cost.source.startswith("elsewhere: ") for cost in costs.values())


def test_lines_that_acp_lacks_cost_more_and_hp_never_looks() -> None:
    inside, outside = (rate(node("ACP", size, "cpu_to_fpga")) for size in (1 << 16, 1 << 21))
    assert inside > 2 * outside
    inside, outside = (rate(node("HP", size, "cpu_to_fpga")) for size in (1 << 16, 1 << 21))
    assert outside > 0.9 * inside


def test_what_hpc_writes_is_not_in_the_caches_afterwards() -> None:
    acp, hpc = (rate(node(link, 1 << 16, consume="cpu_stream")) for link in ("ACP", "HPC"))
    assert acp > hpc


def test_half_the_memory_and_half_the_clock_are_felt() -> None:
    point = node("HP", 1 << 20)
    assert rate(point, ddr__width="8bit") < 0.6 * rate(point)
    assert rate(point, clock__fpga="150MHz") == pytest.approx(0.5 * rate(point), rel=0.05)


@pytest.mark.parametrize("number", [12, 17, 22, 27, 30])
def test_no_path_passes_its_ceiling(number: int) -> None:
    paths = scan.twin(BOARD).platform.paths()
    for point in scan.asked(paths[number]):
        for size in (2, 96, 20_000):
            answer = scan.answered(replace(point, size_bytes=size))
            assert answer is None or not list(scan.forbidden(answer))
