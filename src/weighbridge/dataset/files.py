# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weighbridge.errors import InputError


def unwritable(path: Path, cause: Exception) -> InputError:
    """The error of a file that could not be written, from Python's or DuckDB's own."""
    reason = cause.strerror if isinstance(cause, OSError) else None
    return InputError(f"cannot write {path}: {reason or _disk_reason(str(cause))}")


def check_writable(path: Path, parents: bool = False) -> None:
    """InputError where no file can be written under this name; ask before working for it.

    parents: folders that are missing are made with the file.
    """
    folder = path.parent
    while parents and not folder.exists():
        folder = folder.parent
    wrong = None
    if path.is_dir():
        wrong = errno.EISDIR
    elif not folder.is_dir():
        wrong = errno.ENOTDIR if folder.exists() else errno.ENOENT
    elif not os.access(folder, os.W_OK | os.X_OK):
        wrong = errno.EACCES
    if wrong is not None:
        raise unwritable(path, OSError(wrong, os.strerror(wrong)))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes the place of `path` if all goes well.

    A full disk or a forbidden folder is an InputError, and leaves what was there before.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: Path) -> None:
    """Write UTF-8 text so that `path` is never half-written."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _disk_reason(message: str) -> str:
    """The operating system's reason inside one of DuckDB's many-line I/O messages."""
    number = re.search(r'"errno":\s*"(\d+)"', message)
    return os.strerror(int(number[1])) if number else message.splitlines()[0]
