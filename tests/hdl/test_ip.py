# SPDX-License-Identifier: Apache-2.0
"""Flat wrappers of the reference configuration and their descriptions for vendors' tools.

The widths of ports are those that a synthesis front end finds in the wrapper.
"""

import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.logic.ip import PAGE, page, write
from tools.logic.yosys import read, yosys

root = Path(__file__).parents[2]
ip = root / "hdl" / "datra" / "ip"
modules = [
    root / "hdl" / "registers" / "datra_registers.sv",
    *sorted([*root.glob("hdl/datra/rtl/*.sv"), *root.glob("hdl/lib/rtl/*.sv")]),
]
spirit = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
GIVEN = {
    **{"DATA_W": 64, "ID_W": 5, "DMA_DATA_W": 128, "DMA_ADDR_W": 40, "ASYNC": 1},
    **{"DMA_REALIGN": 1, "DMA_CUT_THROUGH": 1},
}

Ports = dict[str, tuple[str, int]]  # direction, bits


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Ports]:
    """Of both wrappers, with `GIVEN`."""
    out = tmp_path_factory.mktemp("ip")
    found = {}
    for axi in (3, 4):
        top = f"datra_axi{axi}"
        script = read(top, GIVEN, ip / f"{top}.v") + f"proc; check -assert; select -module {top}; "
        yosys(out, script + f"write_json -selected /out/{top}.json")
        module = json.loads((out / f"{top}.json").read_text())["modules"][top]
        found[axi] = {
            name: (port["direction"], len(port["bits"])) for name, port in module["ports"].items()
        }
    return found


def evaluated(expression: str) -> int:
    """An expression of the parameters, with `GIVEN`."""
    expression = re.sub(r"spirit:decode\(id\('MODELPARAM_VALUE\.(\w+)'\)\)", r"\1", expression)
    assert re.fullmatch(r"[\w\s()/*+-]+", expression)
    return int(eval(expression.replace("/", "//"), {}, GIVEN))


def test_generated_files_are_up_to_date(tmp_path: Path) -> None:
    write(tmp_path)
    written = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 6
    for name in written:
        assert (tmp_path / name).read_text() == (ip / name).read_text(), f"{name}: make ip"


@pytest.mark.parametrize("axi", [3, 4])
@pytest.mark.parametrize("width", [32, 64, 128])
def test_lint(verilator, axi: int, width: int) -> None:
    command, warnings = verilator
    wrapper = ip / f"datra_axi{axi}.v"
    for clocks in (0, 1):
        given = [f"-GDATA_W={width}", f"-GDMA_DATA_W={width}", f"-GASYNC={clocks}"]
        done = subprocess.run(
            [
                *(command, "--lint-only", *warnings, "--top-module", wrapper.stem),
                *(*given, *modules, wrapper),
            ],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("axi", [3, 4])
def test_ipxact_has_the_wrappers_ports(ports: dict[int, Ports], axi: int) -> None:
    component = ElementTree.parse(ip / f"axi{axi}" / "component.xml").getroot()
    described: Ports = {}
    for port in component.iter(f"{spirit}port"):
        wire = port.find(f"{spirit}wire")
        left = wire.find(f"{spirit}vector/{spirit}left")
        bits = 1
        if left is not None:
            bits = evaluated(left.get(f"{spirit}dependency") or left.text) + 1
        direction = {"in": "input", "out": "output"}[wire.findtext(f"{spirit}direction")]
        described[port.findtext(f"{spirit}name")] = (direction, bits)
    assert described == ports[axi]
    mapped = [port.findtext(f"{spirit}name") for port in component.iter(f"{spirit}physicalPort")]
    assert sorted([*mapped, "irq_pulse"]) == sorted(described)
    for file in component.iter(f"{spirit}file"):
        assert (ip / f"axi{axi}" / file.findtext(f"{spirit}name")).exists()
    choices = {choice.findtext(f"{spirit}name") for choice in component.iter(f"{spirit}choice")}
    for value in component.iter(f"{spirit}value"):
        assert value.get(f"{spirit}choiceRef") in {None, *choices}


@pytest.mark.parametrize("axi", [3, 4])
def test_platform_designer_has_the_wrappers_ports(ports: dict[int, Ports], axi: int) -> None:
    text = (ip / f"datra_axi{axi}_hw.tcl").read_text()
    line = re.compile(r"^add_interface_port (\w+) (\w+) (\w+) (Input|Output) (.+)$", re.M)
    described = {
        name: (direction.lower(), evaluated(width))
        for _, name, _, direction, width in line.findall(text)
    }
    assert described == ports[axi]
    interfaces = set(re.findall(r"^add_interface (\w+)", text, re.M))
    assert {interface for interface, *_ in line.findall(text)} == interfaces
    for name in re.findall(r"\bPATH (\S+)", text):
        assert (ip / name).exists(), name


@pytest.fixture(scope="module")
def two_nodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the generator makes of `dma_nodes = 2`."""
    home = tmp_path_factory.mktemp("two") / "hdl" / "datra" / "ip"
    home.mkdir(parents=True)
    given = (ip / "reference.toml").read_text()
    assert "\ndma_nodes = 1\n" in given
    reference = home / "reference.toml"
    reference.write_text(given.replace("\ndma_nodes = 1\n", "\ndma_nodes = 2\n"))
    write(home, reference)
    return home


@pytest.mark.parametrize("axi", [3, 4])
def test_lint_of_two_dma_nodes(verilator, two_nodes: Path, axi: int) -> None:
    command, warnings = verilator
    wrapper = two_nodes / f"datra_axi{axi}.v"
    ports = set(re.findall(r"\b((?:s|m\d?)_axi_\w+)(?=,$|$)", wrapper.read_text(), re.M))
    assert {port.split("_")[0] for port in ports} == {"s", "m0", "m1"}
    component = ElementTree.parse(two_nodes / f"axi{axi}" / "component.xml").getroot()
    described = {port.findtext(f"{spirit}name") for port in component.iter(f"{spirit}port")}
    assert ports == {name for name in described if "_axi_" in name}
    for clocks in (0, 1):
        given = ["--top-module", wrapper.stem, f"-GASYNC={clocks}"]
        done = subprocess.run(
            [command, "--lint-only", *warnings, *given, *modules, wrapper],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("nodes", [2, 26])
def test_lint_of_more_dma_nodes(verilator, nodes: int) -> None:
    command, warnings = verilator
    given = ["--top-module", "datra", f"-GDMA_NODES={nodes}"]
    done = subprocess.run(
        [command, "--lint-only", *warnings, *given, *modules], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_frames_through_two_dma_nodes(simulate, two_nodes: Path) -> None:
    small = {"DMA_FIFO_DEPTH": 32, "FIFO_DEPTH": 256, "ROUTER_DEPTH": 8}
    sources = [*modules, two_nodes / "datra_axi4.v"]
    simulate("datra_axi4", "dma_nodes_bench", sources=sources, **small)


def test_the_page_names_every_parameter_as_it_is() -> None:
    text = PAGE.read_text()
    assert page(text) == text
