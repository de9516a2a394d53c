# SPDX-License-Identifier: Apache-2.0
"""What `make bitstream` builds, as far as it is cheap: memories in blocks, a pin for each port."""

import re
from pathlib import Path

from tools.logic import bitstream


def test_the_memory_is_in_block_ram(tmp_path: Path) -> None:
    """As far as yosys' own mapping of memories; place and route take minutes."""
    cells = bitstream.synthesised(tmp_path, quickly=True)
    assert cells["DP16KD"] >= bitstream.RAM_BLOCKS
    assert cells["EHXPLLL"] == 1
    # Nothing as large as it is left to be made of anything else.
    assert not [name for name in cells if name.startswith("$mem")]


def test_each_port_has_a_pin() -> None:
    top = (bitstream.BOARD / "ulx3s.sv").read_text()
    ports = set()
    for bits, name in re.findall(r"^ +(?:in|out)put +wire +(?:\[(\d+):0\])? *(\w+)", top, re.M):
        ports |= {f"{name}[{n}]" for n in range(int(bits) + 1)} if bits else {name}
    text = (bitstream.BOARD / "ulx3s.lpf").read_text()
    pins = re.findall(r'^LOCATE COMP "(.+)" SITE "(\w+)";', text, re.M)
    assert {name for name, _ in pins} == ports
    assert len({site for _, site in pins}) == len(pins)
    assert set(re.findall(r'^IOBUF PORT "(.+?)" .*IO_TYPE=LVCMOS33', text, re.M)) == ports
