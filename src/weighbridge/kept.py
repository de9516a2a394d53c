# SPDX-License-Identifier: Apache-2.0
"""What takes long to build, kept in the user's cache under a hash of what it is made of."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path


def kept(name: str, inputs: Iterable[Path], key: str, make: Callable[[Path], Path]) -> Path:
    """The product of `make`, which gets an empty directory and returns a path in it.

    It is made once for each name, key and contents of the inputs. The key is what else it depends
    on: parameters, flags, versions.
    """
    content = hashlib.sha256(key.encode())
    for file in inputs:
        content.update(file.name.encode() + file.read_bytes())
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weighbridge"
    product = caches / f"{name}-{content.hexdigest()[:16]}"
    if not product.exists():
        caches.mkdir(parents=True, exist_ok=True)
        with (caches / f"{product.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # a second process waits, and finds it made
            if not product.exists():
                with tempfile.TemporaryDirectory(dir=caches) as scratch:
                    # In one step: whoever looks meanwhile sees all of it or nothing.
                    make(Path(scratch)).rename(product)
    return product
