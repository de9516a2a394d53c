# SPDX-License-Identifier: Apache-2.0
"""Datra's nodes on the twin: registers counted, streams asked, the platform edited."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Explanation, Phase, Twin
from weighbridge.backends.twin.driver_accesses import Accesses, block_accesses, fifo_accesses
from weighbridge.dataset.schema import Point
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

KIB = 1024
MIB = 1024 * KIB
DIRECTIONS = ("cpu_to_fpga", "fpga_to_cpu")
TWIN = Twin(load_platform("zynq7000"))


def edited(**changes: str) -> Twin:
    """The twin with parameters replaced, the first '__' of a name standing for the dot."""
    return Twin(load_platform("zynq7000", {k.replace("__", ".", 1): v for k, v in changes.items()}))


def stream(
    link: str,
    buffer: str,
    size: int,
    direction: str = "cpu_to_fpga",
    completion: str = "interrupt",
    fpga_mhz: float = 75,
    **axes: str | int,
) -> Point:
    said = {"traffic": "duplex"} | axes
    return Point(
        "zynq7000", "", direction, size, os="linux", master="datra_dma", link=link, ports=1,
        buffer=buffer, completion=completion, fpga_mhz=fpga_mhz, axes=tuple(sorted(said.items())),
    )  # fmt: skip


def words(size: int, direction: str, completion: str = "poll", fpga_mhz: float = 75) -> Point:
    return Point(
        "zynq7000", "", direction, size, os="linux", master="datra_cpu", link="GP", ports=1,
        completion=completion, fpga_mhz=fpga_mhz,
    )  # fmt: skip


def rate(twin: Twin, point: Point) -> float:
    """MB/s."""
    return point.size_bytes / twin.predict(point).seconds / 1e6


def phase(answer: Explanation, name: str) -> Phase:
    (found,) = [phase for phase in answer.phases if phase.name == name]
    return found


def occupancy(answer: Explanation) -> float:
    return sum(phase.seconds for phase in answer.phases if phase.processor) / answer.seconds


# Registers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counted", "reads", "writes"),
    [
        (fifo_accesses(1, to_fabric=True), 1, 1),
        (fifo_accesses(100, to_fabric=True), 1, 100),
        (fifo_accesses(100, to_fabric=True, waits=True), 4, 104),
        (fifo_accesses(1, to_fabric=False), 2, 0),
        (fifo_accesses(100, to_fabric=False), 101, 0),
        (fifo_accesses(100, to_fabric=False, waits=True), 104, 4),
        (block_accesses(ring=True, to_fabric=True), 3, 2),
        (block_accesses(ring=True, to_fabric=True, waits=True), 6, 5),
        (block_accesses(ring=True, to_fabric=False), 5, 2),
        (block_accesses(ring=True, to_fabric=False, waits=True), 8, 5),
        (block_accesses(ring=False, to_fabric=True), 3, 3),
        (block_accesses(ring=False, to_fabric=True, waits=True), 6, 6),
        (block_accesses(ring=False, to_fabric=False), 5, 2),
        (block_accesses(ring=False, to_fabric=False, waits=True), 8, 5),
    ],
)
def test_register_accesses_are_those_of_the_published_driver(
    counted: Accesses, reads: int, writes: int
) -> None:
    assert counted == Accesses(reads, writes)


def test_a_frame_is_about_ten_accesses_and_a_word_two() -> None:
    """As Datra's documentation puts it."""
    frames = [
        block_accesses(ring, to_fabric, waits).total
        for ring in (False, True)
        for to_fabric in (False, True)
        for waits in (False, True)
    ]
    assert min(frames) == 5
    assert max(frames) == 13
    assert 8 < sum(frames) / len(frames) < 11
    assert {fifo_accesses(1, to_fabric).total for to_fabric in (False, True)} == {2}


@given(st.integers(1, 10_000), st.integers(1, 256), st.booleans(), st.booleans())
def test_words_are_moved_once_and_looked_at_once_a_batch(
    count: int, batch: int, to_fabric: bool, waits: bool
) -> None:
    counted = fifo_accesses(count, to_fabric, waits, batch)
    looks = counted.total - count - (7 if waits else 0)
    assert (looks - 1) * batch < count <= looks * batch


