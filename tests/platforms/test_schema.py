# SPDX-License-Identifier: Apache-2.0
"""Platform files: what is wrong is said by line, all at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import weighbridge.platforms
from weighbridge.backends import Unanswered
from weighbridge.backends.twin import Twin
from weighbridge.errors import InputError
from weighbridge.platforms import load_platform, platform_names

TEXT = (Path(weighbridge.platforms.__file__).parent / "cyclonev.toml").read_text()


def fault(tmp_path: Path, *edits: tuple[str, str]) -> list[str]:
    """The messages for the Cyclone V's file with some texts replaced."""
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_platform(str(path))
    lines = str(caught.value).splitlines()
    assert all("\n" not in line for line in lines)
    return lines


def line_of(text: str) -> int:
    return TEXT[: TEXT.index(text)].count("\n") + 1


def test_every_platform_of_the_product_is_well_formed() -> None:
    assert platform_names()
    for name in platform_names():
        platform = load_platform(name)
        assert platform.name == name
        assert all(parameter.source for parameter in platform.parameters())


def test_a_file_with_nothing_but_its_name_changed_is_a_platform(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT.replace('name = "cyclonev"', 'name = "mine"', 1))
    assert load_platform(str(path)).paths()[0].platform == "mine"


def test_unknown_platform_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown platform 'cyclone6'; platforms: .*cyclonev"):
        load_platform("cyclone6")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (', source = "study: BL8" }', ' }', "missing field 'component.sdram.burst.source'"),
        ('mpu = { value = 800', 'mpu = { value = nan', "finite number"),
        ('mpu = { value = 800', 'mpu = 800 #', "clock.mpu: Input should be a table"),
        ("[component.sdram]", "[component]\nsram = 3\n[component.sdram]",
         "component.sram: Input should be a table"),
        ('mpu = { value = 800', 'mpu = { worth = 1, value = 800',
         "unknown field 'clock.mpu.worth'"),
        ('burst = { value = 8', 'burst = { elsewhere = { value = 0, source = "s" }, value = 8',
         "'sdram.burst' is 0 elsewhere in"),
        ('burst = { value = 8', 'burst = { elsewhere = { value = 8 }, value = 8',
         "missing field 'component.sdram.burst.elsewhere.source'"),
        ("cas_cycles =", "cas_cycels =", "has no field 'cas_cycels'"),
        ('kind = "sdram"', 'kind = "dram"', "unknown kind 'dram'"),
        ('mpu = { value = 800', 'mpu = { value = 0', "'clock.mpu' is 0 MHz in"),
        ('mpu = { value = 800, unit = "MHz"', 'mpu = { value = 800, unit = "ns"', "has the unit"),
        ('burst = { value = 8', 'burst = { value = -8', "'sdram.burst' is -8"),
        ('to = ["sdram"]', 'to = ["l1"]', "the topology has a cycle"),
        ('to = ["sdram"]', 'to = ["ddr4"]', "'ddr4', which is not a component"),
        ('clock = "ddr"', 'clock = "dddr"', "names the clock 'dddr'"),
        ('replacement = "random"', 'replacement = "lru"', "allowed: random, round_robin"),
        ('schema = 1', 'schema = 2', "schema 2 is not supported"),
        ('[component.l1]', '[component.l1', "line"),
        ('reference_clock = "mpu"', 'reference_clock = "cpu"', "is not a clock"),
    ],
)  # fmt: skip
def test_each_fault_is_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert any(expected in line for line in fault(tmp_path, (old, new)))


def test_faults_are_reported_together_with_their_lines(tmp_path: Path) -> None:
    lines = fault(
        tmp_path,
        ("cas_cycles =", "cas_cycels ="),
        ('replacement = "random"', 'replacement = "lru"'),
    )
    assert any("lacks cas_cycles" in line for line in lines)
    assert any(f"line {line_of('cas_cycles =')}" in line for line in lines)
    replacement = line_of('replacement = "random"')
    assert any(f"line {replacement}" in line for line in lines)


