# SPDX-License-Identifier: Apache-2.0
"""The twin does what physics does: the platform file is edited and the answers follow."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weighbridge import platforms
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

KIB = 1024
DIRECTIONS = ("cpu_to_fpga", "fpga_to_cpu")
PLATFORM = load_platform("cyclonev")
TWIN = Twin(PLATFORM)
PATHS = PLATFORM.paths()


def seconds(twin: Twin, point: Point, **changes: object) -> float:
    return twin.predict(replace(point, **changes)).seconds  # type: ignore[arg-type]


def only(**key: object) -> Point:
    """The one path with these key columns."""
    (point,) = [p for p in PATHS if all(getattr(p, k) == v for k, v in key.items())]
    return point


BARE_ACP = only(os="baremetal", master="pl330", link="HF128", route="acp", prepared=True)
LINUX_CPU = only(os="linux", master="cpu", link="HF128")
BARE_CPU = only(os="baremetal", master="cpu", link="HF128", cache_level=9)
FABRIC = next(path for path in PATHS if (path.os, path.master) == ("baremetal", "fpga_dmac"))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("mhz", [50, 100, 150])
@pytest.mark.parametrize(
    ("below", "size", "above"),
    [
        (16, 24, 32),
        (64, 100, 128),
        (2 * KIB, 3000, 4 * KIB),
        (64 * KIB, 96 * KIB, 128 * KIB),
        (512 * KIB, 700 * KIB, 1024 * KIB),
    ],
)
def test_sizes_off_the_grid_lie_between_their_neighbours(
    direction: str, mhz: float, below: int, size: int, above: int
) -> None:
    for path in PATHS:
        point = replace(path, direction=direction, fpga_mhz=mhz)
        times = [seconds(TWIN, point, size_bytes=bytes) for bytes in (below, size, above)]
        assert times == sorted(times), point


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_clocks_off_the_grid_lie_between_their_neighbours(direction: str) -> None:
    for path, size in product(PATHS, (8, 64, KIB, 64 * KIB)):
        point = replace(path, direction=direction, size_bytes=size)
        times = [seconds(TWIN, point, fpga_mhz=mhz) for mhz in (150, 125, 100, 75, 50)]
        # Which look sees the end of a controller in the fabric depends on the clock by itself.
        look = 0.7e-6 if path.master == "fpga_dmac" else 0
        assert all(fast <= slow + look for fast, slow in pairwise(times)), point


def test_twice_the_clocks_and_half_the_latencies_take_exactly_half_the_time() -> None:
    changes = {}
    for parameter in PLATFORM.parameters():
        if parameter.name.startswith("clock."):
            changes[parameter.name] = f"{2 * parameter.value!r} MHz"
        elif parameter.unit in ("ns", "us"):
            changes[parameter.name] = f"{parameter.value / 2!r} {parameter.unit}"
    fast = Twin(load_platform("cyclonev", changes))
    for path, direction, size in product(PATHS, DIRECTIONS, (2, 64, 3000, 64 * KIB)):
        point = replace(path, direction=direction, size_bytes=size)
        assert seconds(TWIN, point, fpga_mhz=150) == 2 * seconds(fast, point, fpga_mhz=300)


def test_a_wide_bridge_edited_narrow_behaves_as_the_narrow_one() -> None:
    edited = Twin(load_platform("cyclonev", {"HF128.width": "32 bit"}))
    for path, direction, size in product(PATHS, DIRECTIONS, (8, 128, 64 * KIB)):
        if path.link == "HF128":
            point = replace(path, direction=direction, size_bytes=size)
            assert seconds(edited, point) == seconds(TWIN, point, link="HF32")


def knee(twin: Twin) -> int:
    """The size from which on bare-metal ACP reads cost a quarter more a byte than at 64 KiB."""
    base = seconds(twin, BARE_ACP, size_bytes=64 * KIB) / (64 * KIB)
    for size in (2**i * KIB for i in range(7, 12)):
        if seconds(twin, BARE_ACP, size_bytes=size) / size > 1.25 * base:
            return size
    raise AssertionError("no knee")


def test_half_the_second_level_cache_moves_the_knee_one_octave() -> None:
    half = Twin(load_platform("cyclonev", {"l2.bytes": "256 KiB"}))
    assert knee(TWIN) == 2 * knee(half)


def test_no_poll_period_no_staircase() -> None:
    smooth = Twin(
        load_platform("cyclonev", {"baremetal.poll_work": "0 ns", "baremetal.poll_device": "0 ns"})
    )
    steps = [seconds(TWIN, BARE_ACP, size_bytes=128 * n) for n in range(1, 33)]
    slope = [seconds(smooth, BARE_ACP, size_bytes=128 * n) for n in range(1, 33)]
    jumps = [b - a for a, b in pairwise(steps)]
    even = [b - a for a, b in pairwise(slope)]
    assert max(jumps) > 2 * min(jumps)
    assert max(even[2:]) < 1.15 * min(even[2:])


@pytest.mark.parametrize(
    ("change", "point"),
    [
        ({"sdram.clock": "533 MHz"}, replace(BARE_CPU, size_bytes=2048 * KIB)),
        ({"l3.latency": "20 ns"}, replace(LINUX_CPU, size_bytes=KIB)),
        ({"linux.system_call": "0 ns"}, only(os="linux", master="pl330", link="LW32", route="acp",
                                             prepared=True)),
        ({"acp.read_outer": "20 ns"}, replace(BARE_ACP, size_bytes=64 * KIB)),
    ],
)  # fmt: skip
def test_faster_parts_make_faster_paths(change: dict[str, str], point: Point) -> None:
    assert seconds(Twin(load_platform("cyclonev", change)), point) < seconds(TWIN, point)


def test_phases_add_up_to_the_time() -> None:
    for path, direction, size in product(PATHS, DIRECTIONS, (8, 4 * KIB, 512 * KIB)):
        explanation = TWIN.explain(replace(path, direction=direction, size_bytes=size))
        total = sum(phase.seconds for phase in explanation.phases)
        assert total == pytest.approx(explanation.seconds, rel=1e-9)
        assert explanation.ceiling_seconds > 0
        assert explanation.bound_by


def test_no_more_fitted_numbers_than_allowed_and_none_keyed_by_a_point() -> None:
    fitted = [parameter for parameter in PLATFORM.parameters() if parameter.fitted]
    assert len(fitted) <= 120
    for parameter in fitted:
        owner = parameter.name.split(".")[0]
        assert owner not in {"HF128", "HF64", "HF32"}, "one bridge, three widths"


def test_what_the_platform_lacks_is_not_answered() -> None:
    for change in (
        {"link": "HF256"},
        {"os": "windows"},
        {"master": "gpu"},
        {"cache_level": 14},
        {"platform": "zynq7000"},
        {"ports": 4},
        {"axes": (("dummy_traffic", True),)},
    ):
        with pytest.raises(Unanswered):
            seconds(TWIN, LINUX_CPU, **change)


@pytest.mark.parametrize("change", [{"size_bytes": 0}, {"size_bytes": 2**40}, {"fpga_mhz": 0.0}])
def test_impossible_points_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(InputError):
        seconds(TWIN, LINUX_CPU, **change)


@given(
    path=st.sampled_from(PATHS),
    direction=st.sampled_from(DIRECTIONS),
    size=st.integers(1, 128 * KIB),
    mhz=st.floats(1, 1000),
)
@example(path=FABRIC, direction="fpga_to_cpu", size=1, mhz=1.0)
def test_any_point_has_a_finite_answer_twice_the_same(
    path: Point, direction: str, size: int, mhz: float
) -> None:
    point = replace(path, direction=direction, size_bytes=size, fpga_mhz=mhz)
    first = TWIN.predict(point)
    assert 0 < first.seconds < 1
    assert Twin(PLATFORM).predict(point) == first


def test_a_master_that_goes_past_its_link_is_not_asked_by_it(tmp_path: Path) -> None:
    """A platform of one's own whose switch led to the memory alone ended in a traceback."""
    mine = tmp_path / "mine.toml"
    text = (Path(platforms.__file__).parent / "cyclonev.toml").read_text()
    start = text.index("[component.pl330]")
    wired = text[:start] + text[start:].replace('to = ["l3"]', 'to = ["sdram"]', 1)
    assert wired != text
    mine.write_text(wired)
    with pytest.raises(Unanswered, match="'pl330' goes past 'hf'"):
        Twin(load_platform(mine)).predict(replace(BARE_ACP, size_bytes=4096, route="sdramc"))
