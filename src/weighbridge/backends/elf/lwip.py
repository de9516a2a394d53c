# SPDX-License-Identifier: Apache-2.0
"""lwIP's sources, from Debian's source package: fetched once, by its hash, and never committed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path
from typing import Final

from weighbridge.errors import InputError
from weighbridge.kept import kept

_PACKAGE: Final = "lwip=2.1.3+dfsg1-2"
_ARCHIVE: Final = "lwip_2.1.3+dfsg1.orig.tar.xz"
_SHA256: Final = "0a8276d09fc4e97bbba2f953d74af2388fc2195ea156be9d7589e297a68fde24"
_MIRROR: Final = "deb-src http://deb.debian.org/debian bookworm main\n"


@cache
def lwip() -> Path:
    """The folder `src` of lwIP 2.1.3; InputError where it cannot be had."""

    def make(scratch: Path) -> Path:
        print("fetching the source of lwIP, once", file=sys.stderr)
        archive = _fetched(scratch)
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != _SHA256:
            raise InputError(f"{_ARCHIVE} is not what was tried: SHA-256 {found}")
        with tarfile.open(archive) as packed:
            packed.extractall(scratch / "lwip", filter="data")
        (folder,) = (scratch / "lwip").iterdir()
        return folder / "src"

    return kept("lwip", [], _SHA256, make)


def _fetched(scratch: Path) -> Path:
    """Debian's archive, by apt with a list of its own: nothing of the system's is changed."""
    apt = shutil.which("apt-get")
    if apt is None:
        raise InputError("lwIP's source comes by apt-get, which is not installed")
    (scratch / "list").write_text(_MIRROR)
    for name in ("lists/partial", "cache/archives/partial"):
        (scratch / name).mkdir(parents=True)
    own = {
        "Dir::Etc::SourceList": scratch / "list",
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": scratch / "lists",
        "Dir::Cache": scratch / "cache",
        "APT::Sandbox::User": "root",
    }
    options = [word for name, value in own.items() for word in ("-o", f"{name}={value}")]
    for asked in (["update"], ["source", "--download-only", _PACKAGE]):
        done = subprocess.run(
            [apt, "-qq", *options, *asked],
            cwd=scratch,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = (done.stderr.strip() or "no reason").splitlines()[-1]
            raise InputError(f"lwIP's source cannot be fetched: {said}")
    return scratch / _ARCHIVE
