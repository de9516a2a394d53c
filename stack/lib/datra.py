# SPDX-License-Identifier: Apache-2.0
"""Datra's streams from Python: bytes and NumPy arrays, blocks without copying.

    with Fifo(0, TO_LOGIC) as out, Fifo(0, FROM_LOGIC) as back:
        connect(0, 0, 0, 0)
        out.write(numpy.arange(100, dtype=numpy.uint32))
        words = back.read(400)

Needs libdatra.so.0 (set LIBDATRA to its path if it is not installed). Whatever fails raises
OSError, which names the file and the call.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

TO_LOGIC, FROM_LOGIC = 0, 1
COHERENT, STREAMING = 2, 3

_library = ctypes.CDLL(os.environ.get("LIBDATRA", "libdatra.so.0"), use_errno=True)


class _Node(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint) for name in ("type", "version", "inputs", "outputs")),
        ("enabled", ctypes.c_bool),
    )


class _Route(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint8) for name in ("sink_queue", "sink", "source_queue", "source")
    )


class _Block(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_uint32),
        ("bytes", ctypes.c_uint32),
        ("signal", ctypes.c_uint16),
    )


class _Piece(ctypes.Structure):
    _fields_ = (
        ("offset", ctypes.c_uint32),
        ("bytes", ctypes.c_uint32),
        ("signal", ctypes.c_uint16),
    )


class _Progress(ctypes.Structure):
    _fields_ = (
        ("frames", ctypes.c_uint64),
        ("errors", ctypes.c_uint32),
        ("running", ctypes.c_bool),
    )


_library.datra_error.restype = ctypes.c_char_p
for _name in ("datra_fifo_open", "datra_dma_open"):
    getattr(_library, _name).restype = ctypes.c_void_p
for _name in ("datra_write", "datra_read"):
    getattr(_library, _name).restype = ctypes.c_ssize_t
_library.datra_block.restype = ctypes.POINTER(_Block)


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, _library.datra_error().decode() or os.strerror(code))
    return result


@dataclass(frozen=True)
class Node:
    type: int
    version: int
    inputs: int
    outputs: int
    enabled: bool


def nodes(card: int = 0) -> list[Node]:
    found = (_Node * 31)()
    count = _checked(_library.datra_nodes(card, found, 31))
    return [Node(n.type, n.version, n.inputs, n.outputs, n.enabled) for n in found[:count]]


def routes(card: int = 0) -> list[tuple[int, int, int, int]]:
    """(source, its queue, sink, its queue) of each route."""
    found = (_Route * 124)()
    count = _checked(_library.datra_routes(card, found, 124))
    return [(r.source, r.source_queue, r.sink, r.sink_queue) for r in found[:count]]


def connect(source: int, source_queue: int, sink: int, sink_queue: int, card: int = 0) -> None:
    _checked(_library.datra_connect(card, source, source_queue, sink, sink_queue))


def disconnect(card: int = 0) -> None:
    _checked(_library.datra_disconnect(card))


def poke(node: int, offset: int, value: int, card: int = 0) -> None:
    """A word of a node's window."""
    _checked(_library.datra_window_poke(card, node, offset, ctypes.c_uint32(value)))


def peek(node: int, offset: int, card: int = 0) -> int:
    value = ctypes.c_uint32()
    _checked(_library.datra_window_peek(card, node, offset, ctypes.byref(value)))
    return value.value


