# SPDX-License-Identifier: Apache-2.0
"""The microcontroller's server and a hostile client, in one process: `make fuzz-firmware`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.firmware_fuzz import fuzzed
from weighbridge.backends.elf import microcontroller, programs
from weighbridge.backends.elf.programs import microcontroller_firmware

ROOT = Path(__file__).parents[2]


def test_a_thousand_hostile_messages() -> None:
    """No fault, no byte that was not meant, and a client that means well is served after all."""
    told, finding = fuzzed(1, 1000)
    assert finding == ""
    assert told["messages"] == 1000
    assert told["connections"] > 100
    assert told["clients"] >= 12


#: What is wrong in a server: file, words, words instead, and what is found.
FAULTS = {
    "more is sent than was written": (
        "iperf3.c",
        "say(text, (uint32_t)(to - text));",
        "say(text, sizeof(text) + 88);",
        "leaves the object it begins in",
    ),
    "a silent client stays": (
        "iperf3.c",
        "tcp_abort(from);\n\treturn ERR_ABRT;",
        "return ERR_OK;",
        "a connection without a word is kept for ever",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_the_server_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, words, instead, why = FAULTS[name]
    home = tmp_path / "home"
    for part in ("firmware/stm32h7", "stack/linux"):
        shutil.copytree(ROOT / part, home / part)
    source = home / "firmware" / "stm32h7" / "server" / file
    assert words in source.read_text()
    source.write_text(source.read_text().replace(words, instead))

    def firmware(header: str, step: str, server: bool = False) -> Path:
        with monkeypatch.context() as patch:
            patch.setattr(programs, "_home", lambda: home)
            return microcontroller_firmware.__wrapped__(header, step, server)

    monkeypatch.setattr(microcontroller, "microcontroller_firmware", firmware)
    assert why in fuzzed(1, 1)[1]