# Words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_words_cost_what_their_accesses_cost(direction: str) -> None:
    cycle = 1 / 75e6
    written = phase(TWIN.explain(words(4, "cpu_to_fpga")), "copy by the processor").seconds
    read = phase(TWIN.explain(words(4, "fpga_to_cpu")), "copy by the processor").seconds
    to_fabric = direction == "cpu_to_fpga"
    for count in (1, 7, 100):
        for completion in ("poll", "interrupt"):
            answer = TWIN.explain(words(4 * count, direction, completion))
            counted = fifo_accesses(count, to_fabric, completion == "interrupt")
            accesses = [
                phase(answer, name).seconds
                for name in ("register accesses", "copy by the processor")
            ]
            expected = counted.reads * read + counted.writes * written
            assert sum(accesses) == pytest.approx(expected, abs=2 * cycle)


def test_words_never_reach_fifty_megabytes_a_second() -> None:
    """Datra's documentation: at most 50 MB/s in total."""
    for direction in DIRECTIONS:
        for mhz in (75, 150, 250):
            assert 10 < rate(TWIN, words(64 * KIB, direction, fpga_mhz=mhz)) < 50


def test_an_interrupt_is_paid_once_and_only_where_it_is_waited_for() -> None:
    for direction in DIRECTIONS:
        polled, woken = (TWIN.explain(words(256, direction, how)) for how in ("poll", "interrupt"))
        assert phase(polled, "interrupts and wake-ups").seconds == 0
        assert phase(woken, "interrupts and wake-ups").seconds == pytest.approx(9e-6)
        assert woken.seconds > polled.seconds + 9e-6
        assert not phase(woken, "wait for the FIFO").processor


@pytest.mark.parametrize(("count", "awaited"), [(4, 4), (64, 64), (1000, 128)])
def test_a_reader_is_woken_at_its_threshold(count: int, awaited: int) -> None:
    slow = edited(datra_cpu__word_cycles="1000")
    answer = slow.explain(words(4 * count, "fpga_to_cpu", "interrupt"))
    interval = 1000 / 75e6
    waits = phase(answer, "wait for the FIFO").seconds
    if count > awaited:
        # Every further wait is for as many words again, or for those that are left.
        assert waits == pytest.approx(count * interval, rel=0.02)
        soon = edited(datra_cpu__word_cycles="1000", datra_cpu__read_threshold="15")
        many = soon.explain(words(4 * count, "fpga_to_cpu", "interrupt"))
        interrupts = [phase(one, "interrupts and wake-ups").seconds for one in (answer, many)]
        assert interrupts[1] > 6 * interrupts[0]
    else:
        assert waits == pytest.approx(awaited * interval, rel=0.02)


# Streams -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("link", ["HP", "ACP"])
def test_both_directions_of_a_duplex_stream_are_equally_fast(link: str) -> None:
    for size in (4 * KIB, 256 * KIB):
        times = [TWIN.predict(stream(link, "coherent", size, way)).seconds for way in DIRECTIONS]
        assert times[0] == pytest.approx(times[1], rel=1e-3)


def test_streaming_on_hp_is_about_a_third_of_coherent() -> None:
    for size in (16 * KIB, 1 * MIB):
        rates = [rate(TWIN, stream("HP", buffer, size)) for buffer in ("streaming", "coherent")]
        assert 0.25 < rates[0] / rates[1] < 0.4


def test_without_cache_maintenance_streaming_is_coherent() -> None:
    free = edited(
        linux__stream_clean="0 ns", linux__stream_invalidate="0 ns", linux__stream_maintain="0 ns"
    )
    for size in (4 * KIB, 64 * KIB, MIB):
        for traffic in ("duplex", "one_way"):
            times = [
                free.predict(stream("HP", buffer, size, traffic=traffic)).seconds
                for buffer in ("streaming", "coherent")
            ]
            # Where a refresh falls is all that differs, and so where the window ends.
            assert times[0] == pytest.approx(times[1], rel=2e-3)


def test_twice_the_ports_width_or_clock_doubles_what_large_blocks_reach() -> None:
    point = stream("HP", "coherent", MIB)
    usual = rate(TWIN, point)
    wide = edited(HP__width="128 bit", datra_dma__width="128 bit")
    assert rate(wide, point) == pytest.approx(2 * usual, rel=0.01)
    assert rate(TWIN, replace(point, fpga_mhz=150)) == pytest.approx(2 * usual, rel=0.01)


def test_the_memory_bounds_what_a_wider_port_could_do() -> None:
    point = stream("HP", "coherent", 256 * KIB, fpga_mhz=600)
    both = 2 * rate(edited(HP__width="128 bit", datra_dma__width="128 bit"), point)
    bus = 2 * 4 * 533.3333
    assert 0.5 * bus < both < bus


def test_half_the_second_level_moves_the_knee_of_acp_an_octave() -> None:
    half = edited(l2__bytes="256 KiB", l1__bytes="16 KiB")
    for kib in (64, 128, 256, 512):
        whole = rate(TWIN, stream("ACP", "coherent", 2 * kib * KIB))
        assert rate(half, stream("ACP", "coherent", kib * KIB)) == pytest.approx(whole, rel=0.03)


