# SPDX-License-Identifier: Apache-2.0
"""A board's device-tree overlay for the Linux program of its study, with an image's window.

python -m tools.study_overlay cyclonev --link HF128
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from weighbridge.errors import InputError
from weighbridge.platforms import load_platform

BOARDS: Final = Path(__file__).parents[1] / "stack" / "study" / "boards"


def overlay(name: str, link: str) -> str:
    """A board's device-tree overlay, for the FPGA image that has a link."""
    file = BOARDS / f"{name}.dtso"
    if not file.exists():
        known = ", ".join(sorted(board.stem for board in BOARDS.glob("*.dtso")))
        raise InputError(f"there is no overlay for {name}", mend=f"there are {known}")
    platform = load_platform(name).file
    if link not in platform.link or platform.link[link].window == 0:
        known = ", ".join(one for one, way in platform.link.items() if way.window)
        raise InputError(f"{name} has no window by the link {link}", mend=f"there are {known}")
    memory = platform.fabric_memory
    assert memory is not None
    fields = {
        "WINDOW_ADDRESS": f"{platform.link[link].window:x}",
        "WINDOW_BYTES": f"{int(memory.value) * 1024:#x}",
        "LINK": link,
    }
    if acp := platform.route.get("acp"):
        fields["ACP_OFFSET"] = f"{acp.offset:#x}"
    text = file.read_text()
    comment, _, body = text.partition("/dts-v1/")
    for word, value in fields.items():
        body = body.replace(word, value)
    return comment + "/dts-v1/" + body


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.study_overlay", description=__doc__)
    parser.add_argument("platform")
    parser.add_argument("--link", required=True, help="of the FPGA's image")
    given = parser.parse_args()
    try:
        print(overlay(given.platform, given.link), end="")
    except (InputError, OSError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
