# SPDX-License-Identifier: Apache-2.0
"""The block diagram: every part, every wire, the marked path, nothing on top of anything."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from weighbridge.platforms import load_platform
from weighbridge.report.diagram import diagram

PLATFORM = load_platform("cyclonev")
SVG = "{http://www.w3.org/2000/svg}"


def classes(root: ElementTree.Element, tag: str, name: str) -> list[ElementTree.Element]:
    return [e for e in root.iter(SVG + tag) if name in e.get("class", "").split()]


def test_every_component_and_every_wire_is_drawn() -> None:
    root = ElementTree.fromstring(diagram(PLATFORM))
    assert len(classes(root, "rect", "box")) == len(PLATFORM.components)
    wires = sum(len(part.neighbours()) for part in PLATFORM.components.values())
    assert len(classes(root, "path", "wire")) == wires
    texts = [e.text for e in root.iter(SVG + "text")]
    assert all(part.title in texts for part in PLATFORM.components.values())


def test_only_the_path_is_marked() -> None:
    path = ["pl330", "l3", "acp", "l2", "hf", "fabric"]
    root = ElementTree.fromstring(diagram(PLATFORM, path, "a <path> & more"))
    assert len(classes(root, "rect", "on")) == len(path)
    assert len(classes(root, "path", "on")) == 5
    assert "a <path> & more" in [e.text for e in root.iter(SVG + "text")]


def test_boxes_do_not_overlap_and_stay_on_the_sheet() -> None:
    root = ElementTree.fromstring(diagram(PLATFORM))
    boxes = [
        tuple(float(box.get(key, "")) for key in ("x", "y", "width", "height"))
        for box in classes(root, "rect", "box")
    ]
    for i, (x, y, w, h) in enumerate(boxes):
        assert x >= 0
        assert x + w <= float(root.get("width", ""))
        assert y >= 0
        assert y + h <= float(root.get("height", ""))
        for x2, y2, w2, h2 in boxes[i + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_the_fabric_is_drawn_at_the_clock_that_was_asked_for() -> None:
    assert re.search(r"128 bit, 75 MHz", diagram(PLATFORM, fpga_mhz=75))