def test_hp_does_not_look_into_the_caches() -> None:
    half = edited(l2__bytes="256 KiB")
    point = stream("HP", "coherent", 256 * KIB)
    assert rate(half, point) == rate(TWIN, point)


def test_only_short_blocks_show_what_software_costs() -> None:
    cheap = edited(linux__stream_interrupt="1 us")
    short, long = (stream("HP", "coherent", size) for size in (4 * KIB, MIB))
    assert rate(cheap, short) > 1.15 * rate(TWIN, short)
    assert rate(cheap, long) == pytest.approx(rate(TWIN, long), rel=1e-3)


def test_a_deeper_queue_hides_more_and_one_block_hides_nothing() -> None:
    rates = [rate(TWIN, stream("HP", "coherent", 4 * KIB, queue_depth=n)) for n in (1, 2, 4)]
    assert rates[0] < 0.8 * rates[1]
    assert rates[1] < rates[2] <= 600


def test_nodes_share_their_port() -> None:
    for link in ("HP", "ACP"):
        alone = rate(TWIN, stream(link, "coherent", 32 * KIB, traffic="one_way"))
        both = rate(TWIN, stream(link, "coherent", 32 * KIB, traffic="one_way", streams=2))
        assert both == pytest.approx(alone / 2, rel=0.08)


def test_a_polling_program_is_busy_and_takes_no_interrupt() -> None:
    asleep, polling = (
        TWIN.explain(stream("HP", "coherent", 64 * KIB, completion=how))
        for how in ("interrupt", "poll")
    )
    assert occupancy(asleep) < 0.2
    assert occupancy(polling) == pytest.approx(1)
    assert not [p for p in polling.phases if p.name == "interrupts and wake-ups" and p.seconds]


def test_cache_maintenance_keeps_the_processor_busy() -> None:
    assert occupancy(TWIN.explain(stream("HP", "streaming", MIB))) == pytest.approx(1, abs=0.01)
    assert occupancy(TWIN.explain(stream("HP", "coherent", MIB))) < 0.02


def test_bytes_of_an_uncached_block_are_read_twenty_times_as_slowly() -> None:
    """Datra's text: byte by byte, about 20 times slower than from cached memory."""
    times = [
        phase(
            TWIN.explain(
                stream(link, "coherent", 64 * KIB, "fpga_to_cpu", traffic="one_way",
                       consume="cpu_stream")
            ),
            "work on the data",
        ).seconds
        for link in ("HP", "ACP")
    ]  # fmt: skip
    assert 16 < times[0] / times[1] < 24


def test_what_the_processor_does_with_a_block_costs_by_where_its_lines_are() -> None:
    def work(link: str, buffer: str, kib: int, consume: str) -> float:
        point = stream(link, buffer, kib * KIB, "fpga_to_cpu", traffic="one_way", consume=consume)
        return phase(TWIN.explain(point), "work on the data").seconds / kib

    assert not [p for p in TWIN.explain(stream("HP", "coherent", KIB)).phases if "work" in p.name]
    # One word of a line, from the second level while the blocks fit in, from memory when they do
    # not, and always from memory where the driver has just invalidated them.
    fits, does_not = (work("ACP", "coherent", kib, "cpu_random") for kib in (64, 1024))
    assert does_not > 2 * fits
    assert work("HP", "streaming", 64, "cpu_random") > 1.5 * fits
    # In order the second level fetches the next line while this one is read.
    in_order = work("HP", "streaming", 64, "cpu_stream")
    assert in_order < 8 * work("HP", "streaming", 64, "cpu_random")


def test_a_ring_copies_and_reads_uncached_memory_slowly() -> None:
    """A public report on such a driver: read() and write() about 160 MB/s, bound by the copy."""
    from_ring = stream("HP", "ring", 64 * KIB, "fpga_to_cpu", traffic="one_way")
    answer = TWIN.explain(from_ring)
    assert answer.bound_by == "processor (kernel-to-user copy)"
    assert 100 < rate(TWIN, from_ring) < 250
    assert rate(TWIN, replace(from_ring, link="ACP")) > 2 * rate(TWIN, from_ring)


def test_more_than_a_block_may_hold_goes_in_several() -> None:
    point = stream("HP", "coherent", 4 * MIB)
    once = TWIN.predict(point).seconds
    assert TWIN.predict(replace(point, size_bytes=16 * MIB)).seconds == pytest.approx(4 * once)
    ring = stream("HP", "ring", 64 * KIB, traffic="one_way")
    twice = replace(ring, size_bytes=128 * KIB)
    assert rate(TWIN, twice) == pytest.approx(rate(TWIN, ring), rel=0.05)


