# SPDX-License-Identifier: Apache-2.0
"""A PCI Express link of a platform as the engine wants it: what its packets take on a wire."""

from __future__ import annotations

from weighbridge.platforms.model import Component
from weighbridge.platforms.pcie_link import Link


def trained(component: Component) -> Link:
    """The link that a component of kind pcie_link is."""

    def number(field: str) -> int:
        return int(component.base_value(field))

    boundary = number("read_completion_boundary")
    return Link(
        generation=number("generation"),
        lanes=number("lanes"),
        max_payload=number("max_payload"),
        max_read_request=number("max_read_request"),
        address_bits=8 * number("address"),
        ecrc=component.flags["ecrc"],
        completion_boundary=boundary if component.flags["splits_at_boundary"] else None,
    )


def packets(link: Link) -> dict[str, float]:
    """The engine's numbers of a link: nanoseconds a byte, and bytes."""
    return {
        "byte": 8e9 / link.usable,
        "max_payload": link.max_payload,
        "max_request": link.max_read_request,
        "boundary": link.completion_boundary or link.max_payload,
        "request_bytes": link.request,
        "completion_bytes": link.completion,
    }