def test_overrides_take_any_unit_of_the_dimension() -> None:
    by_hand = load_platform("cyclonev", {"sdram.clock": "0.533 GHz", "l2.bytes": "256 KiB"})
    values = {parameter.name: parameter.value for parameter in by_hand.parameters()}
    assert values["clock.ddr"] == pytest.approx(533)
    assert values["l2.bytes"] == 256


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("sdram.cas", "11", "unknown parameter 'sdram.cas'"),
        ("nothing.at_all", "11", "unknown parameter 'nothing.at_all'"),
        ("sdram.refresh", "10 MHz", "sdram.refresh|MHz"),
        ("sdram.clock", "0 MHz", "it must be 0.1 to 20000 MHz"),
        ("l2.latency", "-3 ns", "it must be 0 to"),
        ("l2.latency", "fast", "fast"),
        # A stream through a cache of 1 GiB took minutes to be steady.
        ("l2.bytes", "1 GiB", "it must be 1 B to 16 MiB"),
    ],
)
def test_bad_overrides_are_refused(key: str, value: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        load_platform("cyclonev", {key: value})


def test_a_block_of_no_beats_is_refused() -> None:
    """The engine once moved its blocks in such steps for ever."""
    platform = load_platform("zynq7000")
    named = [name for name, part in platform.components.items() if part.kind == "descriptor_dma"]
    assert named
    with pytest.raises(InputError, match="it must be 1 to 4096"):
        load_platform("zynq7000", {f"{named[0]}.burst_beats": "0"})


def test_a_path_whose_caches_depend_on_no_system_is_refused(tmp_path: Path) -> None:
    """What is in the caches was once looked up without it: a KeyError."""
    own = tmp_path / "own.toml"
    text = load_platform("cyclonev").path.read_text()
    start = text.index("[[path]]")
    own.write_text(text[:start] + re.sub(r'os = "[a-z]+"\n', "", text[start:], count=1))
    with pytest.raises(InputError, match=r"has a cache_level and no os in .*own.toml, line"):
        load_platform(str(own))


def test_copies_in_chunks_need_the_memory_that_they_fit_into(tmp_path: Path) -> None:
    """What a PL330 copies at a time was once taken of nothing: an AssertionError."""
    own = tmp_path / "own.toml"
    text = load_platform("zynq7000").path.read_text()
    own.write_text(re.sub(r"^fabric_memory = .*\n", "", text, flags=re.MULTILINE))
    with pytest.raises(InputError, match=r"no fabric_memory in .*own.toml; 'cpu' copies"):
        load_platform(str(own))


def test_a_device_needs_a_link_of_its_own_kind(tmp_path: Path) -> None:
    """The link's numbers were once read of whatever component it named: a KeyError."""
    own = tmp_path / "own.toml"
    text = load_platform("pcie").path.read_text()
    start = text.index("[link.PCIe]")
    own.write_text(
        text[:start] + text[start:].replace('component = "link"', 'component = "pcie_dma"', 1)
    )
    expected = "'pcie_dma' moves bytes through 'PCIe', which uses 'pcie_dma' in .*pcie_link"
    with pytest.raises(InputError, match=expected):
        load_platform(str(own))


def test_a_platform_without_an_outer_cache_has_no_answer(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    text = load_platform("zynq7000").path.read_text()
    own.write_text(text.replace('level = "outer"', 'level = "inner"'))
    platform = load_platform(str(own))
    copies = next(path for path in platform.paths() if path.master == "pl330")
    with pytest.raises(Unanswered, match="no outer cache"):
        Twin(platform).explain(copies)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("../../evil", "called '../../evil' in .*, line 2; a name is a word of letters"),
        ("", "called ''"),
        ("two words", "called 'two words'"),
        ("cyclonev+pcie", "called"),
        ("cyclonev", "'cyclonev' comes with the product, and is another system in .*, line 2"),
    ],
)
def test_a_name_is_a_word_and_no_other_systems(tmp_path: Path, name: str, told: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(f'schema = 1\nname = "{name}"\nextends = "pcie"\n')
    with pytest.raises(InputError) as said:
        load_platform(str(file))
    assert re.search(told, str(said.value))


def test_a_calibrated_copy_keeps_its_name(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(TEXT)
    assert load_platform(str(file)).name == "cyclonev"