def test_large_blocks_are_faster_with_a_faster_clock_and_take_longer_when_larger() -> None:
    """Short ones need not be: a program that is ahead sleeps, and pays for each waking."""
    for link in ("HP", "ACP"):
        for buffer in ("coherent", "streaming"):
            point = stream(link, buffer, 64 * KIB)
            times = [TWIN.predict(replace(point, fpga_mhz=mhz)).seconds for mhz in (150, 110, 75)]
            assert times == sorted(times)
            sizes = (16 * KIB, 20_000, 32 * KIB, 100_000, 128 * KIB, 700_000, MIB)
            times = [TWIN.predict(replace(point, size_bytes=size)).seconds for size in sizes]
            assert times == sorted(times)


def test_twice_the_clocks_and_half_the_latencies_take_half_the_time() -> None:
    changes = {}
    for parameter in TWIN.platform.parameters():
        if parameter.name.startswith("clock."):
            changes[parameter.name] = f"{2 * parameter.value!r} MHz"
        elif parameter.unit in ("ns", "us"):
            changes[parameter.name] = f"{parameter.value / 2!r} {parameter.unit}"
    fast = Twin(load_platform("zynq7000", changes))
    points = [
        stream("HP", "streaming", 16 * KIB),
        stream("ACP", "coherent", 64 * KIB, consume="cpu_random"),
        stream("HP", "ring", 16 * KIB, traffic="one_way"),
        words(256, "fpga_to_cpu", "interrupt"),
    ]
    for point in points:
        slow, quick = TWIN.predict(point), fast.predict(replace(point, fpga_mhz=150))
        assert slow.seconds == pytest.approx(2 * quick.seconds, rel=1e-9)


@settings(max_examples=25)
@given(
    st.sampled_from(["HP", "ACP"]),
    st.sampled_from(["coherent", "streaming", "ring"]),
    st.sampled_from(DIRECTIONS),
    st.sampled_from(["interrupt", "poll"]),
    st.integers(1, 100_000),
    st.sampled_from(["none", "cpu_stream", "cpu_random"]),
)
@example("ACP", "ring", "fpga_to_cpu", "interrupt", 30313, "cpu_random")
def test_no_stream_beats_its_ceiling_and_its_phases_are_all_of_it(
    link: str, buffer: str, direction: str, completion: str, size: int, consume: str
) -> None:
    answer = TWIN.explain(
        stream(link, buffer, size, direction, completion, traffic="one_way", consume=consume)
    )
    # What is measured begins and ends between calls, and the node may then be some bursts ahead.
    assert answer.seconds >= 0.995 * answer.ceiling_seconds
    assert sum(phase.seconds for phase in answer.phases) == pytest.approx(answer.seconds, rel=1e-6)


@pytest.mark.parametrize(
    ("axes", "refusal"),
    [
        ({"consume": "maybe"}, InputError),
        ({"traffic": "both"}, InputError),
        ({"queue_depth": 9}, InputError),
        ({"queue_depth": 0}, InputError),
        ({"streams": 0}, InputError),
        ({"load": "stream"}, Unanswered),
    ],
)
def test_what_no_stream_can_be_asked(axes: dict[str, str | int], refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        TWIN.predict(stream("HP", "coherent", KIB, **axes))


def test_links_that_lead_elsewhere_are_not_answered() -> None:
    strange = [
        replace(stream("HP", "coherent", KIB), link="GP"),
        replace(stream("HP", "coherent", KIB), buffer="user"),
        replace(words(4, "cpu_to_fpga"), link="HP"),
        Point("zynq7000", "", "cpu_to_fpga", 64, os="linux", master="cpu", copy="memcpy", link="HP",
              cache_level=9, buffer="user", fpga_mhz=75),
    ]  # fmt: skip
    for point in strange:
        with pytest.raises(Unanswered):
            TWIN.predict(point)


def test_programs_say_when_the_processor_waits() -> None:
    copied, moved = (
        next(p for p in TWIN.platform.paths() if (p.os, p.master) == ("linux", master))
        for master in ("cpu", "pl330")
    )
    assert occupancy(TWIN.explain(replace(copied, size_bytes=KIB))) == pytest.approx(1)
    answer = TWIN.explain(replace(moved, size_bytes=KIB))
    waiting = {phase.name for phase in answer.phases if not phase.processor}
    assert waiting == {"transfer by the PL330", "wait for the poll that sees it"}
