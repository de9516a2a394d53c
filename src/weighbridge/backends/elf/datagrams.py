# SPDX-License-Identifier: Apache-2.0
"""Frames that have left a MAC: a capture of them, and whether one is what iperf3 expects."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: pcap in the host's order with nanoseconds; a record's header.
_MAGIC: Final = 0xA1B23C4D
_HEADER: Final = 24
_RECORD: Final = struct.Struct("<IIII")
_ETHERNET: Final = 14
_IP: Final = 20
_UDP: Final = 8
#: The shortest frame, without its CRC: what is missing are zeros.
_SHORTEST: Final = 60
#: 32-bit words of a payload that are not its filling.
_FIRST: Final = 4


@dataclass(frozen=True, slots=True)
class Captured:
    """A frame without preamble and CRC, and when its last byte was on the wire, in seconds."""

    seconds: float
    data: bytes


def captured(path: Path) -> list[Captured]:
    """The whole frames of a pcap file of cosim/microcontroller, which may have been ended."""
    data = path.read_bytes()
    assert struct.unpack_from("<I", data)[0] == _MAGIC
    frames, at = [], _HEADER
    while len(data) - at >= _RECORD.size:
        seconds, ns, length, _ = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        if len(data) - at < length:
            break
        frames.append(Captured(seconds + 1e-9 * ns, data[at : at + length]))
        at += length
    return frames


def summed(data: bytes) -> int:
    """The Internet's checksum without its complement."""
    padded = data + b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f">{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def fault(frame: bytes, payload: int, number: int) -> str:
    """What is wrong with a frame that has to carry datagram `number` of iperf3, or nothing."""
    used = _ETHERNET + _IP + _UDP + payload
    if len(frame) != max(_SHORTEST, used):
        return f"it has {len(frame)} B, not {max(_SHORTEST, used)}"
    if any(frame[used:]):
        return "it is not filled up with zeros"
    ip = frame[_ETHERNET : _ETHERNET + _IP]
    datagram = frame[_ETHERNET + _IP : _ETHERNET + _IP + _UDP + payload]
    if frame[12:14] != b"\x08\x00" or ip[0] != 0x45 or ip[9] != 17:
        return "it is no datagram by IPv4"
    if struct.unpack(">H", ip[2:4])[0] != _IP + _UDP + payload:
        return "IP says another length"
    if struct.unpack(">H", datagram[4:6])[0] != _UDP + payload:
        return "UDP says another length"
    if summed(ip) != 0xFFFF:
        return "the IP header's checksum is wrong"
    pseudo = ip[12:20] + struct.pack(">HH", 17, _UDP + payload)
    if summed(pseudo + datagram) != 0xFFFF:
        return "the UDP checksum is wrong"
    body = datagram[_UDP:]
    if struct.unpack_from(">I", body, 8)[0] != number:
        return f"its number is {struct.unpack_from('>I', body, 8)[0]}"
    words = (payload + 3) // 4
    filling = struct.pack(f"<{words - _FIRST}I", *range(_FIRST, words))
    if body[4 * _FIRST :] != filling[: payload - 4 * _FIRST]:
        return "its filling is wrong"
    return ""