class Stream:
    """Bytes one way. A context manager; `fileno()` is for select and poll."""

    def __init__(self, handle: int | None) -> None:
        if handle is None:
            _checked(-1)
        self._handle = ctypes.c_void_p(handle)

    def fileno(self) -> int:
        return int(_library.datra_descriptor(self._handle))

    def write(self, data: bytes | NDArray[Any]) -> int:
        """Number of bytes written."""
        words = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        words = np.ascontiguousarray(words)
        done = _library.datra_write(
            self._handle, ctypes.c_void_p(words.ctypes.data), ctypes.c_size_t(words.nbytes)
        )
        return _checked(done)

    def read(self, size: int) -> NDArray[np.uint32]:
        """Up to `size` bytes as words: fewer where a frame ends, none where the signal changes."""
        words = np.empty(size // 4, np.uint32)
        done = _checked(
            _library.datra_read(
                self._handle, ctypes.c_void_p(words.ctypes.data), ctypes.c_size_t(words.nbytes)
            )
        )
        return words[: done // 4]

    @property
    def signal(self) -> int:
        return _checked(_library.datra_signal(self._handle))

    @signal.setter
    def signal(self, value: int) -> None:
        _checked(_library.datra_set_signal(self._handle, ctypes.c_uint16(value)))

    def threshold(self, value: int) -> None:
        _checked(_library.datra_set_threshold(self._handle, value))

    def reset(self) -> None:
        _checked(_library.datra_reset(self._handle))

    def close(self) -> None:
        if self._handle:
            _library.datra_close(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Fifo(Stream):
    """A FIFO of a CPU node."""

    def __init__(self, number: int, direction: int, card: int = 0, flags: int = 0) -> None:
        super().__init__(_library.datra_fifo_open(card, direction, number, flags))


class Dma(Stream):
    """A stream of a DMA node, by copying, or by blocks after `blocks()`."""

    def __init__(self, number: int, direction: int, card: int = 0, flags: int = 0) -> None:
        super().__init__(_library.datra_dma_open(card, direction, number, flags))

    def blocks(self, size: int, count: int, mode: int = COHERENT) -> list[NDArray[np.uint32]]:
        """Blocks as arrays over the very memory; they end with the stream."""
        got = _checked(_library.datra_blocks(self._handle, mode, size, count))
        return [self._array(number) for number in range(got)]

    def flush(self) -> None:
        """Ends the frame from logic that has begun."""
        _checked(_library.datra_flush(self._handle))

    def timeout(self, microseconds: int) -> None:
        """Ends such a frame when no word has come for so long; 0: never."""
        _checked(_library.datra_set_timeout(self._handle, microseconds))

    def export(self, number: int) -> int:
        """A descriptor of a dma-buf that is the block; only in streaming mode."""
        return _checked(_library.datra_export(self._handle, number))

    def adopt(self, descriptors: list[int]) -> None:
        """Uses these dma-bufs as blocks; a program maps them by their own descriptors."""
        given = (ctypes.c_int * len(descriptors))(*descriptors)
        _checked(_library.datra_import(self._handle, given, len(descriptors)))

    def standalone(self, size: int) -> NDArray[np.uint32]:
        """Memory that the stream works through by itself."""
        _checked(_library.datra_standalone(self._handle, size))
        return self._array(0)

    def start(self, pieces: list[tuple[int, int, int]], cyclic: bool = False) -> None:
        """Pieces of it, as offset, bytes, user signal: once, or for ever; `reset()` stops."""
        given = (_Piece * len(pieces))(*pieces)
        _checked(_library.datra_start(self._handle, given, len(pieces), ctypes.c_bool(cyclic)))

    def progress(self) -> tuple[int, int, bool]:
        """Frames that have ended since the start, how many of them failed, whether it runs."""
        got = _Progress()
        _checked(_library.datra_progress(self._handle, ctypes.byref(got)))
        return got.frames, got.errors, got.running

    def _array(self, number: int) -> NDArray[np.uint32]:
        block = _library.datra_block(self._handle, number).contents
        words = (ctypes.c_uint32 * (block.size // 4)).from_address(block.data)
        return np.frombuffer(words, np.uint32)

    def submit(self, number: int, size: int, signal: int = 0) -> None:
        """Gives a block to the logic: `size` bytes to send, or at most to receive."""
        block = _library.datra_block(self._handle, number)
        if not block:
            _checked(-1)
        block.contents.bytes, block.contents.signal = size, signal
        _checked(_library.datra_submit(self._handle, number))

    def wait(self) -> tuple[int, int, int]:
        """Number, bytes and user signal of the oldest block that was given, when it is back."""
        number = _checked(_library.datra_wait(self._handle))
        block = _library.datra_block(self._handle, number).contents
        return number, block.bytes, block.signal


def words(stream: Stream, size: int) -> Iterator[NDArray[np.uint32]]:
    """Frames of at most `size` bytes, for ever; a change of signal alone gives none."""
    while True:
        got = stream.read(size)
        if len(got):
            yield got
