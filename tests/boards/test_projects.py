# SPDX-License-Identifier: Apache-2.0
"""The FPGA projects of boards/ run through stand-ins of the vendors' commands; overlays compile."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import boards
from weighbridge.platforms import load_platform

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
QUARTUS = ROOT / "boards" / "cyclonev" / "system.tcl"
VIVADO = ROOT / "boards" / "zynq7000" / "project.tcl"
VALIDATE = Path(sys.executable).parent / "dt-validate"
LINKS = ("HF128", "HF64", "HF32", "LW32")

Rows = list[list[str]]


def said(vendor: str, script: Path, *words: str) -> Rows:
    """What a script asks of the vendor's tool."""
    assert shutil.which("tclsh")
    command = ["tclsh", HERE / "vendor.tcl", vendor, HERE / "ips.tcl", script, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def quartus(**words: str) -> Rows:
    return said("quartus", QUARTUS, *(word for pair in words.items() for word in pair))


def designs() -> list[Rows]:
    """All that the scripts can make."""
    made = [quartus(design="ocram", link=link, mhz="150") for link in LINKS]
    for link in LINKS[:3]:
        for direction in ("to_memory", "from_memory"):
            made.append(quartus(design="dma", link=link, direction=direction))
    made += [
        quartus(design="datra", link=link, port=port) for link in LINKS for port in ("fh", "fs")
    ]
    made += [said("vivado", VIVADO, design, "150") for design in ("ocram", "datra-hp", "datra-acp")]
    return made


def test_generated_files_are_up_to_date() -> None:
    for path, text in boards.generated().items():
        assert path.read_text() == text, f"{path}: python -m tools.boards"


def test_every_design_is_made_and_what_is_unverified_is_counted() -> None:
    rows = [row for made in designs() for row in made]
    assert len([row for row in rows if row[0] == "saved"]) == len(designs())
    asked = {(row[1], row[2]): row[4] for row in rows if row[0] == "parameter"}
    asked |= {("segment", row[2]): row[1] for row in rows if row[0] == "place" and "/" in row[2]}
    unverified = sorted(" ".join(one) for one, source in asked.items() if source == "unverified")
    for name in ("cyclonev", "zynq7000"):
        page = (ROOT / "boards" / name / "README.md").read_text()
        told = re.search(r"(\d+) of (\d+)\s+names are unverified", page)
        assert told is not None
        mine = (
            "altera datra_axi3 clock_source" if name == "cyclonev" else "xilinx weighbridge segment"
        )
        here = [one for one in asked if one[0].startswith(tuple(mine.split()))]
        there = [one for one in here if asked[one] == "unverified"]
        assert (int(told[1]), int(told[2])) == (len(there), len(here)), unverified


@pytest.mark.parametrize("link", LINKS)
def test_the_memory_is_where_the_platform_says(link: str) -> None:
    file = load_platform("cyclonev").file
    rows = quartus(design="ocram", link=link)
    (place,) = (row for row in rows if row[0] == "place")
    bridge = 0xFF20_0000 if link.startswith("LW") else 0xC000_0000
    assert bridge + int(place[3], 16) == file.link[link].window
    given = {row[2]: row[3] for row in rows if row[0] == "parameter"}
    assert int(given["dataWidth"]) == file.link[link].width.value
    assert int(given["memorySize"]) == file.fabric_memory.value * 1024


def test_controllers_lie_apart() -> None:
    """Registers every 256 bytes, RAMs every 64 KiB; four FS ports of 64 bit, or two of 128."""
    for link, controllers in (("HF128", 3), ("HF64", 5), ("HF32", 5)):
        rows = quartus(design="dma", link=link)
        places = [row for row in rows if row[0] == "place" and row[1] == "hps.h2f_axi_master"]
        found = sorted(int(row[3], 16) for row in places)
        registers = [0x100 * n for n in range(controllers)]
        assert found == [*registers, *(0x10000 * (n + 1) for n in range(controllers))]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("memorySize", "memoryBytes", "has no parameter memoryBytes"),
        ("blockType M10K", "blockType M9K", "blockType cannot be M9K"),
        ("altera_avalon_onchip_memory2", "altera_onchip", "no component altera_onchip"),
        ("clocked ocram.clk1 ocram.reset1", "", "nothing at ocram.clk1"),
        ("_axi_master ocram.s1", "_axi_master ocram.clk1", "does not fit"),
        ("ocram.s1 $offset", "ocram.s3 $offset", "has no s3"),
    ],
)
def test_a_mistake_is_refused(old: str, new: str, fault: str, tmp_path: Path) -> None:
    text = QUARTUS.read_text()
    assert old in text
    (tmp_path / "facts.tcl").write_text((QUARTUS.parent / "facts.tcl").read_text())
    wrong = tmp_path / "system.tcl"
    wrong.write_text(text.replace(old, new))
    with pytest.raises(AssertionError, match=fault):
        said("quartus", wrong, "design", "ocram")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ({"design": "dma", "link": "LW32"}, "behind the HF bridge"),
        ({"link": "HF256"}, "no link HF256"),
        ({"design": "x"}, "no design x"),
        ({"port": "acp", "design": "datra"}, "no port acp"),
    ],
)
def test_what_is_asked_wrongly(words: dict[str, str], fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        quartus(**words)


def test_the_project_of_quartus(tmp_path: Path) -> None:
    script = tmp_path / "project.tcl"
    script.write_text((ROOT / "boards" / "cyclonev" / "project.tcl").read_text())
    (tmp_path / "pins.tcl").write_text("")
    rows = said("quartus", script)
    files = [ROOT / "boards" / "cyclonev" / row[2] for row in rows if row[1] == "SDC_FILE"]
    assert [file.exists() for file in files] == [True]


#: As much of a board's own tree as the overlay asks for.
TREE = """/dts-v1/;
/ {{
	#address-cells = <1>;
	#size-cells = <1>;
	intc: interrupt-controller {{
		interrupt-controller;
		#interrupt-cells = <3>;
		#address-cells = <0>;
	}};
	{bus} {{
		#address-cells = <1>;
		#size-cells = <1>;
		ranges;
	}};
}};
"""


@pytest.mark.parametrize("name", sorted(boards.BOARDS))
def test_an_overlay_compiles_and_applies(name: str, tmp_path: Path) -> None:
    tree, overlay = tmp_path / "tree.dts", ROOT / "boards" / name / "datra.dtso"
    tree.write_text(TREE.format(bus=boards.BOARDS[name].bus.strip("/")))
    for source, product in ((tree, "tree.dtb"), (overlay, "datra.dtbo")):
        command = ["dtc", "-@", "-I", "dts", "-O", "dtb", "-o", tmp_path / product, source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    subprocess.run(["fdtoverlay", "-i", "tree.dtb", "-o", "both.dtb", "datra.dtbo"], cwd=tmp_path)
    both = subprocess.run(
        ["dtc", "-I", "dtb", tmp_path / "both.dtb"], capture_output=True, text=True
    )
    base = boards.windows(load_platform(name).file)[boards.BOARDS[name].link][0]
    assert f"datra@{base:x} {{" in both.stdout
    assert f"reg = <0x{base:x} 0x200000>;" in both.stdout


@pytest.mark.skipif(
    not VALIDATE.exists(), reason="dtschema is not installed; make test installs it"
)
@pytest.mark.parametrize("name", sorted(boards.BOARDS))
def test_an_overlay_keeps_to_the_binding(name: str, tmp_path: Path) -> None:
    """With its node in a tree: a fragment alone says nothing of what it hangs from."""
    binding = ROOT / "stack" / "linux" / "bindings" / "misc" / "weighbridge,datra.yaml"
    node = (ROOT / "boards" / name / "datra.dtso").read_text().split("/plugin/;")[1]
    bus = boards.BOARDS[name].bus
    tree = tmp_path / "tree.dts"
    for wrong in (False, True):
        text = node.replace("interrupts = ", "interrupted = ") if wrong else node
        tree.write_text(TREE.format(bus=bus.strip("/")) + text)
        command = ["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", tmp_path / "tree.dtb", tree]
        subprocess.run(command, check=True)
        command = [VALIDATE, "-l", "datra", "-s", binding, tmp_path / "tree.dtb"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ("datra@" in done.stdout + done.stderr) == wrong, done.stdout + done.stderr
