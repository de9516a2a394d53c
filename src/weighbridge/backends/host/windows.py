# SPDX-License-Identifier: Apache-2.0
"""Windows of a PCI Express device through sysfs: which file stands for one, and who may touch it.

Not tried on hardware: files stand for the windows where this is tested.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from weighbridge.backends import Unanswered
from weighbridge.backends.probe import Window
from weighbridge.dataset.schema import Point
from weighbridge.quantities import format_size
from weighbridge.survey.pcie import DEVICES, Device
from weighbridge.survey.sysroot import Sysroot

_BAR = re.compile(r"BAR([0-5])")


def window(point: Point, root: Sysroot, devices: Mapping[str, Device]) -> Window | None:
    """What stands for a point's link of its device; None where the point has neither.

    Unanswered where the device has no such window, where it is not large enough, and where a
    driver owns the device: nothing is touched then.
    """
    named = dict(point.axes).get("device")
    bar = _BAR.fullmatch(point.link or "")
    if named is None and bar is None:
        return None
    if named is None:
        raise Unanswered("no device is named: --where device=..., as 'weighbridge survey' lists it")
    if bar is None:
        raise Unanswered(f"link '{point.link}' is none of BAR0 to BAR5")
    device = devices.get(str(named))
    if device is None:
        known = ", ".join(one.address for one in devices.values() if one.bars)
        raise Unanswered(f"there is no device '{named}'; with windows: {known or 'none'}")
    number = int(bar[1])
    has = next((one for one in device.bars if one.number == number), None)
    if has is None:
        raise Unanswered(f"{device.address} has no BAR{number} in memory")
    if device.driver is not None:
        raise Unanswered(
            f"{device.address} is owned by {device.driver}; "
            f"free it with: echo {device.address} > {DEVICES}/{device.address}/driver/unbind"
        )
    if not device.enabled:
        raise Unanswered(
            f"{device.address} is off; echo 1 > {DEVICES}/{device.address}/enable switches it on"
        )
    if point.size_bytes > has.bytes:
        raise Unanswered(f"BAR{number} of {device.address} ends at {format_size(has.bytes)}")
    combining = "_wc" if point.memory_attribute == "write_combining" else ""
    file = root.path(f"{DEVICES}/{device.address}/resource{number}{combining}")
    if not file.exists():
        raise Unanswered(f"{device.address} lets nobody combine stores to BAR{number}")
    return Window(str(file.absolute()), 0, point.size_bytes)
