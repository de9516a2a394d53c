# SPDX-License-Identifier: Apache-2.0
"""What a PCI Express link leaves for data: coding, packets, acknowledgements, flow control.

Rates are bits per second of one direction. Overheads as in the public model of pcie-bench (SIGCOMM
2018); limits of acknowledgement and flow-control latency from the PCI Express base specification.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

#: Transfers a second and share that the line code leaves, by generation.
_RATES: Final = {1: 2.5e9, 2: 5e9, 3: 8e9, 4: 16e9, 5: 32e9}
_CODED: Final = {1: 8 / 10, 2: 8 / 10, 3: 128 / 130, 4: 128 / 130, 5: 128 / 130}
_LANES: Final = (1, 2, 4, 8, 12, 16, 32)
_PAYLOADS: Final = (128, 256, 512, 1024, 2048, 4096)
#: Bytes of packets after which one must have been acknowledged, and credit returned: rows by
#: maximum payload, columns by lanes. From generation 3 on the same.
_LIMITS: Final = {
    1: (
        (237, 128, 73, 67, 58, 48, 33),
        (416, 217, 118, 107, 90, 72, 45),
        (559, 289, 154, 86, 109, 86, 52),
        (1071, 545, 282, 150, 194, 150, 84),
        (2095, 1057, 538, 278, 365, 278, 148),
        (4143, 2081, 1050, 534, 706, 534, 276),
    ),
    2: (
        (288, 179, 124, 118, 109, 99, 84),
        (467, 268, 169, 158, 141, 123, 96),
        (610, 340, 205, 137, 160, 137, 103),
        (1122, 596, 333, 201, 245, 201, 135),
        (2146, 1108, 589, 329, 416, 329, 199),
        (4194, 2132, 1101, 585, 757, 585, 327),
    ),
    3: (
        (333, 224, 169, 163, 154, 144, 129),
        (512, 313, 214, 203, 186, 168, 141),
        (655, 385, 250, 182, 205, 182, 148),
        (1167, 641, 378, 246, 290, 246, 180),
        (2191, 1153, 634, 374, 461, 374, 244),
        (4239, 2177, 1146, 630, 802, 630, 372),
    ),
}
#: Bytes of a link-layer packet, and of the ordered set that lets clocks differ.
_DLLP: Final = 8
_SKIP, _SKIP_EVERY = 4, 1538
#: Framing, sequence number and CRC of a packet, and the first word of its header.
_FRAME: Final = 8 + 4
_COMPLETION: Final = 8
_TAG: Final = 4
_ECRC: Final = 4


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it was trained and configured; sizes in bytes."""

    generation: int
    lanes: int
    max_payload: int
    max_read_request: int = 512
    address_bits: int = 64
    ecrc: bool = False
    #: Where the root complex splits completions, if not at the maximum payload.
    completion_boundary: int | None = None

    @property
    def raw(self) -> float:
        """Bits per second that the line code leaves."""
        return _RATES[self.generation] * _CODED[self.generation] * self.lanes

    @property
    def unacknowledged(self) -> float:
        """Raw rate less the ordered sets: what no link can exceed."""
        return self.raw * (1 - _SKIP / _SKIP_EVERY)

    @property
    def usable(self) -> float:
        """Bits per second for packets, with an acknowledgement and a credit at their limits."""
        limits = _LIMITS[min(self.generation, 3)]
        limit = limits[_PAYLOADS.index(self.max_payload)][_LANES.index(self.lanes)]
        return self.raw * (1 - 2 * _DLLP / limit - _SKIP / _SKIP_EVERY)

    @property
    def request(self) -> int:
        """Bytes around a write's payload, and of a read's request."""
        return _FRAME + _TAG + self.address_bits // 8 + _ECRC * self.ecrc

    @property
    def completion(self) -> int:
        """Bytes around the payload of a completion."""
        return _FRAME + _COMPLETION + _ECRC * self.ecrc

    def written(self, size: int) -> int:
        """Bytes on the wire for a write."""
        return ceil(size / self.max_payload) * self.request + size

    def requested(self, size: int) -> int:
        """Bytes on the wire that ask for a read."""
        return ceil(size / self.max_read_request) * self.request

    def completed(self, size: int) -> int:
        """Bytes on the wire that answer a read."""
        boundary = self.completion_boundary or self.max_payload
        return ceil(size / boundary) * self.completion + size

    def write_rate(self, size: int) -> float:
        """Bits per second of payload, writes of a size one behind the other."""
        return self.usable * size / self.written(size)

    def read_rate(self, size: int) -> float:
        """The same of reads, as many outstanding as it takes."""
        return self.usable * size / max(self.requested(size), self.completed(size))

    def both_rate(self, size: int) -> float:
        """The same of reads and writes in equal number, of each."""
        outward = self.written(size) + self.requested(size)
        return self.usable * size / max(outward, self.completed(size))


def packet_seconds(payload: int, generation: int, lanes: int, header: int = 20) -> float:
    """Time of one packet on the wire, without what the link layer adds."""
    return (payload + header) * 8 / (_RATES[generation] * _CODED[generation] * lanes)


def efficiency(payload: int, header: int = 20) -> float:
    """Share of a packet's bytes that are payload."""
    return payload / (payload + header)
